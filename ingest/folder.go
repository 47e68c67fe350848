package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/nsight"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// kind is what a file is for the layout of a folder.
type kind int

const (
	noCapture  kind = iota // nor are pipes and what must not be read
	isSnapshot             // one moment, or several, of a run that other files tell of too
	isSeries               // a run of its own
)

// layout counts what stands in a folder.
type layout struct {
	dirs []string
	of   map[kind]int
}

// folder splits a folder into runs. Files that are no captures do not count for its layout.
func (o Options) folder(dir, name string) ([]group, error) {
	if one, ok := export(dir, name); ok {
		return []group{one}, nil
	}
	l, err := o.layout(dir)
	if err != nil {
		return nil, &unreadable{name, err}
	}
	if len(l.dirs) == 0 && len(l.of) == 0 {
		return nil, source.Errorf(source.Pos{File: name}, "held nothing: the folder is empty")
	}
	switch {
	case len(l.dirs) > 0 && l.of[isSnapshot]+l.of[isSeries] == 0:
		return o.runsOf(l.dirs, dir, name)
	case l.onlySeries():
		return o.eachSeries(dir, name), nil
	}
	return []group{{name, walkFiles(dir, name), o.mixture(l, dir, name)}}, nil
}

// mixture tells of captures that stand beside several folders of captures: they make all of it one run, where each folder by itself
// would be one.
func (o Options) mixture(l *layout, dir, name string) string {
	runs := 0
	for _, d := range l.dirs {
		if sub, err := o.layout(filepath.Join(dir, d)); err == nil && sub.of[isSnapshot]+sub.of[isSeries] > 0 {
			runs++
		}
	}
	if runs < 2 {
		return ""
	}
	return fmt.Sprintf("%s holds captures beside %d folders of captures: all are taken as one run. Without those captures each folder would be a run of its own.", name, runs)
}

func (l *layout) onlySeries() bool {
	return len(l.dirs) == 0 && l.of[isSeries] > 0 && l.of[isSnapshot] == 0
}

// layout looks at the entries of a folder, hidden ones apart, until one makes it a folder of snapshots.
func (o Options) layout(dir string) (*layout, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	l := &layout{of: map[kind]int{}}
	for _, e := range entries {
		if hidden(e.Name()) {
			continue
		}
		if p := filepath.Join(dir, e.Name()); isDir(p, e) {
			l.dirs = append(l.dirs, e.Name())
		} else if l.of[isSnapshot] == 0 {
			l.of[o.kind(p)]++
		}
	}
	slices.SortFunc(l.dirs, natural)
	return l, nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// isDir follows a link: runs are often linked together from elsewhere.
func isDir(p string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// runsOf makes a run of each folder, or of each series in it if it holds nothing else. What stands beside them is
// read with the first, which tells that it was skipped.
func (o Options) runsOf(dirs []string, dir, name string) ([]group, error) {
	var out []group
	for _, d := range dirs {
		sub, shown := filepath.Join(dir, d), path.Join(name, d)
		if one, ok := export(sub, shown); ok {
			out = append(out, one)
		} else if l, err := o.layout(sub); err == nil && l.onlySeries() {
			out = append(out, o.eachSeries(sub, shown)...)
		} else {
			out = append(out, group{name: shown, files: walkFiles(sub, shown)})
		}
	}
	for _, f := range walkFiles(dir, name) {
		if path.Dir(f.name) == path.Clean(name) && !slices.Contains(dirs, path.Base(f.name)) {
			out[0].files = append(out[0].files, f)
		}
	}
	return out, nil
}

// eachSeries makes a run of each series of a folder; other files are read, and skipped, with the first.
func (o Options) eachSeries(dir, name string) []group {
	var out []group
	var rest []file
	for _, f := range walkFiles(dir, name) {
		if o.kind(f.path) == isSeries {
			out = append(out, group{name: f.name, files: []file{f}})
		} else {
			rest = append(rest, f)
		}
	}
	out[0].files = append(out[0].files, rest...)
	return out
}

// walkFiles lists the files below a folder in natural order. A folder that cannot be read is among them, with
// its error. Links to folders are followed only at the top.
func walkFiles(dir, name string) []file {
	root := dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		root = real
	}
	var out []file
	_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			out = append(out, file{path: p, name: shownBelow(root, name, p), err: err})
		case p != root && hidden(e.Name()) && e.IsDir():
			return filepath.SkipDir
		case !e.IsDir() && (p == root || !hidden(e.Name())):
			out = append(out, file{path: p, name: shownBelow(root, name, p)})
		}
		return nil
	})
	slices.SortFunc(out, func(a, b file) int { return natural(a.name, b.name) })
	return out
}

func shownBelow(dir, name, p string) string {
	rel, err := filepath.Rel(dir, p)
	if err != nil {
		return path.Join(name, filepath.Base(p))
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

// inOrder sorts the files that were given one by one. Names that differ in their numbers only follow the numbers, as
// a pattern of the shell gives smaps_10 before smaps_2; else the order is the user's.
func inOrder(files []file) {
	first := map[string]int{}
	for i, f := range files {
		if _, ok := first[source.Unnumbered(f.name)]; !ok {
			first[source.Unnumbered(f.name)] = i
		}
	}
	slices.SortStableFunc(files, func(a, b file) int {
		if x, y := first[source.Unnumbered(a.name)], first[source.Unnumbered(b.name)]; x != y {
			return x - y
		}
		return natural(a.name, b.name)
	})
}

// kind looks at the beginning of a file, of the first member if it is an archive.
func (o Options) kind(name string) kind {
	is := noCapture
	look(name, func(in *source.Input) { is = o.kindOf(in) })
	return is
}

// look shows the first input in a file. Only regular files are opened: what is read from a pipe is gone.
func look(name string, see func(*source.Input)) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	w := &walker{file: f, budget: &budget{file: info.Size()}, visit: func(in *source.Input) error {
		see(in)
		return errEnough
	}}
	_ = w.walk(name, f)
}

// expect finds what the first file of a run is. A run is nearly always of one kind, and looking for the marks of all
// formats in each of its files costs as much as reading them.
func (o Options) expect(files []file) *Format {
	var only *Format
	if len(files) > 1 && o.Format == "" {
		look(files[0].path, func(in *source.Input) {
			if claims := claim(in.Head); len(claims) == 1 {
				only = claims[0]
			}
		})
	}
	return only
}

func (o Options) kindOf(in *source.Input) kind {
	f := find(o.Format)
	if f == nil {
		claims := claim(in.Head)
		if len(claims) == 0 && !isBugReport(in.Head) {
			return noCapture
		}
		if len(claims) != 1 {
			return isSnapshot
		}
		f = claims[0]
	}
	if f.Series {
		return isSeries
	}
	return isSnapshot
}

// export says whether a folder is one capture as a whole: an export of Nsight Systems with a file for each table.
func export(dir, name string) (group, bool) {
	if nsight.SniffFolder(os.DirFS(dir)) == "" {
		return group{}, false
	}
	return group{name: name, files: []file{{path: dir, name: name, named: true, folder: true}}}, true
}

// decodeExport reads a folder that is one capture. Its hash is over its files in order of name.
func (o Options) decodeExport(f file) decoded {
	d := decoded{input: Input{Path: f.name, Format: nsight.SniffFolder(os.DirFS(f.path))}}
	sum := sha256.New()
	for _, one := range walkFiles(f.path, f.name) {
		n, err := addFile(sum, one.path)
		if err != nil {
			d.err = &unreadable{one.name, err}
			return d
		}
		d.input.Bytes += n
	}
	d.input.SHA256 = hex.EncodeToString(sum.Sum(nil))
	b := table.NewBuilder(f.name, d.input.Format)
	if o.Events != nil {
		b.Stream(o.Events(b))
	}
	d.err = withReason(nsight.DecodeFolder(os.DirFS(f.path), f.name, b), b.Problems.List())
	part := b.Done()
	part.OnDevice = true
	d.parts = append(d.parts, part)
	return d
}

func addFile(sum io.Writer, path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(sum, f)
}
