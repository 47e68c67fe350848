package ingest

import (
	"errors"
	"slices"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// join makes one run of what its files held. A file that the user named and that could not be read ends the run;
// files that hold nothing beside others that do are problems of it.
func join(g group, got []decoded) (*Run, error) {
	run := &Run{Name: g.name}
	var parts []*table.Part
	var notes []source.Problem
	var errs []error
	unread := false
	for i, d := range got {
		for _, err := range leaves(d.err) {
			errs = append(errs, err)
			unread = unread || g.files[i].named && errors.As(err, new(*unreadable))
		}
		notes = append(notes, d.notes...)
		run.Skipped = append(run.Skipped, d.skipped...)
		if d.input.Format != "" || len(d.parts) > 0 {
			run.Inputs = append(run.Inputs, d.input)
		}
		parts = append(parts, d.parts...)
	}
	if unread || !slices.ContainsFunc(parts, (*table.Part).HasRows) {
		return nil, noRows(g, errs, run.Skipped)
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { // that a table of contents has no rows is no problem beside what it is of
		e := new(source.Error)
		return errors.As(err, &e) && slices.ContainsFunc(parts, func(p *table.Part) bool { return p.File == e.Pos.File && isContents(p) })
	})
	run.Set = table.Assemble(settle(parts))
	run.Failed = errs
	run.Set.Note(append(problems(errs, run.Skipped), notes...)...)
	return run, nil
}

// leaves takes joined errors apart; the same one told by several readers of a stream is there once.
func leaves(err error) []error {
	var out []error
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			out = append(out, leaves(e)...)
		}
	} else if err != nil {
		out = append(out, err)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(e error) bool {
		known := seen[e.Error()]
		seen[e.Error()] = true
		return known
	})
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
		} else if f := new(unreadable); errors.As(err, &f) {
			p.File, p.Message = f.file, plain(f.err).Error()
		}
		out = append(out, p)
	}
	if len(skipped) > 0 {
		out = append(out, source.Problem{Pos: source.Pos{File: skipped[0]}, Message: "no capture that memtide knows: skipped", Count: len(skipped)})
	}
	return out
}
