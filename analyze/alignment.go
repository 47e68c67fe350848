package analyze

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// Alignment asks that the addresses of objects of a kind, or the starts of mappings, are multiples of a power of two: 64 for the
// buffers of a device, the size of a page for maps that are shared.
type Alignment struct {
	Name     string
	Kind     string // pattern of the kind of objects; empty for none
	Mapping  string // pattern of the path of mappings; empty for none
	Multiple int64  // a power of two, in bytes
	Severity string // of the finding; warning if empty
}

// aligned holds the objects and mappings of a capture against what is asked of their addresses.
func (r *Result) aligned(c *Capture, b *books, rules []Alignment) {
	if c.Set == nil {
		return
	}
	for _, a := range rules {
		if a.Kind != "" {
			r.alignedObjects(c, b, a)
		}
		if a.Mapping != "" {
			r.alignedMappings(c, a)
		}
	}
}

func (r *Result) alignedObjects(c *Capture, b *books, a Alignment) {
	zeros := bits.TrailingZeros64(uint64(a.Multiple))
	for n, l := range b.ledgers {
		for i := range l.Sites {
			s := &l.Sites[i]
			kind := c.Set.String(s.Kind)
			if !Glob(a.Kind, kind) {
				continue
			}
			var all, broken int64
			for z, n := range s.Aligned() {
				all += n
				if z < zeros {
					broken += n
				}
			}
			if broken > 0 {
				r.Findings = append(r.Findings, misaligned(c, b, s, a, kind, b.files[n], broken, all))
			}
		}
	}
}

func misaligned(c *Capture, b *books, s *lifetime.Curves, a Alignment, kind, file string, broken, all int64) Finding {
	calls := b.resolver.calls(s.Stack)
	f := Finding{Rule: "alignment", Class: cmp.Or(kind, "heap"), Severity: cmp.Or(a.Severity, "warning"), Side: c.Side, Run: c.Name,
		Subject: Subject{b.resolver.process(pidOf(s.PID), ""), "class", cmp.Or(table.SiteOf(calls), kind, "heap"), ""}, Warnings: []string{}, Stack: shown(calls),
		Stats:    map[string]float64{"objects": float64(broken), "of": float64(all), "multiple": float64(a.Multiple)},
		Evidence: []Evidence{{File: file, Line: s.First}}, Advice: "Allocate with the alignment that is asked for (aligned_alloc, posix_memalign, the device's own allocator), or pad what is packed into one block."}
	f.Message = fmt.Sprintf("%s: %d of %d objects of kind %s do not begin at a multiple of %d bytes (%s).", f.Subject.Name, broken, all, f.Class, a.Multiple, a.Name)
	f.suspects = names(calls)
	f.Fingerprint = fingerprint(f.Rule, f.Subject, f.Class)
	return f
}

func (r *Result) alignedMappings(c *Capture, a Alignment) {
	rows := table.LastMappings(c.Set)
	for i := range rows {
		m := &rows[i]
		offset := m.Offset.OK && m.Offset.V%a.Multiple != 0
		if !m.HasRange || m.Path == "" || !Glob(a.Mapping, m.Path) || m.Start%uint64(a.Multiple) == 0 && !offset {
			continue
		}
		how := "does not begin at"
		if offset {
			how = "is mapped from an offset that is not"
		}
		f := Finding{Rule: "alignment", Class: "mapping", Severity: cmp.Or(a.Severity, "warning"), Side: c.Side, Run: c.Name, Subject: Subject{m.Process, "mapping", m.Path, ""}, Warnings: []string{},
			Stats: map[string]float64{"multiple": float64(a.Multiple)}, Evidence: []Evidence{{File: m.File, Line: m.Line}}, Advice: "Lay the parts of the file out on this boundary, so that each can be mapped and shared by itself."}
		f.Message = fmt.Sprintf("%s %s a multiple of %d bytes (%s).", m.Path, how, a.Multiple, a.Name)
		f.Fingerprint = fingerprint(f.Rule, f.Subject)
		r.Findings = append(r.Findings, f)
	}
}
