package table

import (
	"math"
	"strings"
	"testing"
)

// TestColumnPositions holds the positions that code uses against the schemas.
func TestColumnPositions(t *testing.T) {
	for id, columns := range map[ID]map[string]int{
		Samples: {"time_ns": sampleTime, "iteration": sampleIteration, "pid": samplePID, "process": sampleProcess, "scope": sampleScope, "name": sampleName,
			"metric": sampleMetric, "value": sampleValue, "file": sampleFile, "line": sampleLine},
		Mappings: {"time_ns": 0, "pid": mapPID, "process": mapProcess, "start": mapStart, "end": mapEnd, "perms": mapPerms, "offset": mapOffset, "inode": mapInode,
			"path": mapPath, "category": mapCategory, "size": mapSizes + int(MapSize), "rss": mapSizes + int(MapRSS), "pss": mapSizes + int(MapPSS),
			"pss_dirty": mapSizes + int(MapPSSDirty), "dirty": mapSizes + int(MapDirty), "shared_clean": mapSizes + int(MapSharedClean),
			"shared_dirty": mapSizes + int(MapSharedDirty), "private_clean": mapSizes + int(MapPrivateClean), "private_dirty": mapSizes + int(MapPrivateDirty),
			"referenced": mapSizes + int(MapReferenced), "anonymous": mapSizes + int(MapAnonymous), "swap": mapSizes + int(MapSwap), "swap_pss": mapSizes + int(MapSwapPSS), "file": mapFile},
		Sites: {"stack": siteStack, "live_bytes": siteStack + 1, "total_count": siteStack + 4, "file": siteFile, "pid": subjectColumns[Sites][0], "process": subjectColumns[Sites][1]},
		Events: {"stack": eventStack, "seq": eventSeq, "pid": eventPID, "tid": eventTID, "op": eventOp, "class": eventClass, "object": eventObject, "size": eventSize,
			"refcount": eventRefcount, "device": eventDevice, "file": eventFile},
		Frames: {"id": frameColumns[Frames][0], "parent": frameColumns[Frames][1], "function": 2, "module": 5},
		Faults: {"stack": frameColumns[Faults][0], "alloc_stack": frameColumns[Faults][1], "free_stack": frameColumns[Faults][2], "pid": subjectColumns[Faults][0]},
	} {
		for name, i := range columns {
			if got := Schemas[id].Column(name); got != i {
				t.Errorf("%s.%s is column %d, the code says %d", Schemas[id].Name, name, got, i)
			}
		}
		n := len(Schemas[id].Columns)
		if Schemas[id].Column("file") != n-2 || Schemas[id].Column("line") != n-1 {
			t.Errorf("%s does not end in file and line", Schemas[id].Name)
		}
	}
	if Schemas[Samples].Column("nothing") != -1 {
		t.Error("a column that is not there has a position")
	}
}

func TestSnapshots(t *testing.T) {
	b := newTest("a", "x").at(5e9, 1).at(6e9, 2) // the first holds nothing
	b.NoSample()
	b.process(7, "app").sample("process", "", "rss", 1, 3)
	b.at(7e9, 4).sample("process", "", "rss", 2, 5)
	b.at(8e9, 6)
	s := sets(b)
	want(t, "samples", rows(t, s, Samples, "time_ns", "pid", "process", "value", "line"), `
0 7 app 1 3
1000000000 7 app 2 5
`)
	if f := s.Files[0]; f.Snapshots != 2 || f.NoData != 1 || f.Rows != 2 || s.Start != Known(6e9) || s.Clock != "wall" {
		t.Errorf("%+v, start %v, clock %s", f, s.Start, s.Clock)
	}
}

func TestStampChanges(t *testing.T) {
	b := newTest("a", "x").bare(1).sample("process", "", "rss", 1, 2)
	b.Builder.Stamp(func(s *Stamp) { s.Wall = Known(4e9) })
	if s := sets(b); s.Start != Known(4e9) {
		t.Errorf("start %v", s.Start)
	}
}

// TestDrop: a dropped snapshot leaves nothing, in whatever batch it stands.
func TestDrop(t *testing.T) {
	b := newTest("a", "x").at(1e9, 1).mapping("/m", "file", 1, map[Size]int64{MapRSS: 4})
	id := b.Frame(Frame{Function: b.Text("f")}, 1)
	b.at(2e9, 9).sample("process", "", "pss", 5, 9).mapping("/m", "file", 10, map[Size]int64{MapRSS: 8})
	b.Site(Site{Stack: b.Frame(Frame{Parent: id, Function: b.Text("g")}, 2), Line: 11})
	if !b.HasData() {
		t.Error("the snapshot has data")
	}
	b.Drop()
	if b.HasData() {
		t.Error("the dropped snapshot has data")
	}
	b.at(3e9, 20).mapping("/m", "file", 20, map[Size]int64{MapRSS: 12})
	s := sets(b)
	want(t, "samples", rows(t, s, Samples, "time_ns", "scope", "name", "metric", "value", "line"), `
0 process  rss 4096 1
0 category file rss 4096 1
2000000000 process  rss 12288 20
2000000000 category file rss 12288 20
`)
	want(t, "mappings", rows(t, s, Mappings, "time_ns", "rss"), "0 4096\n2000000000 12288\n")
	if s.Len(Sites) != 0 || s.Len(Frames) != 2 {
		t.Errorf("%d sites, %d frames", s.Len(Sites), s.Len(Frames))
	}
}

func TestDropTheLast(t *testing.T) {
	b := newTest("a", "x").at(1e9, 1).sample("process", "", "rss", 1, 1).at(2e9, 2).sample("process", "", "rss", 2, 2)
	b.Drop()
	if s := sets(b); s.Files[0].Snapshots != 1 || s.Len(Samples) != 1 {
		t.Errorf("%d snapshots, %d rows", s.Files[0].Snapshots, s.Len(Samples))
	}
}

// TestBatches: many snapshots fill several batches, one snapshot of any size stays in one.
func TestBatches(t *testing.T) {
	b := newTest("a", "x")
	const snapshots, each = 300, 500
	for k := range snapshots {
		b.at(int64(k)*1e9, 1+k*each)
		for i := range each {
			b.sample("pool", "p", "live_bytes", int64(k*each+i), 1+k*each+i)
		}
	}
	b.at(snapshots*1e9, 1+snapshots*each)
	for i := range batchRows + 10 {
		b.sample("pool", "p", "live_bytes", int64(snapshots*each+i), 1+snapshots*each+i)
	}
	b.at((snapshots+1)*1e9, 999999).sample("pool", "p", "live_bytes", -1, 999999)
	s := sets(b)
	if n := len(s.tables[Samples]); n < 4 {
		t.Fatalf("%d batches", n)
	}
	n, total := int64(0), int64(snapshots*each+batchRows+10)
	for _, batch := range s.tables[Samples] {
		for i := range batch.n {
			time := min(n/each, snapshots) * 1e9
			if n == total {
				time = (snapshots + 1) * 1e9
			} else if v := batch.cols[sampleValue].ints[i]; v != n {
				t.Fatalf("row %d holds %d", n, v)
			}
			if got := batch.cols[sampleTime].ints[i]; got != time {
				t.Fatalf("row %d is of %d, want %d", n, got, time)
			}
			n++
		}
	}
	if n != total+1 {
		t.Errorf("%d rows, want %d", n, total+1)
	}
}

func TestDerived(t *testing.T) {
	b := newTest("a", "smaps").bare(1).process(7, "app")
	b.mapping("/lib", "file", 10, map[Size]int64{MapSize: 100, MapRSS: 40, MapSharedClean: 30, MapSharedDirty: 1, MapPrivateClean: 2, MapPrivateDirty: 7})
	b.mapping("", "anon", 20, map[Size]int64{MapSize: 10, MapRSS: 5, MapSharedClean: 0, MapSharedDirty: 0, MapPrivateClean: 0, MapPrivateDirty: 5, MapSwap: 3})
	b.mapping("/lib2", "file", 30, map[Size]int64{MapSize: 1, MapRSS: 1, MapSharedClean: 1, MapSharedDirty: 0, MapPrivateClean: 0, MapPrivateDirty: 0})
	want(t, "samples", rows(t, sets(b), Samples, "pid", "process", "scope", "name", "metric", "value", "line"), `
7 app process  vss 113664 10
7 app process  rss 47104 10
7 app process  shared_clean 31744 10
7 app process  shared_dirty 1024 10
7 app process  private_clean 2048 10
7 app process  private_dirty 12288 10
7 app process  uss 14336 10
7 app process  dirty 13312 10
7 app category file vss 103424 10
7 app category file rss 41984 10
7 app category file shared_clean 31744 10
7 app category file shared_dirty 1024 10
7 app category file private_clean 2048 10
7 app category file private_dirty 7168 10
7 app category file uss 9216 10
7 app category file dirty 8192 10
7 app process  swap 3072 20
7 app category anon vss 10240 20
7 app category anon rss 5120 20
7 app category anon shared_clean 0 20
7 app category anon shared_dirty 0 20
7 app category anon private_clean 0 20
7 app category anon private_dirty 5120 20
7 app category anon swap 3072 20
7 app category anon uss 5120 20
7 app category anon dirty 5120 20
`)
}

func TestSubcategories(t *testing.T) {
	b := newTest("a", "smaps").bare(1)
	for i, sub := range []string{".Heap", "", ".LOS", ".Heap"} {
		m := Mapping{Category: b.Text("Dalvik Heap"), Path: b.Text("x"), Line: 10 * (i + 1)}
		if sub != "" {
			m.Subcategory = b.Text(sub)
		}
		m.Set(MapPSS, 1<<i)
		b.Map(&m)
	}
	want(t, "samples", rows(t, sets(b), Samples, "scope", "name", "value", "line"), `
process  15 10
category Dalvik Heap 15 10
subcategory .Heap 9 10
subcategory .LOS 4 30
`)
}

// TestSeveralProcesses: the mappings of one snapshot may be of several processes; each has its own sums.
func TestSeveralProcesses(t *testing.T) {
	b := newTest("a", "librank").bare(1)
	b.process(1, "init").mapping("/lib", "file", 2, map[Size]int64{MapPSS: 1})
	b.process(2, "zygote").mapping("/lib", "file", 3, map[Size]int64{MapPSS: 2})
	b.process(1, "init").mapping("/lib3", "file", 4, map[Size]int64{MapPSS: 4})
	want(t, "samples", rows(t, sets(b), Samples, "pid", "process", "scope", "value"), `
1 init process 5120
1 init category 5120
2 zygote process 2048
2 zygote category 2048
`)
}

// TestPrintedTotal: what the capture says of the whole takes the place of the sum, and a sum that the rounding of
// its rows does not explain is a problem.
func TestPrintedTotal(t *testing.T) {
	for _, c := range []struct {
		printed int64
		problem bool
	}{{30 << 10, false}, {32 << 10, false}, {33 << 10, true}, {28 << 10, false}, {27<<10 + 1, true}} {
		b := newTest("a", "showmap").bare(7).process(7, "")
		b.mapping("/a", "file", 10, map[Size]int64{MapRSS: 10}).mapping("/b", "file", 11, map[Size]int64{MapRSS: 20})
		b.sample("process", "", "rss", c.printed, 12)
		s := sets(b)
		if got := rows(t, s, Samples, "scope", "value", "line"); !strings.Contains(got, "process "+str(c.printed)+" 12\n") || strings.Count(got, "process") != 1 || !strings.Contains(got, "category 30720 10\n") {
			t.Errorf("printed %d:\n%s", c.printed, got)
		}
		if got := problemsOf(s); (got != "") != c.problem || c.problem && !strings.HasPrefix(got, "a:7: the capture prints a total rss of ") {
			t.Errorf("printed %d: problems %q", c.printed, got)
		}
	}
}

func str(n int64) string { return (&Set{}).cell(Int64, &vector{ints: []int64{n}}, 0) }

// TestBadFigure: a column that could not be read in one mapping has no sum, the others have.
func TestBadFigure(t *testing.T) {
	b := newTest("a", "smaps").bare(1)
	b.mapping("/a", "file", 10, map[Size]int64{MapRSS: 10, MapSharedDirty: 1, MapPrivateClean: 1, MapPrivateDirty: 1, MapDirty: 2})
	m := Mapping{Category: b.Text("anon"), Path: b.Text(""), Line: 11, Bad: 1 << MapPrivateDirty}
	m.Set(MapRSS, 5<<10)
	m.Set(MapPrivateClean, 1<<10)
	m.Set(MapSharedDirty, 1<<10)
	b.Map(&m)
	b.bare(20).mapping("/a", "file", 21, map[Size]int64{MapPrivateDirty: 1})
	want(t, "samples", rows(t, sets(b), Samples, "time_ns", "scope", "name", "metric", "value"), `
0 process  rss 15360
0 process  shared_dirty 2048
0 process  private_clean 2048
0 category file rss 10240
0 category file shared_dirty 1024
0 category file private_clean 1024
0 category file private_dirty 1024
0 category file uss 2048
0 category file dirty 2048
0 category anon rss 5120
0 category anon shared_dirty 1024
0 category anon private_clean 1024
1000000000 process  private_dirty 1024
1000000000 category file private_dirty 1024
`)
}

// TestIncomplete: where a mapping was lost there is no total; the next snapshot has one again.
func TestIncomplete(t *testing.T) {
	b := newTest("a", "smaps").bare(1).mapping("/a", "file", 2, map[Size]int64{MapRSS: 1})
	b.Incomplete()
	b.bare(3).mapping("/a", "file", 4, map[Size]int64{MapRSS: 2})
	s := sets(b)
	want(t, "samples", rows(t, s, Samples, "time_ns", "scope", "value"), "1000000000 process 2048\n1000000000 category 2048\n")
	if s.Len(Mappings) != 2 {
		t.Errorf("%d mappings", s.Len(Mappings))
	}
}

func TestOverflowingSum(t *testing.T) {
	b := newTest("a", "smaps").bare(1)
	for i := range 3 {
		m := Mapping{Category: b.Text("anon"), Path: b.Text(""), Line: i + 1}
		m.Set(MapRSS, math.MaxInt64/2)
		m.Set(MapPSS, 1)
		b.Map(&m)
	}
	want(t, "samples", rows(t, sets(b), Samples, "scope", "metric", "value"), "process pss 3\ncategory pss 3\n")
}

func TestParts(t *testing.T) {
	b := newTest("a", "x").bare(1)
	b.Parts(b.Text("process"), b.Text(""), Known(1), Known(2), Known(4), 9)
	b.Parts(b.Text("category"), b.Text("c"), Int{}, Known(2), Known(4), 9)
	b.Parts(b.Text("category"), b.Text("d"), Known(1), Int{}, Known(4), 9)
	want(t, "samples", rows(t, sets(b), Samples, "scope", "name", "metric", "value"), "process  uss 3\nprocess  dirty 6\ncategory c dirty 6\n")
}

func TestFrames(t *testing.T) {
	b := newTest("a", "x").bare(1)
	main := b.Frame(Frame{Function: b.Text("main"), Module: b.Text("app")}, 1)
	leaf := b.Frame(Frame{Parent: main, Function: b.Text("malloc"), Address: 1 << 63, HasAddress: true}, 2)
	if again := b.Frame(Frame{Parent: main, Function: b.Text("malloc"), Address: 1 << 63, HasAddress: true}, 3); again != leaf {
		t.Errorf("equal stacks are %d and %d", leaf, again)
	}
	if b.HasData() {
		t.Error("a frame alone is no data")
	}
	b.Fault(Fault{Kind: b.Text("crash"), Stack: leaf, AllocStack: main, Line: 4})
	c := newTest("b", "x").bare(1)
	c.Fault(Fault{Kind: c.Text("crash"), Stack: c.Frame(Frame{Module: c.Text("libc.so")}, 1), Address: 1<<64 - 1, HasAddress: true, Size: Known(8), Line: 2})
	s := sets(b, c)
	want(t, "frames", rows(t, s, Frames, "id", "parent", "function", "module", "address", "file", "line"), `
1 - main app - a 1
2 1 malloc - 9223372036854775808 a 2
3 - - libc.so - b 1
`)
	faults := FaultsOf(s)
	if len(faults) != 2 || strings.Join(faults[0].Stack, "<") != "malloc<main" || strings.Join(faults[0].AllocStack, "<") != "main" || faults[0].FreeStack != nil || strings.Join(faults[1].Stack, "<") != "libc.so" ||
		faults[1].Address != 1<<64-1 || faults[1].Size != Known(8) || faults[0].HasAddress || faults[1].Place != (Place{"b", 2}) {
		t.Errorf("%+v", faults)
	}
}

func TestFacts(t *testing.T) {
	b := newTest("a", "x")
	b.Fact("page_size", "4096")
	b.Fact("page_size", "16384")
	c := newTest("b", "x")
	c.Fact("page_size", "4096")
	c.Fact("kernel", "6.18")
	if got := sets(b, c).Facts(); len(got) != 2 || got[0] != (Fact{"page_size", "4096"}) || got[1] != (Fact{"kernel", "6.18"}) {
		t.Errorf("%v", got)
	}
}

// TestLogTimes: the events of a log need not be in order, and the earliest is the start of the run.
func TestLogTimes(t *testing.T) {
	b := NewBuilder("a", "x")
	b.Snapshot(Stamp{Trace: Known(1000), Line: 1})
	for i, at := range []int64{0, -300, 500} {
		b.Event(&Event{At: at, Seq: int64(i), Op: b.Text("alloc"), Line: i + 1})
	}
	b.Snapshot(Stamp{Trace: Known(5000), Line: 9})
	b.Event(&Event{At: 50, Seq: 3, Op: b.Text("free"), Line: 9})
	want(t, "events", rows(t, sets(builder{b}), Events, "time_ns", "seq", "object"), `
0 1 -
300 0 -
800 2 -
4350 3 -
`)
}

// TestLongLog: a snapshot that goes on over many batches is one moment and keeps all its rows.
func TestLongLog(t *testing.T) {
	b := NewBuilder("a", "x")
	b.Snapshot(Stamp{Trace: Known(7), Line: 1})
	const n = 9 * batchRows
	for i := range n {
		b.Event(&Event{At: int64(i), Seq: int64(i), Op: b.Text("use"), Line: i + 1})
	}
	s := Assemble([]*Part{b.Done()})
	if s.Len(Events) != n || len(s.tables[Events]) < 3 || s.Files[0].Last != n-1 {
		t.Errorf("%d events in %d batches, the last at %d", s.Len(Events), len(s.tables[Events]), s.Files[0].Last)
	}
}

// TestFrameAddress: two return addresses in one function are one node; without a name the address is the node.
func TestFrameAddress(t *testing.T) {
	b := NewBuilder("a", "x")
	main := b.Text("main")
	if x, y := b.Frame(Frame{Function: main, Address: 1, HasAddress: true}, 1), b.Frame(Frame{Function: main, Address: 2, HasAddress: true}, 2); x != y {
		t.Errorf("main is %d and %d", x, y)
	}
	if x, y := b.Frame(Frame{Address: 1, HasAddress: true}, 1), b.Frame(Frame{Address: 2, HasAddress: true}, 2); x == y {
		t.Error("two nameless addresses are one node")
	}
}
