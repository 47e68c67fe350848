package nsight

import (
	"fmt"
	"io"

	"github.com/memtide/memtide/ingest/nsight/arrowipc"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// arrowTable is a table in Arrow's format. Its damage, if it has any, is told behind the rows that stand before.
type arrowTable struct {
	*arrowipc.Table
	damage error
}

// newArrow opens a file of one table.
func newArrow(r io.ReaderAt, size int64) (columnar, error) {
	f, err := arrowipc.Open(r, size)
	switch {
	case len(f.Tables) == 1:
		return arrowTable{f.Tables[0], err}, nil
	case err == nil:
		err = fmt.Errorf("want one table, have %d", len(f.Tables))
	}
	return nil, err
}

func (t arrowTable) names() []string { return t.Columns }

func (t arrowTable) each(columns []int, visit func([]column, int)) error {
	shown := make([]column, len(columns))
	err := t.Each(columns, func(cols []*arrowipc.Column, rows int) {
		for i, c := range cols {
			shown[i] = c
		}
		visit(shown, rows)
	})
	if err != nil {
		return err
	}
	return t.damage
}

// SniffArrow claims the stream that `nsys export --type arrow` writes: the schema at its beginning has the name of a table.
func SniffArrow(head []byte) bool { return arrowipc.Named(head) }

// DecodeArrow reads `nsys export --type arrow`: the tables of the SQLite export as streams one behind the other, their names
// in the metadata of the schema under table_name (Nsight Systems, Post-Collection Analysis Guide, "Arrow Format
// Description"). It fails as DecodeSQLite does.
func DecodeArrow(in *source.Input, b *table.Builder) error {
	s, err := spool(in)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.err != nil {
		return s.err
	}
	f, err := arrowipc.Open(s, s.size)
	t := streamsOf(f)
	switch {
	case len(t.order) == 0 && err != nil:
		return source.Errorf(in.At(0, 0), "want an export of Nsight Systems to Arrow: %v", err)
	case !t.has("StringIds") && err == nil:
		return source.Errorf(in.At(0, 0), "an Arrow stream, but no export of Nsight Systems: want tables with the names StringIds, META_DATA_EXPORT and others in their schemas; give the folder of `nsys export --type arrowdir FILE`, or take `--type sqlite`")
	case err != nil && !hasCUDA(t):
		return source.Errorf(in.At(0, 0), "%v; before that stands no CUDA data", err)
	case err != nil:
		b.Problems.Add(in.At(0, 0), "%v: what stands behind that in the file is not read", err)
	}
	return decode(in, b, t)
}

// streams are the tables of one file, by name. A table may stand in several streams.
type streams struct {
	tables map[string][]*arrowipc.Table
	order  []string
}

func streamsOf(f *arrowipc.File) *streams {
	s := &streams{tables: map[string][]*arrowipc.Table{}}
	for _, t := range f.Tables {
		if t.Name == "" {
			continue
		}
		if !s.has(t.Name) {
			s.order = append(s.order, t.Name)
		}
		s.tables[t.Name] = append(s.tables[t.Name], t)
	}
	return s
}

func (s *streams) has(name string) bool { return len(s.tables[name]) > 0 }
func (s *streams) names() []string      { return s.order }

func (s *streams) columns(name string) []string {
	if !s.has(name) {
		return nil
	}
	return s.tables[name][0].Columns
}

func (s *streams) scan(q query, visit func(row)) error {
	at := &cursor{}
	for _, t := range s.tables[q.table] {
		if err := scanColumns(arrowTable{Table: t}, q, at, visit); err != nil {
			return fmt.Errorf("%s: %w", q.table, err)
		}
	}
	return nil
}
