package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/policy"
	"github.com/urfave/cli/v2"
)

func (e *env) analyzeCommand() *cli.Command {
	return &cli.Command{
		Name: "analyze", Usage: "say of each series whether it grows, and what is wrong", UsageText: "memtide analyze CAPTURE… [flags]",
		Description: "Snapshots given side by side are one run in the order of their times; each series file and each folder is a run of its own.\nIt exits 0 whatever it finds, unless --fail-on is given.\nA result of memtide (.json, .json.gz) in place of captures is written down again, in the forms that are asked for.",
		Flags: slices.Concat([]cli.Flag{&cli.StringSliceFlag{Name: "objective", Usage: "a level to keep, `METRIC<=LEVEL` or METRIC>=LEVEL: windows of 60 s, every 5 s, three in a row break it; may be repeated"}, alignFlag()},
			inputFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			out, err := planOutputs(c)
			if err != nil {
				return err
			}
			o := e.analysis(c)
			for _, text := range c.StringSlice("objective") {
				one, err := policy.ParseObjective(text)
				if err != nil {
					return usage("--objective %v", err)
				}
				o.Objectives = append(o.Objectives, one)
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
			r := analyze.One(captures(runs), o)
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
	o.Classes.Patterns = c.StringSlice("class")
	for _, text := range c.StringSlice("pair") {
		a, b, ok := strings.Cut(text, "=")
		if !ok || a == "" || b == "" {
			e.tell(fmt.Sprintf("--pair %s: want two classes, A=B: left out", text))
			continue
		}
		o.Classes.Pairs = append(o.Classes.Pairs, [2]string{a, b})
	}
	o.Drivers, o.Each, o.Source = c.StringSlice("driver"), onAll, e.sources(c)
	return o
}

// onAll calls a function for each number below n on all processors.
func onAll(n int, f func(int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	all.Wait()
}
