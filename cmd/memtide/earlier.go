package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/memtide/memtide/analyze"
)

// earlier reads a result that memtide wrote, if the file is one; nil if it is something else. One that was damaged or
// changed by hand is an error.
func earlier(path string) (*analyze.Result, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // what opening it says is said when it is read as a capture
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	in, at, err := unpaged(f, info.Size())
	if err != nil {
		return nil, unreadable(fmt.Errorf("%s%s: %w", filepath.ToSlash(path), at, err))
	}
	head, _ := in.Peek(256)
	if !bytes.Contains(head, []byte(`"memtide/result/`)) {
		return nil, nil
	}
	out, place, err := decoded(in)
	if err == nil {
		err = out.Check()
	}
	if err != nil {
		return nil, unreadable(fmt.Errorf("%s%s%s: want a result of memtide: %w", filepath.ToSlash(path), at, place, err))
	}
	return out, nil
}

// unpacked reads through gzip where the bytes say so.
func unpacked(f io.Reader) *bufio.Reader {
	r := bufio.NewReader(f)
	if head, _ := r.Peek(2); bytes.Equal(head, []byte("\x1f\x8b")) {
		if z, err := gzip.NewReader(r); err == nil {
			return bufio.NewReader(z)
		}
	}
	return r
}

// decoded reads the one result that r holds; at is the place of an error, as :line:column.
func decoded(r io.Reader) (out *analyze.Result, at string, err error) {
	lines := &lineReader{r: r}
	d := json.NewDecoder(lines)
	err = d.Decode(&out)
	wrong, kind := new(json.SyntaxError), new(json.UnmarshalTypeError)
	switch {
	case errors.As(err, &wrong):
		return nil, lines.place(wrong.Offset), err
	case errors.As(err, &kind):
		return nil, lines.place(kind.Offset), fmt.Errorf("%s: want a value of type %s, have %s", kind.Field, kind.Type, kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, lines.place(lines.n), errors.New("the file ends within it")
	case err != nil:
		return nil, "", err
	}
	end := d.InputOffset()
	if _, err := d.Token(); err != io.EOF {
		return nil, lines.place(max(d.InputOffset(), end+1)), errors.New("more stands behind its end")
	}
	return out, "", nil
}

// lineReader notes where the lines end that go through it.
type lineReader struct {
	r    io.Reader
	n    int64
	ends []int64 // offsets of the line feeds
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.n+int64(i))
		}
	}
	l.n += int64(n)
	return n, err
}

// place is line and column, from 1, of the byte before an offset: the last one that a decoder read.
func (l *lineReader) place(offset int64) string {
	at := max(offset-1, 0)
	line := sort.Search(len(l.ends), func(i int) bool { return l.ends[i] >= at })
	from := int64(0)
	if line > 0 {
		from = l.ends[line-1] + 1
	}
	return fmt.Sprintf(":%d:%d", line+1, at-from+1)
}

// fromResult takes the runs out of a result: those of its after side if it compared two. One without a line of time holds
// nothing that could be held against anything.
func fromResult(arg string, r *analyze.Result) ([]analyze.Capture, error) {
	side := ""
	for _, l := range r.Timeline {
		if l.Side == "after" {
			side = "after"
		}
	}
	byRun := map[string]*analyze.Result{}
	var order []string
	of := func(run string) *analyze.Result {
		if byRun[run] == nil {
			byRun[run] = &analyze.Result{}
			order = append(order, run)
		}
		return byRun[run]
	}
	for _, l := range r.Timeline {
		if l.Side == side {
			of(l.Run).Timeline = append(of(l.Run).Timeline, l)
		}
	}
	for _, f := range r.Findings {
		if f.Side == side && f.Run != "" {
			of(f.Run)
		}
	}
	if len(order) == 0 {
		return nil, unreadable(fmt.Errorf("%s: a result without a timeline: it cannot stand in place of a capture", filepath.ToSlash(arg)))
	}
	for _, a := range r.Anchors {
		if a.Side == side && byRun[a.Run] != nil {
			of(a.Run).Anchors = append(of(a.Run).Anchors, a)
		}
	}
	for _, f := range r.Findings {
		if f.Side == side && f.Run != "" {
			of(f.Run).Findings = append(of(f.Run).Findings, f)
		}
	}
	for _, s := range r.Stacks {
		if run := s.Run; run != "" && byRun[run] != nil {
			of(run).Stacks = append(of(run).Stacks, s)
		} else if run == "" && len(order) == 1 {
			of(order[0]).Stacks = append(of(order[0]).Stacks, s)
		}
	}
	var out []analyze.Capture
	for _, run := range order {
		c := analyze.Capture{Name: run, Earlier: byRun[run]}
		for _, in := range r.Inputs {
			if in.Run == run && in.Side == side {
				c.Inputs = append(c.Inputs, in)
			}
		}
		out = append(out, c)
	}
	return out, nil
}
