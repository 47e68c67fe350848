package profile

import (
	"fmt"
	"io"
	"slices"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/table"
)

// Pprof writes profile.proto (github.com/google/pprof/proto), packed with gzip without a time, so that equal profiles are equal
// bytes. Samples have the labels kind and device where they are known, and process where there are several. A figure that is
// not known is 0 there, for want of a null; the profile's comments count them, and the stacks that were cut. The error is that of w.
func (p *Profile) Pprof(w io.Writer) error {
	p.fit(1, MostFrames)
	known := p.Known()
	out := &profile.Profile{TimeNanos: p.TimeNanos.V, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: p.Period.V, Comments: slices.Clip(p.Comments)}
	for _, t := range known {
		out.SampleType = append(out.SampleType, &profile.ValueType{Type: types[t].name, Unit: types[t].unit})
		if t == p.First {
			out.DefaultSampleType = types[t].name
		}
		if n := p.Unknown(t); n > 0 {
			out.Comments = append(out.Comments, fmt.Sprintf("%s is not known of %d of %d stacks: 0 stands in its place", t, n, len(p.Samples)))
		}
	}
	b := binder{out: out, mappings: map[string]*profile.Mapping{}, functions: map[[2]string]*profile.Function{}, locations: map[place]*profile.Location{}}
	if p.Process != "" {
		b.mapping(p.Process) // the first is the program
	}
	for i := range p.Samples {
		s := &p.Samples[i]
		one := &profile.Sample{Label: labels(s, p.Process == "")}
		for _, t := range known {
			one.Value = append(one.Value, s.Values[t].V)
		}
		for c := range p.calls(s) {
			one.Location = append(one.Location, b.location(c))
		}
		out.Sample = append(out.Sample, one)
	}
	if p.cut > 0 {
		out.Comments = append(out.Comments, p.cutNote())
	}
	return out.Write(w)
}

func labels(s *Sample, processes bool) map[string][]string {
	out := map[string][]string{}
	for name, v := range map[string]string{"kind": s.Kind, "device": s.Device, "process": s.Process} {
		if v != "" && (processes || name != "process") {
			out[name] = []string{v}
		}
	}
	return out
}

// binder numbers the records that samples refer to, each once.
type binder struct {
	out       *profile.Profile
	mappings  map[string]*profile.Mapping
	functions map[[2]string]*profile.Function
	locations map[place]*profile.Location
}

// place tells locations apart. The address counts only where there is no function: it is that of the first call of several.
type place struct {
	module, function, file string
	line                   table.Int
	address                uint64
}

// mapping is a module. It claims to have all names, so that no reader looks for a file of that name on its own machine.
func (b *binder) mapping(file string) *profile.Mapping {
	m := b.mappings[file]
	if m == nil {
		m = &profile.Mapping{ID: uint64(len(b.out.Mapping) + 1), File: file, HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}
		b.mappings[file] = m
		b.out.Mapping = append(b.out.Mapping, m)
	}
	return m
}

func (b *binder) location(c *table.Call) *profile.Location {
	k := place{c.Module, c.Function, c.SourceFile, c.SourceLine, c.Address}
	if c.Function != "" {
		k.address = 0
	}
	l := b.locations[k]
	if l == nil {
		name := c.Name() // viewers show a location without a function as unknown, so an address or module is its name
		if name == "" {
			name = frameName(c)
		}
		l = &profile.Location{ID: uint64(len(b.out.Location) + 1), Address: c.Address, Line: []profile.Line{{Function: b.function(name, c.SourceFile), Line: c.SourceLine.V}}}
		if c.Module != "" {
			l.Mapping = b.mapping(c.Module)
		}
		b.locations[k] = l
		b.out.Location = append(b.out.Location, l)
	}
	return l
}

func (b *binder) function(name, file string) *profile.Function {
	k := [2]string{name, file}
	f := b.functions[k]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: name, SystemName: name, Filename: file}
		b.functions[k] = f
		b.out.Function = append(b.out.Function, f)
	}
	return f
}
