package sanitizer

import (
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// leak is "Direct leak of 204800 byte(s) in 50 object(s) allocated from:" with its stack.
type leak struct {
	kind, text    string
	bytes, blocks int64
	line          int
	stack         []callstack.Frame
	ended         bool // another stack has begun
}

// leaksOf is what a report of leaks adds up to, to be held against its SUMMARY.
type leaksOf struct {
	bytes, blocks int64
	begun         bool // a report has begun, its SUMMARY is missing yet
	leaks         bool
}

// beginLeak opens a leak. Their objects (report_objects=1) are listed behind it and have no rows.
func (r *reader) beginLeak(s string) {
	kind := "leak-definite"
	i := strings.Index(s, "Direct leak of ")
	if i < 0 {
		i, kind = strings.Index(s, "Indirect leak of "), "leak-indirect"
	}
	if i < 0 {
		return
	}
	r.flush()
	_, figures, _ := strings.Cut(s[i:], " leak of ")
	_, behind, found := strings.Cut(figures, " byte(s) in ")
	size, n := decimal(figures), decimal(behind)
	if !size.OK || !found || !n.OK || !strings.Contains(behind, " object(s)") {
		r.b.Problems.Count(r.l.Pos(1), "want a leak of BYTES byte(s) in N object(s), have %q", s[i:min(len(s), i+60)])
		return
	}
	r.leak = &leak{kind: kind, text: s[i:], bytes: size.V, blocks: n.V, line: r.l.Line()}
}

// writeLeak makes the rows of the open leak.
func (r *reader) writeLeak() {
	k := r.leak
	if r.leak = nil; k == nil {
		return
	}
	stack := callstack.Add(r.b, k.stack, k.line)
	r.b.Process(r.pid, table.Null)
	r.b.Site(table.Site{Class: stack.Class, Stack: stack.Leaf, LiveBytes: table.Known(k.bytes), LiveCount: table.Known(k.blocks), Line: k.line})
	r.b.Fault(table.Fault{Kind: r.b.Text(k.kind), Detail: r.b.Text(k.text), Size: table.Known(k.bytes), Stack: stack.Leaf, Line: k.line})
	r.sums.begun, r.sums.leaks = true, true
	r.sums.bytes, _ = table.Sum(r.sums.bytes, k.bytes)
	r.sums.blocks, _ = table.Sum(r.sums.blocks, k.blocks)
}

// summary holds the leaks against "SUMMARY: LeakSanitizer: 254800 byte(s) leaked in 550 allocation(s).".
func (r *reader) summary(s string) {
	r.flush()
	sums := r.sums
	r.sums = leaksOf{}
	if !sums.leaks {
		return
	}
	_, figures, _ := strings.Cut(s[len("SUMMARY: "):], ": ")
	_, behind, found := strings.Cut(figures, " byte(s) leaked in ")
	size, n := decimal(figures), decimal(behind)
	if found && size.OK && n.OK && (size.V != sums.bytes || n.V != sums.blocks) {
		r.b.Problems.Add(r.l.Pos(1), "want leaks that add up to the summary, %d bytes in %d allocations, have %d in %d: the report is cut or mixed up",
			size.V, n.V, sums.bytes, sums.blocks)
	}
}

// unsummed tells of a report whose SUMMARY is missing.
func (r *reader) unsummed() {
	if r.sums.begun {
		r.b.Problems.Count(r.l.Pos(0), "want a SUMMARY at the end of a report, have none: it is cut, or print_summary=0 was set")
	}
	r.sums = leaksOf{}
}
