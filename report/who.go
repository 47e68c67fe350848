package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
)

// machine stands where a process would for what belongs to none: the whole system, a device.
const machine = "\x00"

// who says how processes and runs are called in a report.
type who struct {
	unnamed string            // what the process without a name is called
	runs    map[string]string // a run by side and name: the part of its name that tells it from the others
}

// tell prepares a result to be told. The story works on a copy in which every subject has one process: see identify.
func tell(result *analyze.Result, options Options) *story {
	own := *result
	s := &story{Result: &own, limit: options.filled()}
	s.identify()
	s.align()
	s.splitAdvice()
	s.index()
	s.unnamed, s.who.runs = s.pidOrProcess(), s.runNames()
	s.processes = s.rankProcesses()
	if i := slices.Index(s.processes, machine); i >= 0 && len(s.processes) > 1 {
		s.processes, s.system = slices.Delete(s.processes, i, i+1), true
	}
	return s
}

// identify gives the machine a name of its own, since captures write no process for it as they do for a process whose
// name they do not know; and the only process of each side one name, where the comparison has paired them.
func (s *story) identify() {
	paired := s.pairs()
	nameless := slices.ContainsFunc(s.Series, func(v analyze.Series) bool {
		return v.Subject.Process == "" && slices.Contains([]string{"process", "class", "handle"}, v.Subject.Scope)
	}) ||
		slices.ContainsFunc(s.Deltas, func(d analyze.Delta) bool { return d.Subject.Process == "" && d.Subject.Scope == "process" }) ||
		slices.ContainsFunc(s.Histories, func(h analyze.History) bool { return h.Subject.Process == "" && h.Subject.Scope == "process" })
	fix := func(side string, sub *analyze.Subject) {
		if to, ok := paired[side+"\x00"+sub.Process]; ok && sub.Scope != "system" && sub.Scope != "device" {
			sub.Process = to
		} else if sub.Process == "" && (!nameless || sub.Scope == "system" || sub.Scope == "device" || sub.Scope == "oom") {
			sub.Process = machine
		}
	}
	s.Series, s.Deltas, s.Timeline, s.Findings = slices.Clone(s.Series), slices.Clone(s.Deltas), slices.Clone(s.Timeline), slices.Clone(s.Findings)
	s.Redlines, s.Histories = slices.Clone(s.Redlines), slices.Clone(s.Histories)
	for i := range s.Histories {
		fix("", &s.Histories[i].Subject)
	}
	for i := range s.Redlines {
		fix(s.Redlines[i].Side, &s.Redlines[i].Subject)
	}
	s.Couplings, s.Services = slices.Clone(s.Couplings), slices.Clone(s.Services)
	s.Classes = slices.Clone(s.Classes)
	for i := range s.Classes {
		fix(s.Classes[i].Side, &s.Classes[i].Subject)
	}
	for i := range s.Couplings {
		fix(s.Couplings[i].Side, &s.Couplings[i].Subject)
	}
	for i := range s.Services {
		fix(s.Services[i].Side, &s.Services[i].Subject)
	}
	for i := range s.Series {
		fix(s.Series[i].Side, &s.Series[i].Subject)
	}
	for i := range s.Timeline {
		fix(s.Timeline[i].Side, &s.Timeline[i].Subject)
	}
	for i := range s.Deltas {
		fix("", &s.Deltas[i].Subject)
	}
	for i := range s.Findings {
		if f := &s.Findings[i]; f.Subject.Scope != "" {
			fix(f.Side, &f.Subject)
		}
	}
}

// pairs finds, for each side, the name of its only process if the comparison calls it otherwise.
func (s *story) pairs() map[string]string {
	process := func(sub analyze.Subject) string {
		if sub.Scope != "process" {
			return ""
		}
		return "=" + sub.Process
	}
	compared := distinct(s.Deltas, func(d analyze.Delta) string { return process(d.Subject) })
	if len(compared) != 1 {
		return nil
	}
	out := map[string]string{}
	for _, side := range []string{"before", "after"} {
		of := distinct(s.Series, func(v analyze.Series) string {
			if v.Side != side {
				return ""
			}
			return process(v.Subject)
		})
		if len(of) == 1 && of[0] != compared[0] {
			out[side+"\x00"+of[0][1:]] = compared[0][1:]
		}
	}
	return out
}

// pidOrProcess is what a process without a name is called: by its pid if all captures say the same one.
func (s *story) pidOrProcess() string {
	pid := int64(-1)
	for _, v := range s.Series {
		if v.Subject.Process != "" || v.Subject.Scope != "process" {
			continue
		}
		if v.PID == nil || pid >= 0 && *v.PID != pid {
			return "process"
		}
		pid = *v.PID
	}
	if pid < 0 {
		return "process"
	}
	return fmt.Sprintf("pid %d", pid)
}

// processName stands for a process in headings.
func (s *story) processName(process string) string {
	switch process {
	case machine:
		return "whole system"
	case "":
		return s.unnamed
	}
	return name(process)
}

// heading is the name of a process at the start of a heading: names stay as they are.
func (s *story) heading(process string) string {
	if process == machine || process == "" && s.unnamed == "process" {
		return capital(s.processName(process))
	}
	return s.processName(process)
}

// runNames shortens the names of runs, which are paths, to what differs within a side.
func (s *story) runNames() map[string]string {
	out := map[string]string{}
	for _, side := range []string{"", "before", "after"} {
		runs := distinct(s.Series, func(v analyze.Series) string {
			if v.Side != side {
				return ""
			}
			return v.Run
		})
		same := commonDir(runs)
		for _, r := range runs {
			out[side+"\x00"+r] = name(strings.TrimPrefix(r, same))
		}
		if len(runs) == 1 {
			out[side+"\x00"+runs[0]] = ""
		}
	}
	return out
}

// commonDir is the directory that all paths are in, with its slash.
func commonDir(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	same := paths[0]
	for _, p := range paths {
		for !strings.HasPrefix(p, same) {
			same = same[:len(same)-1]
		}
	}
	return same[:strings.LastIndexByte(same, '/')+1]
}

// runLabel says which run a series is of, as far as there are several: "after run-5".
func (s *story) runLabel(v analyze.Series) string {
	short, known := s.who.runs[v.Side+"\x00"+v.Run]
	if !known {
		short = name(v.Run)
	}
	return strings.TrimSpace(name(v.Side) + " " + short)
}
