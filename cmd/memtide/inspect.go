package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest"
	tables "github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report/unit"
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
	Remarks  []string          `json:"remarks,omitempty"`
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
		x.Remarks = append(x.Remarks, r.Set.Remarks()...)
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

// mostRows is how many inputs of a run are listed one by one; a folder of more is one row a format.
const mostRows = 6

func inspectText(w io.Writer, runs []*ingest.Run) error {
	x := inspectionOf(runs)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"path", "format", "samples", "without data", "rows", "start", "duration", "pid", "processes", "problems"})
	for _, in := range folded(x.Inputs) {
		t.AppendRow(table.Row{short(in.Path), in.Format, in.Samples, in.NoData, in.Rows, in.Start, unit.Duration(in.Duration), numbers(in.PID), few(shorts(in.Process)), in.Problems})
	}
	if _, err := fmt.Fprintln(w, t.Render()); err != nil {
		return err
	}
	for t := tables.ID(0); t < tables.NumTables; t++ {
		if n := x.Tables[tables.Schemas[t].Name]; n > 0 {
			fmt.Fprintf(w, "%s: %d rows\n", tables.Schemas[t].Name, n)
		}
	}
	for _, r := range x.Runs {
		fmt.Fprintf(w, "times of %s: %s%s\n", short(r.Run), clockMeaning[r.Clock], restarts(r.Restarts))
	}
	for _, text := range x.Remarks {
		fmt.Fprintf(w, "note: %s\n", visible(text))
	}
	for _, p := range x.Problems {
		fmt.Fprintf(w, "problem: %s\n", visible(problemText(p)))
	}
	return nil
}

// clockMeaning says where the times of a run come from.
var clockMeaning = map[string]string{
	"wall":  "from the dates in the capture",
	"boot":  "time since boot, as the dumps print it",
	"trace": "the capture's own clock",
	"name":  "from the file names",
	"order": "not known: samples are counted as one a second, in the order of their names",
}

func restarts(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the clock falls back %d times, taken as restarts", n)
}

// folded joins the many inputs of a run to one row a format.
func folded(inputs []analyze.Input) []analyze.Input {
	count := map[string]int{}
	for _, in := range inputs {
		count[in.Run+"\x00"+in.Format]++
	}
	var out []analyze.Input
	at := map[string]int{}
	for _, in := range inputs {
		key := in.Run + "\x00" + in.Format
		if count[key] <= mostRows {
			out = append(out, in)
			continue
		}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			in.Path = fmt.Sprintf("%s (%d files)", in.Run, count[key])
			out = append(out, in)
			continue
		}
		merge(&out[i], in)
	}
	return out
}

// merge adds one input to the row of its run. Files stand in order of their names, which is mostly that of their times.
func merge(row *analyze.Input, in analyze.Input) {
	from, to := moment(row.Start), moment(row.Start).Add(time.Duration(row.Duration*1e9))
	if m := moment(in.Start); in.Start != "" {
		if m.Before(from) {
			from, row.Start = m, in.Start
		}
		if end := m.Add(time.Duration(in.Duration * 1e9)); end.After(to) {
			to = end
		}
		row.Duration = to.Sub(from).Seconds()
	}
	row.Samples, row.NoData, row.Rows, row.Problems = row.Samples+in.Samples, row.NoData+in.NoData, row.Rows+in.Rows, row.Problems+in.Problems
	row.PID = append(slices.Clone(row.PID), in.PID...)
	slices.Sort(row.PID)
	row.PID = slices.Compact(row.PID)
}

func moment(s string) time.Time {
	t, _ := time.Parse(time.RFC3339, s)
	return t
}

func numbers(pids []int64) string {
	var out []string
	for _, p := range pids {
		out = append(out, strconv.FormatInt(p, 10))
	}
	return few(out)
}

func shorts(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, short(n))
	}
	return out
}

// few names the first of a list and counts the rest.
func few(words []string) string {
	const most = 3
	if len(words) <= most+1 {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
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
