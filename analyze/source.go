package analyze

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// SourceAt is a place in a source file, as a frame tells it. Columns count bytes from 0; -1 is not known.
type SourceAt struct {
	File        string
	Line        int
	Column, End int
}

// sourceAt reads the place of a frame. Some tools write it as file:line:column-end.
func sourceAt(c *table.Call) (SourceAt, bool) {
	at := SourceAt{File: c.SourceFile, Line: int(c.SourceLine.V), Column: -1}
	if rest, columns, ok := cutLast(at.File, ":"); ok {
		if file, line, ok := cutLast(rest, ":"); ok {
			from, to, _ := strings.Cut(columns, "-")
			n, err := strconv.Atoi(line)
			column, err2 := strconv.Atoi(from)
			end, err3 := strconv.Atoi(to)
			if err == nil && err2 == nil && err3 == nil {
				at = SourceAt{file, n, column, end}
			}
		}
	}
	return at, strings.HasSuffix(at.File, ".py") && at.Line > 0
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// stacked sets the stack of a finding.
func (f *Finding) stacked(calls []table.Call) {
	f.Stack, f.suspects, f.calls = shown(calls), names(calls), calls
}

// remark adds what captures leave open to the warnings, each once.
func (r *Result) remark(all []string) {
	for _, text := range all {
		if !slices.Contains(r.Warnings, text) {
			r.Warnings = append(r.Warnings, text)
		}
	}
}

// quote gives each finding the lines of source of the innermost of its frames that has some.
func (r *Result) quote(o Options) {
	if o.Source == nil {
		return
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for k := range f.calls {
			if at, ok := sourceAt(&f.calls[k]); ok && len(f.Source) == 0 {
				f.Source = o.Source(at)
			}
		}
	}
}
