package pprof

import (
	"strings"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// role is the column of sites that a type of value goes into.
type role int

const (
	liveBytes role = iota
	liveCount
	totalBytes
	totalCount
	numRoles
)

// names of sample types. Go and most others say inuse_ and alloc_; tcmalloc, heapprofd and JAX say space for what is not
// freed; newer traceconv (perfetto, src/traceconv/pprof_builder.cc) writes it out.
var names = map[string]role{
	"inuse_space": liveBytes, "space": liveBytes, "inuse_objects": liveCount, "objects": liveCount, "allocations": liveCount,
	"alloc_space": totalBytes, "alloc_objects": totalCount,
	"Unreleased malloc size": liveBytes, "Unreleased malloc count": liveCount, "Total malloc size": totalBytes, "Total malloc count": totalCount,
	"Unreleased size": liveBytes, "Unreleased count": liveCount, "Total size": totalBytes, "Total count": totalCount,
}

// units of bytes; like pprof itself (internal/measurement), all are powers of 1024.
var units = map[string]int64{
	"": 1, "b": 1, "byte": 1, "kb": 1 << 10, "kib": 1 << 10, "kbyte": 1 << 10, "kilobyte": 1 << 10, "mb": 1 << 20, "mib": 1 << 20, "mbyte": 1 << 20, "megabyte": 1 << 20,
	"gb": 1 << 30, "gib": 1 << 30, "gbyte": 1 << 30, "gigabyte": 1 << 30,
}

// columns says where the values of a sample go.
type columns struct {
	at    [numRoles]int // index of the value; -1: the profile has none
	scale [numRoles]int64
	found bool
	jax   bool // a device memory profile (jax.profiler.save_device_memory_profile)
}

// columnsOf finds the types that measure memory. One in a unit that is not known is a problem, and is left out.
func columnsOf(in *source.Input, b *table.Builder, types []*profile.ValueType) columns {
	c := columns{at: [numRoles]int{-1, -1, -1, -1}}
	for i, t := range types {
		r, ok := names[t.Type]
		if !ok || c.at[r] >= 0 {
			continue
		}
		scale := int64(1)
		if r == liveBytes || r == totalBytes {
			if scale, ok = units[strings.TrimSuffix(strings.ToLower(t.Unit), "s")]; !ok {
				b.Problems.Add(in.At(1, 0), "want %s in a unit of bytes, have %q", t.Type, t.Unit)
				continue
			}
		}
		c.at[r], c.scale[r], c.found = i, scale, true
		c.jax = c.jax || t.Type == "allocations"
	}
	c.found = c.found && (c.at[liveBytes] >= 0 || c.at[totalBytes] >= 0 || c.at[liveCount] >= 0 && !c.jax)
	return c
}

// value gives the value of a sample in its unit; unknown if the profile has none, or none that fits.
func (c *columns) value(r role, values []int64) (v table.Int, fits bool) {
	if c.at[r] < 0 {
		return table.Int{}, true
	}
	n, s := values[c.at[r]], c.scale[r]
	if p := n * s; p/s == n {
		return table.Known(p), true
	}
	return table.Int{}, false
}

// typesOf lists the types for a message.
func typesOf(types []*profile.ValueType) string {
	var out []string
	for _, t := range types {
		out = append(out, t.Type+"/"+t.Unit)
	}
	return strings.Join(out[:min(len(out), 8)], ", ")
}
