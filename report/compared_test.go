package report

import (
	"fmt"
	"testing"

	"github.com/memtide/memtide/analyze"
)

func TestSidesSayWhatWasCompared(t *testing.T) {
	in := func(side, run, start string, samples int) analyze.Input {
		return analyze.Input{Side: side, Run: run, Path: run + "/x", Start: start, Samples: samples}
	}
	many := func(side, dir string, n int) (all []analyze.Input) {
		for i := range n {
			all = append(all, in(side, fmt.Sprintf("%srun-%d", dir, i+1), fmt.Sprintf("2026-01-%02dT08:00:00Z", i+1), 30))
		}
		return all
	}
	pid := int64(77)
	for _, c := range []struct {
		name   string
		inputs []analyze.Input
		series []analyze.Series
		want   []Side
	}{
		{"one run a side", []analyze.Input{in("before", "cap/old", "2026-03-02T10:20:30+01:00", 1), in("before", "cap/old", "", 2), in("after", "cap/new", "no date", 4)},
			[]analyze.Series{{Side: "before", Run: "cap/old", PID: &pid, N: 20, Subject: analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}}},
			[]Side{{"before", "old (pid 77, 2026-03-02 10:20, 20 samples)", ""}, {"after", "new (4 samples)", ""}}},
		{"a name that says nothing", []analyze.Input{in("before", "before", "", 1), in("after", "after", "", 0)}, nil, []Side{{"before", "1 sample", ""}, {"after", "after", ""}}},
		{"several runs", append(many("before", "v1/", 3), many("after", "v2/", 2)...), nil,
			[]Side{{"before", "3 runs of 30 samples in v1, run-1 to run-3", "2026-01-01 to 2026-01-03"}, {"after", "2 runs of 30 samples in v2, run-1 to run-2", "2026-01-01 to 2026-01-02"}}},
		{"the same names", append(many("before", "", 2), in("after", "run-1", "", 7), in("after", "run-9", "", 9)), nil,
			[]Side{{"before", "2 runs of 30 samples, run-1 to run-2", "2026-01-01 to 2026-01-02"}, {"after", "2 runs of 7 to 9 samples, run-1 to run-9", ""}}},
		{"one side", []analyze.Input{in("", "a", "", 1)}, nil, nil},
	} {
		got := New(&analyze.Result{Inputs: c.inputs, Series: c.series}, Options{}).Sides
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Of one side the context says which capture it is.
func TestContextNamesTheCapture(t *testing.T) {
	r := &analyze.Result{Inputs: []analyze.Input{{Run: "captures/night", Path: "captures/night/1", Format: "smaps", Start: "2026-03-02T10:20:30Z"}},
		Series: []analyze.Series{seriesOf("process", "", analyze.Stable, 0)}}
	r.Series[0].N, r.Series[0].DurationS = 9, 60
	if got, want := New(r, Options{}).Context, "app · night · 2026-03-02 10:20 · 9 samples in 1 min · smaps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Inputs = append(r.Inputs, analyze.Input{Run: "captures/day", Format: "smaps"})
	if got, want := New(r, Options{}).Context, "app · 2 runs · 2026-03-02 10:20 · 9 samples in 1 min · smaps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A series in two parts, or of two runs, is not named twice as if it were one.
func TestAHeadlineSaysWhichPart(t *testing.T) {
	part := func(run string, n int, last int64) analyze.Series {
		v := seriesOf("process", "", analyze.Undetermined, 0)
		v.Run, v.Part, v.N, v.Last, v.Subject.Metric = run, n, 2, last*mib, "pss"
		return v
	}
	for _, c := range []struct {
		series []analyze.Series
		want   string
	}{
		{[]analyze.Series{part("r", 0, 26), part("r", 1, 27)}, "app: 26.0 MiB pss (before the restart), 27.0 MiB pss (after restart 1)."},
		{[]analyze.Series{part("a/x", 0, 26), part("a/y", 0, 27)}, "app: 26.0 MiB pss (x), 27.0 MiB pss (y)."},
		{[]analyze.Series{part("r", 0, 26)}, "app: 26.0 MiB pss."},
	} {
		if got := New(&analyze.Result{Series: c.series}, Options{}).Headline; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestDigest(t *testing.T) {
	whole := "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	if c := digest(whole); c.Text != "0123456789ab" || c.Whole != whole {
		t.Errorf("%+v", c)
	}
	if c := digest("ab"); c.Text != "ab" || c.Whole != "" {
		t.Errorf("%+v", c)
	}
	if c := digest(""); c.Text != "—" {
		t.Errorf("%+v", c)
	}
}

// A measure that looks as another one does is named and not drawn.
func TestTheSameIsNotDrawnAgain(t *testing.T) {
	r := &analyze.Result{}
	for metric, at := range map[string]float64{"pss": 100 * mib, "rss": 100.2 * mib, "swap": 30 * mib, "uss": 60 * mib} {
		tl := values(at, at+mib)
		tl.Subject = analyze.Subject{Process: "app", Scope: "process", Metric: metric}
		r.Timeline = append(r.Timeline, tl)
	}
	section := newStory(r).charts("app", "charts")
	if n := len(section.Blocks); n != 3 || section.Blocks[2].(*Paragraph).Text != "Not drawn, the same as another or further down in the order: rss." {
		t.Errorf("%d blocks, %+v", n, section.Blocks[n-1])
	}
}
