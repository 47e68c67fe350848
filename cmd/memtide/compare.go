package main

import (
	"github.com/memtide/memtide/analyze"
	"github.com/urfave/cli/v2"
)

func (e *env) compareCommand() *cli.Command {
	sides := []cli.Flag{
		&cli.StringSliceFlag{Name: "before", Usage: "a `RUN` of the side before: a file, a folder of snapshots, or a folder of runs; may be repeated"},
		&cli.StringSliceFlag{Name: "after", Usage: "a `RUN` of the side after; may be repeated"},
		releaseFlag(),
		alignFlag(),
	}
	return &cli.Command{
		Name: "compare", Usage: "say what changed between two sides", UsageText: "memtide compare --before RUN --after RUN [flags]",
		Description: "Each value of --before and --after is one run: a snapshot, a series, or a folder of snapshots; a folder that holds only\nfolders, or only series files, holds one run each. A result of memtide (.json, .json.gz) can stand in place of captures.",
		Flags:       append(append(sides, inputFlags()...), outputFlags()...),
		Action:      e.compare,
	}
}

func (e *env) compare(c *cli.Context) error {
	out, err := planOutputs(c)
	if err != nil {
		return err
	}
	if c.Args().Present() {
		return usage("compare takes its runs by --before and --after, have %q", c.Args().First())
	}
	if len(c.StringSlice("before")) == 0 || len(c.StringSlice("after")) == 0 {
		return usage("compare wants at least one --before and one --after")
	}
	if err := knownFormat(c); err != nil {
		return err
	}
	before, err := e.runs(c, "before")
	if err != nil {
		return err
	}
	after, err := e.runs(c, "after")
	if err != nil {
		return err
	}
	if err := bothHeld(before, after); err != nil {
		return err
	}
	release, err := e.release(c)
	if err != nil {
		return err
	}
	r := analyze.Compare(before, after, e.analysis(c))
	if len(release) > 0 {
		r.AddRelease(release, after, e.analysis(c))
	}
	return e.deliver(c, r, out)
}

func (e *env) runs(c *cli.Context, flag string) ([]analyze.Capture, error) {
	p := e.progress(c.StringSlice(flag))
	defer p.stop()
	o := e.options(c, p)
	var out []analyze.Capture
	for _, arg := range c.StringSlice(flag) {
		more, err := e.side(arg, o)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	for i := range out {
		for k := range out[i].Inputs {
			out[i].Inputs[k].Side = flag
		}
	}
	return out, nil
}
