package pprof

import (
	"path"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// locations are the places of a profile.
type locations struct {
	*trie
	modules callstack.Modules
	stack   []uint32 // of the sample that is read
}

// newLocations numbers the locations of a profile: from here on the ID of each is its number in the trie.
func newLocations(b *table.Builder, p *profile.Profile) *locations {
	s := &locations{trie: newTrie(b, len(p.Location))}
	for _, m := range p.Mapping {
		if m.File != "" {
			s.modules.Add(callstack.Mapping{Start: m.Start, End: m.Limit, Offset: m.Offset, Path: trimDeleted(m.File)})
		}
	}
	var calls []callstack.Frame
	for _, l := range p.Location {
		calls = calls[:0]
		for i := range l.Line {
			calls = append(calls, s.call(l, &l.Line[i]))
		}
		if len(l.Line) == 0 {
			calls = append(calls, s.nameless(l))
		}
		l.ID = uint64(s.place(calls))
	}
	if builds := buildsOf(p); len(builds) > 0 {
		b.Fact("build_id", strings.Join(builds, ", "))
	}
	return s
}

// mostBuilds bounds the files whose builds are told.
const mostBuilds = 100

// buildsOf gives the build ids of the files that have places without a name, as "ID FILE": by them the names can be found.
func buildsOf(p *profile.Profile) (out []string) {
	told := map[*profile.Mapping]bool{}
	for _, l := range p.Location {
		if m := l.Mapping; len(l.Line) == 0 && m != nil && m.BuildID != "" && m.File != "" && !told[m] && len(out) < mostBuilds {
			told[m] = true
			out = append(out, m.BuildID+" "+path.Base(trimDeleted(m.File)))
		}
	}
	return out
}

// add writes the stack of a sample, leaf first.
func (s *locations) add(leafFirst []*profile.Location, line int) callstack.Stack {
	s.stack = s.stack[:0]
	for _, l := range leafFirst {
		s.stack = append(s.stack, uint32(l.ID))
	}
	return s.trie.add(s.stack, line)
}

// call is one function at a location, which has several where some are inlined.
func (s *locations) call(l *profile.Location, line *profile.Line) callstack.Frame {
	number := table.Int{V: line.Line, OK: line.Line > 0}
	if line.Function == nil || line.Function.Name == "" && line.Function.SystemName == "" {
		f := s.nameless(l)
		f.SourceLine = number
		return f
	}
	f := callstack.Frame{Function: line.Function.Name, Module: moduleOf(l), SourceFile: line.Function.Filename, SourceLine: number, Address: l.Address, HasAddress: l.Address != 0}
	if f.Function == "" {
		f.Function = line.Function.SystemName // JAX: <module>, <lambda>
	}
	return f
}

// nameless is a location without a function: the place in its module, or the address alone.
func (s *locations) nameless(l *profile.Location) callstack.Frame {
	if l.Address == 0 {
		return callstack.Frame{Module: moduleOf(l)}
	}
	return s.modules.Frame(l.Address)
}

func moduleOf(l *profile.Location) string {
	if l.Mapping == nil || l.Mapping.File == "" {
		return ""
	}
	return path.Base(trimDeleted(l.Mapping.File))
}

// trimDeleted takes off what the kernel adds to the name of a file that is gone.
func trimDeleted(file string) string { return strings.TrimSuffix(file, " (deleted)") }
