package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Grain is the evidence of a finding gathered in another way.
type Grain struct {
	Grain   string   `json:"grain"` // function, chain or thread
	Name    string   `json:"name"`  // of the function, of the leaf's caller, of the threads
	Stack   []string `json:"stack,omitempty"`
	Objects float64  `json:"objects"`
	Bytes   float64  `json:"bytes"`
	Share   float64  `json:"share"` // of what is alive at the site
	Grows   bool     `json:"grows"` // by a verdict of its own, where it has a curve
}

// leaks makes findings of the sites of a capture that keep what they allocate: a site that grows, not merely one with something
// alive at the end.
func (r *Result) leaks(c *Capture, b *books, g GrowthConfig) {
	held := r.overRetained(c, b)
	for _, s := range b.worthJudging() {
		if s.reserves() || b.short && strings.HasPrefix(s.kind, "gpu-") {
			continue // what an allocator keeps for later, and what one pass of work holds
		}
		if held[heldKey{s.process, s.kind, s.name}] || r.counted(c, s) { // those are counted
			continue
		}
		rule, lead := r.leakRule(c, s)
		if rule != "" && !s.floorGrows(lead, g) {
			rule = ""
		}
		if rule == "" && b.lossy == "" {
			rule, lead = r.survivors(c, s)
		}
		if rule == "" {
			rule, lead = r.hiddenChain(c, s, g)
		}
		if rule != "" && !b.partial {
			r.Findings = append(r.Findings, r.leakFinding(c, b, s, rule, lead, g))
		}
	}
}

// verdictOf is the verdict of the series of a site.
func (r *Result) verdictOf(c *Capture, s *site, metric string) *Series {
	want := Subject{s.process, "class", s.name, metric}
	for i := range r.Series {
		if v := &r.Series[i]; v.Subject == want && v.Run == c.Name && v.Side == c.Side && (v.PID == nil || s.pid == nil || *v.PID == *s.pid) {
			return v
		}
	}
	return nil
}

// leakRule tells what the curves of a site say: both grow, only the bytes, or handles that have none.
func (r *Result) leakRule(c *Capture, s *site) (string, *Series) {
	bytes, count := r.verdictOf(c, s, "live_bytes"), r.verdictOf(c, s, "live_count")
	is := func(v *Series) bool { return v != nil && v.Verdict == Leak }
	switch {
	case is(bytes) && is(count):
		return "leaked", bytes
	case is(count) && s.bytes == nil && s.handles:
		return "handle-leak", count
	case is(count) && s.bytes == nil:
		return "leaked", count
	case is(bytes):
		return "growth", bytes
	}
	return "", nil
}

// Of a chain that ends its objects, so many that outlived all those by far, made in so many spans of the log, are lost on a path
// that is taken seldom: the level of what lives shortly hides them.
const (
	fewEnded     = 20
	fewSurvivors = 4
)

func (k *chain) loses() bool {
	return k.ended >= fewEnded && k.old >= fewSurvivors && k.oldBirths >= fewSurvivors && float64(k.old) >= 0.8*k.count
}

// floorGrows says whether what lies beneath the curve of a site grows too. A pool that is filled and emptied more often than the
// curve has points shows the level it happens to have at each.
func (s *site) floorGrows(lead *Series, g GrowthConfig) bool {
	if s.least == nil {
		return true
	}
	j := JudgeGrowth(GrowthInput{T: s.t, Y: s.least, Kind: Site}, g)
	return j.Verdict == Leak || j.Growth != nil && j.SlopeLo != nil && *j.SlopeLo > 0 && *j.Growth > 0.5*value(lead.Growth)
}

// survivors finds what a curve cannot show: a few objects that are never ended among many that are soon.
func (r *Result) survivors(c *Capture, s *site) (string, *Series) {
	i := slices.IndexFunc(s.chains, func(k chain) bool { return k.loses() })
	if i < 0 {
		return "", nil
	}
	k := &s.chains[i]
	of := r.verdictOf(c, s, "live_count")
	if of == nil || of.Verdict == Undetermined {
		return "", nil
	}
	lead := *of
	lead.Severity, lead.Confidence = "warning", "medium"
	lead.Reason = fmt.Sprintf("%d objects live on since up to %s; the %d others made there were all ended within %s", k.old, span(lead.DurationS), k.ended, span(float64(k.longestNS)/1e9))
	return "leaked", &lead
}

// leakFinding says which site, how fast, how much, and what speaks for it.
func (r *Result) leakFinding(c *Capture, b *books, s *site, rule string, lead *Series, g GrowthConfig) Finding {
	objects, bytes := last(s.count), last(s.bytes)
	f := Finding{Rule: rule, Class: cmp.Or(s.kind, "heap"), Severity: cmp.Or(lead.Severity, "warning"), Side: c.Side, Run: c.Name, Subject: lead.Subject,
		Stats: statsOf(lead), Evidence: s.evidence, Warnings: []string{}, settled: lead.chance}
	if lead.Severity != "note" {
		f.Severity = map[string]string{"high": "critical"}[lead.Confidence]
		f.Severity = cmp.Or(f.Severity, "warning")
	}
	if s.count != nil {
		f.Stats["objects"] = objects
	}
	if s.bytes != nil {
		f.Stats["bytes"] = bytes
	}
	f.Message = fmt.Sprintf("%s %s%s: it grows by %s.", cmp.Or(readable(s.name), "a site without a stack"), map[string]string{"leaked": "keeps what it allocates", "handle-leak": "makes handles that nobody closes",
		"growth": "holds memory that grows"}[rule], atEnd(s), rate(lead))
	if rule == "growth" {
		f.Class = cmp.Or(s.kind, "buffer")
		if s.count == nil && f.Severity == "critical" {
			f.Severity = "warning" // without counts a buffer that is enlarged looks the same
		}
		if s.count != nil {
			f.Message += " The number of objects does not grow: a buffer that is enlarged."
			if value(lead.Growth) < g.Floors[Bytes] {
				f.Severity, f.settled = "note", true
			}
		}
	}
	s.grains(&f, g)
	f.Message += s.generations() + " " + sentence(lead.Reason)
	r.goesWith(&f)
	f.Advice = leakAdvice(rule, s)
	f.soften(b, s)
	f.Fingerprint = fingerprint(rule, Subject{Process: s.process, Scope: "class", Name: s.name}, f.Class)
	return f
}

// atEnd says what is alive at the end.
func atEnd(s *site) string {
	var parts []string
	if s.count != nil {
		parts = append(parts, fmt.Sprintf("%.0f objects", last(s.count)))
	}
	if s.bytes != nil {
		parts = append(parts, mebibytes(last(s.bytes)))
	}
	return " (" + strings.Join(parts, ", ") + " alive at the end)"
}

func last(y []float64) float64 {
	if len(y) == 0 {
		return 0
	}
	return y[len(y)-1]
}

// generations is the second signal: objects of all ages alive at once are a leak, of few ages a burst (GenCount).
func (s *site) generations() string {
	if s.births <= 1 {
		return ""
	}
	return fmt.Sprintf(" Those alive were made in %d of 20 spans of the log.", s.births)
}

// soften takes certainty off a finding of a capture that lost events.
func (f *Finding) soften(b *books, s *site) {
	if s != nil && s.joined > 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s of bare addresses joined to this site: same depth and size", plural(s.joined, "stack")))
	}
	if b.lossy == "" {
		return
	}
	if f.Severity == "critical" {
		f.Severity = "warning"
	}
	f.Warnings = append(f.Warnings, b.lossy+": what looks kept may have been freed")
}

// grains chooses how the evidence is told: by the function, or by the one chain of several that grows, or by the threads.
func (s *site) grains(f *Finding, g GrowthConfig) {
	f.Grain = "function"
	if len(s.chains) == 0 {
		return
	}
	f.stacked(s.named().calls())
	alive := max(last(s.bytes), last(s.count))
	grown, growing := 0.0, []int{}
	for i := range s.chains[:min(len(s.chains), 10)] {
		c := &s.chains[i]
		own := max(c.bytes, c.count)
		one := Grain{Grain: "chain", Name: caller(c), Stack: shown(c.calls()), Objects: c.count, Bytes: c.bytes, Share: own / max(alive, 1)}
		if levels := c.levels(); levels != nil && len(s.chains) > 1 && own > 0 {
			one.Grows = JudgeGrowth(GrowthInput{T: s.t, Y: levels, Kind: Site}, g).Verdict == Leak
		}
		if one.Grows {
			grown += one.Share
			growing = append(growing, i)
		}
		f.Grains = append(f.Grains, one)
	}
	if len(growing) == 1 && len(s.chains) > 1 && grown >= 0.9 && s.joined == 0 {
		f.Grain = "chain"
		f.stacked(s.chains[growing[0]].calls())
		f.Message += fmt.Sprintf(" Of its %d call chains one grows: by %s.", len(s.chains), caller(&s.chains[growing[0]]))
	}
	if s.thread >= 0 && s.ends >= 0 && s.thread != s.ends {
		f.Grains = append(f.Grains, Grain{Grain: "thread", Name: fmt.Sprintf("made by thread %d, ended by thread %d", s.thread, s.ends), Objects: last(s.count), Bytes: last(s.bytes), Share: 1})
		f.Message += fmt.Sprintf(" Thread %d makes these objects, and thread %d is the one that ends them.", s.thread, s.ends)
	}
}

// named is the greatest chain, or the greatest of those that are not of bare addresses.
func (s *site) named() *chain {
	i := slices.IndexFunc(s.chains, func(k chain) bool { return !bare(k.calls()) })
	return &s.chains[max(i, 0)]
}

// caller names a chain by who called the site.
func caller(c *chain) string {
	n := names(c.calls())
	switch len(n) {
	case 0:
		return "no stack"
	case 1:
		return n[0]
	}
	return strings.Join(n[:min(len(n), 3)], " < ")
}

// hiddenChain finds growth of one call chain that the function as a whole hides.
func (r *Result) hiddenChain(c *Capture, s *site, g GrowthConfig) (string, *Series) {
	whole := r.verdictOf(c, s, "live_bytes")
	if len(s.chains) < 2 || whole == nil || whole.Verdict != Undetermined { // what one chain gains another gives back
		return "", nil
	}
	for i := range s.chains[:min(len(s.chains), 5)] {
		one := &s.chains[i]
		levels := one.levels()
		if levels == nil || bare(one.calls()) || rose(levels) < g.Floors[Site] || one.bytes < 0.5*last(levels) {
			continue
		}
		k := &track{side: c.Side, run: c.Name, subject: Subject{s.process, "class", s.name, "live_bytes"}, pid: s.pid, t: s.t, y: levels}
		k.place = func(i int) Evidence { return s.at(i, k) }
		if v := k.judge(g); v.Verdict == Leak && v.Confidence == "high" && value(v.Growth) > 4*g.Floors[Site] {
			return "leaked", &v
		}
	}
	return "", nil
}

func leakAdvice(rule string, s *site) string {
	switch {
	case rule == "handle-leak":
		return "See who should close or destroy what is made there, and whether that is reached on every path, errors too."
	case rule == "growth":
		return "See what the buffer or table holds and what bounds it: it is enlarged and never shrinks."
	case s.thread >= 0 && s.ends >= 0 && s.thread != s.ends:
		return "Objects are handed from one thread to another: see whether the one that should end them still gets them all."
	}
	return "Follow what this call chain allocates to its owner: a container that is only added to, a missing free on one path, a reference that is kept."
}

// heldKey names a site.
type heldKey struct{ process, kind, name string }

// sortedKeys gives the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
