package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// faultRules are the rules of faults that tools state, by their kind; any other kind is a fault. An empty rule makes no finding:
// what is still reachable is no leak, and what may be lost is not known to be.
var faultRules = map[string]string{
	"leak-definite": "leaked", "leak-indirect": "leaked", "leak-possible": "", "leak-reachable": "", "leak-cycle": "",
	"use-after-free": "use-after-free", "double-free": "double-free", "mismatched-free": "mismatched-pair",
}

// faults makes findings of the faults that a capture reports: leaks that a memory checker states by site, the rest one by one.
func (r *Result) faults(c *Capture, b *books) {
	if c.Set == nil {
		r.Findings = append(r.Findings, c.earlierFindings()...)
		return
	}
	rows := table.FaultsOf(c.Set)
	stated := statedLeaks{index: map[Subject]*Finding{}}
	for i := range rows {
		f := &rows[i]
		rule, known := faultRules[f.Kind]
		switch {
		case rule == "leaked":
			stated.add(c, b, f)
		case known && rule == "":
		default:
			r.Findings = append(r.Findings, faultFinding(c, b, f, cmp.Or(rule, "fault")))
		}
	}
	r.Findings = append(r.Findings, stated.findings()...)
	if len(stated.order) == 0 {
		r.Findings = append(r.Findings, c.leakedClasses(b, rows)...)
	}
}

// leakedClasses makes findings of what a memory checker states by class of objects, at its last look.
func (c *Capture) leakedClasses(b *books, rows []table.FaultRow) (out []Finding) {
	type class struct{ process, name string }
	figures := map[class]map[string]float64{}
	var order []class
	places := map[class]Evidence{}
	for _, s := range table.SeriesOf(c.Set) {
		if s.Scope != "class" || s.Metric != "leaked_bytes" && s.Metric != "leaked_count" && s.Metric != "cycle_count" {
			continue
		}
		k := class{s.Process, s.Name}
		if figures[k] == nil {
			figures[k] = map[string]float64{}
			order = append(order, k)
		}
		n := len(s.Value) - 1
		figures[k][s.Metric] = float64(s.Value[n])
		p := s.At(n)
		places[k] = Evidence{File: p.File, Line: p.Line, TimeNS: &s.TimeNS[n]}
	}
	for _, k := range order {
		v := figures[k]
		if v["leaked_count"] == 0 && v["leaked_bytes"] == 0 {
			continue
		}
		out = append(out, c.leakedClass(b, rows, k.process, k.name, v, places[k]))
	}
	return out
}

func (c *Capture) leakedClass(b *books, rows []table.FaultRow, process, name string, v map[string]float64, at Evidence) Finding {
	f := Finding{Rule: "leaked", Class: "heap", Severity: "critical", Side: c.Side, Run: c.Name, Subject: Subject{process, "class", name, "leaked_bytes"}, Evidence: []Evidence{at}, Warnings: []string{},
		Stats:   map[string]float64{"objects": v["leaked_count"], "bytes": v["leaked_bytes"]},
		Message: fmt.Sprintf("%s: %.0f objects and %s are lost: nothing reachable refers to them.", name, v["leaked_count"], mebibytes(v["leaked_bytes"])),
		Advice:  "A memory checker found it lost: free it where its last reference ends."}
	if v["cycle_count"] > 0 {
		f.Class, f.Stats["cycles"] = "retain-cycle", v["cycle_count"]
		f.Message += fmt.Sprintf(" %.0f of the roots are cycles", v["cycle_count"])
		if edges := closing(rows, name); edges != "" {
			f.Message += ", closed by " + edges
		}
		f.Message += "."
		f.Advice = "Make the reference that closes the cycle weak or unowned, or end it when the owner goes away."
	}
	for _, s := range b.sites {
		if s.name == name && len(s.chains) > 0 {
			f.Stack, f.suspects = shown(s.chains[0].calls()), names(s.chains[0].calls())
			break
		}
	}
	f.Fingerprint = fingerprint("leaked", Subject{Process: process, Scope: "class", Name: name}, f.Class)
	return f
}

// closing names the fields that close the cycles of a class.
func closing(rows []table.FaultRow, name string) string {
	var edges []string
	for i := range rows {
		if f := &rows[i]; f.Kind == "leak-cycle" && strings.HasSuffix(f.Detail, "--> "+name) {
			edges = append(edges, f.Detail)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	if len(edges) > 3 {
		return strings.Join(edges[:3], ", ") + fmt.Sprintf(" and %d more", len(edges)-3)
	}
	return strings.Join(edges, ", ")
}

// statedLeaks gathers the leaks of a memory checker by allocating site.
type statedLeaks struct {
	index map[Subject]*Finding
	order []Subject
}

func (l *statedLeaks) add(c *Capture, b *books, f *table.FaultRow) {
	calls := b.resolver.calls(cmp.Or(f.AllocID, f.StackID))
	s := Subject{Process: b.resolver.process(f.PID, f.Process), Scope: "class", Name: cmp.Or(table.SiteOf(calls), "a site without a stack"), Metric: "leaked_bytes"}
	one := l.index[s]
	if one == nil {
		one = &Finding{Rule: "leaked", Class: "heap", Severity: "critical", Side: c.Side, Run: c.Name, Subject: s, Stats: map[string]float64{"bytes": 0, "objects": 0}, Warnings: []string{},
			Stack: shown(calls), Advice: "A memory checker found it lost: nothing points to it any more. Free it where its last reference ends.", Grain: "function", calls: calls, suspects: names(calls),
			Fingerprint: fingerprint("leaked", Subject{Process: s.Process, Scope: s.Scope, Name: s.Name}, "heap")}
		l.index[s] = one
		l.order = append(l.order, s)
	}
	if kind := b.deviceKind(f); kind != "" {
		one.Class = kind
	}
	one.Stats["bytes"] += float64(f.Size.V)
	one.Stats["objects"] += b.objectsOf(f)
	if len(one.Evidence) < 5 {
		one.Evidence = append(one.Evidence, Evidence{File: f.File, Line: f.Line})
	}
	if f.Kind == "leak-indirect" {
		one.Stats["indirect_bytes"] += float64(f.Size.V)
	}
}

// deviceKind is the kind of device memory that a stated leak is of, where the capture's sites are by kind.
func (b *books) deviceKind(f *table.FaultRow) string {
	for _, s := range b.sites {
		if slices.Contains(deviceKinds, s.name) && slices.ContainsFunc(s.chains, func(k chain) bool { return k.stack == cmp.Or(f.AllocID, f.StackID) }) {
			return s.name
		}
	}
	return ""
}

// objectsOf is the number of blocks of a stated leak: the sites of the capture count them by stack.
func (b *books) objectsOf(f *table.FaultRow) float64 {
	for _, s := range b.sites {
		for i := range s.chains {
			if k := &s.chains[i]; k.stack != 0 && k.stack == cmp.Or(f.AllocID, f.StackID) && k.bytes == float64(f.Size.V) && k.count > 0 {
				return k.count
			}
		}
	}
	return 1
}

func (l *statedLeaks) findings() (out []Finding) {
	for _, s := range l.order {
		f := l.index[s]
		f.Message = fmt.Sprintf("%s lost %s in %.0f blocks, by the memory checker's own count", readable(s.Name), mebibytes(f.Stats["bytes"]), f.Stats["objects"])
		if v := f.Stats["indirect_bytes"]; v > 0 {
			f.Message += fmt.Sprintf(" (%s of it only through other lost blocks)", mebibytes(v))
		}
		f.Message += "."
		out = append(out, *f)
	}
	return out
}

// faultFinding is a fault that a tool states: a misuse of memory by its function, else a fault of the process.
func faultFinding(c *Capture, b *books, f *table.FaultRow, rule string) Finding {
	process := b.resolver.process(f.PID, f.Process)
	calls := b.resolver.calls(f.StackID)
	detail, _, _ := strings.Cut(f.Detail, roomsFollow)
	message := strings.TrimSuffix(strings.TrimSpace(fmt.Sprintf("%s: %s %s", cmp.Or(process, "a process"), f.Kind, detail)), ".") + "."
	if told := outOfMemory(process, f); told != "" {
		message = told
	}
	out := Finding{Rule: rule, Class: f.Kind, Severity: "critical", Side: c.Side, Run: c.Name, Subject: Subject{Process: process, Scope: "process", Metric: f.Kind}, Message: message,
		Evidence: []Evidence{{File: f.File, Line: f.Line, TimeNS: &f.TimeNS}}, Stats: map[string]float64{}, Stack: shown(calls), Warnings: []string{}, Advice: faultAdvice(f),
		AllocStack: shown(b.resolver.calls(f.AllocID)), FreeStack: shown(b.resolver.calls(f.FreeID))}
	out.calls, out.suspects = calls, f.Stack[:min(3, len(f.Stack))]
	if rule != "fault" {
		out.Subject = Subject{Process: process, Scope: "class", Name: cmp.Or(table.SiteOf(calls), f.Kind)}
		out.Class, out.Advice = "heap", misuseAdvice[rule]
		out.Stats["objects"], out.Stats["events"] = 1, 1
	}
	if f.Kind == "gpu-oom" {
		out.refused(f.Detail, f.Size)
	}
	if f.Size.OK {
		out.Stats["size"] = float64(f.Size.V)
		if f.Kind == "oom-kill" || f.Kind == "kill" {
			out.Message += fmt.Sprintf(" It held %s.", mebibytes(float64(f.Size.V)))
		}
	}
	out.Fingerprint = fingerprint(rule, out.Subject, out.suspects...)
	return out
}

func faultAdvice(f *table.FaultRow) string {
	switch f.Kind {
	case "oom-kill":
		for _, own := range []string{"per-process-limit", "highwater", "memory_termination"} {
			if strings.Contains(f.Detail, own) {
				return "The process came to its own limit: see what it held, and how far the captures before it were from that limit."
			}
		}
		return "The system ran out of memory and chose this process: see what grew before it, and whether the limit fits."
	case "crash":
		return "Look at the top frames; rebuild with AddressSanitizer or enable GWP-ASan if the cause is not plain."
	case "gpu-oom":
		return "A request for device memory was refused: see what held the memory then, and how far reserved is above allocated."
	}
	return "A memory error of the program: the stacks of allocation and release, where they are given, show both sides of it."
}
