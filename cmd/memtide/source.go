package main

import (
	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/pysource"
	"github.com/urfave/cli/v2"
)

// sources finds the source of places in findings; nil if no folder is given, or if the output is not to say whose it is.
func (e *env) sources(c *cli.Context) func(analyze.SourceAt) []string {
	dirs := c.StringSlice("source")
	if len(dirs) == 0 || c.Bool("redact") {
		return nil
	}
	s, err := pysource.New(dirs)
	if err != nil {
		e.tell(err.Error())
	}
	return func(at analyze.SourceAt) []string { return s.At(at.File, at.Line, at.Column, at.End) }
}
