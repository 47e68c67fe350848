package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// stampOf reads the time in front of a log line: dmesg's seconds since boot, dmesg -T, ISO (journalctl -o
// short-iso), syslog, logcat, or a console's time of day. Syslog and logcat tell no year: their time goes into the
// capture's own clock, counted from the start of a leap year.
func stampOf(line []byte, n int) table.Stamp {
	s := table.Stamp{Line: n}
	s.Boot = sinceBoot(line)
	text := bytes.TrimLeft(skipPriority(line), " \t")
	if i := bytes.IndexByte(text, '\t'); i > 0 && i < 16 && text[0] >= 'a' && text[0] <= 'z' {
		text = bytes.TrimLeft(text[i:], "\t") // Console.app puts the level before the time
	}
	if len(text) > 0 && text[0] == '[' {
		if end := bytes.IndexByte(text, ']'); end > 0 && end < 40 {
			setWall(&s, text[1:end])
		}
		return s
	}
	if words := firstWords(text); !setWall(&s, words[0]) && !setWall(&s, words[1]) {
		s.Trace = yearless(text)
	}
	return s
}

func skipPriority(line []byte) []byte {
	if len(line) > 2 && line[0] == '<' {
		if end := bytes.IndexByte(line, '>'); end > 0 && end < 6 {
			return line[end+1:]
		}
	}
	return line
}

func setWall(s *table.Stamp, text []byte) bool {
	if len(text) < 9 || len(text) > 48 {
		return false
	}
	ns, ok := source.ParseTime(string(text))
	if ok {
		s.Wall = table.Known(ns)
	}
	return ok
}

// firstWords gives the first word of a line, and the first two.
func firstWords(text []byte) (w [2][]byte) {
	i := bytes.IndexByte(text, ' ')
	if i < 0 {
		return w
	}
	w[0] = text[:i]
	rest := text[i+1:]
	if j := bytes.IndexByte(rest, ' '); j > 0 {
		w[1] = text[:i+1+j]
	}
	return w
}

// sinceBoot finds [12345.678901] near the start of a line, or the kernel's seconds before "memorystatus:".
func sinceBoot(line []byte) table.Int {
	head := line[:min(len(line), 200)]
	for {
		open := bytes.IndexByte(head, '[')
		if open < 0 {
			break
		}
		head = head[open+1:]
		if ns, rest, ok := secondsOf(bytes.TrimLeft(head, " ")); ok && len(rest) > 0 && (rest[0] == ']' || rest[0] == '@') {
			return table.Known(ns)
		}
	}
	if before := upTo(line, " memorystatus:"); len(before) < len(line) {
		word := before[bytes.LastIndexByte(before, ' ')+1:]
		if ns, rest, ok := secondsOf(word); ok && len(rest) == 0 {
			return table.Known(ns)
		}
	}
	return table.Int{}
}

// secondsOf reads seconds with a fraction, to ns.
func secondsOf(s []byte) (ns int64, rest []byte, ok bool) {
	sec, n := number(s)
	if n == 0 || n > 10 || len(s) <= n || s[n] != '.' {
		return 0, s, false
	}
	frac, scale := int64(0), int64(1e9)
	for n++; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		if scale > 1 {
			frac, scale = frac*10+int64(s[n]-'0'), scale/10
		}
	}
	return sec*1e9 + frac*scale, s[n:], true
}

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"

// monthDays are the days of a leap year before each month.
var monthDays = [12]int64{0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335}

// yearless reads "May 15 23:09:30", "10-24 14:24:26.035" or "10:15:01.123456".
func yearless(text []byte) table.Int {
	var month, day int64
	switch {
	case len(text) > 14 && bytes.Contains([]byte(monthNames), text[:3]) && text[3] == ' ':
		month = int64(bytes.Index([]byte(monthNames), text[:3])/3 + 1)
		text = bytes.TrimLeft(text[4:], " ")
	case len(text) > 14 && text[2] == '-' && text[5] == ' ':
		month, _ = number(text[:2])
		text = text[3:]
	default:
		return timeOfDay(text)
	}
	day, n := number(text)
	t := timeOfDay(bytes.TrimLeft(text[n:], " "))
	if month < 1 || month > 12 || day < 1 || day > 31 || !t.OK {
		return table.Int{}
	}
	return table.Known((monthDays[month-1]+day-1)*24*3600e9 + t.V)
}

func timeOfDay(s []byte) table.Int {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return table.Int{}
	}
	h, a := number(s[:2])
	m, b := number(s[3:5])
	sec, c := number(s[6:8])
	if a+b+c != 6 || h > 23 || m > 59 || sec > 60 {
		return table.Int{}
	}
	ns := (h*3600 + m*60 + sec) * 1e9
	if frac, _, ok := secondsOf(s[6:]); ok {
		ns += frac % 1e9
	}
	return table.Known(ns)
}
