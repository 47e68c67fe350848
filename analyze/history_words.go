package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

// among lowers the levels where a history holds many processes or devices: each is a chance of a false alarm.
func (c HistoryConfig) among(n int) HistoryConfig {
	c.Confirm, c.Guard, c.Newest = c.Confirm/float64(n), c.Guard/float64(n), c.Newest/float64(n)
	return c
}

// settings lists the thresholds in force.
func (c HistoryConfig) settings() []Setting {
	return []Setting{
		{"history.segment", plural(c.MinSegment, "build"), "fewest on each side of a change that the whole history shows (E-divisive)"},
		{"history.alpha", fmt.Sprintf("%g, %d permutations", c.Alpha, c.Repeats), "level of the permutation test of a change"},
		{"history.confirm", fmt.Sprintf("%.2g by Welch's t; %.2g", c.Confirm, c.Guard), "levels that a change must pass besides: between the levels beside it; and with the scatter of the whole history and likeness of neighbouring builds allowed for"},
		{"history.newest", fmt.Sprintf("%.2g, against up to %d builds", c.Newest, c.Window), "level at which fewer builds than that, the newest ones, are called changed"},
	}
}

// explain names the categories that carry each change of a process total.
func (h *histories) explain() {
	parts := map[Subject][]*History{}
	for i := range h.r.Histories {
		if p := &h.r.Histories[i]; p.Subject.Scope == "category" {
			total := Subject{p.Subject.Process, "process", "", p.Subject.Metric}
			parts[total] = append(parts[total], p)
		}
	}
	for i := range h.r.Histories {
		t := &h.r.Histories[i]
		for k := range t.Changes {
			t.Changes[k].Parts = t.partsOf(k, parts[t.Subject])
		}
	}
}

// partsOf divides a change among categories: the difference of their medians on both sides of it.
func (t *History) partsOf(k int, categories []*History) (out []Part) {
	p := &t.Changes[k]
	from, to := 0, len(t.Builds)
	if k > 0 {
		from = t.Changes[k-1].Index
	}
	if k+1 < len(t.Changes) {
		to = t.Changes[k+1].Index
	}
	for _, c := range categories {
		before, after := levelsOf(c.Builds[from:p.Index]), levelsOf(c.Builds[p.Index:to])
		if len(before) == 0 || len(after) == 0 || p.To == p.From {
			continue
		}
		shift := stat.Median(after) - stat.Median(before)
		if share := shift / (p.To - p.From); share >= 0.1 {
			out = append(out, Part{c.Subject.Name, shift, share})
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(b.Share, a.Share) })
	return out[:min(len(out), 5)]
}

func levelsOf(builds []BuildLevel) (out []float64) {
	for _, b := range builds {
		if b.Median != nil {
			out = append(out, *b.Median)
		}
	}
	return out
}

// warn says what the history cannot tell because it is short or has gaps.
func (h *histories) warn() {
	n, c, warnings := h.measured(), h.c, &h.r.Warnings
	if pid, ok := h.oneProcess(); ok && n >= 5 {
		*warnings = append(*warnings, fmt.Sprintf("All of the builds have process id %d: they look like snapshots of one run, which `memtide analyze` judges.", pid))
	}
	switch {
	case n <= c.MinSegment:
		*warnings = append(*warnings, fmt.Sprintf("%s: no change point can be found in them. The newest is held against %s by its runs alone, so only changes over %g %% are called unless both have %d runs. From %d builds on the newest is held against those before it, from %d on changes within the history are found.",
			plural(n, "build"), h.against(), 100*h.o.AB.SingleRun, h.o.AB.MinRuns, c.MinSegment+1, 2*c.MinSegment))
	case n < 2*c.MinSegment:
		*warnings = append(*warnings, fmt.Sprintf("%s: changes within the history are found from %d builds on. Only the newest %d are held against those before them, of which there are few: a change has to be several times their scatter.",
			plural(n, "build"), 2*c.MinSegment, n-c.MinSegment))
	}
	if n > c.MaxBuilds {
		*warnings = append(*warnings, fmt.Sprintf("%d builds: changes are looked for in the newest %d.", n, c.MaxBuilds))
	}
	var gaps []string
	for i := range h.builds {
		if len(h.builds[i].levels) == 0 {
			gaps = append(gaps, h.builds[i].Name)
		}
	}
	if len(gaps) > 0 {
		*warnings = append(*warnings, fmt.Sprintf("Nothing is known of %s, the first being %s: a change that came with one of them shows at the next.", plural(len(gaps), "build"), gaps[0]))
	}
}

// oneProcess is the process id that all inputs tell, if they tell the same: builds do not have one in common by chance.
func (h *histories) oneProcess() (pid int64, ok bool) {
	for i := range h.r.Inputs {
		in := &h.r.Inputs[i]
		switch {
		case len(in.PID) == 0:
		case len(in.PID) > 1 || ok && pid != in.PID[0]:
			return 0, false
		default:
			pid, ok = in.PID[0], true
		}
	}
	return pid, ok && pid > 1
}

func (h *histories) against() string {
	if h.release != nil {
		return "the release"
	}
	return "the first build"
}

// decidesHistory says whether the verdict follows from a history: a total that decides a comparison, or a device. Where there
// is none, every total does.
func (r *Result) decidesHistory(h *History) bool {
	decides := func(h *History) bool { return (&Delta{Subject: h.Subject}).Decides() || h.Subject.Scope == "device" }
	if decides(h) {
		return true
	}
	return isTotal(h.Subject) && !slices.ContainsFunc(r.Histories, func(h History) bool { return decides(&h) })
}

// fault is a change for the worse that is still in force, of one metric.
type fault struct {
	h *History
	p *ChangePoint // nil for drift
}

// findChanges makes findings of the changes for the worse that are still in force: one for each process and build, led by
// the metric that tells most; and of drift where no change explains it.
func (h *histories) findChanges() {
	things := map[Subject][]*History{}
	var order []Subject
	for i := range h.r.Histories {
		one := &h.r.Histories[i]
		if !h.r.decidesHistory(one) || one.Verdict != Regression {
			continue
		}
		key := Subject{Process: one.Subject.Process, Scope: one.Subject.Scope, Name: one.Subject.Name}
		if things[key] == nil {
			order = append(order, key)
		}
		things[key] = append(things[key], one)
	}
	for _, key := range order {
		slices.SortStableFunc(things[key], func(a, b *History) int { return cmp.Compare(a.place(), b.place()) })
		for _, group := range faultsOf(things[key]) {
			if h.lead == nil {
				h.lead = &group[0]
			}
			h.r.Findings = append(h.r.Findings, h.finding(group))
		}
	}
	h.r.sortFindings()
}

func (t *History) place() int { return place(&Delta{Subject: t.Subject}) }

// faultsOf gathers the changes of the metrics of one thing that came with the same build, give or take one.
func faultsOf(of []*History) (groups [][]fault) {
	add := func(f fault, same func(fault) bool) {
		for i := range groups {
			if same(groups[i][0]) {
				groups[i] = append(groups[i], f)
				return
			}
		}
		groups = append(groups, []fault{f})
	}
	for _, t := range of {
		changed := false
		for k := range t.Changes {
			if p := &t.Changes[k]; p.Verdict == Regression && p.UndoneBy == "" {
				changed = true
				add(fault{t, p}, func(o fault) bool { return o.p != nil && math.Abs(float64(o.p.Index-p.Index)) <= 1 && o.h != t })
			}
		}
		if !changed {
			add(fault{t, nil}, func(o fault) bool { return o.p == nil })
		}
	}
	return groups
}

func (h *histories) finding(group []fault) Finding {
	lead := group[0]
	s := lead.h.Subject
	f := Finding{Rule: "regression", Class: "change-point", Severity: "warning", Subject: s, Evidence: []Evidence{}, Warnings: []string{}}
	if lead.p != nil {
		for _, o := range group {
			if len(lead.p.Parts) == 0 { // categories may be known in another metric only
				lead.p.Parts = o.p.Parts
			}
		}
		h.changed(&f, lead.h, lead.p)
	} else {
		h.drifted(&f, lead.h.Drift)
	}
	if len(group) > 1 {
		text := ""
		for i, o := range group[1:] {
			if i > 0 {
				text += ", "
			}
			text += o.h.Subject.Metric
		}
		f.Message += " So did " + text + "."
	}
	return f
}

// changed words the finding of a change point.
func (h *histories) changed(f *Finding, t *History, p *ChangePoint) {
	d := Delta{Subject: t.Subject, Shift: &p.Shift, ShiftLo: &p.ShiftLo, ShiftHi: &p.ShiftHi, Relative: p.Relative}
	f.Message = fmt.Sprintf("%s changed with %s from %s to %s: %s%s.", title(t.Subject), buildWord(p.Build), amount(t.Subject, p.From), amount(t.Subject, p.To), d.change(), carried(p.Parts))
	f.Stats = map[string]float64{"shift": p.Shift, "shift_lo": p.ShiftLo, "shift_hi": p.ShiftHi, "relative": value(p.Relative), "p": p.P, "builds_after": float64(p.After)}
	f.Advice = fmt.Sprintf("Compare %s with the build before it (memtide compare): the mappings that changed stand there; then heap profiles of both at the same moment.", p.Build)
	if p.Basis == "newest" {
		f.Warnings = append(f.Warnings, fmt.Sprintf("Only %s so far: %s confidence. From %d builds on a lasting change can be told from a passing one.", have(p.After), p.Confidence, h.c.MinSegment))
	}
	if p.Note != "" {
		f.Warnings = append(f.Warnings, sentence(p.Note))
	}
	if d := t.Drift; d != nil && d.Release && d.Shift != nil {
		f.Message += fmt.Sprintf(" Against the release %s: %s.", d.Against, d.change())
	}
	for _, i := range []int{p.Index, p.Index - 1} {
		if i >= 0 && len(h.builds[i].Inputs) > 0 && t.Builds[i].Median != nil {
			level := round(*t.Builds[i].Median)
			f.Evidence = append(f.Evidence, Evidence{File: h.builds[i].Inputs[0].Path, Value: &level})
		}
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, f.Class, p.Build)
}

// buildWord names a build in a sentence: "build 1042", "build-1042".
func buildWord(name string) string {
	if strings.Contains(strings.ToLower(name), "build") {
		return name
	}
	return "build " + name
}

func have(builds int) string {
	if builds == 1 {
		return "1 build has it"
	}
	return fmt.Sprintf("%d builds have it", builds)
}

// drifted words the finding of a drift that no single change explains.
func (h *histories) drifted(f *Finding, d *Drift) {
	f.Class = "drift"
	if d.Release {
		f.Class = "release"
	}
	from, to := h.builds[0].Name, h.builds[len(h.builds)-1].Name
	f.Message = fmt.Sprintf("%s has drifted from %s in %s to %s in the newest builds: %s.", title(f.Subject), amount(f.Subject, *d.Before.Median), d.Against, amount(f.Subject, *d.After.Median), d.change())
	if d.PerBuild != nil {
		f.Message += fmt.Sprintf(" It changes by about %s a build from %s to %s: no single build brought it.", signedAmount(f.Subject, *d.PerBuild), from, to)
	} else {
		f.Message += " No single build stands out."
	}
	f.Stats = map[string]float64{"shift": value(d.Shift), "shift_lo": value(d.ShiftLo), "shift_hi": value(d.ShiftHi), "relative": value(d.Relative)}
	f.Advice = fmt.Sprintf("Compare %s with %s (memtide compare): what grew a little with every build adds up there.", d.Against, to)
	if d.Note != "" {
		f.Warnings = append(f.Warnings, sentence(d.Note))
	}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, f.Class)
}

func carried(parts []Part) string {
	text := ""
	for i, p := range parts[:min(len(parts), 3)] {
		text += map[bool]string{true: ", carried by ", false: ", "}[i == 0] + fmt.Sprintf("%s %.0f %%", p.Name, 100*p.Share)
	}
	return text
}

func amount(s Subject, v float64) string {
	switch kindOf(s) {
	case Objects, Handles:
		return fmt.Sprintf("%.6g", v)
	case Shares:
		return fmt.Sprintf("%.4g %%", v/1e4)
	case Times:
		return nanoseconds(v)
	}
	return mebibytes(v)
}

func signedAmount(s Subject, v float64) string {
	if v > 0 {
		return "+" + amount(s, v)
	}
	return amount(s, v)
}
