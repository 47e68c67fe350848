package table

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
)

const sec = int64(1e9)

func rss(b builder, value int64, line int) builder {
	return b.sample("process", "", "rss", value, line)
}

// TestClock: the most trusted clock that every snapshot of the run has.
func TestClock(t *testing.T) {
	wall := func() builder { return rss(newTest("w", "f").at(100*sec, 1), 1, 2) }
	named := func() builder { return rss(newTest("smaps-7-1795951515.5.txt", "f").bare(1), 2, 2) }
	none := func() builder { return rss(newTest("z", "f").bare(1), 3, 2) }
	boot := func() builder { return rss(newTest("y", "f").boot(40*sec, 1), 4, 2) }
	both := func() builder {
		b := newTest("x", "f")
		b.Snapshot(Stamp{Wall: Known(90 * sec), Boot: Known(30 * sec), Line: 1})
		return rss(b, 5, 2)
	}
	trace := func() builder {
		b := newTest("t", "f")
		b.Snapshot(Stamp{Trace: Known(5), Line: 1})
		return rss(b, 6, 2)
	}
	for _, c := range []struct {
		clock string
		parts []builder
		start Int
		want  string
	}{
		{"wall", []builder{wall(), both()}, Known(90 * sec), "0 5\n10000000000 1\n"},
		{"boot", []builder{boot(), both()}, Int{}, "0 5\n10000000000 4\n"},
		{"trace", []builder{trace()}, Int{}, "0 6\n"},
		{"name", []builder{named()}, Known(1795951515500000000), "0 2\n"},
		{"order", []builder{wall(), boot()}, Int{}, "0 1\n1000000000 4\n"},
		{"order", []builder{named(), none()}, Int{}, "0 2\n1000000000 3\n"},
		{"order", []builder{none()}, Int{}, "0 3\n"},
	} {
		s := sets(c.parts...)
		if s.Clock != c.clock || s.Start != c.start {
			t.Errorf("clock %s from %v, want %s from %v", s.Clock, s.Start, c.clock, c.start)
		}
		want(t, c.clock, rows(t, s, Samples, "time_ns", "value"), c.want)
	}
}

// TestEmptyFilesHaveNoClock: a file without data takes no clock from the others.
func TestEmptyFilesHaveNoClock(t *testing.T) {
	s := sets(rss(newTest("a", "f").at(5*sec, 1), 1, 1), newTest("b", "f").bare(1))
	if s.Clock != "wall" || len(s.Files) != 2 || s.Files[1].Snapshots != 0 {
		t.Errorf("clock %s, files %+v", s.Clock, s.Files)
	}
	if s := Assemble(nil); s.Clock != "order" || s.Len(Samples) != 0 || len(SeriesOf(s)) != 0 || len(MappingSeriesOf(s)) != 0 || s.Start.OK {
		t.Error("a set of nothing is not empty")
	}
}

// TestOrderClock counts each format by itself: smaps_1 and status_1 are of the same moment.
func TestOrderClock(t *testing.T) {
	s := sets(rss(rss(newTest("smaps_1", "smaps").bare(1), 1, 2).bare(3), 2, 4), rss(newTest("smaps_2", "smaps").bare(1), 3, 2), rss(newTest("status_1", "status").bare(1), 4, 2))
	want(t, "samples", rows(t, s, Samples, "time_ns", "file", "value"), `
0 smaps_1 1
0 status_1 4
1000000000 smaps_1 2
2000000000 smaps_2 3
`)
}

// TestRestartOfAWallClock: a clock that falls inside a file is a restart; files of their own are only put in order.
func TestRestartOfAWallClock(t *testing.T) {
	b := newTest("a", "f")
	for i, wall := range []int64{100, 110, 120, 50, 60} {
		rss(b.at(wall*sec, 10*i+1), int64(i), 10*i+2)
	}
	s := sets(b)
	want(t, "samples", rows(t, s, Samples, "time_ns", "value"), "0 0\n10000000000 1\n20000000000 2\n30000000000 3\n40000000000 4\n")
	if len(s.Restarts) != 1 || s.Restarts[0] != 30*sec {
		t.Errorf("restarts %v", s.Restarts)
	}
	want(t, "problems", problemsOf(s), "a:31: time falls: taken as a restart, the series is cut here\n")
	series := SeriesOf(s)
	if len(series) != 2 || len(series[0].Value) != 3 || series[0].Part != 0 || len(series[1].Value) != 2 || series[1].Part != 1 || series[1].At(0) != (Place{"a", 32}) {
		t.Errorf("series %+v", series)
	}
	s = sets(rss(newTest("a", "f").at(100*sec, 1), 1, 2), rss(newTest("b", "f").at(50*sec, 1), 2, 2))
	want(t, "two files", rows(t, s, Samples, "time_ns", "value"), "0 2\n50000000000 1\n")
	if len(s.Restarts) != 0 {
		t.Errorf("restarts %v", s.Restarts)
	}
}

// TestRestartOfABootClock: the boot clock starts again with each boot, so numbered files are one sequence, each
// format for itself.
func TestRestartOfABootClock(t *testing.T) {
	var all []builder
	for _, format := range []string{"gfxinfo", "meminfo"} {
		for i, boot := range []int64{1000, 1030, 10, 40} {
			all = append(all, rss(newTest(format+"_"+str(int64(i+1)), format).boot(boot*sec, 1), int64(i), 2))
		}
	}
	s := sets(all...)
	if len(s.Restarts) != 2 || s.Restarts[0] != 60*sec || s.Restarts[1] != 60*sec {
		t.Errorf("restarts %v", s.Restarts)
	}
	want(t, "samples", rows(t, s, Samples, "time_ns", "file"), `
0 gfxinfo_1
0 meminfo_1
30000000000 gfxinfo_2
30000000000 meminfo_2
60000000000 gfxinfo_3
60000000000 meminfo_3
90000000000 gfxinfo_4
90000000000 meminfo_4
`)
}

// TestNamesThatTellNoOrder: end.txt before start.txt is no reboot.
func TestNamesThatTellNoOrder(t *testing.T) {
	s := sets(rss(newTest("end.txt", "f").boot(90*sec, 1), 2, 2), rss(newTest("start.txt", "f").boot(30*sec, 1), 1, 2))
	if len(s.Restarts) != 0 || problemsOf(s) != "" {
		t.Errorf("restarts %v, problems %s", s.Restarts, problemsOf(s))
	}
	want(t, "samples", rows(t, s, Samples, "time_ns", "value"), "0 1\n60000000000 2\n")
}

func TestEqualTimesKeepOrder(t *testing.T) {
	b := newTest("a", "f")
	for i := range 4 {
		rss(b.at(int64(i/2)*sec, 10*i+1), int64(i), 10*i+2)
	}
	want(t, "samples", rows(t, sets(b), Samples, "time_ns", "value"), "0 0\n0 1\n1000000000 2\n1000000000 3\n")
}

// TestOrderOfInputs: once times are known, the order in which files are given changes nothing.
func TestOrderOfInputs(t *testing.T) {
	make := func() []builder {
		var out []builder
		for i := range int64(8) {
			b := newTest("smaps-"+str(100+i), "smaps").at((50+13*i%8)*sec, 1).process(100+i%2, "")
			b.mapping("/lib"+str(i%3), "file", 2, map[Size]int64{MapRSS: i, MapPrivateClean: 1, MapPrivateDirty: i})
			b.mapping("/lib"+str(i%3), "file", 3, map[Size]int64{MapRSS: i})
			out = append(out, b)
			out = append(out, rss(newTest("status-"+str(100+i), "status").at((50+13*i%8)*sec, 1).process(100+i%2, "app"), i, 2))
		}
		return out
	}
	first := sets(make()...)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		parts := make()
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		s := sets(parts...)
		for _, id := range []ID{Samples, Mappings} {
			if csvOf(t, s, id) != csvOf(t, first, id) {
				t.Fatalf("%s differ with the order of the inputs", Schemas[id].Name)
			}
		}
	}
}

func TestProcessNames(t *testing.T) {
	smaps := newTest("smaps", "smaps").bare(1).process(7, "").mapping("/m", "file", 2, map[Size]int64{MapRSS: 1})
	status := rss(newTest("status", "status").bare(1).process(7, "app"), 1, 2)
	other := rss(rss(newTest("x", "x").bare(1).process(8, ""), 1, 2).process(0, ""), 1, 3)
	s := sets(smaps, status, other)
	want(t, "samples", rows(t, s, Samples, "file", "pid", "process", "scope"), `
smaps 7 app process
smaps 7 app category
status 7 app process
x 8 - process
x - - process
`)
	want(t, "mappings", rows(t, s, Mappings, "pid", "process"), "7 app\n")
	if got := strings.Join(s.Processes(), " "); got != "app" {
		t.Errorf("processes %q", got)
	}
}

func TestFillPID(t *testing.T) {
	b := newTest("smaps_9", "smaps").bare(1).mapping("/m", "file", 2, map[Size]int64{MapRSS: 1})
	b.sample("system", "", "mem_total", 1, 3).sample("oom", "Cached", "pss", 1, 4)
	p := b.Done()
	p.FillPID(9)
	s := Assemble([]*Part{p})
	want(t, "samples", rows(t, s, Samples, "scope", "pid"), "process 9\ncategory 9\nsystem -\noom -\n")
	want(t, "mappings", rows(t, s, Mappings, "pid"), "9\n")

	told := rss(rss(newTest("smaps_9", "smaps").bare(1).process(3, ""), 1, 2).process(0, ""), 1, 3).Done()
	told.FillPID(9)
	want(t, "records that tell", rows(t, Assemble([]*Part{told}), Samples, "pid"), "3\n-\n")
}

// TestPartsOfOneFile: the sections of a bug report are parts of one name, and still each of its own format.
func TestPartsOfOneFile(t *testing.T) {
	first := rss(newTest("report.txt", "showmap").bare(1).process(7, "report.txt"), 5, 20)
	second := rss(newTest("report.txt", "meminfo").bare(1).process(7, "report.txt"), 6, 10)
	p, q := first.Done(), second.Done()
	p.Rank, q.Rank = 2, 3
	p.At(Known(5 * sec))
	q.At(Known(5 * sec))
	s := Assemble([]*Part{p, q})
	want(t, "samples", rows(t, s, Samples, "file", "line", "process", "value"), "report.txt 10 report.txt 6\nreport.txt 20 report.txt 5\n")
	series := SeriesOf(s)
	if len(series) != 1 || len(series[0].Value) != 1 || series[0].Value[0] != 5 {
		t.Errorf("the format of lower rank is the source: %+v", series)
	}
	if s.Clock != "wall" || s.Start != Known(5*sec) {
		t.Errorf("clock %s, start %v", s.Clock, s.Start)
	}
}

// TestManySmallSnapshots: derived rows out of the order of lines are sorted snapshot by snapshot.
func TestRowsInOrderOfLines(t *testing.T) {
	b := newTest("a", "showmap")
	for k := range int64(3) {
		b.at(k*sec, int(1+100*k)).process(7, "")
		b.sample("process", "", "pss", 100, int(50+100*k))
		b.mapping("/a", "file", int(10+100*k), map[Size]int64{MapRSS: 1}).mapping("/b", "anon", int(11+100*k), map[Size]int64{MapRSS: k})
		b.Add(Sample{Scope: b.Text("pool"), Name: b.Text("p"), Metric: b.Text("count"), Value: k, Line: int(5 + 100*k), Iteration: Int{k, k == 1}})
	}
	want(t, "samples", rows(t, sets(b), Samples, "time_ns", "line", "scope", "iteration", "value"), `
0 5 pool - 0
0 10 process - 1024
0 10 category - 1024
0 11 category - 0
0 50 process - 100
1000000000 105 pool 1 1
1000000000 110 process - 2048
1000000000 110 category - 1024
1000000000 111 category - 1024
1000000000 150 process - 100
2000000000 205 pool - 2
2000000000 210 process - 3072
2000000000 210 category - 1024
2000000000 211 category - 2048
2000000000 250 process - 100
`)
}

func TestNotes(t *testing.T) {
	b := rss(newTest("a", "f").bare(1), 1, 1)
	b.Problems.Add(source.Pos{File: "a", Line: 3}, "own")
	s := sets(b)
	s.Note(source.Problem{Pos: source.Pos{File: "b"}, Message: "of the run", Count: 1})
	want(t, "problems", problemsOf(s), "b: of the run\na:3: own\n")
}

// TestClockThatAlternatesIsNone: fifty thousand restarts are no restarts.
func TestClockThatAlternatesIsNone(t *testing.T) {
	b := newTest("a", "f")
	for i := range 1000 {
		b.at(int64(5-i%2)*sec, i+1).sample("process", "", "rss", int64(i), i+1)
	}
	s := sets(b)
	if s.Clock != "order" || len(s.Restarts) != 0 || len(s.Problems()) != 1 || len(SeriesOf(s)) != 1 {
		t.Errorf("clock %s, %d restarts, problems %v, %d series", s.Clock, len(s.Restarts), s.Problems(), len(SeriesOf(s)))
	}
}

// TestFaultWithoutTimeLeavesTheClock: a tombstone beside dated captures does not take their time away.
func TestFaultWithoutTimeLeavesTheClock(t *testing.T) {
	dated, crash := newTest("a", "f"), newTest("b", "tombstone")
	dated.at(100*sec, 1).sample("process", "", "rss", 1, 1)
	dated.at(130*sec, 2).sample("process", "", "rss", 2, 2)
	crash.bare(1)
	crash.Fault(Fault{Kind: crash.Text("crash"), Line: 1})
	s := sets(dated, crash)
	if f := FaultsOf(s); s.Clock != "wall" || len(f) != 1 || f[0].TimeNS != 30*sec {
		t.Errorf("clock %s, faults %+v", s.Clock, f)
	}
}
