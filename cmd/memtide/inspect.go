package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest"
	tables "github.com/memtide/memtide/ingest/table"
	"github.com/urfave/cli/v2"
)

func (e *env) inspectCommand() *cli.Command {
	return &cli.Command{
		Name: "inspect", Usage: "show what captures are and hold: format, processes, time range, rows, problems", UsageText: "memtide inspect CAPTURE… [flags]",
		Flags: append(inputFlags(), &cli.BoolFlag{Name: "json", Usage: "write JSON"}),
		Action: func(c *cli.Context) error {
			runs, err := e.load(c)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return inspectJSON(e.stdout, runs)
			}
			return inspectText(e.stdout, runs)
		},
	}
}

// inspection is what `inspect --json` writes.
type inspection struct {
	Inputs   []analyze.Input   `json:"inputs"`
	Tables   map[string]int    `json:"tables"`
	Runs     []runInfo         `json:"runs"`
	Problems []analyze.Problem `json:"problems"`
}

type runInfo struct {
	Run       string   `json:"run"`
	Clock     string   `json:"clock"`
	Processes []string `json:"processes"`
	Restarts  int      `json:"restarts"`
}

func inspectionOf(runs []*ingest.Run) inspection {
	x := inspection{Inputs: []analyze.Input{}, Tables: map[string]int{}, Runs: []runInfo{}, Problems: []analyze.Problem{}}
	for _, r := range runs {
		x.Inputs = append(x.Inputs, inputs(r, "")...)
		for t := tables.ID(0); t < tables.NumTables; t++ {
			x.Tables[tables.Schemas[t].Name] += r.Set.Len(t)
		}
		x.Runs = append(x.Runs, runInfo{r.Name, r.Set.Clock, r.Set.Processes(), len(r.Set.Restarts)})
		for _, p := range r.Set.Problems() {
			x.Problems = append(x.Problems, analyze.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message, Count: p.Count})
		}
	}
	return x
}

func inspectJSON(w io.Writer, runs []*ingest.Run) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(inspectionOf(runs))
}

func inspectText(w io.Writer, runs []*ingest.Run) error {
	x := inspectionOf(runs)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"path", "format", "bytes", "samples", "without data", "rows", "clock", "processes", "problems"})
	for _, in := range x.Inputs {
		t.AppendRow(table.Row{in.Path, in.Format, in.Bytes, in.Samples, in.NoData, in.Rows, in.Clock, strings.Join(in.Process, ", "), in.Problems})
	}
	if _, err := fmt.Fprintln(w, t.Render()); err != nil {
		return err
	}
	for t := tables.ID(0); t < tables.NumTables; t++ {
		if n := x.Tables[tables.Schemas[t].Name]; n > 0 {
			fmt.Fprintf(w, "%s: %d rows\n", tables.Schemas[t].Name, n)
		}
	}
	for _, p := range x.Problems {
		fmt.Fprintf(w, "problem: %s\n", problemText(p))
	}
	return nil
}

func problemText(p analyze.Problem) string {
	at := p.File
	if p.Line > 0 {
		at += fmt.Sprintf(":%d", p.Line)
	}
	if p.Column > 0 {
		at += fmt.Sprintf(":%d", p.Column)
	}
	if p.Count > 1 {
		return fmt.Sprintf("%s: %s (%d times)", at, p.Message, p.Count)
	}
	return at + ": " + p.Message
}
