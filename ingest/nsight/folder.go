package nsight

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffFolder says whether a folder is what `nsys export --type parquetdir` or `--type arrowdir` writes: files that are named
// by the tables of the SQLite export.
func SniffFolder(fsys fs.FS) bool {
	f := filesOf(fsys)
	return f.has("StringIds") && (f.has("META_DATA_EXPORT") || f.has("EXPORT_META_DATA") || hasCUDA(f))
}

// DecodeFolder reads such a folder, which is one capture, as DecodeSQLite reads a database. Name is what outputs call it.
// Note: Arrow files are refused. The library reads their metadata without a bound, so that a damaged one takes all memory.
func DecodeFolder(fsys fs.FS, name string, b *table.Builder) error {
	in, err := source.NewInput(name, bytes.NewReader(nil))
	if err != nil {
		return err
	}
	f := filesOf(fsys)
	switch ending := path.Ext(f.files["StringIds"]); ending {
	case "":
		return source.Errorf(in.At(0, 0), "want the folder of an export of Nsight Systems, with StringIds.parquet")
	case ".arrow":
		return source.Errorf(in.At(0, 0), "an export of Nsight Systems to Arrow files, which are not read: take `nsys export --type parquetdir FILE` or `--type sqlite`")
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
		_ = f.open(name, func(r *parquetFile) error {
			cols = r.names
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

// open shows a file of a table. The library panics on damage, and allocates what it tells: both become errors.
func (f *folder) open(name string, see func(*parquetFile) error) (err error) {
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
	columns, err := newParquet(r, &allowance{left: 64*info.Size() + 16<<20})
	if err == nil {
		err = see(columns)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.files[name], err)
	}
	return nil
}

func (f *folder) scan(q query, visit func(row)) error {
	if !f.has(q.table) {
		return nil
	}
	return f.open(q.table, func(r *parquetFile) error {
		all := q.columns
		if q.filter != "" {
			all = append(slices.Clone(all), q.filter)
		}
		at := &cursor{places: make([]int, len(all))}
		var read []int // in the order of the file, each once
		for i, name := range r.names {
			if slices.Contains(all, name) {
				read = append(read, i)
			}
		}
		for i, c := range all {
			at.places[i] = slices.IndexFunc(read, func(k int) bool { return r.names[k] == c })
		}
		in := map[int64]bool{}
		for _, id := range q.in {
			in[id] = true
		}
		return r.each(read, func(cols []column, rows int) {
			at.cols = cols
			for at.i = range rows {
				at.n++
				if q.filter == "" || in[at.int(len(q.columns)).V] && at.int(len(q.columns)).OK {
					visit(at)
				}
			}
		})
	})
}
