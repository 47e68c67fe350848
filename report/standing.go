package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// standing are the sentences of a first screen on what holds whatever was asked: leaks on both sides, red lines, and
// what could not be read.
func (s *story) standing() []Block {
	var blocks []Block
	if text := s.bothLeak(); text != "" {
		blocks = append(blocks, &Paragraph{Text: text, Tone: Warn, Link: "series"})
	}
	if text, tone := s.redlineText(); text != "" {
		blocks = append(blocks, &Paragraph{Text: text, Tone: tone, Link: "redlines"})
	}
	if u := s.unread(); u.total() > 0 {
		p := &Paragraph{Text: u.String()}
		if len(s.Problems) > 0 {
			p.Link = "problems"
		}
		if u.files > 0 {
			p.Tone = Warn
		}
		blocks = append(blocks, p)
	}
	return blocks
}

// bothLeak says that a total leaks on both sides: a comparison that finds no difference is no good news then.
func (s *story) bothLeak() string {
	if !s.twoSided() || strings.Contains(strings.ToLower(s.Summary), "both sides leak") {
		return ""
	}
	for _, p := range s.processes {
		leaks := map[string][]string{}
		for _, v := range s.seriesOf[p] {
			if isHead(v.Subject) && v.Verdict == analyze.Leak && v.Severity != "note" {
				leaks[v.Side] = append(leaks[v.Side], v.Subject.Metric)
			}
		}
		both := distinct(leaks["before"], func(m string) string {
			if !slices.Contains(leaks["after"], m) {
				return ""
			}
			return m
		})
		if len(both) > 0 {
			slices.SortStableFunc(both, by(choice))
			return fmt.Sprintf("Both sides leak: %s.", s.ofProcess(enumerate(both, 3), p))
		}
	}
	return ""
}

// bandNote says which changes count as none: the tolerance that the intervals of a table are held against.
func bandNote(ds []analyze.Delta, kind unit.Kind) []Note {
	extra := kind != unit.Bytes // a summary says it of sizes
	var least, most *analyze.Delta
	for i := range ds {
		d := &ds[i]
		if d.Band <= 0 {
			continue
		}
		if least == nil || d.Band < least.Band {
			least = d
		}
		if most == nil || d.Band > most.Band {
			most = d
		}
	}
	if least == nil {
		return nil
	}
	from, to := unit.Quantity(kind, &least.Band), unit.Quantity(kind, &most.Band)
	if from == to {
		return []Note{{Text: fmt.Sprintf("Within ±%s counts as equal.", from), Extra: extra}}
	}
	return []Note{{Text: fmt.Sprintf("Within ±%s (%s) to ±%s (%s) counts as equal.", from, label(least.Subject), to, label(most.Subject)), Extra: extra}}
}

// warmUpNote explains once why growth is not last minus first.
func (s *story) warmUpNote() Note {
	share := "the start"
	if i := slices.IndexFunc(s.Method, func(m analyze.Setting) bool { return m.Name == "growth.warm_up" || m.Name == "warm-up" }); i >= 0 {
		share = "the first " + percentOf(s.Method[i].Value)
	}
	return Note{Text: fmt.Sprintf("Growth and slope leave out warm-up, %s of the samples or more; first and last do not.", share)}
}

// percentOf writes a share as a percentage if it is a plain number.
func percentOf(text string) string {
	var v float64
	if n, err := fmt.Sscanf(text, "%g", &v); n != 1 || err != nil || strings.HasSuffix(text, "%") {
		return sentence(text)
	}
	return fmt.Sprintf("%.3g %%", 100*v)
}

// leftOut says whether any of some series was judged for growth on fewer samples than it has.
func (s *story) leftOut(of []analyze.Series) bool {
	return slices.ContainsFunc(of, func(v analyze.Series) bool { return v.N >= fewest && v.Growth != nil })
}
