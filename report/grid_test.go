package report

import (
	"math"
	"testing"

	"github.com/memtide/memtide/analyze"
)

func line(ts ...float64) analyze.Timeline {
	t := analyze.Timeline{}
	for _, v := range ts {
		t.TimeS = append(t.TimeS, v)
		t.Min, t.Mid, t.Max = append(t.Min, 10*v-1), append(t.Mid, 10*v), append(t.Max, 10*v+1)
	}
	return t
}

// values is a timeline of one value a second.
func values(of ...float64) analyze.Timeline {
	t := analyze.Timeline{Min: of, Mid: of, Max: of}
	for i := range of {
		t.TimeS = append(t.TimeS, float64(i))
	}
	return t
}

func TestOneRunStaysAsItIs(t *testing.T) {
	restart := line(20, 21)
	restart.Part = 1
	got := overRuns([][]analyze.Timeline{{line(0, 1, 2), restart}}, 100)
	if len(got) != 5 || got[1] != (Point{T: 1, Min: 9, Mid: 10, Max: 11}) {
		t.Fatalf("%+v", got)
	}
	for i, p := range got {
		if p.Gap != (i == 3) {
			t.Errorf("point %d: gap %v", i, p.Gap)
		}
	}
}

func TestMergingKeepsExtremes(t *testing.T) {
	long := line()
	for i := range 1000 {
		v := 5.0
		if i == 777 {
			v = 99
		}
		long.TimeS, long.Min, long.Mid, long.Max = append(long.TimeS, float64(i)), append(long.Min, v), append(long.Mid, v), append(long.Max, v)
	}
	got := joined([]analyze.Timeline{long}, 60)
	most := 0.0
	for _, p := range got {
		most = math.Max(most, p.Max)
	}
	if len(got) > 60 || most != 99 {
		t.Errorf("%d points, greatest %v", len(got), most)
	}
}

func TestRunsAreAlignedByTime(t *testing.T) {
	a, b, c := line(0, 2, 4), line(0, 1, 2, 3, 4), line(0, 4)
	got := overRuns([][]analyze.Timeline{{a}, {b}, {c}}, 100)
	if len(got) != 5 {
		t.Fatalf("%d points", len(got))
	}
	for _, p := range got {
		if math.Abs(p.Mid-10*p.T) > 1e-9 || p.Min > p.Mid || p.Max < p.Mid {
			t.Errorf("at %v: %+v", p.T, p)
		}
	}
}

func TestTimesOfFewRunsAreLeftOut(t *testing.T) {
	got := overRuns([][]analyze.Timeline{{line(0, 1, 2)}, {line(0, 1, 2)}, {line(0, 1, 2, 3, 4, 5, 6)}}, 100)
	if end := got[len(got)-1].T; end > 3 {
		t.Errorf("the line goes to %v though two of three runs end at 2", end)
	}
}

func TestDamagedTimelines(t *testing.T) {
	short := line(0, 1, 2)
	short.Max = short.Max[:2]
	back := line(0, 5, 3)
	nan := line(0, 1, 2)
	nan.Mid[1] = math.NaN()
	for i, c := range []struct {
		t    analyze.Timeline
		want int
	}{{short, 2}, {back, 2}, {nan, 1}, {analyze.Timeline{}, 0}, {analyze.Timeline{TimeS: []float64{1}}, 0}} {
		if got := usable(c.t); got != c.want {
			t.Errorf("%d: %d columns, want %d", i, got, c.want)
		}
	}
}

func TestCleanAndCut(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 😀": "plain ü 😀", "a\nb\tc": "a b c", "\x1b[0m": `\u001b[0m`, "\u202eexe": `\u202eexe`, "\xff": "\uFFFD", "": "",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := cut("abcdefghij", 5); got != "ab…ij" {
		t.Errorf("cut: %q", got)
	}
	if got := cut("ääääää", 6); got != "ääääää" {
		t.Errorf("cut: %q", got)
	}
}
