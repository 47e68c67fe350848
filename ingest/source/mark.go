package source

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
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
	markWord  = regexp.MustCompile(`^(?i:date|timestamp|time|ts)\b[:=]? *`)
	markClock = regexp.MustCompile(`^(?:\d{2}-\d{2} )?\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?$`) // logcat's and date +%T: no year
	endingAt  = regexp.MustCompile(`ending at: (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})`)
)

const (
	maxMark = 160 // bytes of the longest line that is looked at as a mark
	minRule = 8   // characters of the shortest rule without a time
)

// ParseMark reads a separator line: a time alone or with '#', '=', '-', '*', brackets or "date:" round it and perhaps
// "pid=N"; a clock without a date, which ends a sample but tells no time; or a rule of at least eight '=', '#' or '*'.
// A time inside other words is no mark.
func ParseMark(line []byte) (Mark, bool) {
	if len(line) < 5 || len(line) > maxMark || !mayMark(line) {
		return Mark{}, false
	}
	m, s := cutPID(string(line))
	if strings.Contains(s, "count:") || strings.HasSuffix(s, `\n`) {
		s = markCount.ReplaceAllString(s, "")
	}
	trimmed := strings.Trim(s, " \t#=*;,-[]()<>|~")
	trimmed = trimmed[len(markWord.FindString(trimmed)):]
	if t, ok := ParseTime(trimmed); ok {
		m.Wall, m.HasWall = t, true
		return m, true
	}
	return m, markClock.MatchString(trimmed) || trimmed == "" && isRule(s)
}

// cutPID takes "pid=N" out of a line.
func cutPID(s string) (m Mark, rest string) {
	if !strings.Contains(s, "pid") {
		return m, s
	}
	g := markPID.FindStringSubmatch(s)
	if g == nil {
		return m, s
	}
	m.PID, _ = strconv.ParseInt(g[1], 10, 64) // at most nine digits
	m.HasPID = true
	return m, strings.Replace(s, g[0], "", 1)
}

// mayMark keeps the regular expressions from lines that hold no clock, no time since 1970 and no rule, which are
// nearly all.
func mayMark(line []byte) bool {
	digits := 0
	for i, c := range line {
		switch {
		case c >= '0' && c <= '9':
			if digits > 0 || c == '1' {
				digits++
			}
			if digits >= 10 {
				return true
			}
			continue
		case c == ':' && isClock(line, i):
			return true
		}
		digits = 0
	}
	c := line[0]
	return c == '=' || c == '#' || c == '*'
}

// isClock says whether the colon at i is the first of hh:mm:ss.
func isClock(line []byte, i int) bool {
	digit := func(k int) bool { return line[k] >= '0' && line[k] <= '9' }
	return i > 0 && i+5 < len(line) && digit(i-1) && digit(i+1) && digit(i+2) && line[i+3] == ':' && digit(i+4) && digit(i+5)
}

// isRule says whether a line is one character again and again; blanks stand where "pid=N" stood.
func isRule(s string) bool {
	s = strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	return len(s) >= minRule && strings.Contains("=#*", s[:1]) && strings.Trim(s, s[:1]) == ""
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
