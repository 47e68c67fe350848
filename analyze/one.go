package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
	"github.com/memtide/memtide/ingest/table"
)

// Options are the thresholds of an analysis and what is written beside the result.
type Options struct {
	Tool     Tool
	Command  string
	Seed     uint64
	Growth   GrowthConfig
	AB       ABConfig
	Redlines RedlineConfig
	// Each calls a function for each number below n, in any order and if it can on several processors; nil for one after the
	// other. Package analyze itself starts nothing.
	Each func(n int, f func(int))
	// Source tells what stands at a place in a source file, the lines around it behind; nil where that is not known. Package analyze
	// itself reads nothing.
	Source func(SourceAt) []string

	Advice     AdviceConfig // on the kernels of a profile
	Classes    ClassConfig  // classes of objects that are asked for
	Dwell      DwellConfig  // objects that are held unused; the zero value is DefaultDwell
	Reconcile  ReconcileConfig
	Alignments []Alignment
	Objectives []Objective
	Drivers    []string // names that stand in the names of runs before the value of what drives memory
}

// Defaults are the options in force unless a user says otherwise.
func Defaults() Options {
	return Options{Tool: Tool{Name: "memtide"}, Seed: 1, Growth: DefaultGrowth, AB: DefaultAB, Redlines: DefaultRedlines, Advice: DefaultAdvice, Dwell: DefaultDwell, Reconcile: DefaultReconcile}
}

// One judges every series of the captures by itself.
func One(captures []Capture, o Options) *Result {
	r := o.result(captures)
	runs, values := make([][]*track, len(captures)), make([][]setting, len(captures))
	views := make([]*viewer, len(captures))
	var logs []deviceLog
	for i := range captures {
		c, from := &captures[i], len(r.Findings)
		totals, mappings := c.tracks()
		drivers, totals := c.drivers(totals)
		r.holes(c, totals)
		b := c.account()
		r.Warnings = append(r.Warnings, b.remarks...)
		totals = append(totals, b.tracks(c)...)
		r.judge(c, totals, mappings, o)
		r.devices(c, b, totals)
		r.couple(c, totals, drivers, o)
		r.leaks(c, b, o.Growth)
		r.Stacks = append(r.Stacks, stacksOf(c, b, len(captures))...)
		r.mistakes(c, b)
		r.races(c, b)
		r.pending(c, b)
		r.service(c, slices.Concat(totals, mappings), o.Objectives)
		r.faults(c, b)
		r.account(c, b, totals, from, o)
		views[i] = r.witness(c, b, from)
		r.advise(c, totals, o.Advice)
		r.classes(c, totals, o.Classes)
		r.share(c)
		r.aligned(c, b, o.Alignments)
		logs = append(logs, b.deviceLogs()...)
		r.anchor(c)
		runs[i], values[i] = totals, settingsOf(c, drivers, o.Drivers)
	}
	r.lay(views)
	r.coupleRuns(runs, values, o)
	r.findGrowth()
	r.besideLeaks()
	r.joinDevices(logs)
	r.replay(runs, o.Growth)
	r.fits()
	r.unmatchedClasses(o.Classes)
	r.quote(o)
	r.conclude()
	return r
}

func (o Options) result(captures []Capture) *Result {
	r := &Result{Schema: Schema, Tool: o.Tool, Command: o.Command, Seed: o.Seed, Method: o.settings(),
		Inputs: []Input{}, Series: []Series{}, Findings: []Finding{}, Deltas: []Delta{}, Problems: []Problem{}, Warnings: []string{}}
	for i := range captures {
		c := &captures[i]
		r.Inputs = append(r.Inputs, c.Inputs...)
		if c.Set == nil {
			r.Problems = append(r.Problems, c.Earlier.Problems...)
			continue
		}
		r.remark(c.Set.Remarks())
		for _, p := range c.Set.Problems() {
			r.Problems = append(r.Problems, Problem{c.Side, p.File, p.Line, p.Column, p.Message, p.Count})
		}
	}
	return r
}

// judge adds the verdicts on the tracks of a capture to the result, how far they kept from red lines, and the lines to draw.
func (r *Result) judge(c *Capture, totals, mappings []*track, o Options) {
	h, from := r.hold(c, slices.Concat(totals, mappings), o.Redlines), len(r.Series)
	tracks := slices.Concat(totals, worthJudging(mappings, o.Growth))
	series, lines := make([]Series, len(tracks)), make([]Timeline, len(tracks))
	o.each(len(tracks), func(i int) { series[i], lines[i] = tracks[i].judge(o.Growth), tracks[i].timeline() })
	r.Series, r.Timeline = append(r.Series, series...), append(r.Timeline, lines...)
	h.predict(r.Series[from:])
}

func (o Options) each(n int, f func(int)) {
	if o.Each != nil {
		o.Each(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// maxMappings bounds the single mappings of a run that get a verdict of their own: those that moved most.
const maxMappings = 50

// worthJudging leaves out the mappings that hardly moved: between their least and greatest value there is no floor's
// worth of growth.
func worthJudging(mappings []*track, c GrowthConfig) []*track {
	var out []*track
	for _, k := range mappings {
		if len(k.y) > 1 && spread(k.y) >= c.Floors[Bytes] {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b *track) int { return cmp.Compare(spread(b.y), spread(a.y)) })
	return out[:min(len(out), maxMappings)]
}

func spread(y []float64) float64 { return slices.Max(y) - slices.Min(y) }

// kindOf chooses what a series is a series of.
func kindOf(s Subject) GrowthKind {
	switch {
	case s.Scope == "handle":
		return Handles
	case s.Unit() == "count":
		return Objects
	case s.Unit() == "ppm":
		return Shares
	case s.Unit() == "ns":
		return Times
	case s.Scope == "class" || s.Scope == "site":
		return Site
	}
	return Bytes
}

// rising says whether a series can only rise or says nothing by rising: such a one is described, not accused.
func rising(metric string) bool {
	m := table.MetricOf(metric)
	return m.Better != "lower"
}

// falls says whether a metric without a better side can go down as well as up.
func falls(metric string) bool {
	switch metric {
	case "vm_hwm", "vm_peak", "total_bytes", "total_count":
		return false
	}
	return true
}

func (k *track) judge(c GrowthConfig) Series {
	sorted := slices.Clone(k.y)
	slices.Sort(sorted)
	n := len(sorted)
	s := Series{Side: k.side, Run: k.run, Subject: k.subject, PID: k.pid, Part: k.part, N: n, DurationS: k.t[n-1] - k.t[0],
		First: round(k.y[0]), Last: round(k.y[n-1]), Min: round(sorted[0]), Max: round(sorted[n-1]),
		Median: round(stat.Quantile(sorted, 0.5)), Steady: round(stat.Median(k.steady()))}
	j := JudgeGrowth(GrowthInput{T: k.t, Y: k.y, Iterations: k.iterations, Kind: kindOf(k.subject), Tick: k.tick, Limit: k.ahead()}, c)
	s.Per = k.tick
	s.Verdict, s.Confidence, s.Severity = j.Verdict, j.Confidence, j.Severity
	s.SlopePerS, s.SlopeLo, s.SlopeHi, s.Growth, s.Resolvable = finite(j.SlopePerS), finite(j.SlopeLo), finite(j.SlopeHi), finite(j.Growth), finite(j.Resolvable)
	s.RateS, s.GrowthS = finite(j.RateS), j.GrowthS
	s.Basis, s.P, s.EtaS, s.OnsetS, s.Reason = j.Basis, finite(j.P), finite(j.EtaS), finite(j.OnsetS), j.Reason
	s.evidence = []Evidence{k.place(0), k.place(n / 2), k.place(n - 1)}
	if rising(k.subject.Metric) && s.Verdict == Leak && !falls(k.subject.Metric) {
		s.Verdict, s.Confidence, s.Severity = Undetermined, "", ""
		s.Reason = k.subject.Metric + " can only rise, so its rise says nothing. " + s.Reason
	}
	if kindOf(k.subject) == Times && s.Verdict == Leak {
		s.Verdict, s.Confidence, s.Severity = Undetermined, "", ""
		s.Reason = "a time is no memory, so its growth is no leak. " + s.Reason
	}
	if fine := grain(k.y); s.Resolvable != nil && *s.Resolvable < fine && kindOf(k.subject) == Bytes {
		s.Resolvable = &fine
	}
	if j.Iteration != nil {
		s.IterationSlope, s.IterationLo, s.IterationHi = finite(&j.Iteration.Slope), finite(&j.Iteration.Lo), finite(&j.Iteration.Hi)
	}
	return s
}

// grain is the step in which a series of bytes was written down: the greatest power of two that divides all its values,
// 4 KiB for pages, 1 KiB for kB. Growth below it cannot show, however quiet the series is.
func grain(y []float64) float64 {
	var all uint64
	for _, v := range y {
		all |= uint64(int64(v))
	}
	if all == 0 {
		return 0
	}
	return float64(min(all&-all, 4096))
}

// finite keeps NaN and infinities, which JSON has no words for, out of a result.
func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

func round(v float64) int64 { return int64(math.Round(v)) }

// leads are how the sentence of a failed result begins, by the rule of its worst finding; the first that applies is taken.
var leads = []struct {
	words string
	rules []string
}{
	{"Memory grows", []string{"growth", "leaked", "handle-leak", "over-retain", "unfinished-release", "coupled-growth"}},
	{"Memory is misused", []string{"double-free", "use-after-free", "over-release", "mismatched-pair", "invalid-free"}},
	{"Threads race", []string{"racy-release"}},
	{"A red line was crossed", []string{"redline"}},
	{"An objective was missed", []string{"objective"}},
}

// conclude sets the verdict of a one-sided result and its sentence.
func (r *Result) conclude() {
	wrong := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity != "note" {
			wrong++
		}
	}
	if wrong == 0 {
		r.Verdict, r.Summary = r.calm()
		return
	}
	r.Verdict = Fail
	for _, l := range leads {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Severity != "note" && slices.Contains(l.rules, f.Rule) {
				words := l.words
				if _, grows := f.Stats["slope_per_s"]; f.Rule == "leaked" && !grows {
					words = "Memory is lost"
				}
				r.Summary = fmt.Sprintf("%s: %s%s.", words, strings.TrimSuffix(f.Message, "."), more(wrong-1))
				return
			}
		}
	}
	r.Summary = r.faultSummary(wrong)
}

// faultSummary is the sentence of a capture that states faults: memory that ran out by its sizes, others by their number.
func (r *Result) faultSummary(wrong int) string {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Class == "gpu-oom" {
			first, _, _ := strings.Cut(f.Message, ". ")
			return strings.TrimSuffix(first, ".") + more(wrong-1) + "."
		}
	}
	return fmt.Sprintf("The capture reports %s.", plural(wrong, "fault"))
}

// calm is the verdict where no finding is a warning. It passes only what was judged: a total that is open, or growth that
// is small only because the capture is short, is no pass.
func (r *Result) calm() (Outcome, string) {
	judged, open, steps := 0, []string{}, []string{}
	for i := range r.Series {
		s := &r.Series[i]
		switch {
		case s.Verdict == Undetermined && s.opens():
			open = append(open, title(s.Subject))
		case s.Verdict != Undetermined:
			judged++
		}
		if s.Verdict == Step && s.Subject.Scope == "process" && slices.Contains(decisive, s.Subject.Metric) {
			steps = append(steps, fmt.Sprintf("%s by %s", title(s.Subject), signed(float64(s.Last-s.First))))
		}
	}
	soon, small := r.growsSoon(), r.growing()
	switch {
	case judged == 0 && r.longReason() != "":
		return Inconclusive, fmt.Sprintf("It cannot be said whether memory grows: %s.", r.longReason())
	case judged == 0:
		return Inconclusive, "No series is long enough to say whether memory grows: take at least 5 samples, better 30."
	case soon != nil:
		return Inconclusive, "The capture is too short to say whether it matters: " + soon.Message
	case len(open) > 0:
		return Inconclusive, openText(open)
	case small > 0:
		return Pass, fmt.Sprintf("Nothing grows by a size that matters; %s of small growth%s.", plural(small, "note"), r.greatest())
	case len(steps) > 0:
		return Pass, fmt.Sprintf("No lasting growth; one step: %s.", steps[0])
	}
	return Pass, fmt.Sprintf("No growth in %s.", pluralSeries(judged))
}

// greatest names the growth that is the most among notes.
func (r *Result) greatest() string {
	var most *Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == "growth" && kindOf(f.Subject) == Bytes && (most == nil || f.Stats["growth"] > most.Stats["growth"]) {
			most = f
		}
	}
	if most == nil || most.Stats["growth"] <= 0 {
		return ""
	}
	return fmt.Sprintf(", the most: %s by %s", title(most.Subject), amount(most.Subject, most.Stats["growth"]))
}

// longReason says why the first series of enough samples has no verdict.
func (r *Result) longReason() string {
	for i := range r.Series {
		if s := &r.Series[i]; s.N >= 30 && s.Reason != "" {
			why, _, _ := strings.Cut(s.Reason, "; ")
			return strings.TrimSuffix(why, ".")
		}
	}
	return ""
}

// openText names the first of the series that are open, and counts the others.
func openText(open []string) string {
	if n := len(open) - 1; n > 0 {
		return fmt.Sprintf("It cannot be said whether memory grows: %s and %d more are open.", open[0], n)
	}
	return fmt.Sprintf("It cannot be said whether memory grows: %s is open.", open[0])
}

// growing counts the findings of growth, of whatever severity.
func (r *Result) growing() (n int) {
	for i := range r.Findings {
		n += b2i(slices.Contains(leads[0].rules, r.Findings[i].Rule))
	}
	return n
}

// opens says whether an open series leaves the whole open: a total in a metric that decides, long enough to have been
// judged, that ends higher than it began.
func (s *Series) opens() bool {
	return (s.Subject.Scope == "process" || s.Subject.Scope == "device") && slices.Contains(decisive, s.Subject.Metric) && s.N >= DefaultGrowth.MinSamples && s.Last-s.First > 1<<20
}

// growsSoon finds small growth that would be a warning within the hour after a capture of less than one.
func (r *Result) growsSoon() *Finding {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Rule == "growth" && !f.settled && kindOf(f.Subject) == Bytes && f.Stats["duration_s"] < 3600 && f.Stats["slope_per_s"]*3600 > 16*DefaultGrowth.Floors[Bytes] {
			return f
		}
	}
	return nil
}

func pluralSeries(n int) string { return fmt.Sprintf("%d series", n) }

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %s", plural(n, "more finding"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
