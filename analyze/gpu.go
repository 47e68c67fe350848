package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// shortCapture is the time, in seconds, below which a log of device memory shows one pass of work and no growth, unless it counts
// iterations.
const (
	shortCapture  = 10
	fewIterations = 3
)

// deviceKinds are the kinds of device objects whose number is judged by the rule for growing counts.
var deviceKinds = []string{"cuda-event", "cuda-stream", "cuda-graph", "cuda-graph-exec", "cuda-mempool", "gpu-memory", "gpu-array", "gpu-managed", "pinned-host"}

// devices settles the series of device memory of a capture: what a log of calls can show, what a pool of an allocator is, and what a
// cache at rest tells. It comes behind the verdicts and before the findings.
func (r *Result) devices(c *Capture, b *books, tracks []*track) {
	if c.Set == nil {
		return
	}
	log := b.deviceLog(c)
	first, last := extentOf(tracks)
	for i := range r.Series {
		s := &r.Series[i]
		if s.Run != c.Name || s.Side != c.Side {
			continue
		}
		k := find(tracks, s)
		switch {
		case k == nil:
		case log && deviceSeries(s) && short(c, k, last-first) && s.Verdict != Falling:
			b.short = true
			if slices.Contains(deviceKinds, s.Subject.Name) && s.Subject.Metric == "live_count" {
				if _, made, ended := growingCount(k, first, last); made > ended {
					r.unended(s, made, ended)
				}
			}
			s.undetermined("one pass cannot tell growth from work: the capture is shorter than 10 s and has fewer than 3 iterations")
		case log && slices.Contains(deviceKinds, s.Subject.Name) && (s.Subject.Metric == "count" || s.Subject.Metric == "live_count"):
			r.countSeries(c, b, s, k, first, last)
		case s.Subject.Metric == "kv_usage":
			r.atRest(s, k, tracks)
		case s.Subject.Metric == "gpu_reserved" && s.Verdict == Leak && r.allocatedIsCalm(s):
			s.Verdict, s.Confidence, s.Severity = Plateau, "", ""
			s.Reason = "cached-pool: what is allocated on this device does not grow, so the rise is memory that the allocator keeps for later. " + s.Reason
		}
	}
}

// unended tells of objects that were made and not ended by the end of the capture, without growth: a capture cannot tell what is
// kept until the program exits from what is forgotten.
func (r *Result) unended(s *Series, made, ended float64) {
	if s.N < 2 {
		return // one moment does not say what a number does
	}
	told := fmt.Sprintf("of %s: %.0f of %.0f were never ended by the end of the capture; the number does not grow over it: kept until exit, or forgotten.", s.Subject.Name, made-ended, made)
	who := strings.TrimSuffix(title(s.Subject), s.Subject.Metric+" of "+s.Subject.Name)
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, who) && strings.HasSuffix(w, told) }) { // counted by another metric too
		r.Warnings = append(r.Warnings, who+s.Subject.Metric+" "+told)
	}
}

// deviceLog says whether the events of a capture are of a device.
func (b *books) deviceLog(c *Capture) bool {
	for _, l := range b.ledgers {
		for i := range l.Kinds {
			if kind := c.Set.String(l.Kinds[i].Kind); strings.HasPrefix(kind, "gpu-") || strings.HasPrefix(kind, "cuda-") || kind == "pinned-host" {
				return true
			}
		}
	}
	return false
}

func extentOf(tracks []*track) (first, last float64) {
	first, last = math.Inf(1), math.Inf(-1)
	for _, k := range tracks {
		if len(k.t) > 0 {
			first, last = min(first, k.t[0]), max(last, k.t[len(k.t)-1])
		}
	}
	return first, last
}

func find(tracks []*track, s *Series) *track {
	i := slices.IndexFunc(tracks, func(k *track) bool { return k.subject == s.Subject && k.part == s.Part })
	if i < 0 {
		return nil
	}
	return tracks[i]
}

// deviceSeries are those of which a single pass only grows.
func deviceSeries(s *Series) bool {
	switch s.Subject.Scope {
	case "device", "pool", "class":
		return strings.HasPrefix(s.Subject.Metric, "gpu_") && s.Subject.Metric != "gpu_total" || strings.HasPrefix(s.Subject.Metric, "live_")
	}
	return false
}

func short(c *Capture, k *track, seconds float64) bool {
	if k.iterations != nil && slices.Max(k.iterations)-slices.Min(k.iterations)+1 >= fewIterations {
		return false
	}
	return seconds < shortCapture || c.Set.Clock == "order"
}

func (s *Series) undetermined(why string) {
	s.Verdict, s.Confidence, s.Severity = Undetermined, "", ""
	s.Reason = why + "; by itself: " + s.Reason
}

// growingCount is the rule for live counts of device objects: they are made all through the run and not only in one burst, the
// count rises in the second half as well, and a good part of what was made is alive at the end.
func growingCount(k *track, first, last float64) (grows bool, made, ended float64) {
	const parts = 20
	span := max(last-first, 1e-9)
	bin := func(t float64) int { return max(min(int((t-first)/span*parts), parts-1), 0) }
	var makes [parts]float64
	level := [parts]float64{}
	before, at := 0.0, 0
	for i, t := range k.t {
		for ; at < bin(t); at++ {
			level[at] = before
		}
		if d := k.y[i] - before; d > 0 {
			makes[bin(t)] += d
			made += d
		} else {
			ended -= d
		}
		before = k.y[i]
	}
	for ; at < parts; at++ {
		level[at] = before
	}
	with, from, to := 0, -1, -1
	for i, n := range makes {
		if n > 0 {
			with++
			if from < 0 {
				from = i
			}
			to = i
		}
	}
	if with < 5 {
		return false, made, ended
	}
	rises, half := 0, from+(to-from+1)/2
	for i := half; i <= to; i++ {
		if i > 0 && level[i] > level[i-1] {
			rises++
		}
	}
	return 2*rises >= to-half+1 && before >= max(3, 0.1*made), made, ended
}

// countSeries judges the live count of a kind of device object, and makes the finding.
func (r *Result) countSeries(c *Capture, b *books, s *Series, k *track, first, last float64) {
	grows, made, ended := growingCount(k, first, last)
	left := k.y[len(k.y)-1]
	if s.Verdict != Leak && left < 2*math.Sqrt(made+ended) { // so far makes and ends in any order stray from each other
		grows = false
	}
	if !grows {
		if s.Verdict == Leak {
			s.Verdict, s.Confidence, s.Severity = Plateau, "", ""
			s.Reason = fmt.Sprintf("a pool: %.0f made, %.0f ended, made in bursts and kept, and the number does not go on growing", made, ended)
		}
		if left > 0 && made > 0 && ended < made {
			r.unended(s, made, ended)
		}
		return
	}
	if s.Verdict != Leak {
		s.Verdict, s.Confidence, s.Severity = Leak, "medium", "warning"
		s.Reason = fmt.Sprintf("%.0f made and %.0f ended, all through the run: the number alive rises in the second half as well; by itself: %s", made, ended, s.Reason)
	}
	if s.Subject.Scope == "class" && b.sized(c, s.Subject.Name) {
		return // with bytes known the site is judged
	}
	r.Findings = append(r.Findings, countFinding(c, b, s, made, ended, left))
}

// counted says whether the objects of a site are judged by their number, over all sites of their kind.
func (r *Result) counted(c *Capture, s *site) bool {
	if !slices.Contains(deviceKinds, s.kind) {
		return false
	}
	return s.handles || s.bytes == nil && slices.ContainsFunc(r.Series, func(v Series) bool {
		return v.Run == c.Name && v.Side == c.Side && v.Subject.Name == s.kind && v.Subject.Metric == "live_count"
	})
}

// sized says whether the sizes of the objects of a kind are known.
func (b *books) sized(c *Capture, kind string) bool {
	return slices.ContainsFunc(b.sites, func(s *site) bool { return s.kind == kind && s.bytes != nil })
}

// countAdvice is what a growing count of a kind of device object is usually about.
var countAdvice = map[string]string{
	"cuda-graph-exec": "A graph that is captured and instantiated again and again: instantiate it once, update it (cudaGraphExecUpdate), or destroy the old one first.",
	"cuda-graph":      "Graphs are captured and not destroyed: destroy the graph once its executable is made.",
	"cuda-event":      "Events are created and not destroyed: make a pool of them, or destroy each behind its last use.",
	"cuda-stream":     "Streams are created and not destroyed: create them once and share them.",
	"gpu-memory":      "Allocations are not freed; the bytes are not known: take the capture with --cuda-memory-usage=true.",
	"pinned-host":     "Pinned host memory is not freed; the bytes are not known: take the capture with --cuda-memory-usage=true.",
}

func countFinding(c *Capture, b *books, s *Series, made, ended, left float64) Finding {
	kind := s.Subject.Name
	rule, class := "handle-leak", kind+"-handles"
	severity := "warning"
	if s.Subject.Scope == "class" {
		rule, class = "leaked", kind+"-calls"
	} else if s.Confidence == "high" {
		severity = "critical"
	}
	f := Finding{Rule: rule, Class: class, Severity: severity, Side: c.Side, Run: c.Name, Subject: s.Subject, Evidence: s.evidence, Warnings: []string{},
		Stats: map[string]float64{"objects": left, "created": made, "destroyed": ended}, Advice: cmp.Or(countAdvice[kind], "See who should destroy what is made there, and whether that is reached on every path.")}
	if at := b.maker(kind); at != nil {
		f.Subject.Name = at.name
		if len(at.chains) > 0 {
			f.Stack, f.suspects = shown(at.chains[0].calls()), names(at.chains[0].calls())
		}
	}
	f.Message = fmt.Sprintf("%s: %.0f made, %.0f ended, %.0f alive at the end, and the number keeps growing.", kind, made, ended, left)
	f.soften(b, nil)
	f.Fingerprint = fingerprint(rule, f.Subject, class)
	return f
}

// maker is the site that made most objects of a kind, if it has a stack.
func (b *books) maker(kind string) *site {
	var best *site
	for _, s := range b.sites {
		if s.kind == kind && len(s.chains) > 0 && len(s.chains[0].calls()) > 0 && (best == nil || last(s.count) > last(best.count)) {
			best = s
		}
	}
	return best
}

// allocatedIsCalm says whether what is allocated on the device of a series was judged and does not grow.
func (r *Result) allocatedIsCalm(of *Series) bool {
	for i := range r.Series {
		s := &r.Series[i]
		if s.Run == of.Run && s.Side == of.Side && s.Subject.Metric == "gpu_allocated" && s.Subject.Scope == of.Subject.Scope && s.Subject.Name == of.Subject.Name {
			return s.Verdict != Leak && s.Verdict != Undetermined
		}
	}
	return false
}

// fewRests is how often a cache must have been at rest to say what its floor does.
const fewRests = 5

// atRest judges the use of a key-value cache where no request runs or waits: what it still holds then is not given back. While
// requests run its level is load.
func (r *Result) atRest(s *Series, k *track, tracks []*track) {
	running, waiting := sibling(tracks, k, "requests_running"), sibling(tracks, k, "requests_waiting")
	var t, y []float64
	resting := false
	for i, at := range k.t {
		idle := running != nil && running.levelAt(at) == 0 && (waiting == nil || waiting.levelAt(at) == 0)
		if idle && !resting {
			t, y = append(t, at), append(y, k.y[i])
		} else if idle {
			y[len(y)-1] = min(y[len(y)-1], k.y[i])
		}
		resting = idle
	}
	if len(y) < fewRests {
		s.undetermined(fmt.Sprintf("the cache was at rest %d times, and 5 are needed to tell what it keeps from load", len(y)))
		return
	}
	j := JudgeGrowth(GrowthInput{T: t, Y: y, Kind: Shares}, DefaultGrowth)
	s.Reason = fmt.Sprintf("at its %d rests it %s", len(y), j.Reason)
	s.Verdict, s.Confidence, s.Severity, s.Basis = j.Verdict, j.Confidence, j.Severity, "rest"
	s.SlopePerS, s.SlopeLo, s.SlopeHi, s.Growth, s.Resolvable, s.P = finite(j.SlopePerS), finite(j.SlopeLo), finite(j.SlopeHi), finite(j.Growth), finite(j.Resolvable), finite(j.P)
	if s.Verdict == Leak {
		f := growthFinding(s, nil)
		f.Class, f.Advice = "kv-cache", "Blocks of ended sessions are not given back: look for sequences that are aborted or time out, and for prefixes that are kept."
		r.Findings = append(r.Findings, f)
	}
}

func sibling(tracks []*track, k *track, metric string) *track {
	want := k.subject
	want.Metric = metric
	i := slices.IndexFunc(tracks, func(o *track) bool { return o.subject == want && o.samePID(k) })
	if i < 0 {
		return nil
	}
	return tracks[i]
}

// levelAt is the last value at or before a time; NaN before the first.
func (k *track) levelAt(t float64) float64 {
	n, found := slices.BinarySearch(k.t, t)
	if !found {
		n--
	}
	if n < 0 {
		return math.NaN()
	}
	return k.y[n]
}

// besideLeaks takes away findings of growth of device memory beside those that name what was not freed on the same device.
func (r *Result) besideLeaks() {
	leaked := map[string]bool{}
	for _, f := range r.Findings {
		if f.Rule == "leaked" && strings.HasPrefix(f.Class, "gpu-") {
			leaked[f.Side+"\x00"+f.Run+"\x00"+f.Subject.Process] = true
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		return f.Rule == "growth" && strings.HasPrefix(f.Subject.Metric, "gpu_") && leaked[f.Side+"\x00"+f.Run+"\x00"+f.Subject.Process]
	})
}
