package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// sizes are the parts of a process by size: for each scope that divides it one table.
func (s *story) sizes(process, id string) []Block {
	var blocks []Block
	for _, scope := range partScopes {
		var parts []analyze.Series
		for _, v := range s.seriesOf[process] {
			if v.Subject.Scope == scope.scope {
				parts = append(parts, v)
			}
		}
		if len(parts) > 0 {
			blocks = append(blocks, s.sizing(process, scope, parts).tables(id+"-"+scope.scope, 0)...)
		}
	}
	return blocks
}

// sizing collects the sizes of parts: by the metric that tells most, with up to three others beside it.
func (s *story) sizing(process string, scope partScope, parts []analyze.Series) sizing {
	metrics := distinct(parts, func(v analyze.Series) string {
		if v.Last == 0 {
			return ""
		}
		return v.Subject.Metric
	})
	all := sizing{one: scope.one, many: scope.many, additive: func(string) bool { return true }}
	if len(metrics) == 0 {
		return all
	}
	slices.SortFunc(metrics, by(choice))
	kind := kindOf(metrics[0])
	for _, m := range metrics {
		beside := slices.Contains(leading, m) || slices.Contains([]string{"shared_dirty", "anonymous"}, m)
		if len(all.metrics) == 0 || len(all.metrics) < 4 && beside && kindOf(m) == kind {
			all.metrics = append(all.metrics, m)
		}
	}
	all.total = s.last(process, all.metrics[0])
	if !scope.byMain() {
		all.total = nil
	}
	for _, n := range distinct(parts, func(v analyze.Series) string { return "=" + v.Subject.Name }) {
		row := sized{name: name(n[1:]), code: scope.scope != "category", values: make([]*float64, len(all.metrics))}
		for i, m := range all.metrics {
			at := slices.IndexFunc(parts, func(v analyze.Series) bool { return "="+v.Subject.Name == n && v.Subject.Metric == m })
			if at >= 0 {
				row.values[i] = floatOf(parts[at].Last)
			}
		}
		all.rows = append(all.rows, row)
	}
	return all
}

// sized is a row of a ranking: a name and its sizes in the metrics of the columns, nil where not known.
type sized struct {
	name   string
	code   bool // a name from the capture that may be long
	values []*float64
	note   string
}

// sizing is a ranking by size.
type sizing struct {
	metrics   []string // the first is the one that ranks
	one, many string
	additive  func(metric string) bool
	total     *float64 // what the rows should sum to, if that is known
	rows      []sized
}

// tables ranks the rows. What is beyond the first ones is one row if they sum and no list is asked for, else a folded
// table of at most the given number of rows. Nothing is made of nothing.
func (z sizing) tables(id string, listed int) []Block {
	held := slices.DeleteFunc(slices.Clone(z.rows), func(r sized) bool { return len(r.values) == 0 || value(r.values[0]) == 0 })
	if len(held) == 0 {
		return nil
	}
	held = sorted(held, by(func(r sized) float64 { return -*r.values[0] }), by(func(r sized) string { return r.name }))
	n := len(held)
	if n > mostRows+3 {
		n = mostRows + 2
	}
	shown := slices.Clone(held[:n])
	if listed == 0 && n < len(held) {
		shown = append(shown, z.sum(held[n:], fmt.Sprintf("%d smaller %s", len(held)-n, z.many)))
	}
	t := z.table(append(shown, z.remainder(held)...), held)
	t.ID, t.Caption = id, fmt.Sprintf("%s by %s, the greatest first", plural(len(held), z.one, z.many), name(z.metrics[0]))
	if none := len(z.rows) - len(held); none > 0 {
		t.Omitted = fmt.Sprintf("%s, or not known: not listed.", plural(none, "more is 0", "more are 0"))
	}
	if listed == 0 || n == len(held) {
		return []Block{t}
	}
	end := min(len(held), n+listed)
	more := z.table(held[n:end], held)
	more.ID, more.Caption, more.Folded, more.Extra = id+"-more", plural(len(held)-n, "more "+z.one, "more "+z.many), true, true
	if hidden := len(held) - end; hidden > 0 {
		more.Omitted = fmt.Sprintf("%s not listed; all are in the JSON result.", plural(hidden, z.one+" is", z.many+" are"))
	}
	return []Block{t, more}
}

// sum is one row for several; what cannot be added is not known.
func (z sizing) sum(rows []sized, name string) sized {
	out := sized{name: name, values: make([]*float64, len(z.metrics))}
	for i, m := range z.metrics {
		for _, r := range rows {
			if r.values[i] == nil || !z.additive(m) {
				continue
			}
			sum := value(out.values[i]) + *r.values[i]
			out.values[i] = &sum
		}
	}
	return out
}

// remainder is what the total has more than its parts, if it can be seen.
func (z sizing) remainder(held []sized) []sized {
	if z.total == nil {
		return nil
	}
	left := *z.total - value(z.sum(held, "").values[0])
	if math.Abs(left) < math.Max(1, 0.001*math.Abs(*z.total)) {
		return nil
	}
	row := sized{name: "remainder", note: "in the total, in none of the " + z.many, values: make([]*float64, len(z.metrics))}
	row.values[0] = &left
	return []sized{row}
}

// table writes rows; shares are of the total, or of the sum of all that is held where it may be summed.
func (z sizing) table(rows, held []sized) *Table {
	kind := kindOf(z.metrics[0])
	var values []float64
	for _, r := range rows {
		values = append(values, present(r.values)...)
	}
	scale := scaleOf(kind, values)
	whole := z.total
	if whole == nil && z.additive(z.metrics[0]) && kind == unit.Bytes {
		whole = z.sum(held, "").values[0]
	}
	t := &Table{Columns: []Column{{Title: z.one}}}
	for i, m := range z.metrics {
		t.Columns = append(t.Columns, Column{Title: name(m), Unit: scale.Unit, Number: true})
		if i == 0 && whole != nil {
			t.Columns = append(t.Columns, Column{Title: "share", Number: true})
		}
		if i == 0 {
			t.Columns = append(t.Columns, Column{Bar: true, Size: true, Extra: true})
		}
	}
	for _, r := range rows {
		row := []Cell{{Text: r.name, Code: r.code, Note: r.note}}
		for i, v := range r.values {
			row = append(row, number(scale, v))
			if i == 0 && whole != nil {
				row = append(row, shareOf(v, whole))
			}
			if i == 0 {
				row = append(row, Cell{Value: v})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func shareOf(v, whole *float64) Cell {
	if v == nil || value(whole) == 0 {
		return Cell{Text: unit.Unknown}
	}
	share := *v / *whole
	return number(unit.Scale{Factor: 0.01, Digits: 1}, &share).with(" %")
}
