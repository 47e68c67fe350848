package analyze

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// resolver names stacks and processes of a set, each once.
type resolver struct {
	set       *table.Set
	stacks    map[int64][]table.Call
	kept      int // calls in stacks
	processes map[int64]string
	fallback  string
	python    *bool // a frame is one of Python; nil before that is asked

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

// mostKept is how many calls are kept resolved: a log may have a deep stack for each of its events.
const mostKept = 1 << 15

// calls gives a stack leaf first, without addresses that are none: above the user's half of the address space and not of the kernel.
func (r *resolver) calls(id int64) []table.Call {
	if out, ok := r.stacks[id]; ok {
		return out
	}
	var out []table.Call
	r.each(id, func(c *table.Call) bool {
		out = append(out, *c)
		return true
	})
	if r.kept += len(out) + 1; r.kept > mostKept {
		clear(r.stacks)
		r.kept = len(out) + 1
	}
	r.stacks[id] = out
	return out
}

// each visits what calls gives, without keeping it: of most stacks of a capture only the first calls are asked for.
func (r *resolver) each(id int64, visit func(*table.Call) bool) {
	r.set.EachCall(id, func(c *table.Call) bool { return c.Garbage() || visit(c) })
}

// deeper says whether a stack has more than so many calls.
func (r *resolver) deeper(id int64, n int) bool {
	r.each(id, func(*table.Call) bool {
		n--
		return n >= 0
	})
	return n < 0
}

// empty says whether a stack has nothing but its leaf: nobody called.
func (r *resolver) empty(id int64) bool { return !r.deeper(id, 1) }

// depth is the number of calls.
func (r *resolver) depth(id int64) (n int) {
	r.each(id, func(*table.Call) bool {
		n++
		return true
	})
	return n
}

// bare says whether the first two frames of a stack are addresses without a name.
func (r *resolver) bare(id int64) bool {
	n, raw := 0, 0
	r.each(id, func(c *table.Call) bool {
		n++
		raw += b2i(c.Raw())
		return n < 2 && raw == n
	})
	return raw == 2
}

// siteOf is table.SiteOf of a stack that each gives by its calls. Only where there is Python the whole of it must be looked at.
func (r *resolver) siteOf(id int64, each func(int64, func(*table.Call) bool)) string {
	var leaf, own *table.Call
	each(id, func(c *table.Call) bool {
		copied := *c
		switch {
		case isPython(c):
			own = &copied
			return false
		case own == nil && !table.IsAllocator(c.Function, c.Module):
			own = &copied
		case leaf == nil:
			leaf = &copied
		}
		return own == nil || r.hasPython()
	})
	switch {
	case own != nil:
		return own.Name()
	case leaf != nil:
		return leaf.Name()
	}
	return ""
}

func isPython(c *table.Call) bool { return strings.HasSuffix(c.SourceFile, ".py") }

func (r *resolver) hasPython() bool {
	if r.python == nil {
		has := r.set.HasFrame(isPython)
		r.python = &has
	}
	return *r.python
}

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
