package analyze

import (
	"fmt"
	"slices"
	"strings"
)

// AddRelease holds the after side of a comparison against a third side, a release: a little more with every build never shows
// against the parent. Totals and categories are compared as Compare does. What got worse against the release and not against
// the parent is a finding of its own.
func (r *Result) AddRelease(release, after []Capture, o Options) {
	for i := range release {
		release[i].Side = "release"
	}
	own := &Result{}
	c := comparison{r: own, o: o, sides: [2]*side{newSide(release), newSide(after)}}
	for i, runs := range [][]Capture{release, after} {
		for k := range runs {
			totals, _ := runs[k].tracks()
			_, totals = runs[k].drivers(totals)
			c.sides[i].add(k, totals, nil)
			own.Inputs = append(own.Inputs, on([]string{"before", "after"}[i], runs[k].Inputs)...)
		}
	}
	for i := range release {
		r.Inputs, r.Problems = append(r.Inputs, on("release", release[i].Inputs)...), append(r.Problems, problemsOf(&release[i])...)
	}
	c.pairProcesses()
	c.totals()
	c.parts("category")
	c.soften()
	r.Release = own.Deltas
	if c.incomparable() {
		c.warn("It comes from other tools than the after side (%s): no verdict is given.", c.formats("before"))
	} else if n := min(len(release), len(after)); n < o.AB.MinRuns {
		c.warn("It is compared by %s against %d: only changes over %g %% are called.", plural(len(release), "run"), len(after), 100*o.AB.SingleRun)
	}
	for _, w := range own.Warnings {
		r.Warnings = append(r.Warnings, "Against the release: "+strings.Replace(w, " before", " in the release", 1))
	}
	r.sinceRelease(own)
}

// on is a copy of inputs on another side.
func on(side string, inputs []Input) []Input {
	out := slices.Clone(inputs)
	for i := range out {
		out[i].Side = side
	}
	return out
}

// sinceRelease makes the findings of a comparison with the release, and the verdict that follows.
func (r *Result) sinceRelease(own *Result) {
	told := map[Subject]bool{}
	for i := range r.Deltas {
		d := &r.Deltas[i]
		told[Subject{Process: d.Subject.Process}] = told[Subject{Process: d.Subject.Process}] || d.Verdict == Regression && d.Decides()
	}
	own.findRegressions()
	var fresh []Finding
	for _, f := range own.Findings {
		if told[Subject{Process: f.Subject.Process}] {
			continue
		}
		f.Class = "release"
		f.Message = "Since the release, " + f.Message + " Against the side before it is no regression: it came a little at a time, or earlier."
		f.Advice = "Run memtide history over the builds since the release: it says which of them brought it, or that each brought a little."
		f.Fingerprint = fingerprint(f.Rule, f.Subject, f.Class)
		fresh = append(fresh, f)
	}
	if len(fresh) == 0 {
		return
	}
	r.Findings = append(r.Findings, fresh...)
	r.sortFindings()
	if r.Verdict != Fail {
		r.Verdict, r.Summary = Fail, fmt.Sprintf("Memory got worse since the release: %s", own.releaseSummary(fresh[0].Subject))
	}
}

func (r *Result) releaseSummary(of Subject) string {
	var ds []*Delta
	for i := range r.Deltas {
		if d := &r.Deltas[i]; d.Verdict == Regression && d.Decides() && d.Subject.Process == of.Process {
			ds = append(ds, d)
		}
	}
	return name(ds)
}
