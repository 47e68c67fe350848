package analyze

import (
	"cmp"
	"slices"
	"strings"
)

// Two findings are of the same bytes if so much of what the CPU's side keeps is named by the other, and so much of its growth is of
// objects that the other keeps.
const (
	sameCover = 0.9
	sameShare = 0.5
)

// mergeBonds makes one finding of those that two captures made of the same bytes: that of the device's side, which tells them apart
// more finely, with the other as evidence.
func (r *Result) mergeBonds(j *deviceJoiner, all []*bond) {
	gone := map[int]bool{}
	var alone []*bond // nothing of the device's side keeps what they keep
	for _, cpu := range all {
		f := &r.Findings[cpu.finding]
		if gone[cpu.finding] || j.onDevice(cpu) || !slices.Contains(keepingRules, f.Rule) || cpu.joined == 0 || float64(cpu.joined) < sameCover*float64(cpu.bytes) {
			continue
		}
		same := r.same(j, cpu, all, gone)
		if len(same) == 0 {
			alone = append(alone, cpu)
			continue
		}
		for _, from := range append(same[1:], cpu.finding) {
			r.merge(same[0], from, gone)
		}
	}
	slices.SortStableFunc(alone, func(a, b *bond) int { return cmp.Compare(b.joined, a.joined) })
	for _, cpu := range alone {
		r.mergeLevels(j, cpu, gone)
	}
	kept := r.Findings[:0]
	for n := range r.Findings {
		if !gone[n] {
			kept = append(kept, r.Findings[n])
		}
	}
	r.Findings = kept
}

// onDevice says whether a bond is of the device's side.
func (j *deviceJoiner) onDevice(b *bond) bool { return j.logs[b.own[0].log].file.OnDevice }

// overlap is how much of what a finding of the CPU's side keeps one of the device's side keeps.
type overlap struct {
	finding int
	bytes   int64
	inside  bool // it tells apart what lies in the allocations
}

// same lists the findings of the device's side that keep what one of the CPU's side keeps, the one that tells it apart most finely
// first. Where no single one keeps enough of it and together they do, it is the greatest of them.
func (r *Result) same(j *deviceJoiner, cpu *bond, all []*bond, gone map[int]bool) (out []int) {
	own := map[lifeRef]bool{}
	for _, k := range cpu.own {
		own[k] = true
	}
	var found []overlap
	sum := int64(0)
	for _, g := range all {
		if !j.onDevice(g) || gone[g.finding] || !slices.Contains(keepingRules, r.Findings[g.finding].Rule) {
			continue
		}
		o := overlap{finding: g.finding}
		for _, k := range g.own {
			if l := &j.links[k.log][k.life]; own[l.to] {
				o.bytes, o.inside = addSizes(o.bytes, j.life(k).Size), o.inside || l.inside
			}
		}
		sum, found = addSizes(sum, o.bytes), append(found, o)
	}
	enough := sameShare * r.grownBy(cpu)
	slices.SortStableFunc(found, func(a, b overlap) int {
		return cmp.Or(b2i(float64(b.bytes) >= enough)-b2i(float64(a.bytes) >= enough), b2i(b.inside)-b2i(a.inside), cmp.Compare(b.bytes, a.bytes))
	})
	for n, o := range found {
		if o.bytes > 0 && (n == 0 && float64(sum) >= enough || float64(o.bytes) >= enough) {
			out = append(out, o.finding)
		}
	}
	return out
}

// grownBy is the growth that a finding is about, at most what of it the other side names.
func (r *Result) grownBy(b *bond) float64 {
	if growth := r.Findings[b.finding].Stats["growth"]; growth > 0 {
		return min(float64(b.joined), growth)
	}
	return float64(b.joined)
}

// mergeLevels makes growth of a device, as its own capture shows it, part of the finding that says who keeps the memory: if that is
// enough of the growth. Of several findings the greatest is asked first.
func (r *Result) mergeLevels(j *deviceJoiner, cpu *bond, gone map[int]bool) {
	device := r.Findings[cpu.finding].Joined.Device
	for n := range r.Findings {
		f := &r.Findings[n]
		if gone[n] || f.Rule != "growth" || f.Subject.Scope != "device" || !strings.HasPrefix(f.Subject.Metric, "gpu_") || device == "" || deviceNumber(f.Subject.Name) != device {
			continue
		}
		growth, known := f.Stats["growth"]
		if !known || float64(cpu.joined) < sameShare*growth {
			continue
		}
		if slices.ContainsFunc(cpu.other, func(ref lifeRef) bool { return j.logs[ref.log].c.Name == f.Run && j.logs[ref.log].c.Side == f.Side }) {
			r.merge(cpu.finding, n, gone)
		}
	}
}

// merge makes a finding part of another.
func (r *Result) merge(into, from int, gone map[int]bool) {
	f, g := &r.Findings[into], &r.Findings[from]
	gone[from] = true
	if !slices.ContainsFunc(f.Joined.Merged, func(m Merged) bool { return m.Fingerprint == g.Fingerprint }) {
		f.Joined.Merged = append(f.Joined.Merged, Merged{g.Rule, g.Run, g.Severity, g.Message, g.Fingerprint})
	}
	if slices.Index(severities, g.Severity) > slices.Index(severities, f.Severity) {
		f.Severity, f.settled = g.Severity, g.settled
	}
	for _, e := range g.Evidence {
		if e.File == f.Joined.Sides[0].File {
			continue // it is told already
		}
		if !slices.ContainsFunc(f.Evidence, func(o Evidence) bool { return o.File == e.File && o.Line == e.Line }) {
			f.Evidence = append(slices.Clone(f.Evidence), e)
		}
	}
	for _, w := range g.Warnings {
		if !slices.Contains(f.Warnings, w) {
			f.Warnings = append(slices.Clone(f.Warnings), w)
		}
	}
}
