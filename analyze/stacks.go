package analyze

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// StackUse is what one call chain holds at one moment, and what it has allocated up to then. What is not known is not OK. It does
// not hold its calls, which would be those of the trie many times over: Each walks them.
type StackUse struct {
	Process, Kind, Device    string
	Stack                    int64     // frames.id of the leaf
	Class                    string    // what stands for the calls where there is no stack
	Bytes, Objects           table.Int // alive
	TotalBytes, TotalObjects table.Int
	complete                 bool
}

// Each visits the calls, leaf first, as long as visit says so; a call is valid until visit returns. s is the set that the stack is of.
func (u *StackUse) Each(s *table.Set, visit func(*table.Call) bool) {
	if u.Class != "" {
		visit(&table.Call{Function: u.Class})
		return
	}
	s.EachCall(u.Stack, func(c *table.Call) bool { return c.Garbage() || visit(c) })
}

// StacksAt gives the stacks of a run at a moment: those that its sites list or, where it has none, those of the objects that its
// events leave alive. A log of events begins with nothing alive, so the first moment of it has no stacks.
func StacksAt(s *table.Set, at table.Moment) (out []StackUse) {
	r := newResolver(s)
	take := func(u *StackUse) { out = append(out, *u) }
	if s.Len(table.Sites) > 0 {
		r.listedStacks(at, take)
		return out
	}
	if at.First {
		return nil
	}
	l, ops := lifetime.New(r.empty), map[table.Sym]lifetime.Op{}
	s.EachEvent(func(e *table.EventRow) {
		op, ok := ops[e.Op]
		if !ok {
			op = lifetime.Ops[s.String(e.Op)]
			ops[e.Op] = op
		}
		if op != lifetime.None && (!at.Until.OK || e.TimeNS <= at.Until.V) {
			x := lifetime.Of(e, op)
			l.Add(&x)
		}
	})
	closed := l.Close()
	r.ledgerStacks(closed, true, (&books{resolver: r}).joinedNames(closed), take)
	return out
}

// listedStacks visits the stacks of what is listed. They are valid until the next.
func (r *resolver) listedStacks(at table.Moment, visit func(*StackUse)) {
	for s := range table.SitesAt(r.set, at) {
		u := StackUse{Process: r.process(s.PID, s.Process), Device: s.Device, Bytes: s.LiveBytes, Objects: s.LiveCount,
			TotalBytes: s.TotalBytes, TotalObjects: s.TotalCount, complete: s.Complete, Stack: s.Stack}
		switch site := r.siteOf(s.Stack, r.set.EachCall); {
		case s.Class != "" && !r.deeper(s.Stack, 0):
			u.Class = s.Class
		case site != "" && site != s.Class:
			u.Kind = s.Class // not the name of the place but of what is allocated there
		}
		visit(&u)
	}
}

// ledgerStacks visits the stacks of a log of events; one of bare addresses that is joined to a named site is told as that. Objects
// without a size have objects only.
func (r *resolver) ledgerStacks(l *lifetime.Books, complete bool, joined []joinedName, visit func(*StackUse)) {
	for i := range l.Sites {
		s := &l.Sites[i]
		if r.set.String(s.Kind) == "gpu-segment" {
			continue // what its blocks lie in, and they are listed
		}
		u := StackUse{Process: r.process(pidOf(s.PID), ""), Kind: r.set.String(s.Kind), Device: r.set.String(s.Device),
			Objects: table.Known(s.Alive), TotalObjects: table.Known(s.Made), complete: complete, Stack: s.Stack}
		if joined[i].raw {
			u.Stack = joined[i].stack
		}
		if s.Sized || s.Bytes > 0 {
			u.Bytes, u.TotalBytes = table.Known(s.Bytes), table.Known(s.MadeBytes)
		}
		visit(&u)
	}
}

// StackFrame is a call in the chain of a StackDelta: calls of one function in one module and file are one, whatever the line or
// address, so that chains of two builds are found to be the same.
type StackFrame struct {
	Function string `json:"function"` // the module in brackets where there is no name
	Module   string `json:"module,omitempty"`
	File     string `json:"file,omitempty"`
}

// frameOf is a call without what differs from build to build.
func frameOf(c *table.Call) StackFrame {
	f := StackFrame{Function: identity(c.Function), Module: strings.TrimSuffix(c.Module, " (deleted)"), File: c.SourceFile}
	switch {
	case f.Function != "":
	case f.Module != "":
		f.Function = "[" + f.Module + "]"
	case c.HasAddress:
		f.Function = c.Name()
	case f.File != "":
		f.Function = path.Base(f.File)
		if c.SourceLine.OK { // of languages whose tools name lines only, a line is the name
			f.Function += fmt.Sprintf(":%d", c.SourceLine.V)
		}
	}
	f.Function = cmp.Or(f.Function, "[unknown]")
	return f
}

// StackLevel is what a call chain holds. Nil is not known.
type StackLevel struct {
	Bytes   *int64 `json:"bytes"`
	Objects *int64 `json:"objects"`
}

// StackDelta is what one call chain holds at the end of the runs of two sides: the mean over the runs of a side, so that rows
// add up. A chain that a complete capture does not have is 0 there; a side that could not have shown it is nil.
type StackDelta struct {
	Run     string       `json:"run,omitempty"` // of a one-sided result
	Process string       `json:"process,omitempty"`
	Kind    string       `json:"kind,omitempty"` // of the objects
	Device  string       `json:"device,omitempty"`
	Stack   []StackFrame `json:"stack"` // leaf first; empty for a rest
	Before  *StackLevel  `json:"before"`
	After   *StackLevel  `json:"after"`
	Delta   *StackLevel  `json:"delta"` // nil of a one-sided result
	Ratio   *float64     `json:"ratio"` // after by before: of bytes where both are known, else of objects
	State   Change       `json:"state,omitempty"`
	Rest    int          `json:"rest,omitempty"`    // the chains that this row stands for: those that are not listed
	Partial bool         `json:"partial,omitempty"` // a side lists only some of the chains of the process
}
