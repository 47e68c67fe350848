package table

import (
	"bytes"
	"strings"
	"testing"
)

// builder is a Builder with short ways to say what a test needs.
type builder struct{ *Builder }

func newTest(file, format string) builder { return builder{NewBuilder(file, format)} }

func (b builder) at(wall int64, line int) builder {
	b.Snapshot(Stamp{Wall: Known(wall), Line: line})
	return b
}

func (b builder) bare(line int) builder { b.Snapshot(Stamp{Line: line}); return b }

func (b builder) boot(ns int64, line int) builder {
	b.Snapshot(Stamp{Boot: Known(ns), Line: line})
	return b
}

func (b builder) process(pid int64, name string) builder {
	y := Null
	if name != "" {
		y = b.Text(name)
	}
	b.Process(Int{pid, pid > 0}, y)
	return b
}

func (b builder) sample(scope, name, metric string, value int64, line int) builder {
	b.Add(Sample{Scope: b.Text(scope), Name: b.Text(name), Metric: b.Text(metric), Value: value, Line: line})
	return b
}

// mapping adds one with a range of 4 KiB, and sizes in KiB.
func (b builder) mapping(path, category string, line int, sizes map[Size]int64) builder {
	m := Mapping{Start: uint64(line) << 12, End: uint64(line+1) << 12, HasRange: true, HasFile: true, Perms: b.Text("rw-p"), Path: b.Text(path), Category: b.Text(category), Line: line}
	for s, v := range sizes {
		m.Set(s, v<<10)
	}
	b.Map(&m)
	return b
}

func sets(bs ...builder) *Set {
	var parts []*Part
	for _, b := range bs {
		parts = append(parts, b.Done())
	}
	return Assemble(parts)
}

// rows dumps columns of a table, a row a line, cells by blanks.
func rows(t testing.TB, s *Set, id ID, columns ...string) string {
	t.Helper()
	var out strings.Builder
	for _, b := range s.tables[id] {
		for i := range b.n {
			for k, name := range columns {
				c := Schemas[id].Column(name)
				if c < 0 {
					t.Fatalf("no column %s", name)
				}
				if k > 0 {
					out.WriteByte(' ')
				}
				cell := s.cell(Schemas[id].Columns[c].Kind, &b.cols[c], i)
				if !b.cols[c].known(i) {
					cell = "-"
				}
				out.WriteString(cell)
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func csvOf(t testing.TB, s *Set, id ID) string {
	t.Helper()
	var w bytes.Buffer
	if err := s.DumpCSV(&w, id); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if want = strings.TrimLeft(want, "\n"); got != want {
		t.Errorf("%s:\n%swant:\n%s", what, got, want)
	}
}

func problemsOf(s *Set) string {
	var out strings.Builder
	for _, p := range s.Problems() {
		out.WriteString(p.String() + "\n")
	}
	return out.String()
}
