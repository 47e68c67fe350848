package fault

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// lowMemory reads the kills of Android's low memory killer: the daemon (system/memory/lmkd), which says all in one
// line, and the driver of older kernels (drivers/staging/android/lowmemorykiller.c), which takes several.
type lowMemory struct {
	*reader
	open   bool
	follow int // lines since the first
	stamp  table.Stamp
	pid    int64
	name   table.Sym
	adj    string
	reason string
	size   table.Int
}

// maxFollow is how many lines behind a kill may belong to it.
const maxFollow = 12

// line says whether the line was one of the low memory killer.
func (l *lowMemory) line(line []byte) bool {
	if matches(line, lmkdMarks) {
		l.flush()
		l.begin(line)
		return true
	}
	if !l.open {
		return false
	}
	if l.follow++; l.follow > maxFollow {
		l.flush()
		return false
	}
	return l.more(line)
}

func (l *lowMemory) begin(line []byte) {
	rest := after(line, "Kill '")
	if rest == nil {
		rest = after(line, "Killing '")
	}
	name, tail, ok := bytes.Cut(rest, []byte("' ("))
	pid, n := number(tail)
	if !ok || n == 0 || len(tail) == n || tail[n] != ')' {
		l.b.Problems.Add(l.lines.Pos(columnOf(line, rest)), "want a name in quotes and a pid in brackets, have %q", clip(rest))
		return
	}
	*l = lowMemory{reader: l.reader, open: true, stamp: stampOf(line, l.lines.Line()), pid: pid, name: l.b.Sym(name)}
	tail = tail[n:]
	for _, key := range []string{"oom_score_adj ", "oom_adj ", "adj "} {
		if v := after(tail, key); v != nil {
			l.adj = l.adjOf(key, v)
			break
		}
	}
	l.more(tail)
}

// adjOf is a key with the number behind it, which may have a sign; empty where there is none.
func (l *lowMemory) adjOf(key string, s []byte) string {
	sign := 0
	if len(s) > 0 && s[0] == '-' {
		sign = 1
	}
	_, n := whole(s[sign:])
	if n == 0 {
		l.b.Problems.Add(l.lines.Pos(columnOf(l.lines.Bytes(), s)), "want a number behind %q, have %q", key, clip(s))
		return ""
	}
	return key + string(s[:sign+n])
}

// more takes what a line says of the kill before it.
func (l *lowMemory) more(line []byte) bool {
	used := false
	if v, found := kilobytes(line, "to free "); found && !l.size.OK {
		l.size, used = v, true
		if rest := after(line, "to free "); !v.OK {
			l.b.Problems.Add(l.lines.Pos(columnOf(l.lines.Bytes(), rest)), "want a size in kB, have %q", clip(rest))
		}
	}
	if r := after(line, "reason: "); r != nil && l.reason == "" {
		l.reason, used = string(r), true
	}
	if r := after(line, "cache "); r != nil && l.reason == "" && bytes.Contains(r, []byte(" is below limit ")) {
		l.reason, used = "cache "+string(upTo(r, `\x0a`)), true
	}
	if r := after(line, "because system is under "); r != nil && l.reason == "" {
		l.reason, used = "system is under "+string(upTo(r, " oom_adj")), true
	}
	return used
}

// flush writes the kill.
func (l *lowMemory) flush() {
	if !l.open {
		return
	}
	l.open = false
	var why []string
	for _, s := range []string{l.reason, strings.TrimSpace(l.adj)} {
		if s != "" {
			why = append(why, s)
		}
	}
	l.b.Snapshot(l.stamp)
	l.b.Process(table.Known(l.pid), l.name)
	l.b.Fault(table.Fault{Kind: l.words.oomKill, Detail: l.b.Text(strings.Join(why, ", ")), Size: l.size, Line: l.stamp.Line})
	l.b.Fact("OS", "Android")
	l.rows++
}
