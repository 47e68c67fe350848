// Package ingest reads captures into tables: it finds the files, unpacks them, recognises each by its content, has
// its format decode it, and joins the files of a run into one table.Set.
package ingest

import (
	"errors"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/symbols"
	"github.com/memtide/memtide/ingest/table"
)

// Options change how captures are found and read. The zero value is ready.
type Options struct {
	Format   string    // the format of all inputs, in place of recognising it
	Stdin    io.Reader // what "-" reads
	Progress func(bytes int64)
	// Events makes a sink for the events of an input, which are then no rows; nil to keep them as rows.
	Events  func(*table.Builder) table.EventSink
	Drivers []string // columns of CSV files that count the work given, by name
	Symbols []string // folders of binaries, debug files and maps that name bare addresses

	expected *Format // of the first file of the run: asked before all others
	late     bool    // the second round: files whose figures are pages
	pageSize int64   // as the run's other files tell it; 0 if none does
}

// Input is one file as it was found.
type Input struct {
	Path   string
	Format string
	Bytes  int64
	SHA256 string
}

// Run is one run of a program as the captures tell it: a snapshot, a series, or a folder of snapshots.
type Run struct {
	Name   string
	Set    *table.Set
	Inputs []Input
	// Skipped are files and archive members that no format claims; they stand in a folder or archive, so they are
	// no error.
	Skipped []string
	// Failed are the faults of files beside which others could be read: captures that held nothing, or broke.
	Failed []error
}

// file is one path to read, with the name it is shown by.
type file struct {
	path, name string
	named      bool  // given by the user itself, so that it must be a capture
	folder     bool  // it is a folder that is one capture
	err        error // of finding it: a folder that cannot be read
}

// unreadable is an input that could not be read at all, or not to its end: no matter of its records.
type unreadable struct {
	file string
	err  error
}

func (f *unreadable) Error() string { return f.file + ": " + plain(f.err).Error() }
func (f *unreadable) Unwrap() error { return f.err }

// plain takes the path off an error of the file system: outputs show the names that the user knows.
func plain(err error) error {
	if e := new(os.PathError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// group is the files of one run.
type group struct {
	name   string
	files  []file
	remark string // on how the files were taken, if that may not be what was meant
}

// decoded is what one file held.
type decoded struct {
	input   Input
	parts   []*table.Part
	notes   []source.Problem
	skipped []string
	again   bool // can be read a second time, as pipes cannot
	late    bool // waits for the page size
	err     error
}

// Side reads one value of --before or --after: a file or a folder of snapshots is one run; a folder that holds only
// folders, or only series, holds one run each.
func Side(arg string, o Options) ([]*Run, error) {
	groups, err := o.side(arg)
	if err != nil {
		return nil, err
	}
	return o.load(groups)
}

// Load reads the arguments of the one-sided commands: snapshots given side by side are one run in the order of their
// times; each series file and each folder is a run of its own.
func Load(args []string, o Options) ([]*Run, error) {
	var loose group
	var groups []group
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg != "-" && err != nil:
			return nil, &unreadable{filepath.ToSlash(arg), err}
		case arg != "-" && info.IsDir():
			more, err := o.side(arg)
			if err != nil {
				return nil, err
			}
			groups = append(groups, more...)
		case len(args) > 1 && arg != "-" && o.kind(arg) == isSeries: // one argument is one run, whatever it is
			groups = append(groups, group{name: shown(arg), files: []file{{path: arg, name: shown(arg), named: true}}})
		default:
			loose.files = append(loose.files, file{path: arg, name: shown(arg), named: true})
		}
	}
	if len(loose.files) > 0 {
		inOrder(loose.files)
		loose.name = loose.files[0].name
		if len(loose.files) > 1 {
			loose.name = path.Dir(loose.name)
		}
		groups = append([]group{loose}, groups...)
	}
	return o.load(groups)
}

func (o Options) side(arg string) ([]group, error) {
	if arg == "-" {
		return []group{{name: "-", files: []file{{path: "-", name: "-", named: true}}}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, &unreadable{filepath.ToSlash(arg), err}
	}
	if !info.IsDir() {
		return []group{{name: shown(arg), files: []file{{path: arg, name: shown(arg), named: true}}}}, nil
	}
	return o.folder(arg, shown(arg))
}

// load decodes all files on all cores and joins them run by run.
func (o Options) load(groups []group) ([]*Run, error) {
	var out []*Run
	var errs []error
	for _, g := range groups {
		run, err := o.run(g)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, run)
	}
	if len(out) == 0 {
		return nil, errors.Join(errs...)
	}
	return out, errors.Join(errs...)
}

// run reads the files of one run. Files that hold nothing beside others that do are problems of the run.
func (o Options) run(g group) (*Run, error) {
	o.expected = o.expect(g.files)
	got := o.all(g.files, nil)
	o.pageSize, o.late = o.pageSizeOf(g.files, got), true
	for i, d := range o.all(g.files, got) {
		got[i] = d
	}
	run, err := join(g, got)
	if err == nil {
		if g.remark != "" {
			run.Set.Remark(g.remark)
		}
		symbols.Resolve(run.Set, foldersOf(o.Symbols), beside(g.files))
	}
	return run, err
}

// foldersOf gives folders with the names they are shown by.
func foldersOf(paths []string) (out []symbols.Dir) {
	for _, p := range paths {
		out = append(out, symbols.Dir{Path: p, Name: shown(p)})
	}
	return out
}

// beside gives the folders that captures stand in, each once.
func beside(files []file) []symbols.Dir {
	var paths []string
	for _, f := range files {
		if dir := filepath.Dir(f.path); f.path != "-" && !slices.Contains(paths, dir) {
			paths = append(paths, dir)
		}
	}
	return foldersOf(paths)
}

// all decodes files on all cores. Of a second round it reads only those that waited.
func (o Options) all(files []file, first []decoded) []decoded {
	out := slices.Clone(first)
	if out == nil {
		out = make([]decoded, len(files))
	}
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wait.Go(func() {
			for i := range next {
				out[i] = o.decode(files[i])
			}
		})
	}
	for i := range files {
		if first == nil || first[i].late {
			next <- i
		}
	}
	close(next)
	wait.Wait()
	return out
}

// pageSizeOf finds the page size that a capture of the run tells: a smaps states it, and a status has in bytes what a
// statm of the same moment has in pages.
func (o Options) pageSizeOf(files []file, got []decoded) int64 {
	for _, d := range got {
		for _, p := range d.parts {
			for _, f := range p.Facts {
				if n, err := strconv.ParseInt(f.Value, 10, 64); f.Name == "page_size" && err == nil {
					return n
				}
			}
		}
	}
	o.late, o.pageSize = true, 1
	for i, d := range got {
		if d.late {
			return pageOf(o.decode(files[i]).parts, got)
		}
	}
	return 0
}

// pageOf takes the one page size that makes bytes of the first figure in pages, within what a process maps between two
// reads; 0 if none does.
func pageOf(pages []*table.Part, got []decoded) int64 {
	for _, p := range pages {
		for _, d := range got {
			for _, q := range d.parts {
				in, bytes := p.First("vss"), q.First("vss")
				for _, size := range []int64{4 << 10, 16 << 10, 64 << 10} {
					if in.V > 0 && bytes.V > 0 && math.Abs(float64(bytes.V)/float64(in.V*size)-1) < 0.1 {
						return size
					}
				}
			}
		}
	}
	return 0
}
