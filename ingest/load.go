// Package ingest reads captures into tables: it finds the files, unpacks them, recognises each by its content, has
// its format decode it, and joins the files of a run into one table.Set.
package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Options change how captures are found and read. The zero value is ready.
type Options struct {
	Format   string    // the format of all inputs, in place of recognising it
	Stdin    io.Reader // what "-" reads
	Progress func(bytes int64)

	late     bool  // the second round: files whose figures are pages
	pageSize int64 // as the run's other files tell it; 0 if none does
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
}

// file is one path to read, with the name it is shown by.
type file struct {
	path, name string
	named      bool // given by the user itself, so that it must be a capture
}

// group is the files of one run.
type group struct {
	name  string
	files []file
}

// decoded is what one file held.
type decoded struct {
	input   Input
	parts   []*table.Part
	skipped []string
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
			return nil, plainError(err)
		case arg != "-" && info.IsDir():
			more, err := o.side(arg)
			if err != nil {
				return nil, err
			}
			groups = append(groups, more...)
		case o.series(arg):
			groups = append(groups, group{shown(arg), []file{{arg, shown(arg), true}}})
		default:
			loose.files = append(loose.files, file{arg, shown(arg), true})
		}
	}
	if len(loose.files) > 0 {
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
		return []group{{"-", []file{{"-", "-", true}}}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, plainError(err)
	}
	if !info.IsDir() {
		return []group{{shown(arg), []file{{arg, shown(arg), true}}}}, nil
	}
	return o.folder(arg, shown(arg))
}

// folder splits a folder into runs.
func (o Options) folder(dir, name string) ([]group, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, plainError(err)
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return natural(a.Name(), b.Name()) })
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	if len(entries) == 0 {
		return nil, source.Errorf(source.Pos{File: name}, "held nothing: the folder is empty")
	}
	all := func(is func(os.DirEntry) bool) bool {
		return !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !is(e) })
	}
	switch {
	case all(os.DirEntry.IsDir):
		return o.runsOf(entries, dir, name)
	case all(func(e os.DirEntry) bool { return !e.IsDir() && o.series(filepath.Join(dir, e.Name())) }):
		return eachFile(walkFiles(dir, name)), nil
	}
	return []group{{name, walkFiles(dir, name)}}, nil
}

func (o Options) runsOf(entries []os.DirEntry, dir, name string) ([]group, error) {
	var out []group
	for _, e := range entries {
		out = append(out, group{name + "/" + e.Name(), walkFiles(filepath.Join(dir, e.Name()), name+"/"+e.Name())})
	}
	return out, nil
}

func eachFile(files []file) []group {
	var out []group
	for _, f := range files {
		out = append(out, group{f.name, []file{f}})
	}
	return out
}

// walkFiles lists the files below a folder in natural order. A folder that cannot be read shows as a file that
// cannot: its error is told when it is opened.
func walkFiles(dir, name string) []file {
	var out []file
	_ = filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil {
			out = append(out, file{p, shownBelow(dir, name, p), true})
			return nil
		}
		hidden := p != dir && strings.HasPrefix(e.Name(), ".")
		switch {
		case hidden && e.IsDir():
			return filepath.SkipDir
		case !hidden && !e.IsDir():
			out = append(out, file{path: p, name: shownBelow(dir, name, p)})
		}
		return nil
	})
	slices.SortFunc(out, func(a, b file) int { return natural(a.name, b.name) })
	return out
}

func shownBelow(dir, name, p string) string {
	rel, err := filepath.Rel(dir, p)
	if err != nil {
		return filepath.ToSlash(p)
	}
	return path.Join(name, filepath.ToSlash(rel))
}

// shown is the name that stands in outputs: as the user typed it, but never an absolute path, which would differ
// from machine to machine.
func shown(arg string) string {
	if arg == "-" {
		return arg
	}
	if filepath.IsAbs(arg) {
		return filepath.Base(arg)
	}
	return filepath.ToSlash(filepath.Clean(arg))
}

// series says whether a file is of a format that is a run of its own.
func (o Options) series(name string) bool {
	if o.Format != "" {
		f := find(o.Format)
		return f != nil && f.Series
	}
	if name == "-" {
		return false
	}
	is := false
	stop := errors.New("seen")
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	w := &walker{file: f, size: sizeOf(f), visit: func(in *source.Input) error {
		claims := claim(in.Head)
		is = len(claims) == 1 && claims[0].Series
		return stop
	}}
	_ = w.walk(name, f)
	return is
}

func sizeOf(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
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
	got := o.all(g.files, nil)
	o.late, o.pageSize = true, pageSize(got)
	for i, d := range o.all(g.files, got) {
		got[i] = d
	}
	return join(g, got)
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

// pageSize finds the page size that a capture of the run tells.
func pageSize(got []decoded) int64 {
	for _, d := range got {
		for _, p := range d.parts {
			for _, f := range p.Facts {
				if n, err := strconv.ParseInt(f.Value, 10, 64); f.Name == "page_size" && err == nil {
					return n
				}
			}
		}
	}
	return 0
}

func join(g group, got []decoded) (*Run, error) {
	run := &Run{Name: g.name}
	var parts []*table.Part
	var errs []error
	fatal := false
	for i, d := range got {
		if d.err != nil {
			errs = append(errs, d.err)
			fatal = fatal || g.files[i].named && !errors.As(d.err, new(*source.Error))
		}
		run.Skipped = append(run.Skipped, d.skipped...)
		if d.input.Format != "" || len(d.parts) > 0 {
			run.Inputs = append(run.Inputs, d.input)
		}
		parts = append(parts, d.parts...)
	}
	rows := slices.ContainsFunc(parts, func(p *table.Part) bool { return p.HasRows() })
	if fatal || !rows {
		return nil, noRows(g, errs, run.Skipped)
	}
	run.Set = table.Assemble(settle(parts))
	run.Set.Note(problems(errs, run.Skipped)...)
	return run, nil
}

func noRows(g group, errs []error, skipped []string) error {
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if len(skipped) > 0 {
		return source.Errorf(source.Pos{File: skipped[0]}, "no capture that memtide knows (%d files looked at); see `memtide formats`, or name one with --format", len(skipped))
	}
	return source.Errorf(source.Pos{File: g.name}, "held nothing")
}

// problems turns the errors of single files, and the files that are no captures, into problems of the run.
func problems(errs []error, skipped []string) []source.Problem {
	var out []source.Problem
	for _, err := range errs {
		p := source.Problem{Message: err.Error(), Count: 1}
		if e := new(source.Error); errors.As(err, &e) {
			p.Pos, p.Message = e.Pos, e.Message
		}
		out = append(out, p)
	}
	if len(skipped) > 0 {
		out = append(out, source.Problem{Pos: source.Pos{File: skipped[0]}, Message: "no capture that memtide knows: skipped", Count: len(skipped)})
	}
	return out
}

func plainError(err error) error {
	if e := new(os.PathError); errors.As(err, &e) {
		return source.Errorf(source.Pos{File: filepath.ToSlash(e.Path)}, "%v", e.Err)
	}
	return fmt.Errorf("%w", err)
}
