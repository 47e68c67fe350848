package analyze

import (
	"fmt"
)

// ABConfig holds the thresholds of Compare.
type ABConfig struct {
	BandBytes   float64 // a difference within this is of no account, in bytes
	BandShare   float64 // the same as a share of the before median; the larger of the two counts
	SingleRun   float64 // share of the before median that one to three runs a side must exceed to be a change
	MinRuns     int     // runs a side from which the intervals speak for the spread between runs
	Level       float64 // confidence of the intervals
	Q           float64 // rate of false discoveries among categories and mappings
	Repeats     int     // of the bootstrap
	MaxMappings int     // rows of single mappings, and of sites, that are kept for each metric
	Bands       []Band  // other tolerances for some subjects: the first that fits one holds for it
}

// Band is the tolerance for the subjects that fit a pattern. What is nil stays as it is for all.
type Band struct {
	Match                   Match
	Bytes, Share, SingleRun *float64
}

// DefaultAB are the thresholds in force unless a policy says otherwise.
var DefaultAB = ABConfig{BandBytes: 1 << 20, BandShare: 0.02, SingleRun: 0.10, MinRuns: 4, Level: 0.95, Q: 0.05, Repeats: 2000, MaxMappings: 200}

// exact says whether a figure is what a memory checker states as lost: it counted, and did not sample.
func (s Subject) exact() bool { return s.Metric == "leaked_bytes" || s.Metric == "leaked_count" }

// siteBytes and siteCount are the tolerances for what is alive of one site, of which whole processes have many.
const siteBytes, siteCount = 4 << 10, 4

// band is the tolerance for one subject. What a checker states as lost is exact and has none; counts have no size.
func (c ABConfig) band(s Subject, before float64) float64 {
	c, own := c.of(s)
	switch {
	case own:
		return max(c.BandBytes, c.BandShare*before)
	case s.exact():
		return 0
	case s.isSite() && s.Metric == "live_bytes":
		return max(siteBytes, c.BandShare*before)
	case s.isSite():
		return max(siteCount, c.BandShare*before)
	case s.Unit() != "bytes":
		return c.BandShare * before
	}
	return max(c.BandBytes, c.BandShare*before)
}

// of is the configuration with the tolerances that hold for one subject, and whether somebody asked for its band.
func (c ABConfig) of(s Subject) (ABConfig, bool) {
	for _, b := range c.Bands {
		if !b.Match.Fits(s) {
			continue
		}
		for to, v := range map[*float64]*float64{&c.BandBytes: b.Bytes, &c.BandShare: b.Share, &c.SingleRun: b.SingleRun} {
			if v != nil {
				*to = *v
			}
		}
		return c, b.Bytes != nil || b.Share != nil
	}
	return c, false
}

// settings lists the thresholds in force, for the foot of a report.
func (o Options) settings() []Setting {
	g, c := o.Growth, o.AB
	return []Setting{
		{"growth.warm_up", fmt.Sprintf("%g", g.WarmUp), "share of the samples at the start that is left out"},
		{"growth.alpha", fmt.Sprintf("%g", g.Alpha), "one-sided level of the test for growth"},
		{"growth.late_ratio", fmt.Sprintf("%g", g.LateRatio), "least share of the whole slope that the second half must have"},
		{"growth.step_ratio", fmt.Sprintf("%g", g.StepRatio), "cost of two levels over cost of a line below which growth is one step"},
		{"growth.floor", fmt.Sprintf("%s or %g %%", mebibytes(g.Floors[Bytes]), 100*g.Share), "growth of a process from which it is a warning"},
		{"growth.critical", fmt.Sprintf("%g %%, or %g h to a limit", 100*g.Critical, g.CriticalS/3600), "growth over the level at the start, or time left to a red line, from which it is critical"},
		{"compare.band", fmt.Sprintf("%s or %g %%", mebibytes(c.BandBytes), 100*c.BandShare), "difference that is of no account"},
		{"compare.single_run", fmt.Sprintf("%g %%", 100*c.SingleRun), "difference that fewer than four runs a side must exceed"},
		{"compare.level", fmt.Sprintf("%g %%", 100*c.Level), "confidence of the intervals"},
		{"compare.q", fmt.Sprintf("%g", c.Q), "rate of false discoveries among categories and mappings"},
		{"redline.built_in", onOff(o.Redlines.BuiltIn), "red lines of known devices, and limits that captures name"},
		{"redline.rearm", fmt.Sprintf("%g %%", 100*o.Redlines.Rearm), "share of its limit that a series must fall below to cross it again"},
		{"dwell", fmt.Sprintf("%d objects of %s for %g s", o.Dwell.Objects, mebibytes(o.Dwell.Bytes), o.Dwell.Seconds), "mean size and time after the last use from which it is told that objects are held unused"},
		{"reconcile", fmt.Sprintf("%g %% and %s", 100*o.Reconcile.Share, mebibytes(o.Reconcile.Bytes)), "part of the resident set from which it is told that a profiler does not see it"},
		{"seed", fmt.Sprint(o.Seed), "of the bootstrap"},
	}
}

func onOff(v bool) string {
	if v {
		return "on"
	}
	return "off"
}
