package table

import (
	"strings"
	"testing"
)

// renamed is a run with two sites, a log and a fault on frames of which two are one function.
func renamed(t *testing.T) *Set {
	b := NewBuilder("x", "a-format")
	b.Snapshot(Stamp{})
	b.Process(Known(7), Null)
	root := b.Frame(Frame{Function: b.Text("main")}, 1)
	one := b.Frame(Frame{Parent: root, Address: 0x10, HasAddress: true}, 2)
	two := b.Frame(Frame{Parent: root, Address: 0x18, HasAddress: true}, 3)
	alloc := b.Frame(Frame{Parent: two, Function: b.Text("malloc")}, 3)
	b.Site(Site{Class: b.Text("0x10"), Stack: one, LiveBytes: Known(1), Line: 2})
	b.Site(Site{Class: b.Text("0x18"), Stack: alloc, LiveBytes: Known(2), Line: 3})
	b.Site(Site{Class: b.Text("textures"), Stack: two, LiveBytes: Known(4), Line: 4})
	b.Fault(Fault{Kind: b.Text("crash"), Stack: two, AllocStack: alloc, Line: 5})
	b.Event(&Event{Op: b.Text("alloc"), Stack: two, Line: 6})
	return Assemble([]*Part{b.Done()})
}

// TestRename: frames that become equal are one, inlined calls become callers, and what holds a stack follows; a class that the
// stack did not tell stays.
func TestRename(t *testing.T) {
	s := renamed(t)
	var asked []RawFrame
	n := s.Rename(func(f *RawFrame) []Call {
		if f.Function != "" {
			return nil
		}
		asked = append(asked, *f)
		return []Call{{Function: "inlined", SourceFile: "f.c", SourceLine: Known(3)}, {Function: "f", Module: "app"}}
	})
	if n != 2 || len(asked) != 2 || asked[0].Inner || !asked[1].Inner || asked[0].Format != "a-format" || asked[0].PID != Known(7) {
		t.Errorf("%d renamed; asked %+v", n, asked)
	}
	want(t, "frames", rows(t, s, Frames, "id", "parent", "function", "source_file", "source_line", "module"), `
1 - main - - -
2 1 f - - app
3 2 inlined f.c 3 -
4 3 malloc - - -
`)
	want(t, "sites", rows(t, s, Sites, "class", "stack", "live_bytes"), "inlined 3 1\ninlined 4 2\ntextures 3 4\n")
	want(t, "faults", rows(t, s, Faults, "stack", "alloc_stack", "free_stack"), "3 4 -\n")
	want(t, "events", rows(t, s, Events, "stack"), "3\n")
	if got := strings.Join(s.Stack(4), " "); got != "malloc inlined f main" {
		t.Errorf("stack %s", got)
	}
}

// TestRenameNothing: what keeps its names keeps its rows.
func TestRenameNothing(t *testing.T) {
	s, other := renamed(t), renamed(t)
	if n := s.Rename(func(*RawFrame) []Call { return nil }); n != 0 {
		t.Errorf("%d renamed", n)
	}
	for id := ID(0); id < NumTables; id++ {
		want(t, Schemas[id].Name, csvOf(t, s, id), csvOf(t, other, id))
	}
}

// TestRenameUsers: the process of a frame is known where only one has it.
func TestRenameUsers(t *testing.T) {
	b := NewBuilder("x", "a-format")
	b.Snapshot(Stamp{})
	root := b.Frame(Frame{Function: b.Text("main")}, 1)
	for pid := int64(1); pid <= 2; pid++ {
		b.Process(Known(pid), Null)
		b.Site(Site{Class: b.Text("x"), Stack: b.Frame(Frame{Parent: root, Address: uint64(pid), HasAddress: true}, 1), Line: 1})
	}
	b.Process(Int{}, Null)
	b.Site(Site{Class: b.Text("x"), Stack: b.Frame(Frame{Parent: root, Address: 9, HasAddress: true}, 1), Line: 1})
	var pids []Int
	Assemble([]*Part{b.Done()}).Rename(func(f *RawFrame) []Call { pids = append(pids, f.PID); return nil })
	if len(pids) != 4 || pids[0].OK || pids[1] != Known(1) || pids[2] != Known(2) || pids[3].OK {
		t.Errorf("%+v", pids)
	}
}

// TestStreamFollows: stacks of events that were not kept as rows are found under their new numbers.
func TestStreamFollows(t *testing.T) {
	b := NewBuilder("x", "a-format")
	sink := &stacksTaken{}
	b.Stream(sink)
	b.Snapshot(Stamp{})
	b.Process(Known(7), Null)
	for i := range 3 {
		b.Event(&Event{Op: b.Text("alloc"), Stack: b.Frame(Frame{Address: uint64(i), HasAddress: true}, 1), Line: 1})
	}
	s := Assemble([]*Part{b.Done()})
	s.Rename(func(f *RawFrame) []Call {
		if f.PID != Known(7) {
			t.Errorf("process %v", f.PID)
		}
		return []Call{{Function: map[uint64]string{0: "f", 1: "g", 2: "f"}[f.Address]}}
	})
	var got []string
	s.EachStream(func(_ *File, st *Stream) {
		for _, id := range append(*sink, 0) {
			got = append(got, strings.Join(s.Stack(st.Stack(id)), " "))
		}
	})
	if strings.Join(got, ",") != "f,g,f," {
		t.Errorf("%q", got)
	}
}

type stacksTaken []int64

func (s *stacksTaken) Event(e *EventRow) { *s = append(*s, e.Stack) }
func (s *stacksTaken) Done()             {}
