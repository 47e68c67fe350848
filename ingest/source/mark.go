package source

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Mark is a line between two samples of a log: what `date`, `date +%s.%N`, `date -Is` or an echo print before
// each dump.
type Mark struct {
	Wall    int64 // nanoseconds since 1970; a time without a zone counts as UTC
	HasWall bool
	PID     int64 // of "pid=N" in the line
	HasPID  bool
}

var (
	markPID   = regexp.MustCompile(`\bpid[=: ]+(\d{1,9})\b`)
	markCount = regexp.MustCompile(`[;,]? *count: *\d+|\\n$`)
	markDate  = regexp.MustCompile(`^(?:\w{3},? )?(\w{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (?:(\S+) )?(\d{4})$`)
	markISO   = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[T _](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))? ?(Z|[+-]\d{2}:?\d{2}|UTC)?$`)
	markEpoch = regexp.MustCompile(`^(\d{9,10})(?:\.(\d{1,9}))?$|^(\d{13}|\d{19})$`)
	markDMY   = regexp.MustCompile(`(\d{4})\D{1,3}(\d{1,2})\D{1,3}(\d{1,2})\D{1,12}(\d{2}:\d{2}:\d{2})`)
	markEuro  = regexp.MustCompile(`(\d{1,2})\.? (\pL{3})\pL*\.? (?:(\d{4}) )?(\d{2}:\d{2}:\d{2})(?: \w+)?(?: (\d{4}))?$`)
	endingAt  = regexp.MustCompile(`ending at: (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})`)
	months    = "janfebmaraprmayjunjulaugsepoctnovdec"
)

// maxMark is the longest line that is looked at as a mark.
const maxMark = 160

// ParseMark reads a separator line: a time alone or with '#', '=', '-', '*' or "date:" round it and perhaps
// "pid=N"; or a rule of at least eight '=', '#' or '*' with no time at all.
func ParseMark(line []byte) (Mark, bool) {
	if len(line) < 5 || len(line) > maxMark || !mayMark(line) {
		return Mark{}, false
	}
	s := string(line)
	var m Mark
	if g := markPID.FindStringSubmatch(s); g != nil {
		m.PID, _ = strconv.ParseInt(g[1], 10, 64)
		m.HasPID = true
		s = strings.Replace(s, g[0], "", 1)
	}
	s = markCount.ReplaceAllString(s, "")
	trimmed := strings.Trim(s, " \t#=*;,-")
	trimmed = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(trimmed, "date:"), "time:"))
	if t, ok := ParseTime(trimmed); ok {
		m.Wall, m.HasWall = t, true
		return m, true
	}
	return m, trimmed == "" && isRule(bytes.TrimSpace(line))
}

func mayMark(line []byte) bool {
	c := line[0]
	return c == '#' || c == '=' || c == '*' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == 'd' || c >= 0x80
}

func isRule(line []byte) bool {
	return len(line) >= 8 && (line[0] == '=' || line[0] == '#' || line[0] == '*') && len(bytes.Trim(line, string(line[:1]))) == 0
}

// ParseTime reads a wall-clock time as date, date -Is, date +%s[.%N] and loggers write it, in the C locale or
// with the year first, to nanoseconds since 1970. Without a zone it counts as UTC.
func ParseTime(s string) (int64, bool) {
	if g := markEpoch.FindStringSubmatch(s); g != nil {
		return epoch(g[1], g[2], g[3])
	}
	if g := markISO.FindStringSubmatch(s); g != nil {
		return civil(g[1]+" "+g[2], g[3], g[4])
	}
	if g := markDate.FindStringSubmatch(s); g != nil {
		return named(g[5], g[1], g[2], g[3])
	}
	if g := markDMY.FindStringSubmatch(s); g != nil && strings.ContainsAny(s, "年-/.") {
		return numbered(g[1], g[2], g[3], g[4])
	}
	if g := markEuro.FindStringSubmatch(s); g != nil && g[3]+g[5] != "" {
		return named(g[3]+g[5], g[2], g[1], g[4])
	}
	return 0, false
}

func epoch(sec, frac, long string) (int64, bool) {
	if len(long) == 19 {
		n, err := strconv.ParseInt(long, 10, 64)
		return n, err == nil
	}
	if len(long) == 13 {
		sec, frac = long[:10], long[10:]
	}
	n, err := strconv.ParseInt(sec, 10, 64)
	return n*1e9 + nanos(frac), err == nil && n > 1e8
}

// nanos reads the digits behind the point as nanoseconds.
func nanos(frac string) int64 {
	n, _ := strconv.ParseInt((frac + "000000000")[:9], 10, 64)
	return n
}

func civil(dateTime, frac, zone string) (int64, bool) {
	t, err := time.Parse("2006-01-02 15:04:05", dateTime)
	if err != nil {
		return 0, false
	}
	return t.Unix()*1e9 + nanos(frac) - offset(zone), true
}

// offset gives ±hh:mm in nanoseconds.
func offset(zone string) int64 {
	if len(zone) < 5 {
		return 0
	}
	h, _ := strconv.Atoi(zone[1:3])
	m, _ := strconv.Atoi(zone[len(zone)-2:])
	ns := int64(h*60+m) * 60e9
	if zone[0] == '-' {
		return -ns
	}
	return ns
}

func named(year, month, day, clock string) (int64, bool) {
	i := strings.Index(months, strings.ToLower(month)[:min(3, len(month))])
	if i < 0 || i%3 != 0 {
		return 0, false
	}
	return numbered(year, strconv.Itoa(i/3+1), day, clock)
}

func numbered(year, month, day, clock string) (int64, bool) {
	t, err := time.Parse("2006-1-2 15:04:05", year+"-"+month+"-"+day+" "+clock)
	return t.UnixNano(), err == nil
}

// EndingAt reads the wall clock in the line that dumpstate writes behind a section: "… was the duration of
// dumpsys meminfo, ending at: 2020-01-08 15:31:35".
func EndingAt(line []byte) (int64, bool) {
	g := endingAt.FindSubmatch(line)
	if g == nil {
		return 0, false
	}
	return ParseTime(string(g[1]))
}

// noData are the words that tools print in place of a sample.
var noData = [][]byte{
	[]byte("No process found for"), []byte("Got RemoteException!"), []byte("Got IoException!"), []byte("No such file or directory"),
	[]byte("No such process"), []byte("Permission denied"), []byte("Can't find service"), []byte("DUMP TIMEOUT"), []byte("Operation not permitted"),
}

// NoData says whether a line tells that a sample could not be taken: such a sample is missing, it is not 0.
func NoData(line []byte) bool {
	if len(line) > 512 {
		return false
	}
	for _, w := range noData {
		if bytes.Contains(line, w) {
			return true
		}
	}
	return false
}
