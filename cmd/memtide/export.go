package main

import (
	"errors"
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
		Name: "export", Usage: "write the tables of a run (Arrow IPC, Parquet, CSV, JSON lines) or its call stacks (pprof, folded, speedscope)", UsageText: "memtide export CAPTURE… -o FILE|DIR/ [flags]",
		Description: "-o FILE writes the table named by --table; -o DIR/ writes every table that has rows, in the form of --as.\ndocs/tables.md describes the columns. .pb.gz, .folded and .speedscope.json hold what each call stack has at the moment --at:\nwhat the sites of a profile list, or what the events of a log leave alive. Stacks are cut to the 512 calls nearest the allocation,\nor to fewer where a file would have more than 16777216 frames; how many were cut is said, and [callers left out] is their root.",
		Flags: append(append(inputFlags(), stackFlags()...),
			&cli.StringSliceFlag{Name: "output", Aliases: []string{"o"}, Usage: "the `FILE` (.arrow .parquet .csv .jsonl .pb.gz .folded .speedscope.json), or a folder"},
			&cli.StringFlag{Name: "table", Value: "samples", Usage: "the `TABLE` to write into a file"},
			&cli.StringFlag{Name: "as", Value: "parquet", Usage: "the `FORM` of the files in a folder: arrow, parquet, csv or jsonl"}),
		Action: e.export,
	}
}

func (e *env) export(c *cli.Context) error {
	outs := c.StringSlice("output")
	switch {
	case len(outs) == 0 || outs[0] == "":
		return usage("export wants -o FILE or -o DIR/")
	case len(outs) > 1:
		return usage("export writes to one -o, have %d: %s", len(outs), join(outs))
	}
	out := outs[0]
	if err := distinct(c, outs); err != nil {
		return err
	}
	if form := stackForm(out); form != nil && !isFolder(out) {
		return e.exportStacks(c, out, form)
	}
	if c.IsSet("sample") || c.IsSet("at") {
		return usage("-o %s: --sample and --at are of stacks: want a name that ends in .pb.gz, .folded or .speedscope.json", out)
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
		return usage("-o %s: want a name that ends in .arrow, .parquet, .csv, .jsonl, .pb.gz, .folded or .speedscope.json, or a folder with --as one of the first four", name)
	}
	r, err := e.single(c)
	if err != nil {
		return err
	}
	if folder {
		return exportAll(c, r, out, name, write)
	}
	if err := filled(r.Set, id); err != nil {
		return err
	}
	if err := spared(c, outs, inputs(r, "")); err != nil {
		return err
	}
	return writeWhole(out, func(w io.Writer) error { return write(r.Set, w, id) })
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

func exportAll(c *cli.Context, r *ingest.Run, dir, ending string, write func(*table.Set, io.Writer, table.ID) error) error {
	var ids []table.ID
	var paths []string
	for t := table.ID(0); t < table.NumTables; t++ {
		if r.Set.Len(t) > 0 {
			ids, paths = append(ids, t), append(paths, filepath.Join(dir, table.Schemas[t].Name+ending))
		}
	}
	if len(ids) == 0 {
		return filled(r.Set, table.Samples)
	}
	if err := errors.Join(distinct(c, paths), spared(c, paths, inputs(r, ""))); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritten(dir, err)
	}
	for i, path := range paths {
		if err := writeWhole(path, func(w io.Writer) error { return write(r.Set, w, ids[i]) }); err != nil {
			return err
		}
	}
	return nil
}
