package lifetime

import (
	"math/rand/v2"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// act is an event in few words: operation, object, stack.
type act struct {
	op     Op
	object uint64
	stack  int64
}

func book(acts ...act) *Books {
	l := New(nil)
	for i, a := range acts {
		l.Add(&Event{TimeNS: int64(i) * 1e9, Line: int64(i + 1), PID: 1, TID: 1, Op: a.op, Kind: 1, Object: a.object, Named: true, Stack: a.stack, Size: 10})
	}
	return l.Close()
}

func rules(b *Books) (out []string) {
	for _, m := range b.Mistakes {
		out = append(out, m.Rule)
	}
	return out
}

// TestWorkedLifetimes are the worked examples of the rules.
func TestWorkedLifetimes(t *testing.T) {
	for name, c := range map[string]struct {
		acts  []act
		rules []string
		alive int64
	}{
		"address reuse is legal":          {[]act{{Alloc, 0x10, 1}, {Free, 0x10, 2}, {Alloc, 0x10, 1}, {Release, 0x10, 3}}, nil, 0},
		"double free":                     {[]act{{Alloc, 0x10, 1}, {Free, 0x10, 2}, {Free, 0x10, 3}}, []string{"double-free"}, 0},
		"use after free":                  {[]act{{Alloc, 0x10, 1}, {Free, 0x10, 2}, {Use, 0x10, 3}}, []string{"use-after-free"}, 0},
		"retain after destroy":            {[]act{{Create, 0x10, 1}, {Destroy, 0x10, 2}, {Retain, 0x10, 3}}, []string{"use-after-free"}, 0},
		"over-release":                    {[]act{{Create, 0x10, 1}, {Release, 0x10, 2}, {Release, 0x10, 2}}, []string{"over-release"}, 0},
		"mismatched pair":                 {[]act{{Alloc, 0x10, 1}, {Destroy, 0x10, 2}}, []string{"mismatched-pair"}, 0},
		"there before the log":            {[]act{{Free, 0x10, 1}, {Use, 0x20, 1}, {Release, 0x30, 1}, {Free, 0x10, 1}}, nil, 0},
		"freed before, made, freed":       {[]act{{Free, 0x10, 1}, {Alloc, 0x10, 1}, {Free, 0x10, 1}}, nil, 0},
		"realloc keeps one object":        {[]act{{Alloc, 0x10, 1}, {Realloc, 0x10, 1}, {Realloc, 0x10, 1}}, nil, 1},
		"kept":                            {[]act{{Alloc, 0x10, 1}, {Alloc, 0x20, 1}, {Free, 0x10, 2}}, nil, 1},
		"released to nothing, then ended": {[]act{{Create, 0x10, 1}, {Release, 0x10, 2}, {Destroy, 0x10, 3}}, nil, 0},
	} {
		b := book(c.acts...)
		got := rules(b)
		if len(got) != len(c.rules) || len(got) > 0 && got[0] != c.rules[0] {
			t.Errorf("%s: %v, want %v", name, got, c.rules)
		}
		alive := int64(0)
		for _, s := range b.Sites {
			alive += s.Alive
		}
		if alive != c.alive {
			t.Errorf("%s: %d alive, want %d", name, alive, c.alive)
		}
	}
}

// TestOverRetainBalance: A makes (1), B retains (2), C retains (3), B releases, A releases: C is the one that did not.
func TestOverRetainBalance(t *testing.T) {
	b := book(act{Create, 0x10, 1}, act{Retain, 0x10, 2}, act{Retain, 0x10, 3}, act{Release, 0x10, 2}, act{Release, 0x10, 1})
	if len(b.Retained) != 1 || b.Retained[0].Objects != 1 {
		t.Fatalf("%+v", b.Retained)
	}
	net := map[int64]int64{1: 1} // making it is a retain
	for _, s := range b.Retained[0].Balance {
		net[s.Stack] += s.Retains - s.Releases
	}
	if net[1] != 0 || net[2] != 0 || net[3] != 1 {
		t.Errorf("net %v, want 0 0 1", net)
	}
}

// TestDestroyInsideRelease: a release that reports 0 after the destroy in its thread is the same act; in another thread it is not.
func TestDestroyInsideRelease(t *testing.T) {
	for _, tid := range []int64{1, 2} {
		l := New(nil)
		l.Add(&Event{TimeNS: 1, PID: 1, TID: 1, Op: Create, Object: 1, Named: true, Size: -1, Count: 1, HasCount: true})
		l.Add(&Event{TimeNS: 2, PID: 1, TID: 1, Op: Destroy, Object: 1, Named: true, Size: -1})
		l.Add(&Event{TimeNS: 3, PID: 1, TID: tid, Op: Release, Object: 1, Named: true, Size: -1, HasCount: true})
		if got := len(l.Close().Mistakes); got != int(tid-1) {
			t.Errorf("thread %d: %d mistakes", tid, got)
		}
	}
}

// TestFreesByTheAllocator: second frees without a caller are the allocator's own where other frees have callers.
func TestFreesByTheAllocator(t *testing.T) {
	for _, callers := range []bool{true, false} {
		l := New(func(stack int64) bool { return stack == 0 || !callers })
		for i, a := range []act{{Alloc, 1, 5}, {Free, 1, 6}, {Free, 1, 0}} {
			l.Add(&Event{TimeNS: int64(i), PID: 1, Op: a.op, Object: a.object, Named: true, Stack: a.stack, Size: 1})
		}
		if got := len(l.Close().Mistakes); got != b2i(!callers) {
			t.Errorf("callers %v: %d mistakes", callers, got)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestCurvesAreExact: the level at the end of each step is that of the events before it, whatever the bins were.
func TestCurvesAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := New(nil)
	type event struct{ t, level int64 }
	var all []event
	level, now := int64(0), int64(0)
	for i := range 5000 {
		now += r.Int64N(1e7)
		e := Event{TimeNS: now, PID: 1, Op: Alloc, Object: uint64(i), Named: true, Size: 3}
		if level > 0 && r.IntN(3) == 0 {
			e.Op, e.Object = Free, uint64(i)-1
		}
		before := l.objects.find(key{e.Object, 0})
		if e.Op == Free && (before == nil || before.state != live) {
			continue
		}
		l.Add(&e)
		level += map[Op]int64{Alloc: 1, Free: -1}[e.Op]
		all = append(all, event{now, level})
	}
	b := l.Close()
	sum := make([]int64, Points)
	for _, s := range b.Sites {
		count, _, _ := s.Levels()
		for i, v := range count {
			sum[i] += v
		}
	}
	width := float64(b.ToNS-b.FromNS) / Points
	for i, got := range sum {
		low, high := int64(1<<62), int64(-1)
		for k, e := range all {
			end := float64(b.FromNS) + width*float64(i+1)
			if slack := float64(l.clock.width); float64(e.t) <= end+slack && (k+1 == len(all) || float64(all[k+1].t) >= end-slack) {
				low, high = min(low, e.level), max(high, e.level)
			}
		}
		if got < low || got > high {
			t.Fatalf("step %d: level %d, want %d to %d", i, got, low, high)
		}
	}
	if sum[Points-1] != level {
		t.Errorf("the last level is %d, want %d", sum[Points-1], level)
	}
}

// TestStreamPutsInOrder: lines a little out of order are entered in order of time.
func TestStreamPutsInOrder(t *testing.T) {
	b := table.NewBuilder("x", "x")
	s := NewStream(b)
	b.Stream(s)
	b.Snapshot(table.Stamp{Trace: table.Known(0)})
	ops := map[Op]table.Sym{Alloc: b.Text("alloc"), Free: b.Text("free")}
	for i := range int64(100000) { // each pair stands the wrong way round
		b.Event(&table.Event{At: 10*i + 5, Op: ops[Free], Object: uint64(i), HasObject: true})
		b.Event(&table.Event{At: 10 * i, Op: ops[Alloc], Object: uint64(i), HasObject: true, Size: table.Known(8)})
	}
	set := table.Assemble([]*table.Part{b.Done()})
	found := 0
	set.EachStream(func(_ *table.File, in *table.Stream) {
		found++
		books := in.Sink.(*Stream).Close(in)
		if len(books.Mistakes) != 0 || books.Late != 0 || books.Sites[0].Alive != 0 || books.Sites[0].Made != 100000 || books.Kinds[0].PreExisting != 0 {
			t.Errorf("%+v", books.Kinds)
		}
	})
	if found != 1 || set.Len(table.Events) != 0 || set.Files[0].Rows != 200000 {
		t.Errorf("%d streams, %d rows kept, %d counted", found, set.Len(table.Events), set.Files[0].Rows)
	}
}

// TestMemoryIsBounded: a log that never uses an address again does not keep them all.
func TestMemoryIsBounded(t *testing.T) {
	l := New(nil)
	for i := range int64(3 * mostDead) {
		l.Add(&Event{TimeNS: 2 * i, PID: 1, Op: Alloc, Object: uint64(i), Named: true, Size: 8})
		l.Add(&Event{TimeNS: 2*i + 1, PID: 1, Op: Free, Object: uint64(i), Named: true})
	}
	if n := l.objects.used; n > 2*mostDead+1 {
		t.Errorf("%d objects are kept, none is alive", n)
	}
}

// TestReleasedAndNotEnded: a count that came to 0 is waited for; what waits far longer than any that was ended is overdue.
func TestReleasedAndNotEnded(t *testing.T) {
	l := New(nil)
	add := func(at int64, op Op, object uint64) {
		l.Add(&Event{TimeNS: at, PID: 1, TID: 1, Op: op, Kind: 1, Object: object, Named: true, Size: 100})
	}
	for i := range uint64(40) {
		at := int64(i) * 100
		add(at, Alloc, i)
		add(at+10, Release, i)
		if i%4 > 0 {
			add(at+20, Free, i)
		}
	}
	a := l.Close().Kinds[0]
	if a.Made != 40 || a.Waited != 30 || a.LongestWaitNS != 10 || a.Pending != 10 || a.PendingBytes != 1000 || a.Overdue != 10 || a.OverdueSpans != 10 || a.Alive != 0 {
		t.Errorf("%+v", a)
	}
}

// TestCurvesOfAProcessThatEnds: a process that ends in the middle of a log is drawn to its end, so that what it kept is not taken
// for a level; one that did little is drawn over the whole log.
func TestCurvesOfAProcessThatEnds(t *testing.T) {
	l := New(nil)
	for i := range int64(10000) {
		l.Add(&Event{TimeNS: i * 1000, PID: 2, Op: Alloc, Object: 7, Named: true, Size: 1})
		l.Add(&Event{TimeNS: i*1000 + 1, PID: 2, Op: Free, Object: 7, Named: true})
		if i >= 2000 && i < 6000 {
			l.Add(&Event{TimeNS: i*1000 + 2, PID: 1, Op: Alloc, Object: uint64(i), Named: true, Size: 1})
		}
		if i < 10 {
			l.Add(&Event{TimeNS: i*1000 + 3, PID: 3, Op: Alloc, Object: uint64(i), Named: true, Size: 1})
		}
	}
	for _, s := range l.Close().Sites {
		from, to := map[int64]int64{1: 2000002, 2: 0, 3: 0}[s.PID], map[int64]int64{1: 5999002, 2: 9999001, 3: 9999001}[s.PID]
		if s.FromNS != from || s.ToNS != to {
			t.Errorf("process %d: %d to %d", s.PID, s.FromNS, s.ToNS)
		}
		count, _, _ := s.Levels()
		if s.PID == 1 && (count[Points/2] < 1900 || count[Points/2] > 2100 || count[Points-1] != 4000 || s.Births() != generations) {
			t.Errorf("%d in the middle, %d at the end, %d spans", count[Points/2], count[Points-1], s.Births())
		}
	}
}

// TestIndex holds the table of objects against a map, through growth, forgetting and reuse.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var x index
	want := map[key]int32{}
	for range 200000 {
		k := key{uint64(r.IntN(3000)) * 4096, uint64(r.IntN(3))}
		o := x.find(k)
		if n, ok := want[k]; ok != (o != nil) || ok && (o.number != n || o.key != k) {
			t.Fatalf("%v: %v, want %v", k, o, ok)
		}
		switch {
		case o == nil:
			want[k] = x.add(k).number
		case r.IntN(2) == 0:
			delete(want, k)
			x.forget(o)
		}
	}
	n := 0
	x.each(func(*object) { n++ })
	if n != len(want) || x.used != n || int(x.next) > 9000 {
		t.Errorf("%d objects of %d places, want %d", n, x.next, len(want))
	}
}
