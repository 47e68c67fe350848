package main

import (
	"github.com/memtide/memtide/analyze"
	"github.com/urfave/cli/v2"
)

func (e *env) analyzeCommand() *cli.Command {
	return &cli.Command{
		Name: "analyze", Usage: "say of each series whether it grows, and what is wrong", UsageText: "memtide analyze CAPTURE… [flags]",
		Description: "Snapshots given side by side are one run in the order of their times; each series file and each folder is a run of its own.\nIt exits 0 whatever it finds, unless --fail-on is given.\nA result of memtide (.json, .json.gz) in place of captures is written down again, in the forms that are asked for.",
		Flags:       append(inputFlags(), outputFlags()...),
		Action: func(c *cli.Context) error {
			out, err := planOutputs(c)
			if err != nil {
				return err
			}
			if c.NArg() == 1 {
				r, err := earlier(c.Args().First())
				if err != nil {
					return err
				}
				if r != nil {
					return e.deliver(c, r, out)
				}
			}
			runs, err := e.load(c)
			if err != nil {
				return err
			}
			r := analyze.One(captures(runs), e.analysis(c))
			if err := judged(r); err != nil {
				return err
			}
			return e.deliver(c, r, out)
		},
	}
}

func (e *env) analysis(c *cli.Context) analyze.Options {
	o := analyze.Defaults()
	o.Tool.Version, o.Command, o.Seed = version, c.Command.Name, c.Uint64("seed")
	return o
}
