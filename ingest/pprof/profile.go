package pprof

import (
	"path"
	"strconv"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decodeProfile makes the rows of a profile; samples are the places of its samples in the input.
func decodeProfile(in *source.Input, b *table.Builder, p *profile.Profile, samples []int) error {
	c := columnsOf(in, b, p.SampleType)
	if !c.found {
		return source.Errorf(in.At(1, 0), "held nothing: want a sample type that measures memory, such as inuse_space or space, have %s", typesOf(p.SampleType))
	}
	b.Snapshot(table.Stamp{Wall: table.Int{V: p.TimeNanos, OK: p.TimeNanos > 0}, Line: 1})
	b.Process(table.Int{}, processOf(b, p))
	factsOf(b, p, &c)
	k, s := newBook(in, b), newLocations(b, p)
	for i, x := range p.Sample {
		site := table.Site{Line: samples[i] + 1}
		fill(in, b, &c, &site, x.Value)
		stack := s.add(x.Location, site.Line)
		site.Stack, site.Class = stack.Leaf, stack.Class
		if c.jax {
			site.Class, site.Device = s.text(label(x, "kind")), s.text(device(label(x, "device")))
		}
		k.add(site)
	}
	k.write()
	if c.at[liveBytes] >= 0 && !c.jax {
		k.total(1)
	}
	return nil
}

// processOf is the program: mapping 1 is the main binary by the rules of profile.proto.
func processOf(b *table.Builder, p *profile.Profile) table.Sym {
	if len(p.Mapping) == 0 || p.Mapping[0].File == "" {
		return table.Null
	}
	return b.Text(path.Base(trimDeleted(p.Mapping[0].File)))
}

func factsOf(b *table.Builder, p *profile.Profile, c *columns) {
	b.Fact("clock", map[bool]string{true: "wall", false: "order"}[p.TimeNanos > 0])
	b.Fact("unit", "requested")
	if p.Period > 0 {
		b.Fact("sampled", strconv.FormatBool(p.Period > 1))
		b.Fact("period", strconv.FormatInt(p.Period, 10))
	}
	if c.at[liveBytes] < 0 && c.at[liveCount] < 0 {
		b.Fact("cumulative", "true")
	}
}

// fill sets the figures of a site. Live figures below 0 are kept: Go writes them where its sampling missed an allocation.
func fill(in *source.Input, b *table.Builder, c *columns, s *table.Site, values []int64) {
	for r, to := range [...]*table.Int{liveBytes: &s.LiveBytes, liveCount: &s.LiveCount, totalBytes: &s.TotalBytes, totalCount: &s.TotalCount} {
		v, fits := c.value(role(r), values)
		if !fits {
			b.Problems.Count(in.At(s.Line, 0), "want a size that fits in 63 bits, have a larger one: it is not known")
		}
		if v.OK && v.V < 0 {
			b.Problems.Count(in.At(s.Line, 0), "want counts from 0 up, have less: kept as it is")
		}
		*to = v
	}
}

// label is the first value of a label of text.
func label(x *profile.Sample, name string) string {
	if v := x.Label[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// device is the number at the end of a device's name: gpu:0, TFRT_CPU_0.
func device(name string) string {
	i := len(name)
	for i > 0 && name[i-1] >= '0' && name[i-1] <= '9' {
		i--
	}
	return name[i:]
}
