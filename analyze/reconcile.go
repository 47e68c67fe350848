package analyze

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Reconciliation holds what one tool counts of a process, or of a device, against what another says it takes: which part of the
// whole is accounted for by whom, and what nobody names.
type Reconciliation struct {
	Side    string  `json:"side,omitempty"`
	Run     string  `json:"run"`
	Subject Subject `json:"subject"` // the whole: rss or pss of a process, gpu_used or gpu_reserved of a device
	AtS     float64 `json:"at_s"`    // the last time that all of them are known, on the time axis of the run
	Whole   float64 `json:"whole"`
	Parts   []Piece `json:"parts"`            // they may be more than the whole, where address space is counted
	Unseen  float64 `json:"unseen"`           // of the whole, in none of the parts; 0 if they are more than it
	Beyond  float64 `json:"beyond,omitempty"` // by how much the parts are more than the whole
	Message string  `json:"message"`
}

// Piece is a part of a whole.
type Piece struct {
	Name   string  `json:"name"`
	Metric string  `json:"metric"` // what it was taken from
	Bytes  float64 `json:"bytes"`
	Share  float64 `json:"share"` // of the whole
}

// ReconcileConfig is from when on it is told that the profiler does not see most of a process.
type ReconcileConfig struct {
	Share float64 // of the resident set
	Bytes float64
}

// DefaultReconcile are the thresholds in force: both must be exceeded.
var DefaultReconcile = ReconcileConfig{Share: 0.5, Bytes: 16 << 20}

// reconcile holds the heap totals of a capture against the resident set of the same process, and the views of a device against
// each other.
func (r *Result) reconcile(c *Capture, tracks []*track, o ReconcileConfig) {
	if o == (ReconcileConfig{}) {
		o = DefaultReconcile
	}
	for _, p := range ledgersOf(tracks) {
		if x := p.reconciled(c); x != nil {
			r.Reconciliations = append(r.Reconciliations, *x)
			if p.profiled && x.Unseen > o.Bytes && x.Unseen > o.Share*x.Whole {
				r.Findings = append(r.Findings, x.finding(p.whole))
			}
		}
	}
	r.Reconciliations = append(r.Reconciliations, reconciledDevices(c, tracks)...)
}

// wholes are the measures of a process that a heap may be held against, the best first, with what their parts are called.
var wholes = []struct{ metric, files, shared string }{{"rss", "rss_file", "rss_shmem"}, {"pss", "pss_file", "pss_shmem"}}

// pairing is a process with a whole and a heap total.
type pairing struct {
	whole, heap *track
	of          string   // what the heap total is
	sites       []*track // that it is the sum of, where no total is given
	near        []*track // everything else of the two
	files       string
	shared      string
	profiled    bool // sites are known: a profiler was at work, and not only the allocator's or the system's own count
}

// ledgersOf pairs heap totals with resident sets of the same process.
func ledgersOf(tracks []*track) (out []*pairing) {
	heaps := map[string]*pairing{}
	var order []string
	for _, k := range tracks {
		s := k.subject
		rank := slices.Index(heapTotals, s.Metric)
		if len(k.y) == 0 || !k.isSite() && (s.Scope != "process" || s.Name != "" || rank < 0) {
			continue
		}
		p := heaps[s.Process]
		if p == nil {
			p = &pairing{of: "sites"}
			heaps[s.Process] = p
			order = append(order, s.Process)
		}
		switch {
		case k.isSite():
			p.sites = append(p.sites, k)
		case p.heap == nil, rank < slices.Index(heapTotals, p.of), s.Metric == p.of && k.part > p.heap.part:
			p.heap, p.of = k, s.Metric
		}
	}
	for _, process := range order {
		p := heaps[process]
		p.profiled = len(p.sites) > 0
		if p.heap != nil {
			p.sites = nil
		}
		if p.meet(tracks, process) && (p.profiled || !p.divided()) {
			out = append(out, p)
		}
	}
	return out
}

// heapTotals are what a profiler counts of a process, the best first; without one it is the sum of the sites.
var heapTotals = []string{"heap_alloc", "live_bytes"}

// divided says whether the system itself says what all of the whole is made of: then the heap is one of its parts.
func (p *pairing) divided() bool {
	return slices.ContainsFunc(p.near, func(k *track) bool {
		return k.subject.Scope == "category" && k.subject.Metric == p.whole.subject.Metric
	})
}

// isSite says whether a track is what is alive of one allocation site of the process, and not of a device.
func (k *track) isSite() bool {
	return k.subject.Scope == "class" && k.subject.Metric == "live_bytes" && !strings.HasPrefix(k.subject.Name, "gpu-")
}

// lastPart is the series of a subject after the last restart.
func lastPart(tracks []*track, s Subject) (out *track) {
	for _, k := range tracks {
		if k.subject == s && len(k.y) > 0 && (out == nil || k.part > out.part) {
			out = k
		}
	}
	return out
}

// meet finds the whole of a process: of the same name, or the only one with the same program, or the only one there is where the
// profile does not say its process.
func (p *pairing) meet(tracks []*track, process string) bool {
	for _, detailed := range []bool{true, false} {
		for _, w := range wholes {
			name, one := processWith(tracks, w.metric, process)
			if !one || detailed && lastPart(tracks, Subject{name, "process", "", w.files}) == nil {
				continue
			}
			p.whole, p.files, p.shared = lastPart(tracks, Subject{name, "process", "", w.metric}), w.files, w.shared
			for _, k := range tracks {
				if k.subject.Process == name || k.subject.Process == process {
					p.near = append(p.near, k)
				}
			}
			return true
		}
	}
	return false
}

// processWith is the process with a total in a metric that a profile is of; false if there is none, or there are several.
func processWith(tracks []*track, metric, process string) (name string, one bool) {
	var like []string
	for _, k := range tracks {
		s := k.subject
		switch {
		case s.Scope != "process" || s.Metric != metric || s.Name != "" || len(k.y) == 0:
		case s.Process == process:
			return process, true
		case sameProgram(s.Process, process) && !slices.Contains(like, s.Process):
			like = append(like, s.Process)
		}
	}
	if len(like) != 1 {
		return "", false
	}
	return like[0], true
}

// sameProgram says whether two tools may mean one process: the kernel cuts names to 15 bytes, some tools give a path, and some no
// name.
func sameProgram(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	a, b = path.Base(strings.ReplaceAll(a, `\`, "/")), path.Base(strings.ReplaceAll(b, `\`, "/"))
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) == 15 && strings.HasPrefix(b, a)
}

// reconciled divides the whole. Nil if the two are not known at one time.
func (p *pairing) reconciled(c *Capture) *Reconciliation {
	t := p.whole.t[len(p.whole.t)-1]
	for _, k := range append(slices.Clone(p.sites), p.heap) {
		if k != nil {
			t = min(t, k.t[len(k.t)-1])
		}
	}
	x := &Reconciliation{Side: c.Side, Run: c.Name, Subject: p.whole.subject, AtS: t, Whole: p.whole.levelAt(t)}
	heap := p.heapAt(t)
	if math.IsNaN(x.Whole) || math.IsNaN(heap) || x.Whole <= 0 {
		return nil
	}
	x.add("heap in use", p.of, heap)
	for _, part := range p.parts(heap, t) {
		x.add(part.Name, part.Metric, part.Bytes)
	}
	x.settle()
	x.Message = x.told()
	return x
}

func (p *pairing) heapAt(t float64) float64 {
	if p.heap != nil {
		return p.heap.levelAt(t)
	}
	sum := 0.0
	for _, k := range p.sites {
		if v := k.levelAt(t); !math.IsNaN(v) {
			sum += v
		}
	}
	return sum
}

// parts are what else is known of a process at a time. Slack is what the allocator took from the system and did not hand out.
func (p *pairing) parts(heap, t float64) (out []Piece) {
	at := func(scope, name, metric string) float64 {
		for _, k := range p.near {
			if s := k.subject; s.Scope == scope && s.Name == name && s.Metric == metric {
				if v := k.levelAt(t); v > 0 {
					return v
				}
			}
		}
		return 0
	}
	add := func(name, metric string, v float64) {
		if v > 0 {
			out = append(out, Piece{Name: name, Metric: metric, Bytes: v})
		}
	}
	if size := at("process", "", "heap_size"); size > heap {
		add("allocator: taken and not handed out", "heap_size", size-heap)
	} else {
		add("allocator: its own books", "heap_extra", at("process", "", "heap_extra"))
	}
	whole := p.whole.subject.Metric
	stacks := max(at("category", "stack", whole), at("category", "Stack", whole))
	add("stacks", cmp.Or(map[bool]string{true: whole + " of stack"}[stacks > 0], "stacks"), cmp.Or(stacks, at("process", "", "stacks")))
	files := at("process", "", p.files)
	add("mapped files", cmp.Or(map[bool]string{true: p.files}[files > 0], whole+" of file"), cmp.Or(files, at("category", "file", whole)))
	add("shared memory", p.shared, at("process", "", p.shared))
	add("mapped from the GPU", whole+" of gpu", at("category", "gpu", whole))
	return out
}

func (x *Reconciliation) add(name, metric string, bytes float64) {
	x.Parts = append(x.Parts, Piece{Name: name, Metric: metric, Bytes: bytes, Share: bytes / x.Whole})
}

// settle says what is left of the whole.
func (x *Reconciliation) settle() {
	left := x.Whole
	for _, p := range x.Parts {
		left -= p.Bytes
	}
	x.Unseen, x.Beyond = max(left, 0), max(-left, 0)
}

// told is a sentence: of 800 MiB rss 200 MiB are heap in use, ….
func (x *Reconciliation) told() string {
	var parts []string
	for _, p := range x.Parts {
		parts = append(parts, fmt.Sprintf("%s %s", mebibytes(p.Bytes), p.Name))
	}
	text := fmt.Sprintf("%s: of %s are %s", title(x.Subject), mebibytes(x.Whole), strings.Join(parts, ", "))
	if x.Beyond > 0 {
		return text + fmt.Sprintf("; together %s more than the whole, so part of what was asked for is not in memory.", mebibytes(x.Beyond))
	}
	return text + fmt.Sprintf("; the profiler does not see %s (%.0f %%).", mebibytes(x.Unseen), 100*x.Unseen/x.Whole)
}

func (x *Reconciliation) finding(whole *track) Finding {
	f := Finding{Rule: "reconcile", Class: x.Subject.Metric, Severity: "note", Side: x.Side, Run: x.Run, Subject: x.Subject, Message: x.Message, Warnings: []string{}, settled: true,
		Stats:    map[string]float64{"whole": x.Whole, "unseen": x.Unseen, "heap": x.Parts[0].Bytes},
		Evidence: []Evidence{whole.place(len(whole.y) - 1)},
		Advice:   "Growth in this part does not show in the heap profile: look for mmap, memory of a runtime or driver, another allocator, or threads that the profiler was not loaded into."}
	f.Fingerprint = fingerprint(f.Rule, x.Subject)
	return f
}

// reconciledDevices holds what a framework handed out on a device against what its allocator holds, and that against what the driver
// says is in use.
func reconciledDevices(c *Capture, tracks []*track) (out []Reconciliation) {
	for _, k := range tracks {
		s := k.subject
		if s.Scope != "device" || s.Metric != "gpu_reserved" || lastPart(tracks, s) != k {
			continue
		}
		s.Metric = "gpu_allocated"
		allocated, used := lastPart(tracks, s), usedOf(tracks, s.Name)
		if allocated == nil {
			continue
		}
		t := max(k.t[len(k.t)-1], allocated.t[len(allocated.t)-1]) // of one source, which writes them when they change
		if used != nil {
			t = min(t, used.t[len(used.t)-1])
		}
		if x := deviceAt(c, k, allocated, used, t); x != nil {
			out = append(out, *x)
		}
	}
	return out
}

// usedOf is what the driver says of the device that a framework calls by its number.
func usedOf(tracks []*track, name string) *track {
	number := strings.Join(strings.Fields(name)[:min(len(strings.Fields(name)), 2)], " ")
	for _, k := range tracks {
		if k.subject.Scope == "device" && k.subject.Metric == "gpu_used" && ofDevice(k.subject.Name, number) && len(k.y) > 0 {
			return k
		}
	}
	return nil
}

func deviceAt(c *Capture, reserved, allocated, used *track, t float64) *Reconciliation {
	held, handed := reserved.levelAt(t), allocated.levelAt(t)
	if !(held > 0) || math.IsNaN(handed) {
		return nil
	}
	x := &Reconciliation{Side: c.Side, Run: c.Name, Subject: reserved.subject, AtS: t, Whole: held}
	whole := math.NaN()
	if used != nil {
		whole = used.levelAt(t)
	}
	if whole >= held {
		x.Subject, x.Whole = used.subject, whole
	}
	x.add("allocated by the framework", "gpu_allocated", handed)
	x.add("reserved and not allocated", "gpu_reserved", max(held-handed, 0))
	x.settle()
	x.Message = fmt.Sprintf("%s: %s allocated of %s reserved: %s (%.0f %%) is held by the framework's allocator and not in use", reserved.subject.Name, mebibytes(handed), mebibytes(held),
		mebibytes(max(held-handed, 0)), 100*max(held-handed, 0)/held)
	if whole >= held {
		x.Message += fmt.Sprintf("; of %s in use by the driver's count %s is outside of the framework", mebibytes(whole), mebibytes(whole-held))
	}
	x.Message += "."
	return x
}
