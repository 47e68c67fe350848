package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/github"
	"github.com/memtide/memtide/report/gitlab"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/json"
	"github.com/memtide/memtide/report/junit"
	"github.com/memtide/memtide/report/lang"
	"github.com/memtide/memtide/report/markdown"
	"github.com/memtide/memtide/report/openmetrics"
	"github.com/memtide/memtide/report/sarif"
	"github.com/memtide/memtide/report/text"
	"github.com/urfave/cli/v2"
)

// renderer writes a report in one form.
type renderer func(io.Writer, *report.Doc) error

// renderers are chosen by the longest ending that fits; where none stands it depends on flags.
var renderers = []struct {
	ending string
	render renderer
}{
	{".html", nil}, // by the flags: see pages
	{".json", json.Render},
	{".json.gz", json.RenderGzip},
	{".md", markdown.Render},
	{".txt", text.Render},
	{".junit.xml", junit.Render},
	{".sarif", sarif.Render},
	{".github.txt", github.Annotations},
	{".comment.md", github.Comment(markdown.Render)},
	{".summary.md", github.Summary(markdown.Render)},
	{".codequality.json", gitlab.Render},
	{".prom", openmetrics.Render},
	{".zip", nil}, // a page
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the report to `FILE`; the ending chooses the form (" + endings() + "); may be repeated"},
		&cli.StringSliceFlag{Name: "source", Usage: "quote Python source below `DIR` in findings; may be repeated"},
		&cli.BoolFlag{Name: "static", Usage: "write pages without a script: no zoom, sorting, filters or flame graph to search, at a fifth of the size"},
		&cli.BoolFlag{Name: "embed-data", Usage: "put the whole result into pages, so that they can stand as an input of memtide later"},
		&cli.StringFlag{Name: "max-size", Value: "8 MB", Usage: "the `SIZE` that no page is larger than; what is left out for it is named in the page"},
		&cli.StringFlag{Name: "lang", Value: lang.English.String(), Usage: "the language of reports for people, en or zh: a `NAME`; JSON, SARIF, JUnit and other data stay English"},
		&cli.BoolFlag{Name: "redact", Usage: "replace runs, paths, file and process names, users and hosts by stand-ins"},
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
	page, err := pages(c)
	if err != nil {
		return p, err
	}
	for _, path := range c.StringSlice("output") {
		r := rendererOf(path, page)
		if r == nil {
			return p, usage("-o %s: the ending chooses the form; want one of %s", path, endings())
		}
		p.paths, p.renders = append(p.paths, path), append(p.renders, r)
	}
	if _, err := analyze.ParseAlignAt(c.String("align")); err != nil && c.IsSet("align") {
		return p, usage("--align: %v", err)
	}
	if _, err := lang.Parse(c.String("lang")); err != nil {
		return p, usage("--lang: %v", err)
	}
	if s := c.String("fail-on"); s != "" && severities[s] == 0 {
		return p, usage("--fail-on %s: want note, warning or critical", s)
	}
	return p, distinct(c, p.paths)
}

func rendererOf(path string, page html.Options) renderer {
	ending := endingOf(path)
	switch ending {
	case ".html":
		return paged(page)
	case ".zip":
		return zipped(path, paged(page))
	}
	for _, r := range renderers {
		if r.ending == ending {
			return r.render
		}
	}
	return nil
}

// endingOf is the longest of the endings that fits.
func endingOf(path string) string {
	longest := ""
	for _, r := range renderers {
		if strings.HasSuffix(strings.ToLower(path), r.ending) && len(r.ending) > len(longest) {
			longest = r.ending
		}
	}
	return longest
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
	if err := spared(c, p.paths, r.Inputs); err != nil {
		return err
	}
	if err := align(c, r); err != nil {
		return err
	}
	if c.Bool("redact") {
		r = report.Redact(r)
	}
	doc := report.Translate(report.New(r, report.Options{}), lang.Tag(c.String("lang")))
	doc.Written = p.html()
	if len(p.paths) == 0 {
		if err := text.Render(e.stdout, doc); err != nil {
			return err
		}
	}
	for i, path := range p.paths {
		if err := writeWhole(path, func(w io.Writer) error { return p.renders[i](w, doc) }); err != nil {
			return err
		}
	}
	if len(p.paths) > 0 {
		fmt.Fprintf(e.stderr, "%s: %s\n%s\n", r.Verdict, doc.Headline, strings.Join(p.paths, "\n"))
	}
	return failOn(c.String("fail-on"), r)
}

// html is the page among the outputs, if there is one.
func (p planned) html() string {
	for _, path := range p.paths {
		if ending := endingOf(path); ending == ".html" || ending == ".zip" {
			return path
		}
	}
	return ""
}

// failOn is the exit code 1 of a finding that is bad enough. Of a comparison only what the change brought counts: a
// finding that both sides have, or that is gone, is told and does not fail it.
func failOn(severity string, r *analyze.Result) error {
	if severity == "" {
		return nil
	}
	for _, f := range r.Findings {
		old := f.Side == "before" || f.Status == analyze.StatusKept || f.Status == analyze.StatusFixed
		if !old && severities[f.Severity] >= severities[severity] {
			return &exitError{exitFound, errors.New("")}
		}
	}
	return nil
}

// writeWhole writes a file whole or not at all: to a temporary one beside it that takes its place when it is on disk.
// Symbolic links are followed; a device or pipe is written to directly. The error names path and has an exit code.
func writeWhole(path string, write func(io.Writer) error) error {
	target, err := followed(path)
	if err != nil {
		return unwritten(path, err)
	}
	put := replace
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		put = writeThrough
	}
	if err := put(target, write); err != nil {
		return unwritten(path, err)
	}
	return nil
}

func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".memtide-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer onInterrupt(func() { os.Remove(f.Name()) })()
	if err := errors.Join(write(unclosed{f}), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// onInterrupt runs clean if the user stops the program, and ends it then as a shell expects. The function that it
// gives takes this back.
func onInterrupt(clean func()) (done func()) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-stop; ok {
			clean()
			os.Exit(130)
		}
	}()
	return func() {
		signal.Stop(stop)
		close(stop)
	}
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
