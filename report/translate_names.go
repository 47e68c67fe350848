package report

import (
	"strings"

	"github.com/memtide/memtide/analyze"
)

// namesOf are the names that the captures of a result gave: of processes, runs, builds, devices, marks, and of what was
// measured. They stay in every language, even where one looks like a word of the program.
func namesOf(r *analyze.Result) map[string]bool {
	n := kept{}
	if r == nil {
		return n
	}
	for _, in := range r.Inputs {
		n.add(in.Process...)
		n.add(in.Device)
		n.path(in.Run)
	}
	for i := range r.Series {
		n.subject(r.Series[i].Subject)
		n.path(r.Series[i].Run)
	}
	for i := range r.Deltas {
		n.subject(r.Deltas[i].Subject)
	}
	for i := range r.Findings {
		n.subject(r.Findings[i].Subject)
		n.path(r.Findings[i].Run)
	}
	for i := range r.Redlines {
		n.subject(r.Redlines[i].Subject)
		n.add(r.Redlines[i].Line)
	}
	n.builds(r)
	return n
}

// builds adds the names of builds and marks.
func (n kept) builds(r *analyze.Result) {
	for i := range r.Histories {
		n.subject(r.Histories[i].Subject)
		for _, b := range r.Histories[i].Builds {
			n.path(b.Build)
		}
	}
	for _, a := range r.Anchors {
		n.path(a.Run)
		for _, m := range a.Marks {
			n.add(m.Name)
		}
	}
}

type kept map[string]bool

func (n kept) subject(s analyze.Subject) { n.add(s.Process, s.Name) }

func (n kept) add(all ...string) {
	for _, text := range all {
		if text != "" {
			n[name(text)] = true
		}
	}
}

// path adds the name of a run, a path, and every end of it: a report says as much of it as tells the runs apart.
func (n kept) path(text string) {
	for ok := text != ""; ok; _, text, ok = strings.Cut(text, "/") {
		n.add(text)
	}
}
