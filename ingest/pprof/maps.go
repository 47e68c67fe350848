package pprof

import (
	"bytes"

	"github.com/memtide/memtide/ingest/callstack"
)

// beginsMaps says whether the map of modules begins behind a line: gperftools and jemalloc write the first, the servers of
// pprof the second.
func beginsMaps(line []byte) bool {
	return bytes.HasPrefix(line, []byte("MAPPED_LIBRARIES:")) || bytes.HasPrefix(line, []byte("--- Memory map:"))
}

// mapping reads a line of /proc/PID/maps, or "start-end: path". False for one without a file, which names nothing.
func mapping(line []byte) (m callstack.Mapping, ok bool) {
	t := text{s: line}
	if m.Start, ok = t.hex(); !ok || t.i >= len(line) || line[t.i] != '-' {
		return m, false
	}
	t.i++
	if m.End, ok = t.hex(); !ok || m.End <= m.Start {
		return m, false
	}
	if !t.is(':') {
		t.word() // perms
		if m.Offset, ok = t.hex(); !ok {
			return m, false
		}
		t.word() // device
		t.word() // inode
	}
	t.blanks()
	m.Path = trimDeleted(string(bytes.TrimRight(line[t.i:], " ")))
	return m, m.Path != ""
}

// word steps over one word.
func (t *text) word() {
	t.blanks()
	for t.i < len(t.s) && t.s[t.i] != ' ' && t.s[t.i] != '\t' {
		t.i++
	}
}

// isFile says whether a mapping is of a file, and not the kernel's ([heap], [vdso]) or anonymous.
func isFile(path string) bool {
	return path[0] != '[' && !bytes.HasPrefix([]byte(path), []byte("//anon"))
}
