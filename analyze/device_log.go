package analyze

import (
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// deviceLog is the lives of device memory in one log: of the CPU's side, which knows who called, or of the device's side.
type deviceLog struct {
	c     *Capture
	b     *books
	file  *table.File
	lives []lifetime.Life
	cut   bool // there were more lives than are kept

	clock  string // that others may share: wall or boot; empty if there is none
	offset int64  // from its times to that clock, ns
	end    int64  // time of its last row
	lost   bool   // not all of its events are known
}

// deviceLogs are those logs of a capture that have lives of device memory.
func (b *books) deviceLogs() []deviceLog {
	return slices.DeleteFunc(b.logs, func(l deviceLog) bool { return len(l.lives) == 0 })
}

// settle finds the clock of a log, and whether events are missing.
func (l *deviceLog) settle() {
	l.end, l.lost = l.file.Last, l.cut
	l.clock, l.offset = l.file.Origin()
	for _, f := range l.file.Facts {
		if f.Name == "lossy" || f.Name == "partial" || f.Name == "sampled" {
			l.lost = l.lost || f.Value == "true"
		}
	}
	for _, p := range l.file.Problems {
		l.lost = l.lost || p.Count > 0
	}
}

// shares says whether the times of two logs can be held against each other.
func (l *deviceLog) shares(o *deviceLog) bool { return l == o || l.clock != "" && l.clock == o.clock }

// device is the number that a life's log gives its device; empty if it does not say.
func (l *deviceLog) device(x *lifetime.Life) string { return deviceNumber(l.c.Set.String(x.Device)) }

// deviceNumber takes the number out of "GPU 0", "cuda:0" and "0"; other names, as a UUID is, stay as they are.
func deviceNumber(name string) string {
	rest := strings.ToLower(strings.TrimSpace(name))
	for _, p := range []string{"gpu", "cuda", "device"} {
		rest = strings.TrimPrefix(rest, p)
	}
	rest, _, _ = strings.Cut(strings.TrimLeft(rest, " :#"), " ")
	if rest != "" && strings.Trim(rest, "0123456789") == "" {
		return rest
	}
	return name
}

func (l *deviceLog) kind(x *lifetime.Life) string { return l.c.Set.String(x.Kind) }

func (l *deviceLog) segment(x *lifetime.Life) bool { return l.kind(x) == "gpu-segment" }

// rangeOf is the first and the last byte of a life. It is false for those whose size is not known or 0.
func rangeOf(x *lifetime.Life) (lo, hi uint64, ok bool) {
	if x.Size <= 0 {
		return x.Object, x.Object, false
	}
	hi = x.Object + uint64(x.Size) - 1
	if hi < x.Object {
		hi = math.MaxUint64
	}
	return x.Object, hi, true
}

// from and to are when a life began and ended on the clock of its log; without limit where that was not seen.
func (l *deviceLog) span(x *lifetime.Life) (from, to int64) {
	from, to = x.FromNS+l.offset, x.ToNS+l.offset
	if x.Before {
		from = math.MinInt64
	}
	if x.Alive {
		to = math.MaxInt64
	}
	return from, to
}

// meet says whether two lives overlap, on a clock that their logs share.
func meet(a *deviceLog, x *lifetime.Life, b *deviceLog, y *lifetime.Life) bool {
	f1, t1 := a.span(x)
	f2, t2 := b.span(y)
	lo, hi := max(f1, f2), min(t1, t2)
	return lo < hi || lo == hi && (f1 == t1 || f2 == t2)
}

// mostApart is by how much two captures may differ on when one allocation was made: more is no shared clock, whatever they say.
const mostApart = 1_000_000_000

// oneAct says whether lives that begin at one address can have been made by one call, by the times of both.
func oneAct(a *deviceLog, x *lifetime.Life, b *deviceLog, y *lifetime.Life) bool {
	if x.Object != y.Object || x.Before || y.Before || x.Size >= 0 && y.Size >= 0 && x.Size != y.Size {
		return true
	}
	d := x.FromNS + a.offset - y.FromNS - b.offset
	return -mostApart <= d && d <= mostApart
}

// aliveAt says whether a life was held at a time of its log, its end included.
func (l *deviceLog) aliveAt(x *lifetime.Life, t int64) bool {
	return (x.Before || x.FromNS <= t) && (x.Alive || x.ToNS > t)
}
