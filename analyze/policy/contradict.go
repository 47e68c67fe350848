package policy

import (
	"time"

	"github.com/memtide/memtide/analyze"
)

// contradictions finds rules that cannot both be meant.
func (d *decoder) contradictions(p *Policy) {
	d.twice(p.limits)
	d.crossed(p.limits)
	var g, r []reachable
	for _, one := range p.growth {
		g = append(g, reachable{one.rule, one.expires})
	}
	for _, one := range p.regressions {
		r = append(r, reachable{rule: one.rule})
	}
	d.hidden(g)
	d.hidden(r)
	seen := map[string]place{}
	for _, k := range p.known {
		if first, ok := seen[k.fingerprint]; ok && k.fingerprint != "" {
			d.errorf(k.at, "the finding %s stands in line %d too", k.fingerprint, first.line)
		}
		seen[k.fingerprint] = k.at
	}
}

// twice finds limits of one kind on one pattern, and titles that two limits have. Of two limits on one thing only the tighter
// one would ever speak.
func (d *decoder) twice(all []limit) {
	type what struct {
		match analyze.Match
		of    string
		below bool
		every int
	}
	seen, titles := map[what]place{}, map[string]place{}
	for _, name := range analyze.BuiltInRedlines {
		titles[name] = place{}
	}
	for _, l := range all {
		w := what{l.match, l.of, l.below, l.every}
		if first, ok := seen[w]; ok {
			d.errorf(l.at, "contradicts line %d: the same pattern has another limit there", first.line)
			continue
		}
		seen[w] = l.at
		switch first, ok := titles[l.title]; {
		case ok && first.line == 0:
			d.errorf(l.at, "the title %q is that of a built-in red line; change that one under redlines", l.title)
		case ok:
			d.errorf(l.at, "the title %q stands in line %d too", l.title, first.line)
		}
		titles[l.title] = l.at
	}
}

// crossed finds a min that is not below the max of the same pattern.
func (d *decoder) crossed(all []limit) {
	for _, hi := range all {
		for _, lo := range all {
			if lo.below && !hi.below && lo.match == hi.match && lo.of == hi.of && lo.v >= hi.v {
				d.errorf(lo.at, "min is not below the max of line %d", hi.at.line)
			}
		}
	}
}

// reachable is a rule of a list whose first fitting rule holds; one that ends makes way for those behind it.
type reachable struct {
	rule
	expires time.Time // zero: never
}

// outlasts says whether a rule holds on every day on which another does.
func (r *reachable) outlasts(o *reachable) bool {
	return r.expires.IsZero() || !o.expires.IsZero() && !r.expires.Before(o.expires)
}

// hidden finds rules that are never reached, because an earlier one fits all that they fit.
func (d *decoder) hidden(all []reachable) {
	for i, late := range all {
		for _, early := range all[:i] {
			if early.outlasts(&late) && early.match.Covers(late.match) {
				d.errorf(late.at, "contradicts line %d, which fits all that this rule fits and comes first: put this one before it", early.at.line)
				break
			}
		}
	}
}
