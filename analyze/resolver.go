package analyze

import (
	"fmt"

	"github.com/memtide/memtide/ingest/table"
)

// resolver names stacks and processes of a set, each once.
type resolver struct {
	set       *table.Set
	stacks    map[int64][]table.Call
	processes map[int64]string
	fallback  string

	severalPIDs bool // the events that were followed as they were read are of several processes
}

func newResolver(s *table.Set) *resolver {
	r := &resolver{set: s, stacks: map[int64][]table.Call{}, processes: s.ProcessNames()}
	names := map[string]bool{}
	for _, f := range s.Facts() {
		if f.Name == "process" {
			names[f.Value] = true
			r.fallback = f.Value
		}
	}
	if len(names) > 1 {
		r.fallback = ""
	}
	return r
}

// mostKept is how many stacks are kept resolved: a log may have a deep one for each of its events.
const mostKept = 4096

// calls gives a stack leaf first, without addresses that are none: above the user's half of the address space and not of the kernel.
func (r *resolver) calls(id int64) []table.Call {
	if out, ok := r.stacks[id]; ok {
		return out
	}
	var out []table.Call
	for _, c := range r.set.Calls(id) {
		if c.Garbage() {
			continue
		}
		out = append(out, c)
	}
	if len(r.stacks) >= mostKept {
		clear(r.stacks)
	}
	r.stacks[id] = out
	return out
}

// empty says whether a stack has nothing but its leaf: nobody called.
func (r *resolver) empty(id int64) bool { return len(r.calls(id)) <= 1 }

// process is the name of a process: as its rows have it, else as the capture says, else by its pid where there are several.
func (r *resolver) process(pid table.Int, name string) string {
	switch {
	case name != "":
		return name
	case pid.OK && r.processes[pid.V] != "":
		return r.processes[pid.V]
	case r.fallback != "":
		return r.fallback
	case pid.OK && (r.severalPIDs || r.set.EventPIDs() > 1):
		return fmt.Sprintf("pid %d", pid.V)
	}
	return ""
}

// names gives the functions of a stack, leaf first, as people read them.
func names(calls []table.Call) (out []string) {
	for i := range calls {
		out = append(out, readable(calls[i].Name()))
	}
	return out
}

// shown gives the functions with their source lines, where the capture has them.
func shown(calls []table.Call) (out []string) {
	for i := range calls {
		c := &calls[i]
		text := readable(c.Name())
		if c.SourceFile != "" {
			text += " " + c.SourceFile
			if c.SourceLine.OK {
				text += fmt.Sprintf(":%d", c.SourceLine.V)
			}
		}
		out = append(out, text)
	}
	return out
}
