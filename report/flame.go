package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// Flame is what call chains hold, for flame graphs: Chains share their beginnings.
type Flame struct {
	ID, Caption string
	Sides       bool // two sides; else all is in After
	Bytes       bool // sizes are known
	Objects     bool // numbers of objects are known
	Chains      []Chain
}

// Chain is one call chain. A level that is not known is nil.
type Chain struct {
	ID            string // the same in every report of these frames
	Frames        []string
	Before, After Held
	Rest          bool // it stands for several chains: it has no frames of its own
}

// Held is what a chain holds.
type Held struct{ Bytes, Objects *int64 }

// stacks are the flame graph of what call chains hold, and the first of them as a table.
func (s *story) stacks() Section {
	section := Section{ID: "stacks", Title: "Who holds it: call chains"}
	if len(s.Stacks) == 0 {
		return section
	}
	f := &Flame{ID: "flame", Sides: s.twoSided()}
	processes := distinct(s.Stacks, func(d analyze.StackDelta) string { return "=" + d.Process })
	kinds := distinct(s.Stacks, func(d analyze.StackDelta) string { return "=" + d.Device + d.Kind })
	for _, d := range s.Stacks {
		f.add(d, len(processes) > 1, len(kinds) > 1)
	}
	f.Caption = "Each bar is a call and as wide as what it and all that it calls hold at the end"
	if f.Sides {
		f.Caption = "Each bar is a call and as wide as the greater side of what it and all that it calls hold at the end; colour and sign say the change"
	}
	section.Blocks = []Block{f, s.chainTable(f)}
	return section
}

func (f *Flame) add(d analyze.StackDelta, processes, kinds bool) {
	c := Chain{Before: heldOf(d.Before), After: heldOf(d.After), Rest: d.Rest > 0}
	for _, frame := range d.Stack {
		c.Frames = append(c.Frames, frameName(frame))
	}
	if c.Rest || len(c.Frames) == 0 {
		c.Frames = []string{plural(max(d.Rest, 1), "more chain")}
	}
	if text := strings.TrimSpace(name(d.Kind) + " " + name(d.Device)); kinds && text != "" {
		c.Frames = append(c.Frames, text)
	}
	if processes && d.Process != "" {
		c.Frames = append(c.Frames, name(d.Process))
	}
	c.ID = anchor("stack", analyze.Subject{Name: strings.Join(c.Frames, "\x00")})
	for _, h := range []Held{c.Before, c.After} {
		f.Bytes, f.Objects = f.Bytes || h.Bytes != nil && *h.Bytes != 0, f.Objects || h.Objects != nil && *h.Objects != 0
	}
	f.Chains = append(f.Chains, c)
}

// frameName is a call in a graph: its function, and its module where the function does not say it.
func frameName(f analyze.StackFrame) string {
	text := name(f.Function)
	if module := f.Module[strings.LastIndexByte(f.Module, '/')+1:]; module != "" && !strings.Contains(text, module) {
		text += " [" + name(module) + "]"
	}
	return text
}

func heldOf(l *analyze.StackLevel) Held {
	if l == nil {
		return Held{}
	}
	return Held{l.Bytes, l.Objects}
}

// chainOf finds the chain of a finding's stack, whose frames may say more than those of the graph: lines, addresses.
func (f *Flame) chainOf(stack []string) string {
	if len(stack) == 0 {
		return ""
	}
	for _, c := range f.Chains {
		if !c.Rest && len(c.Frames) >= len(stack) && sameFrames(c.Frames, stack) {
			return c.ID
		}
	}
	return ""
}

func sameFrames(frames, stack []string) bool {
	for i, s := range stack {
		function, _, _ := strings.Cut(frames[i], " [")
		if function == "" || !strings.Contains(s, function) {
			return false
		}
	}
	return true
}

// chainTable names the first chains: by the change where there are two sides.
func (s *story) chainTable(f *Flame) *Table {
	kind, of := unit.Bytes, func(h Held) *int64 { return h.Bytes }
	if !f.Bytes {
		kind, of = unit.Count, func(h Held) *int64 { return h.Objects }
	}
	size := func(h Held) *float64 {
		if v := of(h); v != nil {
			return floatOf(*v)
		}
		return nil
	}
	change := func(c Chain) *float64 {
		b, a := size(c.Before), size(c.After)
		if b == nil || a == nil {
			return nil
		}
		d := *a - *b
		return &d
	}
	key := func(c Chain) float64 {
		if f.Sides {
			return -math.Abs(value(change(c)))
		}
		return -value(size(c.After))
	}
	named := slices.DeleteFunc(slices.Clone(f.Chains), func(c Chain) bool { return c.Rest || key(c) == 0 })
	named = sorted(named, by(key), by(func(c Chain) string { return c.ID }))
	shown := named[:min(len(named), s.limit.Rows)]
	var levels, changes []float64
	for _, c := range shown {
		levels = append(levels, present([]*float64{size(c.Before), size(c.After)})...)
		changes = append(changes, present([]*float64{change(c)})...)
	}
	level, moved := scaleOf(kind, levels), scaleOf(kind, changes)
	t := &Table{ID: "chains", Columns: []Column{{Title: "call chain, innermost first"}, {Title: "holds", Unit: level.Unit, Number: true}}}
	t.Caption = fmt.Sprintf("%s, greatest first", plural(len(shown), "call chain"))
	if f.Sides {
		t.Columns = []Column{t.Columns[0], {Title: "before", Unit: level.Unit, Number: true, Side: "before"}, {Title: "after", Unit: level.Unit, Number: true, Side: "after"},
			{Title: "change", Unit: moved.Unit, Number: true}}
		t.Caption = fmt.Sprintf("%s, greatest change first", plural(len(shown), "call chain"))
	}
	for _, c := range shown {
		row := []Cell{{Text: name(strings.Join(c.Frames[:min(3, len(c.Frames))], " ← ")), Code: true, Chain: c.ID}}
		if f.Sides {
			d := change(c)
			row = append(row, number(level, size(c.Before)), number(level, size(c.After)), Cell{Text: moved.Signed(d), Value: d, Tone: grownTone(d)})
		} else {
			row = append(row, number(level, size(c.After)))
		}
		t.Rows = append(t.Rows, row)
	}
	if more := len(f.Chains) - len(shown); more > 0 {
		t.Omitted = fmt.Sprintf("%s in the graph.", plural(more, "more is", "more are"))
	}
	return t
}

func grownTone(d *float64) Tone {
	switch {
	case value(d) > 0:
		return Bad
	case value(d) < 0:
		return Good
	}
	return Plain
}
