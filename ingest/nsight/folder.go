package nsight

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffFolder says whether a folder is what `nsys export --type parquetdir` or `--type arrowdir` writes, files that are named
// by the tables of the SQLite export: it gives "nsys-parquetdir", "nsys-arrowdir", or nothing.
func SniffFolder(fsys fs.FS) string {
	f := filesOf(fsys)
	if f.has("StringIds") && (f.has("META_DATA_EXPORT") || f.has("EXPORT_META_DATA") || hasCUDA(f)) {
		return "nsys-" + strings.TrimPrefix(path.Ext(f.files["StringIds"]), ".") + "dir"
	}
	return ""
}

// DecodeFolder reads such a folder, which is one capture, as DecodeSQLite reads a database. Name is what outputs call it.
func DecodeFolder(fsys fs.FS, name string, b *table.Builder) error {
	in, err := source.NewInput(name, bytes.NewReader(nil))
	if err != nil {
		return err
	}
	f := filesOf(fsys)
	if !f.has("StringIds") {
		return source.Errorf(in.At(0, 0), "want the folder of an export of Nsight Systems, with StringIds.arrow or StringIds.parquet")
	}
	return decode(in, b, f)
}

// folder is an export of a file for each table.
type folder struct {
	fsys  fs.FS
	files map[string]string // by table
	order []string
	known map[string][]string // columns of the tables that were asked for
}

func filesOf(fsys fs.FS) *folder {
	f := &folder{fsys: fsys, files: map[string]string{}, known: map[string][]string{}}
	entries, _ := fs.ReadDir(fsys, ".")
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if name := strings.TrimSuffix(e.Name(), ext); (ext == ".arrow" || ext == ".parquet") && e.Type().IsRegular() && f.files[name] == "" {
			f.files[name] = e.Name()
			f.order = append(f.order, name)
		}
	}
	return f
}

func (f *folder) has(name string) bool { return f.files[name] != "" }
func (f *folder) names() []string      { return f.order }

func (f *folder) columns(name string) []string {
	cols, ok := f.known[name]
	if !ok && f.has(name) {
		_ = f.open(name, func(t columnar) error {
			cols = t.names()
			return nil
		})
		f.known[name] = cols
	}
	return cols
}

// content is a file for reading at any place.
type content interface {
	io.ReaderAt
	io.Seeker
	io.Reader
}

// open shows a file of a table. The library of Parquet panics on damage, and allocates what it tells: both become errors.
func (f *folder) open(name string, see func(columnar) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: damaged: %v", f.files[name], p)
		}
	}()
	file, err := f.fsys.Open(f.files[name])
	if err != nil {
		return fmt.Errorf("%s: %w", f.files[name], bare(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", f.files[name], bare(err))
	}
	r, ok := file.(content)
	if !ok {
		all, err := io.ReadAll(file)
		if err != nil {
			return fmt.Errorf("%s: %w", f.files[name], bare(err))
		}
		r = bytes.NewReader(all)
	}
	t, err := tableOf(r, info.Size(), path.Ext(f.files[name]))
	if err == nil {
		err = see(t)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.files[name], err)
	}
	return nil
}

func tableOf(r content, size int64, ending string) (columnar, error) {
	if ending == ".arrow" {
		return newArrow(r, size)
	}
	return newParquet(r, &allowance{left: 64*size + 16<<20})
}

func (f *folder) scan(q query, visit func(row)) error {
	if !f.has(q.table) {
		return nil
	}
	return f.open(q.table, func(t columnar) error { return scanColumns(t, q, &cursor{}, visit) })
}
