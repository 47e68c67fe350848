package profile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// foldedStack is a stack and its figure.
type foldedStack struct {
	stack
	value int64
}

// Folded writes the figures of one type as folded stacks, root;…;leaf VALUE (Brendan Gregg's stackcollapse form): a line a
// stack, added where they read alike, in order of their frames. Stacks without the figure, or with 0, have no line. The error is
// that of w, or says that a figure is below 0, which the form has no room for.
func (p *Profile) Folded(w io.Writer, t Type) error {
	p.fit(1, MostFrames)
	f := newFrames(func(c *table.Call) string { return oneLine.Replace(frameName(c)) })
	lines, err := p.fold(f, t)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, l := range lines {
		if l.value < 0 {
			return fmt.Errorf("want figures from 0 up, have %d at %s: folded stacks have no less; .pb.gz does", l.value, foldedText(f, l.stack))
		}
		if l.value > 0 {
			writeFolded(out, f, l)
		}
	}
	return out.Flush()
}

// fold gives the stacks that have the figure, in order and each once.
func (p *Profile) fold(f *frames[string], t Type) ([]foldedStack, error) {
	var all []foldedStack
	by := p.parts()
	for i := range p.Samples {
		if v := p.Samples[i].Values[t]; v.OK && v.V != 0 {
			all = append(all, foldedStack{f.stack(p, by, &p.Samples[i]), v.V})
		}
	}
	rank := ranks(f.list)
	slices.SortStableFunc(all, func(a, b foldedStack) int {
		return slices.CompareFunc(f.at(a.stack), f.at(b.stack), func(x, y uint32) int { return cmp.Compare(rank[x], rank[y]) })
	})
	out := all[:0]
	for _, l := range all {
		if n := len(out); n == 0 || !slices.Equal(f.at(out[n-1].stack), f.at(l.stack)) {
			out = append(out, l)
			continue
		}
		last := &out[len(out)-1]
		sum, ok := table.Sum(last.value, l.value)
		if !ok {
			return nil, fmt.Errorf("want sums that fit in 63 bits, have a larger one at %s", foldedText(f, l.stack))
		}
		last.value = sum
	}
	return out, nil
}

// ranks gives for each name its place in the order of all.
func ranks(names []string) []uint32 {
	order := make([]uint32, len(names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(names[a], names[b]) })
	out := make([]uint32, len(names))
	for place, i := range order {
		out[i] = uint32(place)
	}
	return out
}

func writeFolded(out *bufio.Writer, f *frames[string], l foldedStack) {
	for i, n := range f.at(l.stack) {
		if i > 0 {
			out.WriteByte(';')
		}
		out.WriteString(f.list[n])
	}
	out.WriteByte(' ')
	out.WriteString(strconv.FormatInt(l.value, 10))
	out.WriteByte('\n')
}

func foldedText(f *frames[string], s stack) string {
	var out []string
	for _, n := range f.at(s) {
		out = append(out, f.list[n])
	}
	return strings.Join(out, ";")
}
