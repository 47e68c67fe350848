package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Peak is what held the memory of a process, or of a device, when most was alive, by a log of its allocations or by profiles of
// it. The peak is that of the steps of time that sites are kept in: a shorter one between two of them does not show.
type Peak struct {
	Side    string   `json:"side,omitempty"`
	Run     string   `json:"run"`
	Subject Subject  `json:"subject"` // scope process or device, metric live_bytes
	AtS     float64  `json:"at_s"`    // when, on the time axis of the run
	Start   float64  `json:"start"`   // bytes alive at the first step, at the peak, and at the end
	Peak    float64  `json:"peak"`
	End     float64  `json:"end"`
	Highest *float64 `json:"highest,omitempty"` // by the allocator's own count, between the steps too; nil if there is none
	Holders []Holder `json:"holders"`           // greatest at the peak first
}

// Holder is a site with what it held at some moments.
type Holder struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind,omitempty"`
	Sites int      `json:"sites"`           // 1, or how many the rest is
	Stack []string `json:"stack,omitempty"` // leaf first, of the call chain that held most
	Start float64  `json:"start"`
	Peak  float64  `json:"peak"`
	End   float64  `json:"end"`
	Share float64  `json:"share"` // of the whole at the peak
}

const (
	mostHolds   = 100 // processes and devices of one capture
	mostHolders = 20  // of a peak, by name
	holderDepth = 8   // frames of each
	fewLevels   = 3   // levels below which there is no peak to speak of

	leastOther = 0.001 // share of the whole from which what no site holds is told
)

// hold is the sites that make up one level: of a process, or of a device.
type hold struct {
	subject Subject
	t       []float64
	sites   []*site
	counted *track    // the allocator's own count; nil if there is none
	before  []float64 // what was alive before the log; nil if that is not known
	other   []float64 // what is counted beyond all these: frees that were asked for and are not done
}

// peaks adds what held the memory at the peak.
func (r *Result) peaks(c *Capture, holds []*hold) {
	for _, h := range holds {
		if p := h.peak(c); p != nil {
			r.Peaks = append(r.Peaks, *p)
		}
	}
}

// holds gathers the sites of a capture by what they are alive in. Only those that are known at every step add up.
func (b *books) holds(tracks []*track) []*hold {
	var out []*hold
	for _, s := range b.sites {
		if s.bytes == nil || len(s.t) < fewLevels || s.least == nil && !s.complete || s.reserves() {
			continue
		}
		subject := Subject{Process: s.process, Scope: "process", Metric: "live_bytes"}
		if strings.HasPrefix(s.kind, "gpu-") {
			subject.Scope, subject.Name = "device", deviceName(s.device, tracks)
		}
		at := slices.IndexFunc(out, func(h *hold) bool { return h.subject == subject && slices.Equal(h.t, s.t) })
		if at < 0 && len(out) == mostHolds {
			continue
		}
		if at < 0 {
			out = append(out, &hold{subject: subject, t: s.t})
			at = len(out) - 1
		}
		out[at].sites = append(out[at].sites, s)
	}
	for _, h := range out {
		h.preceding(tracks)
	}
	return out
}

// deviceName is the name by which the series of a device go, where there are any.
func deviceName(device string, tracks []*track) string {
	name := "GPU " + cmp.Or(device, "0")
	for _, k := range tracks {
		if k.subject.Scope == "device" && ofDevice(k.subject.Name, name) {
			return k.subject.Name
		}
	}
	return name
}

// ofDevice says whether a series is of a device: "GPU 0 NVIDIA A100" is of "GPU 0", "GPU 01" is not.
func ofDevice(series, device string) bool {
	return series == device || strings.HasPrefix(series, device+" ")
}

// preceding sets what a device held before its log began: what the allocator counts beyond the sites.
func (h *hold) preceding(tracks []*track) {
	if h.subject.Scope != "device" {
		return
	}
	i := slices.IndexFunc(tracks, func(k *track) bool {
		return k.subject.Scope == "device" && k.subject.Metric == "gpu_allocated" && k.subject.Name == h.subject.Name && k.subject.Process == h.subject.Process
	})
	if i < 0 {
		return
	}
	h.counted = tracks[i]
	h.before, h.other = make([]float64, len(h.t)), make([]float64, len(h.t))
	least, known := math.Inf(1), 0
	for n, t := range h.t {
		v := tracks[i].levelAt(t) - h.sum(n)
		if math.IsNaN(v) {
			known = n + 1
			continue
		}
		least = min(least, max(v, 0)) // it can only become less
		h.before[n], h.other[n] = least, max(v-least, 0)
	}
	for n := range h.before[:min(known, len(h.t)-1)] {
		h.before[n] = h.before[known]
	}
}

// sum is what the sites hold at a step; level is that with all else that is counted.
func (h *hold) sum(i int) (v float64) {
	for _, s := range h.sites {
		v += s.bytes[i]
	}
	return v
}

func (h *hold) level(i int) float64 {
	if h.before == nil {
		return h.sum(i)
	}
	return h.sum(i) + h.before[i] + h.other[i]
}

// peak tells the step with the greatest level; nil if nothing was ever alive.
func (h *hold) peak(c *Capture) *Peak {
	top := 0
	for i := range h.t {
		if h.level(i) > h.level(top) {
			top = i
		}
	}
	n := len(h.t) - 1
	p := &Peak{Side: c.Side, Run: c.Name, Subject: h.subject, AtS: h.t[top], Start: h.level(0), Peak: h.level(top), End: h.level(n)}
	if p.Peak <= 0 {
		return nil
	}
	if h.counted != nil {
		highest := slices.Max(h.counted.y)
		p.Highest = &highest
	}
	p.Holders = h.holders(top)
	return p
}

// holders are the sites at a step, greatest first, and the rest of them as one.
func (h *hold) holders(at int) []Holder {
	n, whole := len(h.t)-1, h.level(at)
	var all []Holder
	for _, s := range h.sites {
		if s.bytes[0] == 0 && s.bytes[at] == 0 && s.bytes[n] == 0 {
			continue
		}
		all = append(all, Holder{Name: readable(s.name), Kind: s.kind, Sites: 1, Stack: s.topAt(at), Start: s.bytes[0], Peak: s.bytes[at], End: s.bytes[n]})
	}
	slices.SortStableFunc(all, func(x, y Holder) int { return cmp.Or(cmp.Compare(y.Peak, x.Peak), cmp.Compare(y.End, x.End)) })
	out := slices.Clone(all[:min(len(all), mostHolders)])
	if rest := all[len(out):]; len(rest) > 0 {
		one := Holder{Name: "other sites"}
		for _, x := range rest {
			one.Sites, one.Start, one.Peak, one.End = one.Sites+x.Sites, one.Start+x.Start, one.Peak+x.Peak, one.End+x.End
		}
		out = append(out, one)
	}
	for _, x := range []struct {
		name string
		y    []float64
	}{{"alive before the log", h.before}, {"freed, and not yet given back", h.other}} {
		if y := x.y; y != nil && max(y[0], y[at], y[n]) > leastOther*whole {
			out = append(out, Holder{Name: x.name, Start: y[0], Peak: y[at], End: y[n]})
		}
	}
	for i := range out {
		out[i].Share = out[i].Peak / max(whole, 1)
	}
	return out
}

// topAt is the call chain of a site that held most at a step.
func (s *site) topAt(at int) []string {
	best, most := -1, -1.0
	for i := range s.chains {
		v := s.chains[i].bytes
		if levels := s.chains[i].levels(); at < len(levels) {
			v = levels[at]
		}
		if v > most {
			best, most = i, v
		}
	}
	if best < 0 {
		return nil
	}
	calls := s.chains[best].calls()
	if i := slices.IndexFunc(calls, func(c table.Call) bool { return c.Name() == s.name }); i > 0 {
		calls = calls[i:] // what stands before it is the allocator
	}
	return shown(calls[:min(len(calls), holderDepth)])
}

// account adds what the objects, sites and totals of a capture tell together; its own findings are those from a place in the result
// on.
func (r *Result) account(c *Capture, b *books, tracks []*track, from int, o Options) {
	r.lifetimes(c, b, o.Dwell)
	r.reconcile(c, tracks, o.Reconcile)
	holds := b.holds(tracks)
	r.peaks(c, holds)
	for i := range r.Findings[from:] {
		if f := &r.Findings[from+i]; f.Class == "gpu-oom" && c.Set != nil && len(f.Evidence) > 0 && f.Evidence[0].TimeNS != nil {
			f.heldThen(holds, float64(*f.Evidence[0].TimeNS)/1e9, deviceIn(f.Message))
		}
	}
}

// deviceIn finds the device that a text names by its number.
func deviceIn(text string) string {
	_, after, ok := strings.Cut(text, "GPU ")
	number := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
	if !ok || number == "" {
		return ""
	}
	return "GPU " + number
}

// mostNamed is how many sites a sentence names.
const mostNamed = 3

// heldThen says, in a finding that device memory ran out, what held it then: at the last step that is not later.
func (f *Finding) heldThen(holds []*hold, t float64, device string) {
	var of []*hold
	for _, h := range holds {
		if h.subject.Scope == "device" && (device == "" || ofDevice(h.subject.Name, device)) {
			of = append(of, h)
		}
	}
	if len(of) > 1 { // the one on which the function that asked for more holds some already
		name := table.SiteOf(f.calls)
		of = slices.DeleteFunc(of, func(h *hold) bool { return !slices.ContainsFunc(h.sites, func(s *site) bool { return s.name == name }) })
	}
	if len(of) != 1 {
		return
	}
	h := of[0]
	at, whole := h.around(t)
	if h.level(at) <= 0 {
		return
	}
	f.Held = h.holders(at)
	f.Stats["held"] = whole
	var parts []string
	for _, x := range f.Held[:min(len(f.Held), mostNamed)] {
		if x.Peak > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%.0f %%)", x.Name, mebibytes(x.Peak), 100*x.Peak/max(whole, 1)))
		}
	}
	f.Message = fmt.Sprintf("%s. Then %s were held on %s, the most by %s.", strings.TrimSuffix(f.Message, "."), mebibytes(whole), h.subject.Name, strings.Join(parts, ", "))
}

// around is the step that shows best what was held at a time, and how much that was: by the allocator's own count the step beside it
// that comes nearest, else the greater one.
func (h *hold) around(t float64) (at int, whole float64) {
	for at+1 < len(h.t) && h.t[at+1] <= t*(1+1e-9) {
		at++
	}
	next := min(at+1, len(h.t)-1)
	if h.counted == nil {
		if h.t[at] < t && h.level(next) > h.level(at) {
			at = next
		}
		return at, h.level(at)
	}
	whole = h.counted.levelAt(t)
	if math.IsNaN(whole) {
		return at, h.level(at)
	}
	if math.Abs(h.level(next)-whole) < math.Abs(h.level(at)-whole) {
		at = next
	}
	return at, whole
}
