// Package profile writes what is allocated by call stack in the forms that viewers of stacks read: pprof's profile.proto,
// folded stacks and speedscope's JSON. It takes stacks as package table gives them; which stacks those are is the caller's choice.
package profile

import (
	"iter"
	"path"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Type is one of the figures of a stack, an index into Sample.Values.
type Type int

// The types, in the order in which files have them.
const (
	InuseSpace Type = iota
	InuseObjects
	AllocSpace
	AllocObjects
	NumTypes
)

// types are the names that Go's heap profiles have for the types, with the units of pprof and of speedscope.
var types = [NumTypes]struct{ name, unit, scope string }{
	{"inuse_space", "bytes", "bytes"}, {"inuse_objects", "count", "none"}, {"alloc_space", "bytes", "bytes"}, {"alloc_objects", "count", "none"},
}

// String is the name of the type: inuse_space.
func (t Type) String() string { return types[t].name }

// TypeOf gives the type of a name; false if there is none.
func TypeOf(name string) (Type, bool) {
	for t := range types {
		if types[t].name == name {
			return Type(t), true
		}
	}
	return 0, false
}

// Names lists the names of the types.
func Names() []string {
	var out []string
	for t := range types {
		out = append(out, types[t].name)
	}
	return out
}

// Sample is what one stack has. Bytes and counts that are not known are not OK.
type Sample struct {
	Process, Kind, Device string                // empty where they are not known
	Calls                 iter.Seq[*table.Call] // leaf first; nil for none. A call is valid until the next
	Depth                 int                   // calls of the stack, or more; above table.MaxStack where Calls does not give all
	Values                [NumTypes]table.Int
}

// Profile is the stacks of one moment.
type Profile struct {
	Name      string    // of the run
	Process   string    // the program, if there is one alone
	TimeNanos table.Int // since 1970
	Period    table.Int // bytes between two samples of the profiler; the figures are scaled already
	First     Type      // that viewers show first
	Comments  []string
	Samples   []Sample

	depth, cut int // of the file that was written last
}

// Known lists the types that at least one sample has.
func (p *Profile) Known() []Type {
	var out []Type
	for t := range NumTypes {
		for i := range p.Samples {
			if p.Samples[i].Values[t].OK {
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// Unknown counts the samples without a figure that others have.
func (p *Profile) Unknown(t Type) int {
	n := 0
	for i := range p.Samples {
		if !p.Samples[i].Values[t].OK {
			n++
		}
	}
	return n
}

// parts says which of process, kind and device differ among the samples: stacks of different ones get a root frame of that name.
type parts struct{ process, kind, device bool }

func (p *Profile) parts() parts {
	var out parts
	for i := range p.Samples {
		a, b := &p.Samples[0], &p.Samples[i]
		out.process, out.kind, out.device = out.process || a.Process != b.Process, out.kind || a.Kind != b.Kind, out.device || a.Device != b.Device
	}
	return out
}

// roots are the frames that stand above the stack of a sample.
func (by parts) roots(s *Sample) []string {
	var out []string
	for _, x := range []struct {
		use        bool
		what, name string
	}{{by.process, "process ", s.Process}, {by.device, "device ", s.Device}, {by.kind, "kind ", s.Kind}} {
		if x.use && x.name != "" {
			out = append(out, x.what+x.name)
		}
	}
	return out
}

// frameName is what a call is shown as: the function, else the address, the module in brackets, or the source line.
func frameName(c *table.Call) string {
	switch name := c.Name(); {
	case name == "" && c.SourceFile != "" && c.SourceLine.OK:
		return path.Base(c.SourceFile) + ":" + strconv.FormatInt(c.SourceLine.V, 10)
	case name == "" && c.SourceFile != "":
		return path.Base(c.SourceFile)
	case name == "":
		return "[unknown]"
	case c.Function == "" && !c.HasAddress:
		return "[" + name + "]"
	default:
		return name
	}
}

// oneLine keeps a name from breaking the line or the stack that it stands in.
var oneLine = strings.NewReplacer(";", ":", "\n", " ", "\r", " ", "\t", " ")
