package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
	"github.com/memtide/memtide/ingest/table"
)

// delta compares one subject. With tested false it only describes: the row has its figures and no test, and a verdict
// only if it is carried by the change of its total.
func (c *comparison) delta(s Subject, tested, carried bool) Delta {
	d := Delta{Subject: s}
	var b, a [][]float64
	d.Before, b = c.level(c.sides[0], s)
	d.After, a = c.level(c.sides[1], s)
	if c.oneSided(&d) {
		return d
	}
	before := *d.Before.Median
	d.Band = c.o.AB.band(s, before)
	switch {
	case min(d.Before.Runs, d.After.Runs) >= c.o.AB.MinRuns:
		d.byRuns(c.o.AB)
	case !tested:
		d.describe()
		if carried {
			d.Verdict = d.bySize(*d.Shift, *d.Shift, c.o.AB, d.Verdict)
		}
	case d.Before.Runs == 1 && d.After.Runs == 1:
		d.bySamples(b[0], a[0], c.o)
	default:
		d.byFewRuns(c.o.AB)
	}
	if before != 0 && d.Shift != nil {
		rel := *d.Shift / before
		d.Relative = &rel
	}
	return d
}

// oneSided settles a subject that only one side has. It is new or removed if the other side measured the like of it
// on something else; otherwise the other side could not have shown it.
func (c *comparison) oneSided(d *Delta) bool {
	missing, other, verdict := "", c.sides[0], New
	switch {
	case d.Before.Runs == 0:
		missing = "before"
	case d.After.Runs == 0:
		missing, other, verdict = "after", c.sides[1], Removed
	default:
		return false
	}
	absent := c.sides[b2i(verdict == Removed)]
	switch {
	case d.Subject.isSite() && slices.Contains(absent.listed(), d.Subject.Process):
		d.Verdict, d.Note = Unsettled, "not listed "+missing+", where only some sites are: it may have been there"
	case other.measures(d.Subject):
		d.Verdict, d.Note = verdict, "not there "+missing
	default:
		d.Verdict, d.Note = Unsettled, "not measured "+missing
	}
	return true
}

// measures says whether a side has the metric of a subject on anything else of its scope.
func (s *side) measures(like Subject) bool {
	for k := range s.known {
		if k.Scope == like.Scope && k.Metric == like.Metric {
			return true
		}
	}
	return false
}

// byRuns is the comparison of enough runs: exact Mann-Whitney, Hodges-Lehmann shift and its interval, held against
// the band of tolerance. The p value is printed, it does not decide.
func (d *Delta) byRuns(c ABConfig) {
	m := stat.MannWhitney(d.Before.Values, d.After.Values, c.Level)
	d.Shift, d.ShiftLo, d.ShiftHi, d.P = finite(&m.HL), finite(&m.Lo), finite(&m.Hi), finite(&m.P)
	d.Verdict = d.hold(m.Lo, m.Hi)
	if d.Verdict == Unsettled {
		d.Note = c.advise(d)
	}
}

// hold compares an interval with the band.
func (d *Delta) hold(lo, hi float64) Change {
	switch {
	case lo > d.Band:
		return d.worse(Regression)
	case hi < -d.Band:
		return d.worse(Improvement)
	case -d.Band <= lo && hi <= d.Band:
		return Equivalent
	}
	return Unsettled
}

// worse turns the verdict round for metrics of which more is better.
func (d *Delta) worse(up Change) Change {
	if table.MetricOf(d.Subject.Metric).Better != "higher" {
		return up
	}
	if up == Regression {
		return Improvement
	}
	return Regression
}

// advise says how many runs would settle an open question.
func (c ABConfig) advise(d *Delta) string {
	sd := math.Max(deviation(d.Before.Values), deviation(d.After.Values))
	gap := math.Abs(math.Abs(*d.Shift) - d.Band)
	if sd == 0 || gap == 0 {
		return "the interval reaches over the band of tolerance"
	}
	n := stat.RunsNeeded(sd, gap)
	if n > 100 {
		return "the change is as large as the band of tolerance: more runs will hardly settle it"
	}
	return fmt.Sprintf("the interval reaches over the band of tolerance; about %d runs a side would settle it", max(n, d.Before.Runs+1))
}

func deviation(v []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	if len(v) < 2 {
		return 0
	}
	return math.Sqrt(sum / float64(len(v)-1))
}

func (d *Delta) describe() {
	shift := *d.After.Median - *d.Before.Median
	d.Shift, d.Verdict = &shift, Unsettled
	if shift == 0 && slices.Equal(d.Before.Values, d.After.Values) {
		d.Verdict = Equivalent
	}
}

// bySamples compares one run a side: the interval is that of the scatter within the two runs, and cannot speak for
// the spread between runs. So only a difference beyond what runs are known to differ by is called a change.
func (d *Delta) bySamples(b, a []float64, o Options) {
	d.describe()
	if slices.Equal(b, a) {
		zero := 0.0
		d.Shift, d.ShiftLo, d.ShiftHi, d.Verdict, d.Note = &zero, &zero, &zero, Equivalent, "both sides have the same values"
		return
	}
	if min(len(b), len(a)) < 2 {
		d.Note = "one value a side: a difference without an interval"
		if max(len(b), len(a)) > 1 {
			d.Note = "one value on one side: a difference without an interval"
		}
		if d.Subject.exact() {
			d.Note = "exact, as the checker counted it: a difference that needs no interval"
		}
		d.Verdict = d.bySize(*d.Shift, *d.Shift, o.AB, Unsettled)
		return
	}
	lo, hi := stat.Bootstrap{Repeats: o.AB.Repeats, Seed: o.Seed, Level: o.AB.Level}.MedianShift(b, a)
	lo, hi = min(lo, *d.Shift), max(hi, *d.Shift)
	d.ShiftLo, d.ShiftHi = &lo, &hi
	d.Note = "one run a side: the interval is of the scatter within the runs and cannot speak for the spread between runs"
	within := Unsettled
	if -d.Band <= lo && hi <= d.Band {
		within = Equivalent
	}
	d.Verdict = d.bySize(lo, hi, o.AB, within)
}

// bySize calls a change only what exceeds both the band and the spread that runs are known to have. What is exact has no such
// spread.
func (d *Delta) bySize(lo, hi float64, c ABConfig, otherwise Change) Change {
	usual := c.SingleRun
	c, own := c.of(d.Subject)
	if d.Subject.exact() && !own && c.SingleRun == usual {
		c.SingleRun = 0
	}
	need := max(d.Band, c.SingleRun**d.Before.Median)
	switch {
	case lo > d.Band && *d.Shift > need:
		return d.worse(Regression)
	case hi < -d.Band && *d.Shift < -need:
		return d.worse(Improvement)
	case otherwise == Unsettled && (lo > d.Band || hi < -d.Band):
		d.Note = d.without() + fmt.Sprintf("outside the tolerance, but within the %g %% by which two runs of one build are known to differ", 100*c.SingleRun)
	}
	return otherwise
}

// without is the reminder that a difference has no interval, before what else is said of it.
func (d *Delta) without() string {
	if d.ShiftLo == nil && d.Note != "" {
		return d.Note + "; "
	}
	return ""
}

// byFewRuns describes two or three runs a side, of which no test can say much: the interval is the whole range of the
// differences.
func (d *Delta) byFewRuns(c ABConfig) {
	var diffs []float64
	for _, b := range d.Before.Values {
		for _, a := range d.After.Values {
			diffs = append(diffs, a-b)
		}
	}
	shift, lo, hi := stat.Median(diffs), slices.Min(diffs), slices.Max(diffs)
	d.Shift, d.ShiftLo, d.ShiftHi = &shift, &lo, &hi
	d.Note = fmt.Sprintf("%d and %d runs: the range of all differences; take %d runs a side for an interval that speaks for runs", d.Before.Runs, d.After.Runs, c.MinRuns)
	within := Unsettled
	if lo == 0 && hi == 0 {
		within = Equivalent
	}
	d.Verdict = d.bySize(lo, hi, c, within)
}
