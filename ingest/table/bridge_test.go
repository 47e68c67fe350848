package table

import "fmt"

// What the tests of the export, which are outside of this package because it is, need of the inside.
var (
	Everything = everything
	Cells      = cells
)

// Batches is the number of batches of a table.
func (s *Set) Batches(id ID) int { return len(s.tables[id]) }

// full tables: every table has rows, nulls, several batches, and strings that the batches share.
func everything() *Set {
	var parts []builder
	for f := range 2 {
		b := newTest(fmt.Sprintf("f%d", f), "x")
		parts = append(parts, b)
		for k := range 20 {
			b.at(int64(k+100*f)*sec, 1+k*1000)
			everyTable(b, f, k)
		}
	}
	return sets(parts...)
}

func everyTable(b builder, f, k int) {
	b.process(int64(k%2)*7, []string{"", "app"}[k%2])
	text := func(s string, n int) Sym { return b.Text(fmt.Sprintf("%s %d", s, n)) }
	for i := range 500 {
		line := 1 + k*1000 + i
		maybe := Int{int64(i), i%3 == 0}
		b.Add(Sample{Scope: b.Text("pool"), Name: text("name", i%50), Metric: b.Text("live_bytes"), Value: int64(i) - 250, Line: line, Iteration: maybe})
		m := Mapping{Start: 1<<64 - 1 - uint64(i), End: 1<<64 - 1, HasRange: i%2 == 0, Offset: int64(i), Inode: 7, HasFile: i%5 == 0, Path: text("/lib", i%90), Line: line}
		m.Set(MapRSS, int64(i)<<10)
		if i%4 == 0 {
			m.Set(MapSwap, 0)
			m.Perms = b.Text("rw-p")
		}
		b.Map(&m)
		b.Event(&Event{Seq: int64(i), TID: maybe, Op: b.Text("alloc"), Class: text("class", i%7), Object: 1<<63 + uint64(i), HasObject: true, Size: maybe, Refcount: Int{}, Line: line})
		if i%100 == 0 {
			leaf := b.Frame(Frame{Function: text("func", k*100+i), Module: b.Text("app"), SourceLine: maybe, Address: 1 << 63, HasAddress: k%2 == 0}, line)
			b.Site(Site{Class: text("site", i), Stack: leaf, LiveBytes: Known(int64(i)), TotalCount: maybe, Line: line})
			b.Fault(Fault{Kind: b.Text("crash"), Detail: text("détail \xff", k+f), Stack: leaf, Address: uint64(i), HasAddress: i > 0, Size: maybe, Line: line})
		}
	}
}

// cells gives a table as strings, null as "-".
func cells(s *Set, id ID) [][]string {
	var out [][]string
	for _, b := range s.tables[id] {
		for i := range b.n {
			row := make([]string, len(b.cols))
			for c := range b.cols {
				if row[c] = "-"; b.cols[c].known(i) {
					row[c] = s.cell(Schemas[id].Columns[c].Kind, &b.cols[c], i)
				}
			}
			out = append(out, row)
		}
	}
	return out
}
