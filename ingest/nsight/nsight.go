// Package nsight reads what NVIDIA's Nsight tools export: the tables of an nsys report (SQLite, Arrow, Parquet, JSON lines), the text and
// CSV of `nsys stats`, and the CSV of Nsight Compute.
//
// The tables of a report are read by one logical reader (capture) over a back end (tables): names of tables and columns
// are those that nsys documents under "SQLite schema reference", seen in exports of 2022.1 to 2026.2. Which of them are
// there depends on the version and on what was traced, so every table and column may be absent.
package nsight

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const sqliteMagic = "SQLite format 3\x00"

// SniffSQLite claims every SQLite database: the list of its tables need not stand at its beginning, so that only
// DecodeSQLite can tell whose it is.
func SniffSQLite(head []byte) bool { return bytes.HasPrefix(head, []byte(sqliteMagic)) }

// DecodeSQLite reads `nsys export --type sqlite`. It fails on a database that is no such export, is cut or encrypted, or
// has no call and no memory event that memtide counts; the error says which.
func DecodeSQLite(in *source.Input, b *table.Builder) error {
	if !SniffSQLite(in.Head) {
		return source.Errorf(in.At(0, 0), "want a SQLite database, have %q", in.Head[:min(len(in.Head), 16)])
	}
	file, err := spool(in)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.whole(in, b); err != nil {
		return err
	}
	db, err := openDatabase(file)
	if err != nil {
		return source.Errorf(in.At(0, 0), "want a SQLite database: %v", err)
	}
	defer db.Close()
	if err := belongs(in, db); err != nil {
		return err
	}
	return decode(in, b, db)
}

// belongs refuses databases of other programs.
func belongs(in *source.Input, t tables) error {
	switch {
	case t.has("read_only_gpu_infos"):
		return source.Errorf(in.At(0, 0), "a database of DLProf, not of Nsight Systems: export the report with `nsys export --type sqlite FILE`")
	case !t.has("StringIds") || !t.has("META_DATA_EXPORT") && !t.has("EXPORT_META_DATA") && !hasCUDA(t):
		return source.Errorf(in.At(0, 0), "a SQLite database, but no export of Nsight Systems: want the tables StringIds and META_DATA_EXPORT")
	}
	return nil
}
