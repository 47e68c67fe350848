package torch

import (
	"maps"
	"regexp"
	"slices"
)

// shortage is what was free in the segments of a device when it refused a request.
type shortage struct {
	all, fit room // of all segments, and of those whose free memory can serve the request
	pool     bool // a request of a pool of its own
	grows    bool // the segments that can serve it are expandable
}

// Bounds of going back through a trace: moments that are measured, blocks that are looked at for them, and regions that are
// moved. What is beyond is not known.
const (
	mostShortages = 64
	mostMeasured  = 1 << 24
	mostMoved     = 1 << 26
)

// rewinder goes back through the trace of a device, from its end on.
type rewinder struct {
	*snapshot
	a               *arena
	rounds          bool // blocks may be larger than the request by the settings
	guessed         int
	measured, moved int
}

// unusualSizes finds settings by which the size of a block does not follow from that of the request.
var unusualSizes = regexp.MustCompile(`roundup_power2|max_split_size(_mb)?[=:][1-9]`)

// shortages finds what was free at each event of a device that is out of memory. It starts from the end, which the segments
// show, and undoes the trace; it stops where the two do not fit.
func (s *snapshot) shortages(d *device) {
	first, last := int(d.trace.first), int(d.trace.first+d.trace.n)-1
	from := first
	for from <= last && s.events.get(from).action != outOfMemory {
		from++
	}
	if from > last || d.arena == nil || d.partial {
		return
	}
	w := &rewinder{snapshot: s, a: &arena{slices.Clone(d.arena.regions), maps.Clone(d.arena.live)}, rounds: unusualSizes.Match(s.settings)}
	d.refusals = map[int]*shortage{}
	for i := last; i >= from; i-- {
		e := s.events.get(i)
		if e.action == outOfMemory {
			if x := w.shortage(i, e); x != nil {
				d.refusals[i] = x
			}
		} else if !w.undo(i, e) {
			return
		}
	}
}

// shortage measures the arena against a request.
func (w *rewinder) shortage(i int, e *event) *shortage {
	if !e.hasSize || w.rounds && w.guessed > 0 || w.measured > mostMeasured {
		return nil
	}
	want := w.placingOf(i)
	want.small = e.size <= smallest
	x := &shortage{pool: want.pool != commonPool}
	w.measured += mostMeasured/mostShortages + len(w.a.live) + len(w.a.regions)
	ok := w.a.walk(func(r *region, gaps []gap, holds bool) {
		x.all.add(r, gaps, holds)
		if r.serves(&want) {
			x.fit.add(r, gaps, holds)
			x.grows = x.grows || r.expandable
		}
	})
	if !ok || want.pool == unknownPool {
		return nil
	}
	return x
}

// undo takes an event back. It is false where the arena does not show what the event left.
func (w *rewinder) undo(i int, e *event) bool {
	switch {
	case e.action > outOfMemory:
		return false
	case deeds[e.action].sign == 0:
		return true
	case !e.hasAddr || !e.hasSize:
		return false
	}
	size := uint64(e.size)
	switch e.action {
	case alloc:
		b, ok := w.a.live[e.addr]
		w.unguess(b)
		delete(w.a.live, e.addr)
		return ok
	case freeCompleted:
		_, taken := w.a.live[e.addr]
		w.a.live[e.addr] = blockAt{max(size+rounding-1, rounding) / rounding * rounding, true}
		w.guessed++
		return !taken
	case segmentAlloc, segmentMap:
		return size > 0 && w.takeAway(e.addr, e.addr+(size-1))
	}
	p := w.placingOf(i)
	p.expandable = e.action == segmentUnmap
	p.small = size <= smallMemory
	return size > 0 && w.bring(region{e.addr, e.addr + (size - 1), p})
}

func (w *rewinder) unguess(b blockAt) {
	if b.guessed {
		w.guessed--
	}
}

// find gives the place of the first region that ends behind an address.
func (w *rewinder) find(at uint64) int {
	i, _ := slices.BinarySearchFunc(w.a.regions, at, func(r region, at uint64) int {
		if r.last < at {
			return -1
		}
		return 1
	})
	return i
}

// takeAway undoes that memory was reserved: it must be there.
func (w *rewinder) takeAway(start, last uint64) bool {
	i := w.find(start)
	if i == len(w.a.regions) || start > last || w.spent() {
		return false
	}
	r := w.a.regions[i]
	if r.start > start || r.last < last {
		return false
	}
	var rest []region
	if r.start < start {
		rest = append(rest, region{r.start, start - 1, r.placing})
	}
	if last < r.last {
		rest = append(rest, region{last + 1, r.last, r.placing})
	}
	w.a.regions = slices.Replace(w.a.regions, i, i+1, rest...)
	return true
}

// bring undoes that memory was given back: nothing must be there. What can grow joins what it touches.
func (w *rewinder) bring(r region) bool {
	i := w.find(r.start)
	if i < len(w.a.regions) && w.a.regions[i].start <= r.last || r.start > r.last || w.spent() {
		return false
	}
	from, to := i, i
	if i > 0 && w.a.regions[i-1].last+1 == r.start && joins(&w.a.regions[i-1], &r) {
		from--
		r.start, r.placing = w.a.regions[from].start, w.a.regions[from].placing
	}
	if i < len(w.a.regions) && w.a.regions[i].start == r.last+1 && joins(&w.a.regions[i], &r) {
		to++
		r.last, r.placing = w.a.regions[i].last, w.a.regions[i].placing
	}
	w.a.regions = slices.Replace(w.a.regions, from, to, r)
	return true
}

// joins says whether two regions that touch are parts of one segment that can grow.
func joins(o, r *region) bool {
	return o.expandable && r.expandable && (!r.hasStream || o.stream == r.stream)
}

func (w *rewinder) spent() bool {
	w.moved += len(w.a.regions) + 1
	return w.moved > mostMoved
}
