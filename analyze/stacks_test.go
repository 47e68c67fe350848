package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// heap is a dump of a profiler: "main;foo;bar" and what it holds, with as many objects as there are 4 bytes.
type heap map[string]int64

// dumps is a run of dumps, one a second; complete says that they list all that is alive.
func dumps(name string, complete bool, all ...heap) analyze.Capture {
	b := table.NewBuilder(name, "test")
	for i, h := range all {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(i) * 1e9), Line: i + 1})
		b.Process(table.Known(1), b.Text("app"))
		for _, chain := range sorted(h) {
			var leaf int64
			for _, f := range strings.Split(chain, ";") {
				leaf = b.Frame(table.Frame{Parent: leaf, Function: b.Text(f), Module: b.Text("app")}, i+1)
			}
			class := chain[strings.LastIndexByte(chain, ';')+1:]
			b.Site(table.Site{Class: b.Text(class), Stack: leaf, LiveBytes: table.Known(h[chain]), LiveCount: table.Known(h[chain] / 4), Line: i + 1})
		}
	}
	part := b.Done()
	part.Complete = complete
	return analyze.Capture{Name: name, Set: table.Assemble([]*table.Part{part}), Inputs: []analyze.Input{{Run: name, Path: name, Format: "test"}}}
}

func sorted(h heap) (out []string) {
	for k := range h {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func compareRuns(before, after []analyze.Capture) *analyze.Result {
	return analyze.Compare(before, after, analyze.Defaults())
}

func list(c ...analyze.Capture) []analyze.Capture { return c }

// shape writes rows as "root;…;leaf before→after delta state ratio".
func shape(rows []analyze.StackDelta) []string {
	number := func(l *analyze.StackLevel) string {
		if l == nil || l.Bytes == nil {
			return "?"
		}
		return fmt.Sprint(*l.Bytes)
	}
	var out []string
	for _, d := range rows {
		var names []string
		for _, f := range d.Stack {
			names = append([]string{f.Function}, names...)
		}
		text := fmt.Sprintf("%s %s→%s %s %s", strings.Join(names, ";"), number(d.Before), number(d.After), number(d.Delta), d.State)
		if d.Ratio != nil {
			text += fmt.Sprintf(" x%g", *d.Ratio)
		}
		if d.Rest > 0 {
			text += fmt.Sprint(" rest ", d.Rest)
		}
		out = append(out, text)
	}
	return out
}

func same(t *testing.T, have, want []string) {
	t.Helper()
	if strings.Join(have, "\n") != strings.Join(want, "\n") {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// The example of difffolded: cumulative foo 1 to 6, bar new.
func TestStackTreeOfNested(t *testing.T) {
	r := compareRuns(list(dumps("b", true, heap{"main;foo": 1})), list(dumps("a", true, heap{"main;foo": 2, "main;foo;bar": 4})))
	same(t, shape(r.Stacks), []string{"main;foo;bar 0→4 4 new", "main;foo 1→2 1  x2"})
	root := analyze.StackTree(r.Stacks, false)
	foo := root.Children[0].Children[0]
	bar := foo.Children[0]
	if foo.Frame.Function != "foo" || foo.Before != 1 || foo.After != 6 || foo.Delta() != 5 || *foo.Ratio() != 6 || foo.SelfAfter-foo.SelfBefore != 1 {
		t.Errorf("foo: %+v", foo)
	}
	if bar.Frame.Function != "bar" || bar.Delta() != 4 || bar.State() != analyze.New || bar.Ratio() != nil {
		t.Errorf("bar: %+v", bar)
	}
}

// The example of inferno.
func TestStackTreeOfFlat(t *testing.T) {
	r := compareRuns(list(dumps("b", true, heap{"base_only": 50, "both1": 25, "both2": 25})),
		list(dumps("a", true, heap{"both1": 25, "both2": 50, "changed_only": 125})))
	same(t, shape(r.Stacks), []string{"changed_only 0→125 125 new", "base_only 50→0 -50 removed x0", "both2 25→50 25  x2", "both1 25→25 0  x1"})
	if root := analyze.StackTree(r.Stacks, false); root.Delta() != 100 || len(root.Children) != 4 {
		t.Errorf("%d in %d children", root.Delta(), len(root.Children))
	}
}

// What only lists the greatest sites does not say of others that they are 0.
func TestStacksNotListed(t *testing.T) {
	r := compareRuns(list(dumps("b", false, heap{"x": 8, "gone": 20000})), list(dumps("a", false, heap{"x": 8, "came": 40000})))
	same(t, shape(r.Stacks), []string{"came ?→40000 ? ", "gone 20000→? ? ", "x 8→8 0  x1"})
	d := delta(t, r, analyze.Subject{Process: "app", Scope: "class", Name: "came", Metric: "live_bytes"})
	if d.Verdict != analyze.Unsettled || d.Shift != nil || !strings.Contains(d.Note, "not listed before") {
		t.Errorf("%+v", d)
	}
}

// Runs of a side are averaged, so that the rows add up; a chain that a run lacks is 0 there.
func TestStacksOfRuns(t *testing.T) {
	r := compareRuns(list(dumps("b1", true, heap{"f": 10, "g": 6}), dumps("b2", true, heap{"f": 20})), list(dumps("a", true, heap{"f": 15, "g": 9})))
	same(t, shape(r.Stacks), []string{"g 3→9 6  x3", "f 15→15 0  x1"})
}

// Beyond the greatest 500 the rows are one, and all of them add up to the change.
func TestStacksRest(t *testing.T) {
	b, a := heap{}, heap{}
	want := int64(0)
	for i := range 800 {
		name := fmt.Sprintf("main;f%d", i)
		b[name], a[name] = int64(1000+i), int64(1000+3*i)
		want += int64(2 * i)
	}
	r := compareRuns(list(dumps("b", true, b)), list(dumps("a", true, a)))
	if n := len(r.Stacks); n != 501 || r.Stacks[500].Rest != 300 || len(r.Stacks[500].Stack) != 0 || r.Stacks[0].Stack[0].Function != "f799" {
		t.Fatalf("%d rows, the last %+v", n, r.Stacks[n-1])
	}
	sum := int64(0)
	for _, d := range r.Stacks {
		sum += *d.Delta.Bytes
		if *d.After.Bytes-*d.Before.Bytes != *d.Delta.Bytes {
			t.Errorf("%v", shape([]analyze.StackDelta{d}))
		}
	}
	if sum != want {
		t.Errorf("the rows add up to %d, want %d", sum, want)
	}
}

// Of one side there is only what it holds at its end; what was freed before has no row.
func TestStacksOfOne(t *testing.T) {
	r := analyze.One(list(dumps("a", true, heap{"f": 10, "early": 99}, heap{"f": 30, "g": 40})), analyze.Defaults())
	same(t, shape(r.Stacks), []string{"g ?→40 ? ", "f ?→30 ? "})
	if r.Stacks[0].Run != "a" || r.Stacks[0].Process != "app" || r.Stacks[0].Delta != nil {
		t.Errorf("%+v", r.Stacks[0])
	}
}

// A chain is the same in another build: clones that the compiler makes and addresses do not tell.
func TestStacksPair(t *testing.T) {
	r := compareRuns(list(dumps("b", true, heap{"main;work.constprop.0": 4})), list(dumps("a", true, heap{"main;work.isra.3": 12})))
	same(t, shape(r.Stacks), []string{"main;work 4→12 8  x3"})
}

// Objects alive at the end of a log, by where they were made; what has no size is told by number.
func TestStacksOfEvents(t *testing.T) {
	b := table.NewBuilder("log", "test")
	b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
	b.Process(table.Known(7), table.Null)
	frame := b.Frame(table.Frame{Function: b.Text("make")}, 1)
	for i, e := range []table.Event{
		{Op: b.Text("alloc"), Object: 1, Size: table.Known(100)}, {Op: b.Text("alloc"), Object: 2, Size: table.Known(50)}, {Op: b.Text("free"), Object: 1},
		{Op: b.Text("realloc"), Object: 2, Size: table.Known(70)}, {Op: b.Text("create"), Class: b.Text("EGLImage"), Object: 9},
	} {
		e.At, e.Seq, e.HasObject, e.Stack, e.Line = int64(i)*1e9, int64(i), true, frame, i+1
		b.Event(&e)
	}
	set := table.Assemble([]*table.Part{b.Done()})
	at := func(m table.Moment) []string {
		var out []string
		for _, u := range analyze.StacksAt(set, m) {
			n := 0
			u.Each(set, func(*table.Call) bool { n++; return true })
			out = append(out, fmt.Sprint(u.Kind, n, u.Bytes, u.Objects, u.TotalBytes, u.TotalObjects))
		}
		return out
	}
	same(t, at(table.Moment{}), []string{"1 {0 true} {0 true} {150 true} {2 true}", "1 {70 true} {1 true} {70 true} {1 true}", "EGLImage1 {0 false} {1 true} {0 false} {1 true}"})
	same(t, at(table.Moment{Until: table.Known(1e9)}), []string{"1 {150 true} {2 true} {150 true} {2 true}"})
	same(t, at(table.Moment{First: true}), nil)
	r := analyze.One(list(analyze.Capture{Name: "log", Set: set}), analyze.Defaults())
	same(t, shape(r.Stacks), []string{"make ?→70 ? ", "make ?→? ? "})
	if r.Stacks[1].Kind != "EGLImage" || *r.Stacks[1].After.Objects != 1 {
		t.Errorf("%+v", r.Stacks[1])
	}
}

// A result stands in place of its captures; what it left out stays a rest.
func TestStacksOfEarlier(t *testing.T) {
	first := analyze.One(list(dumps("b", true, heap{"f": 10})), analyze.Defaults())
	r := compareRuns([]analyze.Capture{{Name: "b", Earlier: &analyze.Result{Stacks: first.Stacks}}}, list(dumps("a", true, heap{"f": 30, "g": 2})))
	same(t, shape(r.Stacks), []string{"f 10→30 20  x3", "g 0→2 2 new"})
	first.Stacks = append(first.Stacks, analyze.StackDelta{Process: "app", Stack: []analyze.StackFrame{}, After: first.Stacks[0].After, Rest: 3})
	r = compareRuns([]analyze.Capture{{Name: "b", Earlier: &analyze.Result{Stacks: first.Stacks}}}, list(dumps("a", true, heap{"f": 30, "g": 2})))
	same(t, shape(r.Stacks), []string{"f 10→30 20  x3", "g ?→2 ? ", " 10→? ?  rest 3"})
	some := analyze.One(list(dumps("b", false, heap{"f": 10})), analyze.Defaults())
	r = compareRuns([]analyze.Capture{{Name: "b", Earlier: &analyze.Result{Stacks: some.Stacks}}}, list(dumps("a", true, heap{"f": 30, "g": 2})))
	same(t, shape(r.Stacks), []string{"f 10→30 20  x3", "g ?→2 ? "})
}
