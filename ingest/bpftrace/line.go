package bpftrace

import (
	"bytes"
)

// ops are the things that can be done to an object, as scripts name them.
var ops = [...]string{"alloc", "free", "realloc", "retain", "release", "create", "destroy", "use", "mark",
	"lock", "unlock", "signal", "wait", "fork", "begin", "join"}

// The numbers of those ops that are treated in their own way.
const (
	opAlloc   = 0
	opFree    = 1
	opRealloc = 2
	opMark    = 8
)

func opOf(s []byte) (int, bool) {
	for i, name := range ops {
		if string(s) == name {
			return i, true
		}
	}
	return 0, false
}

// memory says whether an op is one of malloc and its kin: its object may be the null pointer.
func memory(op int) bool { return op <= opRealloc }

// event is a line that a script printed: TS PID TID [THREAD] OP [KIND] OBJECT [SIZE [old=OBJECT | COUNT]].
type event struct {
	ts, pid, tid    int64
	op              int
	kind            []byte
	object, old     uint64
	hasObject       bool
	size, count     []byte // as printed; empty where the line ends before
	sizeAt, countAt int
}

const (
	maxFields = 20
	minTime   = 10 // digits of the shortest time stamp: nsecs has 10 from the first second after boot on
)

// fields are the words of a line.
type fields struct {
	list  [maxFields][]byte
	n     int
	comma bool
}

// split cuts a line at its blanks, or at its commas if one stands behind the first number.
func (f *fields) split(line []byte) {
	f.n = 0
	end := bytes.IndexAny(line, ", \t")
	f.comma = end >= 0 && line[end] == ','
	for rest, more := line, true; more && f.n < maxFields; f.n++ {
		if f.comma {
			f.list[f.n], rest, more = bytes.Cut(rest, []byte{','})
			f.list[f.n] = trim(f.list[f.n])
			continue
		}
		if rest = trim(rest); len(rest) == 0 {
			return
		}
		i := 0
		for i < len(rest) && rest[i] != ' ' && rest[i] != '\t' {
			i++
		}
		f.list[f.n], rest = rest[:i], rest[i:]
	}
}

func trim(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

func (f *fields) at(i int) []byte {
	if i >= f.n {
		return nil
	}
	return f.list[i]
}

// timed says whether a line begins like an event: with a number that is long enough for a time.
func timed(line []byte) bool {
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	return n >= minTime && n < len(line) && (line[n] == ' ' || line[n] == ',' || line[n] == '\t')
}

// parse reads a line as an event. Where it is none, want says what should stand in the field bad.
func (e *event) parse(line []byte, f *fields) (bad int, want string) {
	f.split(line)
	var ok [3]bool
	e.ts, ok[0] = integer(f.at(0))
	e.pid, ok[1] = integer(f.at(1))
	e.tid, ok[2] = integer(f.at(2))
	for i := range ok {
		if !ok[i] {
			return i, [...]string{"a time in ns", "a pid", "a tid"}[i]
		}
	}
	at := f.op()
	if at < 0 {
		return 3, "an op and its object (0x…)"
	}
	e.op, _ = opOf(f.at(at))
	at = e.subject(f, at+1)
	e.size, e.sizeAt, e.count, e.countAt, e.old = f.at(at), at, nil, at+1, 0
	if old, ok := bytes.CutPrefix(f.at(at+1), []byte("old=")); ok {
		if e.old, ok = hexadecimal(old); !ok {
			return at + 1, "old=0x…"
		}
		return 0, ""
	}
	e.count = f.at(at + 1)
	return 0, ""
}

// op finds the op: behind the tid, or behind the name of a thread, which may hold blanks. -1 if there is none.
func (f *fields) op() int {
	last := 4
	if !f.comma {
		last = 3 + 8 // words of the longest name, of 15 characters
	}
	for i := 3; i <= last && i < f.n; i++ {
		op, ok := opOf(f.list[i])
		if _, next := opOf(f.at(i + 1)); ok && op > opMark && next && f.hasSubject(i+2) {
			continue // a thread that is called so
		}
		if ok && (f.hasSubject(i+1) || op == opMark && i <= 4) {
			return i
		}
	}
	return -1
}

func (f *fields) hasSubject(i int) bool {
	if isHex(f.at(i)) {
		return true
	}
	_, ok := objectOf(f.at(i + 1))
	return ok
}

func isHex(s []byte) bool { return len(s) > 2 && s[0] == '0' && s[1] == 'x' }

// unreadable says whether a line holds a word that begins as an address and is none.
func unreadable(line []byte) bool {
	for _, w := range bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		if _, ok := hexadecimal(w); !ok && (isHex(w) || nearlyHex(w)) {
			return true
		}
	}
	return false
}

// nearlyHex says whether a word is a long address but for what stands before its x.
func nearlyHex(w []byte) bool {
	i := bytes.LastIndexByte(w, 'x')
	if i < 0 || len(w)-i <= 6 || string(w[:i]) == "0" {
		return false
	}
	_, ok := bareHex(w[i+1:])
	return ok
}

func objectOf(s []byte) (uint64, bool) {
	if v, ok := hexadecimal(s); ok {
		return v, true
	}
	n, ok := integer(s)
	return uint64(n), ok && n >= 0
}

// subject reads kind and object, and gives the number of the field behind them.
func (e *event) subject(f *fields, i int) int {
	e.kind = nil
	if !isHex(f.at(i)) {
		e.kind = f.at(i)
		i++
	}
	e.object, e.hasObject = objectOf(f.at(i))
	if !e.hasObject {
		return i
	}
	return i + 1
}
