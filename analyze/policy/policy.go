// Package policy holds a result against what a team allows: limits, growth, regressions, findings that are known. Parse reads
// the policy file, a strict YAML; Options puts its thresholds into an analysis; Judge then turns the Result of that analysis
// into checks and a verdict. It fails closed: what was not measured does not pass.
//
// The tables in keys.go are the grammar; JSONSchema writes them down for editors, docs/policy.md explains them by example.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtide/memtide/analyze"
)

// Policy is a policy file that was read without a fault.
type Policy struct {
	name, sha256 string
	warnings     []string

	failOn, onInconclusive, onKept string
	limits                         []limit
	growth                         []growth
	objectives                     []objective
	alignments                     []analyze.Alignment
	regressions                    []regression
	known                          []known
	builtIn, advice                bool
	replace                        map[string]float64
}

// rule is what all rules with a pattern have in common.
type rule struct {
	match    analyze.Match
	metric   string
	bytes    bool // the threshold is a size; false for counts
	severity string
	require  bool
	title    string // what it is called in checks and errors
	at       place
}

type limit struct {
	rule
	threshold
	below bool
	every int
}

type growth struct {
	rule
	max     pace
	expires time.Time // zero: never
}

type objective struct {
	rule
	amount
	below                   bool
	deviation, window, step float64
	windows                 int
}

type regression struct {
	rule
	absolute, relative, singleRun *float64
}

type known struct {
	fingerprint, reason string
	expires             time.Time
	at                  place
}

// Parse reads a policy file. The error is of type Errors and lists every fault with its place in the file called name.
func Parse(name string, data []byte) (*Policy, error) {
	sum := sha256.Sum256(data)
	p := &Policy{name: name, sha256: hex.EncodeToString(sum[:]), builtIn: true, replace: map[string]float64{}}
	d := &decoder{file: name, lines: strings.Split(string(data), "\n")}
	if top, ok := d.document(data); ok {
		o := d.object(top, topKeys)
		d.fill(p, o)
		d.contradictions(p)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// Warnings are what is odd about a policy and yet no fault: a metric that memtide does not know.
func (p *Policy) Warnings() []string { return p.warnings }

// fill builds the policy from what the decoder read.
func (d *decoder) fill(p *Policy, o object) {
	p.advice = o.flag("advice", false)
	p.failOn, p.onInconclusive, p.onKept = o.text("fail_on", "warning"), o.text("on_inconclusive", "warn"), o.text("on_kept", "warn")
	for _, l := range o.objects["limits"] {
		p.limits = append(p.limits, d.limits(p, l)...)
	}
	for _, g := range o.objects["growth"] {
		r := growth{rule: d.rule(p, g, "growth")}
		if v, ok := g.scalars["max"]; ok {
			r.max = v.of.(pace)
			r.bytes = d.unit(v.at, r.rule, r.max.amount)
		}
		r.expires = g.date("expires")
		p.growth = append(p.growth, r)
	}
	for _, g := range o.objects["alignment"] {
		a := analyze.Alignment{Name: g.text("title", ""), Kind: g.text("kind", ""), Mapping: g.text("mapping", ""), Severity: g.text("severity", "warning")}
		if v, ok := g.scalars["multiple"]; ok {
			a.Multiple = v.of.(int64)
		}
		if a.Kind == "" && a.Mapping == "" {
			d.errorf(g.at, "the rule says neither kind nor mapping")
		}
		if a.Name == "" {
			a.Name = fmt.Sprintf("alignment of %s%s", a.Kind, a.Mapping)
		}
		p.alignments = append(p.alignments, a)
	}
	for _, g := range o.objects["objectives"] {
		p.objectives = append(p.objectives, d.objective(p, g)...)
	}
	for _, g := range o.objects["regressions"] {
		p.regressions = append(p.regressions, d.regression(p, g))
	}
	for _, k := range o.objects["known"] {
		p.known = append(p.known, known{fingerprint: k.text("fingerprint", ""), reason: k.text("reason", ""), expires: k.date("expires"), at: k.at})
	}
	for _, lines := range o.objects["redlines"] {
		d.redlines(p, lines)
	}
}

// limits makes a rule of max and one of min.
func (d *decoder) limits(p *Policy, o object) (out []limit) {
	for _, side := range []string{"max", "min"} {
		v, ok := o.scalars[side]
		if !ok {
			continue
		}
		l := limit{rule: d.rule(p, o, side), threshold: v.of.(threshold), below: side == "min"}
		l.bytes = d.unit(v.at, l.rule, l.amount)
		if l.of != "" {
			l.title += " of " + l.of
		}
		if t := o.text("title", ""); t != "" {
			l.title = t
			if o.has("max") && o.has("min") {
				l.title += " (" + side + ")"
			}
		}
		if n, ok := o.scalars["every"]; ok {
			l.every = n.of.(int)
		}
		out = append(out, l)
	}
	if !o.has("max") && !o.has("min") {
		d.errorf(o.at, "the limit has neither max nor min")
	}
	return out
}

// objective reads an objective, which is kept below max or above min, or both.
func (d *decoder) objective(p *Policy, o object) (out []objective) {
	number := func(key string) float64 {
		if v, ok := o.scalars[key]; ok {
			return v.of.(float64)
		}
		return 0
	}
	for _, side := range []string{"max", "min"} {
		v, ok := o.scalars[side]
		if !ok {
			continue
		}
		g := objective{rule: d.rule(p, o, "objective "+side), amount: v.of.(amount), below: side == "min", deviation: number("deviation"), window: number("window"), step: number("step")}
		g.rule.bytes = d.unit(v.at, g.rule, g.amount)
		if t := o.text("title", ""); t != "" {
			g.title = t
			if o.has("max") && o.has("min") {
				g.title += " (" + side + ")"
			}
		}
		if n, ok := o.scalars["windows"]; ok {
			g.windows = n.of.(int)
		}
		if g.amount.v == 0 {
			d.errorf(v.at, "an objective of 0 has no share by which it is missed: use a limit")
		}
		out = append(out, g)
	}
	if len(out) == 0 {
		d.errorf(o.at, "the objective has neither max nor min")
	}
	return out
}

func (d *decoder) regression(p *Policy, o object) regression {
	r := regression{rule: d.rule(p, o, "regression")}
	share := func(key string) *float64 {
		if v, ok := o.scalars[key]; ok {
			f := v.of.(float64)
			return &f
		}
		return nil
	}
	r.relative, r.singleRun = share("relative"), share("single_run")
	if v, ok := o.scalars["absolute"]; ok {
		a := v.of.(amount)
		r.bytes = d.unit(v.at, r.rule, a)
		r.absolute = &a.v
	}
	zero := 0.0
	switch {
	case !o.has("absolute") && !o.has("relative") && !o.has("single_run"):
		d.errorf(o.at, "the rule tolerates nothing and says nothing: want absolute, relative or single_run")
	case r.absolute == nil && r.relative != nil:
		r.absolute = &zero
	case r.absolute != nil && r.relative == nil:
		r.relative = &zero
	}
	return r
}

func (d *decoder) redlines(p *Policy, o object) {
	p.builtIn = o.flag("built_in", true)
	for _, name := range analyze.BuiltInRedlines {
		v, ok := o.scalars[name]
		if !ok {
			continue
		}
		p.replace[name] = v.of.(amount).v
		if !p.builtIn {
			d.errorf(v.at, "%s is given a limit, but built_in is off", name)
		}
	}
}

// rule reads what all rules have in common.
func (d *decoder) rule(p *Policy, o object, verb string) rule {
	r := rule{metric: o.text("metric", ""), severity: o.text("severity", "critical"), require: o.flag("require", false), at: o.at, bytes: true}
	r.match = analyze.Match{Metric: r.metric, Process: o.text("process", ""), Scope: "process"}
	if r.match.Process == "*" {
		r.match.Process = ""
	}
	ways, where := 0, ""
	for _, scope := range []string{"category", "mapping", "device"} {
		if o.has(scope) {
			r.match.Scope, r.match.Name = scope, o.text(scope, "")
			ways, where = ways+1, " of "+scope+" "+r.match.Name
		}
	}
	if o.has("scope") {
		r.match.Scope, r.match.Name = o.text("scope", ""), o.text("name", "")
		ways, where = ways+1, strings.TrimRight(" of "+r.match.Scope+" "+r.match.Name, " ")
	}
	switch {
	case ways > 1:
		d.errorf(o.at, "the rule has more than one of category, mapping, device and scope")
	case o.has("name") && !o.has("scope"):
		d.errorf(o.keys["name"], "name needs a scope beside it")
	}
	r.title = verb + " " + r.metric + where
	if r.match.Process != "" {
		r.title += " in " + r.match.Process
	}
	p.warnings = append(p.warnings, d.unknownMetric(o)...)
	return r
}

// unknownMetric warns of a metric that memtide does not list: a capture may have it, but a slip of the pen is more likely.
func (d *decoder) unknownMetric(o object) []string {
	v, ok := o.scalars["metric"]
	if !ok || strings.Contains(v.of.(string), "*") {
		return nil
	}
	all := metricNames()
	if slices.Contains(all, v.of.(string)) {
		return nil
	}
	return []string{fmt.Sprintf("%s:%d:%d: memtide does not list a metric %q%s", d.file, v.at.line, v.at.column, v.of, nearest(v.of.(string), all))}
}

// unit holds that a size is asked of bytes and a bare number of a count.
func (d *decoder) unit(p place, r rule, a amount) (bytes bool) {
	switch counted := counts(r.metric); {
	case counted == "count" && a.bytes:
		d.errorf(p, "%s is a count: want a number without a unit", r.metric)
	case counted != "" && counted != "bytes" && a.bytes:
		d.errorf(p, "%s is in %s: want a number without a unit", r.metric, counted)
	case counted == "bytes" && !a.bytes:
		d.errorf(p, "%s is in bytes: want a size such as %.0f MiB", r.metric, max(a.v, 1))
	}
	return a.bytes
}

// counts is the unit of a metric; empty if it may be either. A pattern with a star is taken as bytes.
func counts(metric string) string {
	for _, m := range analyze.Metrics() {
		if m.Name == metric {
			return m.Unit
		}
	}
	switch {
	case metric == "count" || strings.HasSuffix(metric, "_count"):
		return "count"
	case strings.Contains(metric, "*"):
		return "bytes"
	}
	return ""
}

// Options puts the thresholds of the policy into those of an analysis.
func (p *Policy) Options(o analyze.Options) analyze.Options {
	o.Advice.On, o.Alignments = p.advice, p.alignments
	o.Redlines.BuiltIn, o.Redlines.Replace, o.Redlines.Lines = p.builtIn, p.replace, nil
	for _, l := range p.limits {
		o.Redlines.Lines = append(o.Redlines.Lines, analyze.Redline{Name: l.title, Match: l.match, Limit: l.v, Of: l.of, Below: l.below, Every: l.every, Severity: l.severity})
	}
	for _, g := range p.objectives {
		o.Objectives = append(o.Objectives, analyze.Objective{Name: g.title, Match: g.match, Limit: g.amount.v, Below: g.below, Deviation: g.deviation, WindowS: g.window, StepS: g.step, Windows: g.windows, Severity: g.severity})
	}
	o.AB.Bands = nil
	for _, r := range p.regressions {
		o.AB.Bands = append(o.AB.Bands, analyze.Band{Match: r.match, Bytes: r.absolute, Share: r.relative, SingleRun: r.singleRun})
	}
	return o
}
