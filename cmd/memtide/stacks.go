package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/ingest/table/profile"
	"github.com/urfave/cli/v2"
)

// stackForms write the call stacks of a run, by the ending of the file.
var stackForms = []struct {
	ending string
	write  func(*profile.Profile, io.Writer) error
}{
	{".pb.gz", (*profile.Profile).Pprof},
	{".folded", func(p *profile.Profile, w io.Writer) error { return p.Folded(w, p.First) }},
	{".speedscope.json", (*profile.Profile).Speedscope},
}

func stackFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "sample", Usage: "the `TYPE` of figure of stacks: " + strings.Join(profile.Names(), ", ") + " (default: the first of them that is known)"},
		&cli.StringFlag{Name: "at", Value: "last", Usage: "stacks of the `MOMENT` first or last, or of so many seconds after the start"},
	}
}

func stackForm(name string) func(*profile.Profile, io.Writer) error {
	for _, f := range stackForms {
		if strings.HasSuffix(strings.ToLower(name), f.ending) {
			return f.write
		}
	}
	return nil
}

// exportStacks writes the call stacks of a run at one moment.
func (e *env) exportStacks(c *cli.Context, out string, write func(*profile.Profile, io.Writer) error) error {
	if c.IsSet("table") || c.IsSet("as") {
		return usage("-o %s: this form holds stacks: --table and --as do not go with it", out)
	}
	at, err := momentOf(c.String("at"))
	if err != nil {
		return err
	}
	sample, ok := profile.TypeOf(c.String("sample"))
	if c.IsSet("sample") && !ok {
		return usage("--sample %q%s: want one of %s", c.String("sample"), nearest(c.String("sample"), profile.Names()), join(profile.Names()))
	}
	r, err := e.single(c)
	if err != nil {
		return err
	}
	p, err := e.profileOf(r, at)
	if err != nil {
		return err
	}
	if p.First = p.Known()[0]; c.IsSet("sample") {
		p.First = sample
		if !slices.Contains(p.Known(), sample) {
			return unreadable(fmt.Errorf("the stacks have no %s; they have %s", sample, joinTypes(p.Known())))
		}
	}
	if err := spared(c, []string{out}, inputs(r, "")); err != nil {
		return err
	}
	err = writeWhole(out, func(w io.Writer) error { return write(p, w) })
	if n, depth := p.Cut(); err == nil && n > 0 {
		e.tell(fmt.Sprintf("%s: %d of %d stacks are cut to the %d calls nearest the allocation: %s stands for the others", out, n, len(p.Samples), depth, profile.LeftOut))
	}
	return err
}

// single loads the captures of a command that writes one run.
func (e *env) single(c *cli.Context) (*ingest.Run, error) {
	runs, err := e.load(c)
	if err != nil {
		return nil, err
	}
	if len(runs) != 1 {
		return nil, usage("export writes one run, these captures are %d: give them one by one", len(runs))
	}
	return runs[0], nil
}

func momentOf(text string) (table.Moment, error) {
	switch text {
	case "last", "":
		return table.Moment{}, nil
	case "first":
		return table.Moment{First: true}, nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s < math.MaxInt64/1e9) {
		return table.Moment{}, usage("--at %q: want first, last or a number of seconds", text)
	}
	return table.Moment{Until: table.Known(int64(math.Round(s * 1e9)))}, nil
}

// profileOf takes the stacks of a run out of its tables.
func (e *env) profileOf(r *ingest.Run, at table.Moment) (*profile.Profile, error) {
	p := &profile.Profile{Name: r.Name}
	listed := r.Set.Len(table.Sites) > 0
	if listed && r.Set.Len(table.Events) > 0 {
		e.tell("the stacks are those of the table sites; those of events are left out")
	}
	processes := map[string]bool{}
	for _, u := range analyze.StacksAt(r.Set, at) {
		s := profile.Sample{Process: u.Process, Kind: u.Kind, Device: u.Device, Depth: r.Set.Depth(u.Stack)}
		s.Calls = func(yield func(*table.Call) bool) { u.Each(r.Set, yield) }
		s.Values = [profile.NumTypes]table.Int{profile.InuseSpace: u.Bytes, profile.InuseObjects: u.Objects, profile.AllocSpace: u.TotalBytes, profile.AllocObjects: u.TotalObjects}
		processes[u.Process] = true
		p.Samples = append(p.Samples, s)
		p.Process = u.Process
	}
	if len(processes) > 1 {
		p.Process = ""
	}
	if len(p.Known()) == 0 {
		return nil, noStacks(r.Set, at)
	}
	if when := momentNS(r.Set, at); r.Set.Start.OK && when.OK {
		p.TimeNanos = table.Known(r.Set.Start.V + when.V)
	}
	describe(p, r.Set)
	return p, nil
}

// momentNS is the time of the stacks: the latest of the listings that were chosen, or the last event that counts.
func momentNS(s *table.Set, at table.Moment) (out table.Int) {
	for row := range table.SitesAt(s, at) {
		out = table.Known(max(out.V, row.TimeNS))
	}
	if out.OK {
		return out
	}
	s.EachEvent(func(e *table.EventRow) {
		if !at.Until.OK || e.TimeNS <= at.Until.V {
			out = table.Known(e.TimeNS)
		}
	})
	return out
}

// describe notes what the captures say of themselves that a reader of the stacks must know.
func describe(p *profile.Profile, s *table.Set) {
	for _, f := range s.Facts() {
		switch {
		case f.Name == "period":
			if n, err := strconv.ParseInt(f.Value, 10, 64); err == nil {
				p.Period = table.Known(n)
			}
		case f.Name == "lost" && f.Value != "0":
			p.Comments = append(p.Comments, f.Value+" events were lost")
		case f.Name == "partial" && f.Value == "true":
			p.Comments = append(p.Comments, "not all allocations and frees were seen")
		}
	}
}

// noStacks says why there is nothing to write.
func noStacks(s *table.Set, at table.Moment) error {
	switch {
	case s.Len(table.Sites) > 0 && at.Until.OK:
		return unreadable(errors.New("no sites were listed by then: see their times with `memtide dump --table sites`"))
	case s.Len(table.Sites) > 0:
		return unreadable(errors.New("the sites have no figures"))
	case s.Len(table.Events) > 0 && at.First:
		return unreadable(errors.New("a log of events begins with nothing alive: want --at last or a number of seconds"))
	case s.Len(table.Events) > 0:
		return unreadable(errors.New("no event makes an object"))
	}
	return filled(s, table.Sites)
}

func joinTypes(types []profile.Type) string {
	var out []string
	for _, t := range types {
		out = append(out, t.String())
	}
	return join(out)
}
