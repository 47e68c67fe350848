package profile

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/memtide/memtide/ingest/table"
)

// scopeFile is the JSON of speedscope (src/lib/file-format-spec.ts of its repository, the schema that it names).
type scopeFile struct {
	Schema   string         `json:"$schema"`
	Shared   scopeShared    `json:"shared"`
	Profiles []scopeProfile `json:"profiles"`
	Name     string         `json:"name"`
	Active   int            `json:"activeProfileIndex"`
	Exporter string         `json:"exporter"`
}

type scopeShared struct {
	Frames []scopeFrame `json:"frames"`
}

type scopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
}

// scopeProfile is one type: its samples are stacks as numbers of frames, root first.
type scopeProfile struct {
	Type    string  `json:"type"`
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Start   int64   `json:"startValue"`
	End     int64   `json:"endValue"`
	Samples [][]int `json:"samples"`
	Weights []int64 `json:"weights"`
}

const scopeSchema = "https://www.speedscope.app/file-format-schema.json"

// Speedscope writes one profile a known type, First before the eyes. Stacks without the figure, or with 0, are left out. The
// error is that of w, or says that a figure is below 0 or a sum too large.
func (p *Profile) Speedscope(w io.Writer) error {
	f := scopeFile{Schema: scopeSchema, Name: p.Name, Exporter: "memtide", Profiles: []scopeProfile{}}
	stacks := f.Shared.stacks(p)
	for _, t := range p.Known() {
		if t == p.First {
			f.Active = len(f.Profiles)
		}
		one := scopeProfile{Type: "sampled", Name: t.String(), Unit: types[t].scope, Samples: [][]int{}, Weights: []int64{}}
		for i := range p.Samples {
			if err := one.add(p.Samples[i].Values[t], stacks[i]); err != nil {
				return fmt.Errorf("%s: %w", t, err)
			}
		}
		f.Profiles = append(f.Profiles, one)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out.Encode(f)
}

func (s *scopeProfile) add(v table.Int, stack []int) error {
	if !v.OK || v.V == 0 {
		return nil
	}
	if v.V < 0 {
		return fmt.Errorf("want figures from 0 up, have %d: speedscope has no less; .pb.gz does", v.V)
	}
	end, ok := table.Sum(s.End, v.V)
	if !ok {
		return fmt.Errorf("want sums that fit in 63 bits, have a larger one")
	}
	s.End, s.Samples, s.Weights = end, append(s.Samples, stack), append(s.Weights, v.V)
	return nil
}

// stacks numbers the frames, and gives the stack of each sample.
func (f *scopeShared) stacks(p *Profile) [][]int {
	f.Frames = []scopeFrame{}
	numbers := map[scopeFrame]int{}
	number := func(c scopeFrame) int {
		n, ok := numbers[c]
		if !ok {
			n = len(f.Frames)
			numbers[c] = n
			f.Frames = append(f.Frames, c)
		}
		return n
	}
	by, out := p.parts(), make([][]int, len(p.Samples))
	for i := range p.Samples {
		s := &p.Samples[i]
		for _, root := range by.roots(s) {
			out[i] = append(out[i], number(scopeFrame{Name: root}))
		}
		for k := len(s.Calls) - 1; k >= 0; k-- {
			c := &s.Calls[k]
			out[i] = append(out[i], number(scopeFrame{frameName(c), c.SourceFile, c.SourceLine.V}))
		}
		if len(s.Calls) == 0 {
			out[i] = append(out[i], number(scopeFrame{Name: "[no stack]"}))
		}
	}
	return out
}
