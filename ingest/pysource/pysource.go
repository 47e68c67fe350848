// Package pysource finds what stands at a line of Python source: the function, the whole statement, and with columns the
// expression. It reads the source as text and runs nothing. It is a leaf, used by the program beside the analysis.
package pysource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	maxFiles  = 1 << 18 // of all folders
	maxSource = 4 << 20 // of one file
	maxText   = 200     // characters of a statement that are shown
)

// Sources are the Python files below some folders.
type Sources struct {
	byBase map[string][]string
	files  map[string]*file
}

// New lists the Python files below folders; hidden folders are left out. The error is of a folder that cannot be read.
func New(dirs []string) (*Sources, error) {
	s := &Sources{byBase: map[string][]string{}, files: map[string]*file{}}
	var errs []error
	for _, dir := range dirs {
		if err := s.list(dir); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.ToSlash(dir), plain(err)))
		}
	}
	return s, errors.Join(errs...)
}

func plain(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

func (s *Sources) list(dir string) error {
	root, n := dir, 0
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		root = real
	}
	return filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if n++; n > maxFiles {
			return fs.SkipAll
		}
		switch {
		case err != nil && p == root:
			return err
		case err != nil:
			return nil
		case e.IsDir() && p != root && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".py"):
			s.byBase[e.Name()] = append(s.byBase[e.Name()], filepath.ToSlash(p))
		}
		return nil
	})
}

// At tells what stands at a line of a file, which may have been elsewhere where the capture was taken: "FUNCTION, line N:
// STATEMENT", then the line with the one before and the one behind. Columns count bytes from 0, as Python does; an end of 0 is not
// known. Nil where no file fits, or several do equally well.
func (s *Sources) At(name string, line, column, end int) []string {
	f := s.find(name)
	if f == nil || line < 1 || line > len(f.lines) {
		return nil
	}
	at, ok := f.at(line)
	if !ok {
		return nil
	}
	text := f.text(at)
	if column >= 0 && column < end && end <= len(f.lines[line-1]) {
		text = clip(f.lines[line-1][column:end])
	}
	span := fmt.Sprintf("line %d", at.first)
	if at.last > at.first {
		span = fmt.Sprintf("lines %d to %d", at.first, at.last)
	}
	out := []string{fmt.Sprintf("%s, %s: %s", f.function(at), span, text)}
	for n := max(1, line-1); n <= min(len(f.lines), line+1); n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		out = append(out, fmt.Sprintf("%s %d  %s", mark, n, clip(strings.TrimRight(f.lines[n-1], " \t\r"))))
	}
	return out
}

// find takes the file whose path has most in common with the name, at the end.
func (s *Sources) find(name string) *file {
	name = strings.ReplaceAll(name, `\`, "/")
	best, most, several := "", 0, false
	for _, p := range s.byBase[path.Base(name)] {
		switch n := common(p, name); {
		case n > most:
			best, most, several = p, n, false
		case n == most:
			several = true
		}
	}
	if best == "" || several {
		return nil
	}
	f, known := s.files[best]
	if !known {
		if data, err := read(best); err == nil {
			f = parse(data)
		}
		s.files[best] = f
	}
	return f
}

func read(p string) ([]byte, error) {
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if len(data) > maxSource {
		return nil, errors.New("want a source of at most 4 MiB")
	}
	return data, err
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

func clip(s string) string {
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(r) <= maxText {
		return string(r)
	}
	return string(r[:maxText]) + "…"
}
