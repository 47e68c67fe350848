package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/memtide/memtide/ingest"
	"github.com/urfave/cli/v2"
)

func (e *env) formatsCommand() *cli.Command {
	return &cli.Command{
		Name: "formats", Usage: "list what can be read, and the command that takes each capture", UsageText: "memtide formats",
		Action: func(*cli.Context) error {
			t := table.NewWriter()
			t.SetStyle(table.StyleLight)
			t.AppendHeader(table.Row{"format", "what", "how to take it"})
			for _, f := range ingest.Formats() {
				t.AppendRow(table.Row{f.Name, f.Title, f.Capture})
			}
			_, err := fmt.Fprintln(e.stdout, t.Render())
			return err
		},
	}
}

func join(words []string) string { return strings.Join(words, ", ") }
