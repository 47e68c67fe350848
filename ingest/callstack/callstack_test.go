package callstack_test

import (
	"testing"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

func TestClass(t *testing.T) {
	for _, c := range []struct {
		want  string
		stack []callstack.Frame
	}{
		{"", nil},
		{"load", []callstack.Frame{{Function: "malloc", Module: "libc.so.6"}, {Function: "load"}, {Function: "main"}}},
		{"load", []callstack.Frame{{Function: "operator new(unsigned long)"}, {Function: "_Znwm"}, {Function: "load"}}},
		{"load", []callstack.Frame{{Function: "je_malloc", Module: "libjemalloc.so.2"}, {Function: "load"}}},
		{"malloc", []callstack.Frame{{Function: "malloc"}, {Function: "calloc"}}},
		{"sysmalloc_mmap.constprop.0", []callstack.Frame{{Function: "sysmalloc_mmap.constprop.0", Module: "libc.so.6"}}},
		{"0x55d0", []callstack.Frame{{Function: "malloc"}, {Address: 0x55d0, HasAddress: true}}},
		{"app", []callstack.Frame{{Module: "app"}}},
	} {
		if got := callstack.Class(c.stack); got != c.want {
			t.Errorf("%v: class %q, want %q", c.stack, got, c.want)
		}
	}
}

func TestSplitOffset(t *testing.T) {
	for in, want := range map[string][2]string{
		"main+0x13": {"main", "0x13"}, "main+19": {"main", "19"}, "main": {"main", ""}, "operator+": {"operator+", ""}, "A::operator+(B)+8": {"A::operator+(B)", "8"},
		"operator+0x": {"operator", "0x"}, "+0x13": {"+0x13", ""}, "a+b": {"a+b", ""}, "x+cafe": {"x+cafe", ""}, "": {"", ""},
	} {
		if s, o := callstack.SplitOffset(in); [2]string{s, o} != want {
			t.Errorf("%q: %q %q, want %q", in, s, o, want)
		}
	}
}

func TestModules(t *testing.T) {
	var m callstack.Modules
	m.Add(callstack.Mapping{Start: 0x7000, End: 0x8000, Path: "/usr/lib/libc.so.6"})
	m.Add(callstack.Mapping{Start: 0x1000, End: 0x2000, Offset: 0x100, Path: "/opt/app"})
	for addr, want := range map[uint64]string{0x1004: "app+0x104", 0x7fff: "libc.so.6+0xfff", 0x8000: "", 0x2000: "", 0: ""} {
		if f := m.Frame(addr); f.Function != want || f.Address != addr {
			t.Errorf("%#x: %+v, want %q", addr, f, want)
		}
	}
}

// TestAdd: equal stacks are one row, and the leaf's class is that of the first frame that is no allocator's.
func TestAdd(t *testing.T) {
	b := table.NewBuilder("x", "x")
	stack := []callstack.Frame{{Function: "malloc"}, {Function: "load", SourceFile: "a.c", SourceLine: table.Known(3)}, {Function: "main"}}
	one, two := callstack.Add(b, stack, 1), callstack.Add(b, stack, 2)
	if one != two || b.String(one.Class) != "load" || one.Leaf != 3 {
		t.Errorf("%+v and %+v", one, two)
	}
	if empty := callstack.Add(b, nil, 1); empty != (callstack.Stack{}) {
		t.Errorf("an empty stack is %+v", empty)
	}
}
