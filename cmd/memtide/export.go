package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/ingest/table/export"
	"github.com/urfave/cli/v2"
)

// exporters write one table of a run, by the ending of the file.
var exporters = []struct {
	ending string
	write  func(*table.Set, io.Writer, table.ID) error
}{
	{".arrow", export.Arrow},
	{".parquet", export.Parquet},
	{".csv", (*table.Set).DumpCSV},
	{".jsonl", (*table.Set).DumpJSON},
}

func (e *env) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the tables of a run as Arrow IPC, Parquet, CSV or JSON lines", UsageText: "memtide export CAPTURE… -o FILE|DIR/ [flags]",
		Description: "-o FILE writes the table named by --table; -o DIR/ writes every table that has rows, in the form of --as.\ndocs/tables.md describes the columns.",
		Flags: append(inputFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the `FILE` (.arrow .parquet .csv .jsonl), or a folder"},
			&cli.StringFlag{Name: "table", Value: "samples", Usage: "the `TABLE` to write into a file"},
			&cli.StringFlag{Name: "as", Value: "parquet", Usage: "the `FORM` of the files in a folder: arrow, parquet, csv or jsonl"}),
		Action: e.export,
	}
}

func (e *env) export(c *cli.Context) error {
	out := c.String("output")
	if out == "" {
		return usage("export wants -o FILE or -o DIR/")
	}
	id, err := tableID(c.String("table"))
	if err != nil {
		return err
	}
	folder := strings.HasSuffix(out, "/") || isFolder(out)
	name := out
	if folder {
		name = "." + c.String("as")
	}
	write := exporterOf(name)
	if write == nil {
		return usage("-o %s: want a name that ends in .arrow, .parquet, .csv or .jsonl, or a folder with --as one of them", name)
	}
	runs, err := e.load(c)
	if err != nil {
		return err
	}
	if len(runs) != 1 {
		return usage("export writes one run, these captures are %d: give them one by one", len(runs))
	}
	if folder {
		return exportAll(runs[0], out, name, write)
	}
	return writeWhole(out, func(w io.Writer) error { return write(runs[0].Set, w, id) })
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exporterOf(name string) func(*table.Set, io.Writer, table.ID) error {
	for _, x := range exporters {
		if strings.HasSuffix(strings.ToLower(name), x.ending) {
			return x.write
		}
	}
	return nil
}

func exportAll(r *ingest.Run, dir, ending string, write func(*table.Set, io.Writer, table.ID) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for t := table.ID(0); t < table.NumTables; t++ {
		if r.Set.Len(t) == 0 {
			continue
		}
		path := filepath.Join(dir, table.Schemas[t].Name+ending)
		if err := writeWhole(path, func(w io.Writer) error { return write(r.Set, w, t) }); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
