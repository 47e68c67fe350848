package profile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// scopeFrame is a frame in the JSON of speedscope (src/lib/file-format-spec.ts of its repository, the schema that it names).
type scopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
}

const scopeSchema = "https://www.speedscope.app/file-format-schema.json"

// scope writes such a file piece by piece, since each type has all stacks again.
type scope struct {
	*bufio.Writer
	*frames[scopeFrame]
	stacks []stack // of the samples
	err    error
}

// Speedscope writes one profile a known type, First before the eyes. Stacks without the figure, or with 0, are left out. The
// error is that of w, or says that a figure is below 0 or a sum too large.
func (p *Profile) Speedscope(w io.Writer) error {
	known := p.Known()
	p.fit(max(len(known), 1), MostFrames)
	s := &scope{Writer: bufio.NewWriter(w), frames: newFrames(func(c *table.Call) scopeFrame { return scopeFrame{frameName(c), c.SourceFile, c.SourceLine.V} })}
	by := p.parts()
	for i := range p.Samples {
		s.stacks = append(s.stacks, s.stack(p, by, &p.Samples[i]))
	}
	s.text(`{"$schema":`).value(scopeSchema).text(`,"shared":{"frames":`)
	list(s, len(s.list), func(i int) { s.value(s.list[i]) })
	s.text(`},"profiles":`)
	active := 0
	list(s, len(known), func(i int) {
		if known[i] == p.First {
			active = i
		}
		s.profile(p, known[i])
	})
	s.text(`,"name":`).value(p.Name).text(`,"activeProfileIndex":`).value(active).text(`,"exporter":"memtide"}` + "\n")
	if s.err != nil {
		return s.err
	}
	return s.Flush()
}

// profile writes one type: its samples are stacks as numbers of frames, root first.
func (s *scope) profile(p *Profile, t Type) {
	chosen, end := s.choose(p, t)
	s.text(`{"type":"sampled","name":`).value(t.String()).text(`,"unit":`).value(types[t].scope).text(`,"startValue":0,"endValue":`).value(end).text(`,"samples":`)
	list(s, len(chosen), func(i int) {
		numbers := s.at(s.stacks[chosen[i]])
		list(s, len(numbers), func(k int) { s.Write(strconv.AppendUint(s.AvailableBuffer(), uint64(numbers[k]), 10)) })
	})
	s.text(`,"weights":`)
	list(s, len(chosen), func(i int) { s.value(p.Samples[chosen[i]].Values[t].V) })
	s.text("}")
}

// choose gives the samples that have the figure, and its sum.
func (s *scope) choose(p *Profile, t Type) (chosen []int, end int64) {
	for i := range p.Samples {
		v := p.Samples[i].Values[t]
		if !v.OK || v.V == 0 {
			continue
		}
		sum, ok := table.Sum(end, v.V)
		switch {
		case s.err != nil:
		case v.V < 0:
			s.err = fmt.Errorf("%s: want figures from 0 up, have %d: speedscope has no less; .pb.gz does", t, v.V)
		case !ok:
			s.err = fmt.Errorf("%s: want sums that fit in 63 bits, have a larger one", t)
		}
		chosen, end = append(chosen, i), sum
	}
	return chosen, end
}

// list writes an array.
func list(s *scope, n int, item func(i int)) {
	s.WriteByte('[')
	for i := range n {
		if i > 0 {
			s.WriteByte(',')
		}
		item(i)
	}
	s.WriteByte(']')
}

func (s *scope) text(t string) *scope {
	s.WriteString(t)
	return s
}

// value writes a value as JSON, on the same line.
func (s *scope) value(v any) *scope {
	var out oneValue
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && s.err == nil {
		s.err = err
	}
	s.Write(out[:max(len(out)-1, 0)])
	return s
}

// oneValue is what an encoder writes, which ends with a line feed.
type oneValue []byte

func (o *oneValue) Write(b []byte) (int, error) {
	*o = append(*o, b...)
	return len(b), nil
}
