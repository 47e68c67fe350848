package fault

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// memoryStatus reads the lines of the memory status of XNU (bsd/kern/kern_memorystatus.c). One kill takes up to
// three of them: the limit was exceeded, the process is going to be killed, it is killed; they are joined by pid and
// name and written at the end, in the order of their first lines.
type memoryStatus struct {
	*reader
	kills []*statusKill
	index map[statusKey]*statusKill
}

type statusKey struct {
	pid  table.Int
	name table.Sym
}

type statusKill struct {
	statusKey
	stamp     table.Stamp
	killed    bool // or going to be: a limit that is not fatal kills nobody
	done      bool // a line that gives the reason was read: another one is another kill
	reason    string
	limit     table.Int
	limitText string
	limitLine int
	size      table.Int
}

// otherReasons are reasons of the memory status that are not about too much memory.
var otherReasons = map[string]bool{"idle-exit": true, "long-idle-exit": true, "vnode-limit": true, "disk-space-shortage": true}

// line says whether the line was one of the memory status.
func (m *memoryStatus) line(line []byte) bool {
	if before, rest, ok := bytes.Cut(line, []byte(" exceeded mem limit: ")); ok {
		m.exceeded(line, before, rest)
		return true
	}
	if rest := after(line, "memorystatus: killing"); rest != nil {
		m.killing(line, rest)
		return true
	}
	return false
}

// find gives the kill of a process, a new one unless a line of it was read before.
func (m *memoryStatus) find(key statusKey, line []byte) *statusKill {
	if k := m.index[key]; k != nil && !k.done {
		return k
	}
	k := &statusKill{statusKey: key, stamp: stampOf(line, m.lines.Line())}
	if m.index == nil {
		m.index = map[statusKey]*statusKill{}
	}
	m.index[key] = k
	m.kills = append(m.kills, k)
	return k
}

// exceeded reads "… name[38382] exceeded mem limit: ActiveHard 50 MB (fatal)", with or without a blank or the pid.
func (m *memoryStatus) exceeded(line, before, rest []byte) {
	for _, start := range []string{"-> ", "memorystatus: ", "process "} {
		if i := bytes.LastIndex(before, []byte(start)); i >= 0 {
			before = before[i+len(start):]
		}
	}
	key := statusKey{}
	if open := bytes.LastIndexByte(before, '['); open >= 0 {
		if pid, n := whole(before[open+1:]); n > 0 {
			key.pid = table.Known(pid)
		} else {
			m.b.Problems.Add(m.lines.Pos(columnOf(line, before[open+1:])), "want a pid, have %q", clip(before[open+1:]))
		}
		before = bytes.TrimRight(before[:open], " ")
	}
	key.name = m.b.Sym(before)
	k := m.find(key, line)
	if v := limitOf(wordsOf(rest)); v.OK {
		k.limit, k.limitLine = v, m.lines.Line()
		k.limitText = string(bytes.Join(wordsOf(rest)[:3], []byte(" ")))
	} else {
		m.b.Problems.Add(m.lines.Pos(columnOf(line, rest)), "want a limit such as ActiveHard 50 MB, have %q", clip(rest))
	}
	k.killed = k.killed || bytes.Contains(rest, []byte("(fatal)"))
	if !k.killed {
		delete(m.index, key)
	}
}

// limitOf reads "ActiveHard 50 MB", to bytes.
func limitOf(words [][]byte) table.Int {
	if len(words) < 3 || string(words[2]) != "MB" {
		return table.Int{}
	}
	v, n := number(words[1])
	if n == 0 || n != len(words[1]) {
		return table.Int{}
	}
	return times(v, 1<<20)
}

// killing reads "killing_specific_process pid 38382 [PacketTunnel] (per-process-limit 100) 51201KB" and its kin.
func (m *memoryStatus) killing(line, rest []byte) {
	open, end := bytes.IndexByte(rest, '['), bytes.IndexByte(rest, ']')
	if open < 0 || end < open {
		m.b.Problems.Add(m.lines.Pos(columnOf(line, rest)), "want a process in square brackets, have %q", clip(rest))
		return
	}
	name := rest[open+1 : end]
	words := wordsOf(rest[:open])
	var key statusKey
	if len(words) > 0 {
		last := words[len(words)-1]
		if pid, n := number(last); n > 0 && n == len(last) {
			key.pid = table.Known(pid)
		} else if pid, n := number(name); n > 0 && n == len(name) {
			key.pid, name = table.Known(pid), last // the other way round: name [pid]
		}
	}
	if !key.pid.OK && len(words) > 1 {
		m.b.Problems.Add(m.lines.Pos(columnOf(line, rest)), "want a pid before or in the brackets, have %q", clip(rest))
	}
	key.name = m.b.Sym(name)
	k := m.find(key, line)
	k.killed = true
	if tail := rest[end+1:]; bytes.HasPrefix(tail, []byte(" (")) {
		reason, size, ok := bytes.Cut(tail[2:], []byte(")"))
		if ok {
			k.reason, k.done = string(upTo(reason, " ")), true
			size = bytes.TrimLeft(size, " ")
			k.size = statusSize(size)
			if len(size) > 0 && size[0] != '-' && !k.size.OK { // old kernels print the free pages behind a hyphen, and no size
				m.b.Problems.Add(m.lines.Pos(columnOf(line, size)), "want a size in KB, have %q", clip(size))
			}
		}
	}
}

// statusSize reads "51201KB" or "51201 KB".
func statusSize(s []byte) table.Int {
	v, n := number(s)
	if n == 0 || !bytes.HasPrefix(bytes.TrimLeft(s[n:], " "), []byte("KB")) {
		return table.Int{}
	}
	return times(v, 1024)
}

// flush writes what was found.
func (m *memoryStatus) flush() {
	for _, k := range m.kills {
		m.b.Snapshot(k.stamp)
		m.b.Process(k.pid, k.name)
		m.sample(m.words.memLimit, k.limit, k.limitLine)
		if !k.killed {
			continue
		}
		kind := m.words.oomKill
		if otherReasons[k.reason] {
			kind = m.words.kill
		}
		m.b.Fault(table.Fault{Kind: kind, Detail: m.b.Text(strings.Trim(k.reason+", "+k.limitText, ", ")), Size: k.size, Line: k.stamp.Line})
		m.rows++
	}
	if len(m.kills) > 0 {
		m.b.Fact("OS", "iOS")
	}
}
