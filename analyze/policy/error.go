package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one fault of a policy file.
type Error struct {
	File         string
	Line, Column int
	Message      string
	Source       string // the line
}

// Error gives the place, the message, and the line with a mark below the column.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	if strings.TrimSpace(e.Source) == "" {
		return text
	}
	source := strings.ReplaceAll(e.Source, "\t", " ")
	return fmt.Sprintf("%s\n    %s\n    %s^", text, source, strings.Repeat(" ", max(0, e.Column-1)))
}

// Errors are all faults of a policy file, in order of their places.
type Errors []*Error

// Error gives one fault after the other.
func (e Errors) Error() string {
	var out []string
	for _, one := range e {
		out = append(out, one.Error())
	}
	return strings.Join(out, "\n")
}

// maxErrors is how many faults are told; a file with more is no policy.
const maxErrors = 50

func (d *decoder) errorf(p place, format string, args ...any) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, &Error{File: d.file, Line: p.line, Column: p.column, Message: fmt.Sprintf(format, args...), Source: d.source(p.line)})
	}
}

func (d *decoder) source(line int) string {
	if line < 1 || line > len(d.lines) {
		return ""
	}
	const most = 200
	s := strings.TrimRight(d.lines[line-1], "\r")
	return s[:min(len(s), most)]
}

func (d *decoder) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errs, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return d.errs
}

// nearest names the word that a mistyped one was meant to be, if one is near.
func nearest(word string, all []string) string {
	best, least := "", max(2, len(word)/3+1)
	for _, w := range all {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is how many letters must be put in, taken out or changed to make one word of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
