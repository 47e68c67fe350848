package analyze

import (
	"slices"

	"github.com/memtide/memtide/analyze/lifetime"
)

// Why an object of the device's side is not joined though a log of the CPU's side names its address.
const (
	reusedAddress  = "the address was in use more than once, and which of its lives this is cannot be told"
	livesApart     = "the address is the same and the lives do not overlap"
	otherDevice    = "the devices are different, or which they are is not said"
	crossingRanges = "the ranges of addresses cross"
	unknownSize    = "a size is 0 or not known"
	lostEvents     = "the CPU log does not hold all events"
	severalClaims  = "several captures of one kind name it"
)

// deviceLink is what became of one life of the device's side.
type deviceLink struct {
	to     lifeRef // the life of the CPU's side that it is, or lies in; log -1 if there is none
	inside bool    // it lies in it
	nested bool    // in a segment of its own capture
	in     int     // that segment
	why    string  // it is not joined
}

var noLink = deviceLink{to: lifeRef{log: -1}}

// deviceJoiner joins the lives of both sides.
type deviceJoiner struct {
	logs    []*deviceLog
	index   addressRanges // of the CPU's side
	links   [][]deviceLink
	devices map[string]bool       // all that are named
	onGPU   map[string]bool       // those that the device's side names
	first   int                   // log of the device's side with which that is told which no other of them names
	claimed map[lifeRef]bool      // lives of the CPU's side that one which is not joined may be
	known   map[lifeRef][]lifeRef // by life of the CPU's side: the lives of the device's side that are joined to it
}

func (j *deviceJoiner) life(r lifeRef) *lifetime.Life { return &j.logs[r.log].lives[r.life] }

// match joins all lives.
func (j *deviceJoiner) match() {
	j.devices, j.onGPU, j.claimed, j.known = map[string]bool{}, map[string]bool{}, map[lifeRef]bool{}, map[lifeRef][]lifeRef{}
	var all []addressRange
	for i, l := range j.logs {
		for k := range l.lives {
			x := &l.lives[k]
			if d := l.device(x); d != "" {
				j.devices[d] = true
			}
			if l.file.OnDevice {
				j.onGPU[l.device(x)] = true
			}
			if lo, hi, _ := rangeOf(x); !l.file.OnDevice && x.Size != 0 {
				all = append(all, addressRange{lo: lo, hi: hi, of: lifeRef{i, k}})
			}
		}
	}
	j.index = newRanges(all)
	j.first = slices.IndexFunc(j.logs, func(l *deviceLog) bool { return l.file.OnDevice })
	j.links = make([][]deviceLink, len(j.logs))
	for i, l := range j.logs {
		if l.file.OnDevice {
			j.resolveLog(i, l)
		}
	}
	j.refuseSeveral()
	for i := range j.links {
		j.inherit(i)
	}
}

// resolveLog finds what the lives of a log are, but for blocks in segments of it: those follow their segment.
func (j *deviceJoiner) resolveLog(i int, l *deviceLog) {
	links, segments, twins := make([]deviceLink, len(l.lives)), j.segmentsOf(i), twinsOf(l)
	for k := range l.lives {
		x := &l.lives[k]
		links[k] = j.nest(l, x, segments)
		if !links[k].nested && links[k].why == "" {
			links[k] = j.resolve(l, x, twins[twinOf(x)] > 1)
		}
	}
	j.links[i] = links
}

func (j *deviceJoiner) segmentsOf(i int) addressRanges {
	var all []addressRange
	for k := range j.logs[i].lives {
		x := &j.logs[i].lives[k]
		if lo, hi, ok := rangeOf(x); ok && j.logs[i].segment(x) {
			all = append(all, addressRange{lo: lo, hi: hi, of: lifeRef{i, k}})
		}
	}
	return newRanges(all)
}

// twin is what lives of one log have in common that cannot be told apart without a clock.
type twin struct {
	kind   int32
	object uint64
	size   int64
}

func twinOf(x *lifetime.Life) twin { return twin{int32(x.Kind), x.Object, x.Size} }

func twinsOf(l *deviceLog) map[twin]int {
	out := map[twin]int{}
	for k := range l.lives {
		out[twinOf(&l.lives[k])]++
	}
	return out
}

// nest finds the segment that a block lies in, by the log of both.
func (j *deviceJoiner) nest(l *deviceLog, x *lifetime.Life, segments addressRanges) deviceLink {
	lo, hi, ok := rangeOf(x)
	if !ok || l.segment(x) || len(segments) == 0 {
		return noLink
	}
	out, n := noLink, 0
	hits := segments.overlapping(lo, hi, nil)
	for _, h := range hits {
		if h.lo <= lo && hi <= h.hi && meet(l, x, l, j.life(h.of)) && l.device(x) == l.device(j.life(h.of)) {
			out.nested, out.in = true, h.of.life
			n++
		}
	}
	if n > 1 || len(hits) > mostHits {
		return deviceLink{to: lifeRef{log: -1}, why: reusedAddress}
	}
	return out
}

// candidates are the lives of the CPU's side that one of the device's side may be.
type candidates struct {
	same, inside, blank    []lifeRef // of its size; around it; of a size that is not known
	apart, device, crosses int
	clock                  bool // all of them share one with it
}

func (j *deviceJoiner) candidatesOf(l *deviceLog, x *lifetime.Life, hits []addressRange) candidates {
	out := candidates{clock: true}
	lo, hi, _ := rangeOf(x)
	for _, h := range hits {
		c, log := j.life(h.of), j.logs[h.of.log]
		blank := c.Size < 0 && h.lo == lo
		shared := l.shares(log)
		switch {
		case c.PID >= 0 && x.PID >= 0 && c.PID != x.PID:
		case !blank && (h.lo > lo || h.hi < hi):
			out.crosses += b2i(!shared || meet(l, x, log, c))
		case !j.sameDevice(log.device(c), l.device(x)):
			out.device++
		case shared && !(meet(l, x, log, c) && oneAct(l, x, log, c)):
			out.apart++
		default:
			out.clock = out.clock && shared
			to := &out.inside
			if blank {
				to = &out.blank
			} else if h.lo == lo && c.Size == x.Size {
				to = &out.same
			}
			*to = append(*to, h.of)
		}
	}
	return out
}

// sameDevice matches devices by what the captures say; where one does not say, only if there is no more than one.
func (j *deviceJoiner) sameDevice(a, b string) bool {
	if a != "" && b != "" {
		return a == b
	}
	return len(j.devices) <= 1
}

// resolve finds the one life of the CPU's side that a life is, or lies in. Without a clock it must be the only one of its address and
// size on both sides; what lies in another must be in the only one that was ever there.
func (j *deviceJoiner) resolve(l *deviceLog, x *lifetime.Life, twins bool) deviceLink {
	lo, hi, sized := rangeOf(x)
	hits := j.index.overlapping(lo, hi, nil)
	if len(hits) == 0 {
		return noLink
	}
	c := j.candidatesOf(l, x, hits)
	out, why := noLink, ""
	switch n := len(c.same) + len(c.inside) + len(c.blank); {
	case len(hits) > mostHits:
		why = reusedAddress
	case n == 0:
		why = c.none()
	case !sized:
		why = unknownSize
	case c.clock && n == 1:
		out = deviceLink{to: append(append(c.same, c.inside...), c.blank...)[0], inside: len(c.inside) == 1}
	case !c.clock && len(c.same) == 1 && len(c.blank) == 0 && !twins:
		out = deviceLink{to: c.same[0]}
	case !c.clock && n == 1 && len(c.inside) == 1 && c.crosses+c.device == 0 && !l.segment(x):
		out = deviceLink{to: c.inside[0], inside: true}
	case n == 1 && len(c.blank) == 1:
		why = unknownSize
	default:
		why = reusedAddress
	}
	if out.to.log >= 0 {
		why = j.doubt(x, out.to)
	}
	return j.refuse(out, why, hits)
}

// none is why no candidate is left; empty if there was none.
func (c *candidates) none() string {
	switch {
	case c.device > 0:
		return otherDevice
	case c.apart > 0:
		return livesApart
	case c.crosses > 0:
		return crossingRanges
	}
	return ""
}

// doubt is why two lives that fit are not joined all the same.
func (j *deviceJoiner) doubt(x *lifetime.Life, to lifeRef) string {
	switch c := j.life(to); {
	case j.logs[to.log].lost:
		return lostEvents
	case c.Doubtful || x.Doubtful:
		return reusedAddress
	}
	return ""
}

// refuse gives a link, or the reason why there is none; what it may have been is then not taken for unknown to the device's side.
func (j *deviceJoiner) refuse(l deviceLink, why string, hits []addressRange) deviceLink {
	if why == "" {
		return l
	}
	for _, h := range hits {
		j.claimed[h.of] = true
	}
	return deviceLink{to: lifeRef{log: -1}, why: why}
}

// refuseSeveral takes back what cannot all be true: a life that two captures of one kind claim may be of two processes, and one that
// is two lives of one capture has an end that is missing.
func (j *deviceJoiner) refuseSeveral() {
	type claim struct {
		to   lifeRef
		kind string
	}
	type claims struct {
		log   int
		exact int
		many  bool
	}
	all := map[claim]*claims{}
	each := func(visit func(i, k int, at claim)) {
		for i := range j.links {
			for k := range j.links[i] {
				if l := &j.links[i][k]; l.to.log >= 0 {
					visit(i, k, claim{l.to, j.logs[i].kind(&j.logs[i].lives[k])})
				}
			}
		}
	}
	each(func(i, k int, at claim) {
		c := all[at]
		if c == nil {
			c = &claims{log: i}
			all[at] = c
		}
		c.many = c.many || c.log != i
		c.exact += b2i(!j.links[i][k].inside)
	})
	each(func(i, k int, at claim) {
		why := ""
		if c := all[at]; c.many {
			why = severalClaims
		} else if c.exact > 1 {
			why = reusedAddress
		}
		j.links[i][k] = j.refuse(j.links[i][k], why, []addressRange{{of: at.to}})
	})
}

// inherit gives blocks what became of their segment, and notes all that are joined.
func (j *deviceJoiner) inherit(i int) {
	for k := range j.links[i] {
		l := &j.links[i][k]
		if l.nested {
			of := &j.links[i][l.in]
			l.to, l.why, l.inside = of.to, of.why, true
		}
		if l.to.log >= 0 {
			j.known[l.to] = append(j.known[l.to], lifeRef{i, k})
		}
	}
}
