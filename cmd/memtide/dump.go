package main

import (
	"bufio"
	"io"

	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
	"github.com/urfave/cli/v2"
)

func (e *env) dumpCommand() *cli.Command {
	return &cli.Command{
		Name: "dump", Usage: "write a table as CSV or JSON lines, in order of time, file and line", UsageText: "memtide dump --table TABLE CAPTURE… [flags]",
		Description: "The tables are samples, mappings, sites, events, frames and faults; docs/tables.md describes their columns.",
		Flags: append(inputFlags(),
			&cli.StringFlag{Name: "table", Value: "samples", Usage: "the `TABLE` to write"},
			&cli.BoolFlag{Name: "csv", Usage: "write CSV (the default)"},
			&cli.BoolFlag{Name: "json", Usage: "write JSON lines"}),
		Action: e.dump,
	}
}

func (e *env) dump(c *cli.Context) error {
	id, err := tableID(c.String("table"))
	if err != nil {
		return err
	}
	if c.Bool("csv") && c.Bool("json") {
		return usage("dump writes either --csv or --json")
	}
	runs, err := e.load(c)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(e.stdout, 1<<16)
	if err := write(w, id, runs, c.Bool("json")); err != nil {
		return err
	}
	return w.Flush()
}

func write(w io.Writer, id table.ID, runs []*ingest.Run, asJSON bool) error {
	var sets []*table.Set
	for _, r := range runs {
		sets = append(sets, r.Set)
		if asJSON {
			if err := r.Set.DumpJSON(w, id); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return nil
	}
	return table.DumpCSV(w, id, sets...)
}

func tableID(name string) (table.ID, error) {
	var all []string
	for t := table.ID(0); t < table.NumTables; t++ {
		if table.Schemas[t].Name == name {
			return t, nil
		}
		all = append(all, table.Schemas[t].Name)
	}
	return 0, usage("unknown table %q%s; the tables are %s", name, nearest(name, all), join(all))
}
