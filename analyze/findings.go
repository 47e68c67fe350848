package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

// telling is the order in which one metric speaks for a process that grows: what the program itself holds before
// what it shares (Matias et al. 2016: heap in use shows ageing before RSS does).
var telling = []string{"footprint", "heap_alloc", "uss", "private_dirty", "pss_swap", "pss", "anonymous", "rss_anon", "pss_anon", "rss_swap", "rss",
	"dirty", "swap_pss", "swap", "heap_size"}

// findGrowth makes findings of the series with the verdict leak: one for each process, led by its most telling
// metric and naming what in it grows; and one for each part or counted thing that grows by itself.
//
// A capture of a whole system holds thousands of series, of which one in a hundred would pass by chance. Growth that does not
// stand when all of them are counted (Benjamini and Hochberg) is told as a note.
func (r *Result) findGrowth() {
	chance := r.byChance()
	leaks := map[string][]*Series{}
	var order []string
	for i := range r.Series {
		s := &r.Series[i]
		if s.Verdict != Leak || rising(s.Subject.Metric) {
			continue
		}
		if chance[s] && s.Severity != "" {
			s.Severity, s.chance = "note", true
			s.Reason += "; among the many series of this capture, such a one can be chance"
		}
		key := fmt.Sprint(s.Side, "\x00", s.Run, "\x00", s.Subject.Process)
		if leaks[key] == nil {
			order = append(order, key)
		}
		leaks[key] = append(leaks[key], s)
	}
	for _, key := range order {
		r.growthOf(leaks[key])
	}
	r.sortFindings()
}

func (r *Result) growthOf(leaks []*Series) {
	var totals, parts, counted []*Series
	for _, s := range leaks {
		if s.ruledElsewhere() {
			continue
		}
		switch s.Subject.Scope {
		case "process":
			totals = append(totals, s)
		case "category", "mapping", "pool":
			parts = append(parts, s)
		case "subcategory", "summary", "oom":
		default:
			counted = append(counted, s)
		}
	}
	slices.SortStableFunc(totals, func(a, b *Series) int { return cmp.Compare(choice(a), choice(b)) })
	slices.SortStableFunc(parts, func(a, b *Series) int {
		return cmp.Or(cmp.Compare(value(b.Growth), value(a.Growth)), cmp.Compare(choice(a), choice(b)))
	})
	if len(totals) > 0 {
		f := growthFinding(totals[0], parts)
		f.qualify(r.kindOf(totals[0], parts))
		r.goesWith(&f)
		r.Findings = append(r.Findings, f)
	} else {
		for _, s := range distinct(parts) {
			f := growthFinding(s, nil)
			f.Message += " The total hides it."
			switch {
			case s.Subject.Process == "" && len(r.named(s)) > 1:
				f.Severity, f.settled = "note", true
				f.Message += " It is a sum over the whole system, in which no process is at fault by itself."
			case r.moves(s):
				f.Severity, f.settled = "note", true
				f.Message += " The anonymous memory of the process as a whole does not grow: what this part gained, another lost."
			}
			r.Findings = append(r.Findings, f)
		}
	}
	for _, s := range oneADevice(counted) {
		f := growthFinding(s, nil)
		if s.Subject.Scope == "device" {
			f.Class, f.Advice = "gpu-memory", "Take a capture that names the allocations of the same run: Nsight Systems with --cuda-memory-usage=true, or a PyTorch memory snapshot."
		}
		r.goesWith(&f)
		r.Findings = append(r.Findings, f)
	}
}

// oneADevice keeps one series of each device: what its driver says is used before what an allocator hands out.
func oneADevice(list []*Series) (out []*Series) {
	lead := map[string]int{}
	for _, s := range list {
		at, ok := lead[s.Subject.Name]
		switch {
		case s.Subject.Scope != "device":
			out = append(out, s)
		case !ok:
			lead[s.Subject.Name] = len(out)
			out = append(out, s)
		case s.Subject.Metric == "gpu_used":
			out[at] = s
		}
	}
	return out
}

// ruledElsewhere says whether a rule of its own makes the findings of a series: sites, device objects, caches at rest.
func (s *Series) ruledElsewhere() bool {
	switch s.Subject.Scope {
	case "class":
		return s.Subject.Metric == "live_bytes" || s.Subject.Metric == "live_count"
	case "device":
		return s.Subject.Metric != "gpu_used" && s.Subject.Metric != "gpu_allocated"
	case "pool": // what an allocator keeps for later is no leak
		return strings.HasPrefix(s.Subject.Metric, "gpu_") && s.Subject.Metric != "gpu_used" || s.Subject.Metric == "kv_usage"
	case "handle":
		return slices.Contains(deviceKinds, s.Subject.Name)
	}
	return s.Subject.Metric == "kv_usage"
}

// manySeries is from how many series on the chance of a false one is counted in.
const manySeries = 1000

// byChance finds the series whose growth may be chance, of captures with very many.
func (r *Result) byChance() map[*Series]bool {
	groups := map[string][]*Series{}
	for i := range r.Series {
		if s := &r.Series[i]; s.P != nil {
			key := s.Side + "\x00" + s.Run
			groups[key] = append(groups[key], s)
		}
	}
	out := map[*Series]bool{}
	for _, list := range groups {
		if len(list) < manySeries {
			continue
		}
		var p []float64
		for _, s := range list {
			p = append(p, *s.P)
		}
		for i, q := range stat.BenjaminiHochberg(p) {
			if q > 0.05 {
				out[list[i]] = true
			}
		}
	}
	return out
}

// named lists the processes that the run of a series has by name.
func (r *Result) named(of *Series) []string {
	var out []string
	for i := range r.Series {
		if s := &r.Series[i]; s.Side == of.Side && s.Run == of.Run && s.Subject.Scope == "process" && s.Subject.Process != "" {
			out = append(out, s.Subject.Process)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// anonymous are the categories that hold memory of the program's own, without a file behind it: an allocator moves it
// between them as it turns from mmap to brk.
var anonymous = []string{"heap", "anon", "stack", "Native Heap", "Dalvik Heap", "Dalvik Other", "Stack", "Unknown"}

// moves says whether the growth of a part is a move inside anonymous memory: the process has totals of it, and none of them
// grows.
func (r *Result) moves(part *Series) bool {
	if !slices.Contains(anonymous, part.Subject.Name) {
		return false
	}
	judged := false
	for i := range r.Series {
		s := &r.Series[i]
		own := slices.Contains([]string{"anonymous", "private_dirty", "uss", "heap_alloc", "rss_anon", "pss_anon"}, s.Subject.Metric)
		if own && s.Subject.Scope == "process" && s.Subject.Process == part.Subject.Process && s.Side == part.Side && s.Run == part.Run {
			if s.Verdict == Leak || s.Verdict == Undetermined {
				return false
			}
			judged = true
		}
	}
	return judged
}

func choice(s *Series) int {
	if i := slices.Index(telling, s.Subject.Metric); i >= 0 {
		return i
	}
	return len(telling)
}

// distinct keeps one series for each category: the one that grows most, in the first metric that tells.
func distinct(parts []*Series) []*Series {
	seen := map[string]bool{}
	var out []*Series
	for _, s := range parts {
		if s.Subject.Scope == "category" && !seen[s.Subject.Name] {
			seen[s.Subject.Name] = true
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return parts[:min(len(parts), 3)]
	}
	return out
}

func growthFinding(s *Series, parts []*Series) Finding {
	where := culprits(s, parts)
	f := Finding{Rule: "growth", Class: classOf(s), Severity: cmp.Or(s.Severity, "warning"), Side: s.Side, Run: s.Run, Subject: s.Subject,
		Message: fmt.Sprintf("%s grows by %s%s.", title(s.Subject), rate(s), where), Stats: statsOf(s), Advice: advice(s, parts),
		Evidence: s.evidence, Warnings: []string{}, settled: s.chance}
	f.Message += " " + sentence(s.Reason)
	if s.Subject.Scope == "handle" {
		f.Rule = "handle-leak"
	}
	f.Fingerprint = fingerprint(f.Rule, s.Subject)
	return f
}

// qualify says of what kind the growth of a process is.
func (f *Finding) qualify(k kind) {
	f.Class = k.class
	if k.words != "" {
		f.Message += " " + k.words
	}
	switch {
	case k.note:
		f.Severity, f.settled = "note", true
	case k.most != "" && f.Severity == "critical":
		f.Severity = k.most
	}
	if text := nextOf[k.class]; text != "" {
		f.Advice = text
	}
}

// nextOf says what to do about growth of a process that is of a kind.
var nextOf = map[string]string{
	"swapped-out":   "Look at what the process holds and does not use; a heap profile shows it as well as one of resident memory.",
	"swapped-in":    "Nothing is lost: the process uses again what was swapped out.",
	"file-backed":   "See which files are mapped and never unmapped (the mappings in this report), and whether their pages are dirty.",
	"fragmentation": "Compare the allocator's own figures (malloc_info, jemalloc stats, heap_size against heap_alloc): memory that is kept is given back by trimming, fewer arenas, or another allocator.",
}

// classOf names the pattern: growth that a file or swap explains is told apart from that of the program's own memory.
func classOf(s *Series) string {
	switch s.Subject.Scope {
	case "process":
		return "process"
	case "mapping":
		return "mapping"
	}
	return cmp.Or(s.Subject.Name, s.Subject.Scope)
}

// earlierFindings are those of an earlier result that its lines over time do not show again.
func (c *Capture) earlierFindings() (out []Finding) {
	for _, f := range c.Earlier.Findings {
		switch f.Rule {
		case "growth", "handle-leak", "redline", "regression":
			continue
		}
		f.Side, f.Run, f.Status, f.Warnings = c.Side, c.Name, "", slices.Clone(f.Warnings)
		f.suspects = f.Stack[:min(3, len(f.Stack))]
		out = append(out, f)
	}
	return out
}

// sortFindings puts the worst first, those that name a stack before those that only measure, then what grows most.
func (r *Result) sortFindings() {
	rank := map[string]int{"critical": 0, "warning": 1, "note": 2}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Severity], rank[b.Severity]), cmp.Compare(b2i(len(b.Stack) > 0), b2i(len(a.Stack) > 0)), cmp.Compare(b.Stats["growth"], a.Stats["growth"]), cmp.Compare(b.Stats["bytes"], a.Stats["bytes"]))
	})
}
