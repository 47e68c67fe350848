package table

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
)

// DumpCSV writes a table of this set as CSV with a header line.
func (s *Set) DumpCSV(w io.Writer, t ID) error { return DumpCSV(w, t, s) }

// DumpCSV writes a table of several runs as one CSV with a header line; null is an empty cell, bytes that are
// no UTF-8 are U+FFFD. The rows of a run
// stand in order of time, file and line. The error is that of w.
func DumpCSV(w io.Writer, t ID, sets ...*Set) error {
	out := csv.NewWriter(w)
	cells := make([]string, len(Schemas[t].Columns))
	for i, c := range Schemas[t].Columns {
		cells[i] = c.Name
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	for _, s := range sets {
		if err := s.writeCSV(out, t, cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (s *Set) writeCSV(out *csv.Writer, t ID, cells []string) error {
	for _, b := range s.tables[t] {
		for i := 0; i < b.n; i++ {
			for c := range cells {
				cells[c] = s.cell(Schemas[t].Columns[c].Kind, &b.cols[c], i)
			}
			if err := out.Write(cells); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Set) cell(k Kind, v *vector, i int) string {
	switch {
	case !v.known(i):
		return ""
	case k == String:
		return valid(s.strings[v.syms[i]])
	case k == Uint64:
		return strconv.FormatUint(uint64(v.ints[i]), 10)
	}
	return strconv.FormatInt(v.ints[i], 10)
}

// DumpJSON writes a table as JSON lines, one object a row with every column; unknown is null, bytes that are no UTF-8
// are U+FFFD.
func (s *Set) DumpJSON(w io.Writer, t ID) error {
	out := bufio.NewWriterSize(w, 1<<16)
	quoted := make([]string, len(s.strings))
	var line []byte
	for _, b := range s.tables[t] {
		for i := 0; i < b.n; i++ {
			line = s.appendJSON(line[:0], Schemas[t], b, i, quoted)
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func (s *Set) appendJSON(line []byte, schema *Schema, b *Batch, i int, quoted []string) []byte {
	for c, col := range schema.Columns {
		line = append(line, `{,`[min(c, 1)], '"')
		line = append(line, col.Name...)
		line = append(line, `":`...)
		v := &b.cols[c]
		switch {
		case !v.known(i):
			line = append(line, "null"...)
		case col.Kind == String:
			line = append(line, s.quote(quoted, v.syms[i])...)
		default:
			line = append(line, s.cell(col.Kind, v, i)...)
		}
	}
	return append(line, '}', '\n')
}

func (s *Set) quote(quoted []string, y Sym) string {
	if quoted[y] == "" {
		j, _ := json.Marshal(valid(s.strings[y]))
		quoted[y] = string(j)
	}
	return quoted[y]
}
