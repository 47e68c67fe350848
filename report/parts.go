package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// partScope is a scope that divides a total, with what a part is called.
type partScope struct{ scope, one, many string }

// partScopes are in the order in which they are tried.
var partScopes = []partScope{
	{"category", "category", "categories"}, {"zone", "zone", "zones"}, {"pool", "pool", "pools"},
	{"mapping", "mapping", "mappings"}, {"region", "region", "regions"}, {"class", "class", "classes"}, {"handle", "kind of handle", "kinds of handles"},
	{"oom", "state of processes", "states of processes"}, {"kernel", "kernel object", "kernel objects"},
}

// byMain says that a scope divides the memory of a process, so that one metric of it tells enough.
func (p partScope) byMain() bool {
	return slices.Contains([]string{"category", "mapping", "region"}, p.scope)
}

// grew is the section on what the change of a process is made of.
func (s *story) grew(process, id, title string) Section {
	metric := s.mainMetric(process)
	if title == "What grew" && value(s.mainChange(process, metric)) <= 0 {
		title = "What changed"
	}
	section := Section{ID: id, Title: title, Brief: 3}
	if w := s.deltaWaterfall(process, metric, id); w != nil {
		section.Blocks = append(section.Blocks, w)
	}
	var left, still []string
	for _, scope := range partScopes {
		parts := s.deltas(process, func(sub analyze.Subject) bool { return sub.Scope == scope.scope })
		for _, m := range distinct(parts, func(d analyze.Delta) string { return d.Subject.Metric }) {
			if metric != "" && m != metric && scope.byMain() {
				left = append(left, m)
				continue
			}
			of := slices.DeleteFunc(slices.Clone(parts), func(d analyze.Delta) bool { return d.Subject.Metric != m })
			tables, rest := s.partTables(of, m, scope, id)
			section.Blocks = append(section.Blocks, tables...)
			if rest != "" {
				still = append(still, rest)
			}
		}
	}
	return section.with(stillText(still), leftText(left, metric))
}

// with adds muted sentences to a section.
func (s Section) with(texts ...string) Section {
	for _, text := range texts {
		if text != "" {
			s.Blocks = append(s.Blocks, &Paragraph{Tone: Muted, Text: text})
		}
	}
	return s
}

// stillText says what is not in the tables because it did not change or cannot be compared.
func stillText(still []string) string {
	if len(still) == 0 {
		return ""
	}
	return "Not shown: " + strings.Join(still, "; ") + "."
}

func leftText(left []string, metric string) string {
	names := distinct(left, func(m string) string { return m })
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The parts are told by %s; the same in %s is in the JSON result.", name(metric), enumerate(names, 6))
}

// mainChange is how much the total of a metric moved.
func (s *story) mainChange(process, metric string) *float64 {
	for _, d := range s.deltas(process, isHead) {
		if d.Subject.Metric == metric {
			return moved(d)
		}
	}
	return nil
}

// mainMetric is the metric that speaks for a process: the first in order whose total is known on both sides,
// those with parts before those without.
func (s *story) mainMetric(process string) string {
	best, bestKey := "", math.MaxInt
	for _, d := range s.deltas(process, isHead) {
		if d.Before.Median == nil || d.After.Median == nil {
			continue
		}
		key := choice(d.Subject.Metric)
		if len(s.divided(process, d.Subject.Metric)) == 0 {
			key += 1000
		}
		if key < bestKey {
			best, bestKey = d.Subject.Metric, key
		}
	}
	return best
}

// divided finds the deltas into which the total of a metric divides: the first scope that has any.
func (s *story) divided(process, metric string) []analyze.Delta {
	for _, scope := range partScopes {
		found := s.deltas(process, func(sub analyze.Subject) bool { return sub.Scope == scope.scope && sub.Metric == metric })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func (s *story) deltaWaterfall(process, metric, id string) *Waterfall {
	parts := s.divided(process, metric)
	heads := s.deltas(process, func(sub analyze.Subject) bool { return isHead(sub) && sub.Metric == metric })
	if len(parts) == 0 || len(heads) == 0 || heads[0].Before.Median == nil || heads[0].After.Median == nil {
		return nil
	}
	steps := make([]part, 0, len(parts))
	for _, d := range parts {
		step := part{label: label(d.Subject), change: value(moved(d))}
		if d.Verdict == analyze.New || d.Verdict == analyze.Removed {
			step.note = string(d.Verdict)
		}
		steps = append(steps, step)
	}
	w := waterfall(kindOf(metric), *heads[0].Before.Median, *heads[0].After.Median, steps)
	if len(w.Steps) < 3 { // nothing moved: two equal bars are no picture
		return nil
	}
	return w.name(id+"-waterfall", metric, parts[0].Subject.Scope)
}

// partTables rank parts by how much they moved; the tail is one row, so that the column still sums. The tail is what
// does not fit and what moved within the tolerance, which a folded table lists. What did not move or is known on one
// side only is no row: rest says how many these are.
func (s *story) partTables(parts []analyze.Delta, metric string, scope partScope, id string) (tables []Block, rest string) {
	parts, rest = moving(parts, scope)
	if len(parts) == 0 {
		return nil, rest
	}
	parts = sorted(parts,
		by(func(d analyze.Delta) int { return int(order(slight(d))) }),
		by(func(d analyze.Delta) float64 { return -math.Abs(value(moved(d))) }),
		by(func(d analyze.Delta) string { return d.Subject.Name }))
	first := slices.IndexFunc(parts, slight)
	if first < 0 {
		first = len(parts)
	}
	if first == 0 {
		return []Block{s.slightTable(parts, metric, scope, id)}, rest
	}
	t := s.partTable(parts, first, metric, scope, id)
	if n := len(parts) - first; n < 2 || t.Folded || visible(parts[first:], kindOf(metric)) == 0 {
		return []Block{t}, rest
	}
	return []Block{t, s.slightTable(parts[first:], metric, scope, id)}, rest
}

// slight says that a part moved by less than the tolerance: no reader looks for that.
func slight(d analyze.Delta) bool {
	return d.Verdict != analyze.New && d.Verdict != analyze.Removed && math.Abs(value(moved(d))) < d.Band
}

// slightTable lists parts that moved by less than the tolerance, folded and without colour.
func (s *story) slightTable(parts []analyze.Delta, metric string, scope partScope, id string) *Table {
	t := s.partTable(parts, len(parts), metric, scope, id)
	t.ID, t.Folded, t.Extra = t.ID+"-slight", true, true
	t.Caption = fmt.Sprintf("%s that changed by less than the tolerance, %s", plural(len(parts), scope.one, scope.many), name(metric))
	for _, row := range t.Rows {
		for i := range row {
			if row[i].Tone != Plain {
				row[i].Tone = Muted
			}
		}
	}
	return t
}

// partTable writes at most so many parts, and the others as one row.
func (s *story) partTable(parts []analyze.Delta, most int, metric string, scope partScope, id string) *Table {
	shown, n := parts, min(s.limit.Rows, most, visible(parts[:most], kindOf(metric)))
	if len(parts) > n+1 {
		shown = append(slices.Clone(parts[:n]), tail(parts[n:], scope.many))
	}
	t := deltaTable(shown, kindOf(metric), partColumns(parts, scope)...)
	t.ID = id + "-" + scope.scope + "-" + metric
	t.Caption = fmt.Sprintf("%s by %s, greatest change first%s", name(metric), scope.one, comings(parts))
	if hasShare(parts) {
		t.Caption += "; share is of the total's change"
	}
	t.Extra = scope.scope == "category" // the waterfall says it
	t.Folded = t.Extra
	if hidden := len(parts) - n; hidden > 1 {
		t.Omitted = fmt.Sprintf("%d of %d %s are summed in the last row.", hidden, len(parts), scope.many)
	}
	return t
}

// visible counts the parts, the greatest first, whose change is a number in the scale of the table.
func visible(parts []analyze.Delta, kind unit.Kind) int {
	changes := make([]float64, len(parts))
	for i, d := range parts {
		changes[i] = value(moved(d))
	}
	least := unit.CommonScale(kind, changes...).Least()
	n := slices.IndexFunc(changes, func(c float64) bool { return math.Abs(c) < least })
	if n < 0 {
		return len(parts)
	}
	return n
}

// moving are the parts that changed, or came or went; the others are counted in words.
func moving(parts []analyze.Delta, scope partScope) (of []analyze.Delta, rest string) {
	same, unknown := 0, 0
	for _, d := range parts {
		switch v := moved(d); {
		case v == nil:
			unknown++
		case *v == 0:
			same++
		default:
			of = append(of, d)
		}
	}
	var texts []string
	if same > 0 {
		texts = append(texts, plural(same, scope.one, scope.many)+" without a change")
	}
	if unknown > 0 {
		texts = append(texts, plural(unknown, scope.one, scope.many)+" measured on one side only")
	}
	return of, strings.Join(texts, ", ")
}

func hasShare(parts []analyze.Delta) bool {
	return slices.ContainsFunc(parts, func(d analyze.Delta) bool { return d.Share != nil })
}

func partColumns(parts []analyze.Delta, scope partScope) []column {
	columns := []column{nameColumn(scope.one, scope.scope != "category"), beforeColumn, afterColumn, changeColumn, barColumn}
	if hasShare(parts) {
		columns = append(columns, shareColumn)
	}
	columns = append(columns, relativeColumn)
	if slices.ContainsFunc(parts, func(d analyze.Delta) bool { return d.PAdjusted != nil }) {
		columns = append(columns, pColumn)
	}
	return append(columns, verdictColumn)
}

// comings counts the parts that are only on one side.
func comings(parts []analyze.Delta) string {
	var text []string
	for _, v := range []analyze.Change{analyze.New, analyze.Removed} {
		n := 0
		for _, d := range parts {
			if d.Verdict == v {
				n++
			}
		}
		if n > 0 {
			text = append(text, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(text) == 0 {
		return ""
	}
	return " (" + strings.Join(text, ", ") + ")"
}

// tail sums the deltas that are not named.
func tail(parts []analyze.Delta, many string) analyze.Delta {
	sum := analyze.Delta{Subject: analyze.Subject{Scope: "rest", Name: fmt.Sprintf("%d more %s", len(parts), many)}}
	pick := []struct {
		to   **float64
		from func(analyze.Delta) *float64
	}{
		{&sum.Before.Median, func(d analyze.Delta) *float64 { return d.Before.Median }},
		{&sum.After.Median, func(d analyze.Delta) *float64 { return d.After.Median }},
		{&sum.Shift, moved},
		{&sum.Share, func(d analyze.Delta) *float64 { return d.Share }},
	}
	for _, d := range parts {
		for _, p := range pick {
			v := p.from(d)
			if v == nil {
				continue
			}
			if *p.to == nil {
				*p.to = new(float64)
			}
			**p.to += *v
		}
	}
	return sum
}

// kinds splits deltas by what they count, bytes first: a column has one unit.
func kinds(ds []analyze.Delta) map[unit.Kind][]analyze.Delta {
	out := map[unit.Kind][]analyze.Delta{}
	for _, d := range ds {
		k := kindOf(d.Subject.Metric)
		out[k] = append(out[k], d)
	}
	return out
}
