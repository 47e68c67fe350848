package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/urfave/cli/v2"
)

func alignFlag() cli.Flag {
	return &cli.StringFlag{Name: "align", Value: analyze.AtStart, Usage: "lay the runs in charts on one another at a `POINT`: start, end, iteration:N or mark:NAME"}
}

// align has the charts of a result count from what --align names. Every run that is drawn must have it.
func align(c *cli.Context, r *analyze.Result) error {
	text := c.String("align")
	if !c.IsSet("align") {
		return nil
	}
	where, err := analyze.ParseAlignAt(text)
	if err != nil {
		return usage("--align: %v", err)
	}
	var missing *analyze.NoAnchor
	if err := r.SetAlign(where); errors.As(err, &missing) {
		return usage("--align %s: %s", short(text), noAnchor(missing))
	}
	return nil
}

// noAnchor says which run lacks what, and what it has.
func noAnchor(e *analyze.NoAnchor) string {
	run := cmp.Or(e.Side, "run") + " " + short(e.Run)
	if e.Want.At == analyze.AtIteration {
		return fmt.Sprintf("%s has no iteration %d%s", run, e.Want.Number, iterationsOf(e.Has))
	}
	var names []string
	for _, m := range e.Has.Marks {
		names = append(names, short(m.Name))
	}
	if len(names) == 0 {
		return fmt.Sprintf("%s has no mark %q: it has no marks", run, short(e.Want.Name))
	}
	const most = 12
	listed := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most + e.Has.LeftOut; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	meant := nearest(short(e.Want.Name), names)
	if meant == "" {
		meant = "."
	}
	return fmt.Sprintf("%s has no mark %q%s It has %s", run, short(e.Want.Name), meant, listed)
}

func iterationsOf(a analyze.Anchors) string {
	n := len(a.Iteration)
	if n == 0 {
		return ": it counts no iterations"
	}
	return fmt.Sprintf("; it has %d from %d to %d", a.Count, a.Iteration[0], a.Iteration[n-1])
}
