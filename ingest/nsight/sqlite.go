package nsight

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/memtide/memtide/ingest/table"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/readervfs"
)

// database is a SQLite export. It is opened for reading only, as a file that nobody changes; its schema is not trusted:
// views, virtual tables and generated columns are not looked at, and what a scan may take is bounded by the size.
type database struct {
	conn  *sqlite3.Conn
	name  string // in the VFS
	size  int64
	have  map[string][]string // columns by table
	order []string
}

var opened atomic.Int64

// openDatabase opens a database and lists its tables with their columns.
func openDatabase(file *spooled) (*database, error) {
	d := &database{name: "nsys-" + strconv.FormatInt(opened.Add(1), 10), size: file.size, have: map[string][]string{}}
	readervfs.Create(d.name, file)
	conn, err := sqlite3.OpenFlags("file:"+d.name+"?vfs=reader&immutable=1&mode=ro", sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
	if err != nil {
		readervfs.Delete(d.name)
		return nil, err
	}
	d.conn = conn
	if err := d.list(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close ends the reading.
func (d *database) Close() {
	_ = d.conn.Close()
	readervfs.Delete(d.name)
}

func (d *database) list() error {
	if err := d.conn.Exec("PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON; PRAGMA hard_heap_limit=268435456"); err != nil {
		return err
	}
	// table_info leaves generated and hidden columns out; virtual tables have no root page.
	const sql = "SELECT s.rowid, s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type='table' AND s.rootpage>0"
	return d.run(sql, func(r row) {
		table := string(r.text(0))
		if _, ok := d.have[table]; !ok {
			d.order = append(d.order, table)
		}
		d.have[table] = append(d.have[table], string(r.text(1)))
	})
}

func (d *database) has(table string) bool         { return len(d.have[table]) > 0 }
func (d *database) columns(table string) []string { return d.have[table] }
func (d *database) names() []string               { return d.order }

func (d *database) scan(q query, visit func(row)) error {
	if !d.has(q.table) {
		return nil
	}
	var sql strings.Builder
	sql.WriteString("SELECT rowid")
	for _, c := range q.columns {
		if slices.Contains(d.have[q.table], c) {
			sql.WriteString("," + sqlite3.QuoteIdentifier(c))
		} else {
			sql.WriteString(",NULL")
		}
	}
	sql.WriteString(" FROM " + sqlite3.QuoteIdentifier(q.table))
	if q.filter != "" {
		if !slices.Contains(d.have[q.table], q.filter) || len(q.in) == 0 {
			return nil
		}
		sql.WriteString(" WHERE " + sqlite3.QuoteIdentifier(q.filter) + " IN (" + numbers(q.in) + ")")
	}
	if err := d.run(sql.String(), visit); err != nil {
		return fmt.Errorf("%s: %w", q.table, err)
	}
	return nil
}

func numbers(ids []int64) string {
	var buf []byte
	for i, id := range ids {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = strconv.AppendInt(buf, id, 10)
	}
	return string(buf)
}

func (d *database) run(sql string, visit func(row)) error {
	f := &fuel{Context: context.Background(), rows: d.size/4 + 1000, ticks: d.size/200 + 2000}
	d.conn.SetInterrupt(f)
	stmt, _, err := d.conn.Prepare(sql)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for r := (record{stmt}); f.step(stmt); {
		visit(r)
	}
	return stmt.Err()
}

// fuel is a context that is done when a statement takes more than its database can be worth: SQLite asks at every row
// and every thousand steps of its machine. A row takes more than four bytes and some twenty steps; pages that are damaged
// into each other's children give rows without end.
type fuel struct {
	context.Context
	rows, ticks int64
	stepping    bool
}

func (f *fuel) step(s *sqlite3.Stmt) bool {
	f.stepping = true
	return s.Step()
}

// Err counts down: the first time in a step for its row.
func (f *fuel) Err() error {
	if f.stepping {
		f.stepping = false
		f.rows--
	} else {
		f.ticks--
	}
	if f.rows < 0 || f.ticks < 0 {
		return context.Canceled
	}
	return nil
}

// record is the current row of a statement; column 0 is the row id.
type record struct{ *sqlite3.Stmt }

func (r record) number() int64 { return r.ColumnInt64(0) }

func (r record) int(i int) table.Int {
	v := r.ColumnInt64(i + 1)
	return table.Int{V: v, OK: v != 0 || r.ColumnType(i+1) != sqlite3.NULL}
}

func (r record) text(i int) []byte { return r.ColumnRawText(i + 1) }
