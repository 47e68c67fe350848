package symbols

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const (
	maxEntries = 1 << 20   // of a folder: a sysroot has some hundred thousand
	maxText    = 256 << 20 // of a map or table, unpacked
)

// entry is a file in one of the folders.
type entry struct{ path, name string }

// store finds the files of modules in the folders that the user gave. Files are opened when a module asks for them by name.
type store struct {
	dirs     []Dir
	byBase   map[string][]entry
	maps     []entry
	images   map[string]*image // by path; nil for one that is none
	found    map[string]*image // by what was asked for
	wanted   map[string]string // build ids by module, as captures and lists tell them
	refused  map[string]bool   // modules whose file was there and not used
	problems source.Problems
}

func newStore(dirs []Dir) *store {
	s := &store{dirs: dirs, byBase: map[string][]entry{}, images: map[string]*image{}, found: map[string]*image{}, wanted: map[string]string{}, refused: map[string]bool{}}
	for _, d := range dirs {
		s.list(d)
	}
	return s
}

// list notes the files of a folder in order of name. Links to files are followed, those to folders at the top only.
func (s *store) list(d Dir) {
	root, n := d.Path, 0
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if n++; n > maxEntries {
			s.problems.Add(source.Pos{File: d.Name}, "want at most %d files; the others were not looked at", maxEntries)
			return fs.SkipAll
		}
		if err != nil {
			s.problems.Add(source.Pos{File: d.Name}, "%v", plain(err))
			return nil
		}
		if e.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(root, p)
		f := entry{p, path.Join(d.Name, filepath.ToSlash(rel))}
		base := path.Base(f.name)
		s.byBase[base] = append(s.byBase[base], f)
		if isMapName(base) {
			s.maps = append(s.maps, f)
		}
		return nil
	})
	if err != nil {
		s.problems.Add(source.Pos{File: d.Name}, "%v", plain(err))
	}
}

func plain(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// isMapName says whether a file may be a list of mappings: maps, 1234.maps, proc.maps.app.txt, smaps-1234.txt.
func isMapName(base string) bool { return strings.Contains(strings.ToLower(base), "maps") }

// regular says whether a file may be read: a pipe or a device may never end.
func regular(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular()
}

// slurp reads a text or table, unpacked if it is gzip; nil if it cannot be read or is beyond the bound.
func slurp(p string) []byte {
	if !regular(p) {
		return nil
	}
	f, err := os.Open(p)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var in io.Reader = r
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		if in, err = gzip.NewReader(r); err != nil {
			return nil
		}
	}
	data, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if len(data) > maxText || err != nil && len(data) == 0 {
		return nil
	}
	return data
}

// builds learns which build of a module was running: from facts build_id ("HEX MODULE, …") and from lists in the folders, as perf
// buildid-list writes them ("HEX PATH").
func (s *store) builds(set *table.Set) {
	for _, f := range set.Facts() {
		if f.Name == "build_id" {
			for one := range strings.SplitSeq(f.Value, ", ") {
				s.build(one)
			}
		}
	}
	for _, base := range sortedKeys(s.byBase) {
		if l := strings.ToLower(base); !strings.Contains(l, "buildid") && !strings.Contains(l, "build-id") || strings.HasSuffix(l, ".debug") {
			continue
		}
		for _, e := range s.byBase[base] {
			for line := range strings.Lines(string(slurp(e.path))) {
				s.build(line)
			}
		}
	}
}

func (s *store) build(line string) {
	id, module, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok || len(id) < 16 || len(id)%2 != 0 || strings.Trim(id, "0123456789abcdef") != "" {
		return
	}
	module = path.Base(strings.TrimSpace(module))
	if old, known := s.wanted[module]; known && old != id {
		id = "" // two files of one name: neither can be told by it
	}
	s.wanted[module] = id
}

// find gives the file of a module; nil if there is none, or none that can be told to be the one that ran.
func (s *store) find(at spot) *image {
	key := at.module + "\x00" + at.path
	m, known := s.found[key]
	if !known {
		m = s.choose(at)
		s.found[key] = m
	}
	if m != nil && at.mapped != nil && !m.holds(at.mapped) {
		s.problems.Count(source.Pos{File: m.name}, "want code where %s was mapped, from offset 0x%x on; this file has none there: it is another build", at.module, at.mapped.offset)
		s.refused[at.module] = true
		return nil
	}
	return m
}

// choose takes the file with the build id that ran; else the one whose path has most in common with that of the mapping.
func (s *store) choose(at spot) *image {
	wanted := s.wanted[at.module]
	all := s.candidates(at.module, wanted)
	best, most, several := (*image)(nil), -1, false
	other := ""
	for _, m := range all {
		if wanted != "" && m.build != wanted {
			other = m.name
			continue
		}
		n := common(m.name, at.path)
		switch {
		case n > most:
			best, most, several = m, n, false
		case n == most && (m.build == "" || m.build != best.build):
			several = true
		case n == most: // one build: a debug file beside its stripped one
			best.adopt(m)
		}
	}
	switch {
	case best == nil && other != "":
		s.problems.Count(source.Pos{File: other}, "want build id %s of %s, which the capture was taken of; this file has another", wanted, at.module)
		s.refused[at.module] = true
	case several:
		s.problems.Count(source.Pos{File: best.name}, "one of several files named %s: none is used; give the one that ran, or its build id", at.module)
		s.refused[at.module], best = true, nil
	case best != nil:
		s.complete(best)
	}
	return best
}

// candidates are the files of a module's name, its debug files, and what lies under its build id.
func (s *store) candidates(module, build string) (out []*image) {
	names := []string{module, module + ".debug"}
	for _, name := range names {
		for _, e := range s.byBase[name] {
			if m := s.open(e); m != nil {
				out = append(out, m)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	if len(build) > 2 {
		if m := s.byBuild(build); m != nil {
			out = append(out, m)
		}
	}
	return out
}

// byBuild finds the debug file of a build id: .build-id/xx/yyyy.debug, as distributions lay it out.
func (s *store) byBuild(id string) *image {
	for _, e := range s.byBase[id[2:]+".debug"] {
		if strings.HasSuffix(path.Dir(e.name), "/"+id[:2]) || path.Dir(e.name) == id[:2] {
			if m := s.open(e); m != nil && m.build == id {
				return m
			}
		}
	}
	return nil
}

// complete takes names and lines from the debug file of a stripped one.
func (s *store) complete(m *image) {
	if m.complete {
		return
	}
	m.complete = true
	if d := s.debugOf(m); d != nil {
		m.adopt(d)
	}
	if len(m.funcs) == 0 && m.lines == nil {
		s.problems.Count(source.Pos{File: m.name}, "has no symbols: it was stripped; give its debug file, or one built with symbols")
	}
}

func (s *store) debugOf(m *image) *image {
	if len(m.build) > 2 && m.lines == nil {
		if d := s.byBuild(m.build); d != nil && d != m {
			return d
		}
	}
	if m.link == "" || m.lines != nil {
		return nil
	}
	for _, e := range s.byBase[m.link] {
		d := s.open(e)
		if d == nil || d == m {
			continue
		}
		if m.build != "" && d.build == m.build || crcOf(e.path) == m.crc {
			return d
		}
		s.problems.Count(source.Pos{File: e.name}, "want the debug file of %s; build id and checksum are of another", m.name)
	}
	return nil
}

// open reads a file once.
func (s *store) open(e entry) *image {
	m, known := s.images[e.path]
	if !known && regular(e.path) {
		var err error
		if m, err = open(e); err != nil {
			s.problems.Add(source.Pos{File: e.name}, "%v", err)
		}
	}
	s.images[e.path] = m
	return m
}

// common is how many elements two paths have in common at their ends.
func common(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
