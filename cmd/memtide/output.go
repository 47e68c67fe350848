package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/json"
	"github.com/memtide/memtide/report/markdown"
	"github.com/memtide/memtide/report/text"
	"github.com/urfave/cli/v2"
)

// renderer writes a report in one form.
type renderer func(io.Writer, *report.Doc) error

// renderers are chosen by the ending of the file; longer endings stand first.
var renderers = []struct {
	ending string
	render renderer
}{
	{".json.gz", json.RenderGzip},
	{".json", json.Render},
	{".html", html.Render},
	{".md", markdown.Render},
	{".txt", text.Render},
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the report to `FILE`; the ending chooses the form (.html .json .json.gz .md .txt); may be repeated"},
		&cli.BoolFlag{Name: "redact", Usage: "replace paths, user and host names by stand-ins"},
		&cli.StringFlag{Name: "fail-on", Usage: "exit 1 if a finding is at least a `SEVERITY`: note, warning or critical"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of the bootstrap: a `NUMBER`"},
	}
}

// planned are the outputs of a command, checked before the work begins.
type planned struct {
	paths   []string
	renders []renderer
}

func planOutputs(c *cli.Context) (planned, error) {
	var p planned
	for _, path := range c.StringSlice("output") {
		r := rendererOf(path)
		if r == nil {
			return p, usage("-o %s: the ending chooses the form; want one of %s", path, endings())
		}
		p.paths, p.renders = append(p.paths, path), append(p.renders, r)
	}
	if s := c.String("fail-on"); s != "" && severities[s] == 0 {
		return p, usage("--fail-on %s: want note, warning or critical", s)
	}
	return p, nil
}

func rendererOf(path string) renderer {
	for _, r := range renderers {
		if strings.HasSuffix(strings.ToLower(path), r.ending) {
			return r.render
		}
	}
	return nil
}

func endings() string {
	var out []string
	for _, r := range renderers {
		out = append(out, r.ending)
	}
	return strings.Join(out, " ")
}

var severities = map[string]int{"note": 1, "warning": 2, "critical": 3}

// deliver writes a result to all outputs, and a summary to the terminal if there is none.
func (e *env) deliver(c *cli.Context, r *analyze.Result, p planned) error {
	if c.Bool("redact") {
		r = report.Redact(r)
	}
	doc := report.New(r, report.Options{})
	if len(p.paths) == 0 {
		if err := text.Render(e.stdout, doc); err != nil {
			return err
		}
	}
	for i, path := range p.paths {
		if err := writeWhole(path, func(w io.Writer) error { return p.renders[i](w, doc) }); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	if len(p.paths) > 0 {
		fmt.Fprintf(e.stderr, "%s: %s\n%s\n", r.Verdict, r.Summary, strings.Join(p.paths, "\n"))
	}
	return failOn(c.String("fail-on"), r)
}

// failOn is the exit code 1 of a finding that is bad enough.
func failOn(severity string, r *analyze.Result) error {
	if severity == "" {
		return nil
	}
	for _, f := range r.Findings {
		if f.Side != "before" && severities[f.Severity] >= severities[severity] {
			return &exitError{exitFound, errors.New("")}
		}
	}
	return nil
}

// writeWhole writes a file whole or not at all: to a temporary one beside it that takes its place when it is on disk.
// A device or pipe is written to directly.
func writeWhole(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".memtide-*")
	if e := new(os.PathError); errors.As(err, &e) {
		return e.Err // without the name that was drawn for the temporary file
	}
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(unclosed{f}), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// unclosed hides Close from writers that would close what is not theirs (Parquet's does).
type unclosed struct{ io.WriteSeeker }

func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(unclosed{f}), f.Close())
}

func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
