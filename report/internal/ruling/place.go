package ruling

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/unit"
)

// Place is a line of a capture that a ruling rests on.
type Place struct {
	File string // as it was given
	Line int64  // at least 1
	Note string // what stood there
}

// String is file:line and what stood there.
func (p Place) String() string {
	text := fmt.Sprintf("%s:%d", p.File, p.Line)
	if p.Note != "" {
		text += " (" + p.Note + ")"
	}
	return text
}

// Path is the file as a path below the root of a repository, with forward slashes. CI systems look for it there and
// refuse others, so a root, a drive and steps upwards are left out; it is never empty.
func (p Place) Path() string {
	text := strings.ReplaceAll(p.File, `\`, "/")
	if len(text) > 1 && text[1] == ':' && (len(text) == 2 || text[2] == '/') {
		text = text[2:]
	}
	text = strings.TrimPrefix(path.Clean("/"+text), "/")
	if text == "" {
		return "unknown"
	}
	return text
}

func place(e analyze.Evidence, kind unit.Kind) Place {
	p := Place{File: label.Clean(e.File), Line: max(e.Line, 1)}
	var notes []string
	if e.TimeNS != nil {
		notes = append(notes, "at "+unit.Duration(float64(*e.TimeNS)/1e9))
	}
	if e.Value != nil {
		v := float64(*e.Value)
		notes = append(notes, unit.Quantity(kind, &v))
	}
	p.Note = strings.Join(notes, ", ")
	return p
}

// places are those of a finding; where there are none, the capture that the subject was measured in stands for them.
func places(r *analyze.Result, evidence []analyze.Evidence, s analyze.Subject) []Place {
	var out []Place
	for _, e := range evidence {
		if e.File != "" {
			out = append(out, place(e, KindOf(s.Metric)))
		}
	}
	if len(out) == 0 {
		out = append(out, capture(r, s)...)
	}
	return out
}

// capture is the first input that may have shown the subject; the after side goes first, since that is the build that
// is judged. A result without inputs points at its policy.
func capture(r *analyze.Result, s analyze.Subject) []Place {
	for _, fits := range []func(analyze.Input) bool{
		func(in analyze.Input) bool { return in.Side != "before" && slices.Contains(in.Process, s.Process) },
		func(in analyze.Input) bool { return in.Side != "before" },
		func(analyze.Input) bool { return true },
	} {
		if i := slices.IndexFunc(r.Inputs, fits); i >= 0 {
			return []Place{{File: label.Clean(r.Inputs[i].Path), Line: 1}}
		}
	}
	if r.Policy != nil && r.Policy.Path != "" {
		return []Place{{File: label.Clean(r.Policy.Path), Line: 1}}
	}
	return nil
}
