package profile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Folded writes the figures of one type as folded stacks, root;…;leaf VALUE (Brendan Gregg's stackcollapse form): a line a
// stack, added where they read alike, in order of their text. Stacks without the figure, or with 0, have no line. The error is
// that of w, or says that a figure is below 0, which the form has no room for.
func (p *Profile) Folded(w io.Writer, t Type) error {
	sums := map[string]int64{}
	by := p.parts()
	var line strings.Builder
	for i := range p.Samples {
		s := &p.Samples[i]
		v := s.Values[t]
		if !v.OK || v.V == 0 {
			continue
		}
		by.fold(&line, s)
		sum, ok := table.Sum(sums[line.String()], v.V)
		if !ok {
			return fmt.Errorf("want sums that fit in 63 bits, have a larger one at %s", line.String())
		}
		sums[line.String()] = sum
	}
	var lines []string
	for text, v := range sums {
		if v < 0 {
			return fmt.Errorf("want figures from 0 up, have %d at %s: folded stacks have no less; .pb.gz does", v, text)
		}
		if v > 0 {
			lines = append(lines, text)
		}
	}
	slices.Sort(lines)
	out := bufio.NewWriter(w)
	for _, text := range lines {
		out.WriteString(text)
		out.WriteByte(' ')
		out.WriteString(strconv.FormatInt(sums[text], 10))
		out.WriteByte('\n')
	}
	return out.Flush()
}

func (by parts) fold(line *strings.Builder, s *Sample) {
	line.Reset()
	for _, root := range by.roots(s) {
		oneLine.WriteString(line, root)
		line.WriteByte(';')
	}
	for i := len(s.Calls) - 1; i >= 0; i-- {
		oneLine.WriteString(line, frameName(&s.Calls[i]))
		if i > 0 {
			line.WriteByte(';')
		}
	}
	if len(s.Calls) == 0 {
		line.WriteString("[no stack]")
	}
}
