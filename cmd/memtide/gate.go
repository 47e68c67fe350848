package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/policy"
	"github.com/memtide/memtide/ingest"
	"github.com/urfave/cli/v2"
)

func (e *env) gateCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "policy", Usage: "the policy `FILE`; memtide policy init begins one"},
		&cli.StringFlag{Name: "date", Usage: "the `DAY` that exceptions are held against, such as 2027-03-31 (default: today)"},
		&cli.StringSliceFlag{Name: "before", Usage: "a `RUN` of the side before, as in compare; may be repeated"},
		&cli.StringSliceFlag{Name: "after", Usage: "a `RUN` of the side after; may be repeated"},
		releaseFlag(),
	}
	outputs := slices.DeleteFunc(outputFlags(), func(f cli.Flag) bool { return f.Names()[0] == "fail-on" }) // the policy says that
	return &cli.Command{
		Name: "gate", Usage: "hold captures against a policy: for CI", UsageText: "memtide gate --policy FILE RUN… [flags]\nmemtide gate --policy FILE --before RUN --after RUN [--release RUN] [flags]",
		Description: "Exit codes: 0 the policy holds · 1 it is broken · 2 the command line or the policy file is wrong · 3 an input could not be read or\nheld nothing to judge, or an output could not be written · 4 not decided: no check was, or one was not and the policy minds that.\ndocs/policy.md explains policies.",
		Flags:       slices.Concat(flags, inputFlags(), outputs),
		Action:      e.gate,
	}
}

func (e *env) gate(c *cli.Context) error {
	out, err := planOutputs(c)
	if err != nil {
		return err
	}
	if c.String("policy") == "" {
		return usage("gate wants --policy FILE; `memtide policy init RUN… -o FILE` begins one")
	}
	day, err := dayOf(c, "date", time.Now())
	if err != nil {
		return err
	}
	if err := sidesOf(c); err != nil {
		return err
	}
	p, err := e.policy(c.String("policy"))
	if err != nil {
		return err
	}
	r, err := e.gated(c, p)
	if err != nil {
		return err
	}
	p.Judge(r, day)
	if err := e.deliver(c, r, out); err != nil {
		return err
	}
	e.checks(r)
	return verdict(r)
}

// sidesOf holds that there is either one side or two.
func sidesOf(c *cli.Context) error {
	before, after := len(c.StringSlice("before")), len(c.StringSlice("after"))
	switch {
	case before+after == 0 && len(c.StringSlice("release")) > 0:
		return usage("gate takes --release beside --before and --after only")
	case c.Args().Present() && before+after > 0:
		return usage("gate takes either runs, or --before and --after; have %q beside them", c.Args().First())
	case !c.Args().Present() && before+after == 0:
		return usage("gate wants at least one run, or --before and --after")
	case !c.Args().Present() && (before == 0 || after == 0):
		return usage("gate wants at least one --before and one --after")
	}
	return knownFormat(c)
}

func dayOf(c *cli.Context, flag string, otherwise time.Time) (time.Time, error) {
	text := c.String(flag)
	if !c.IsSet(flag) {
		return otherwise, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, usage("--%s %s: want a day such as 2027-03-31", flag, cmp.Or(text, `""`))
	}
	return day, nil
}

// gated analyses what the policy is held against. Other than analyze, it does not go on without an input that could not be
// read: what was not measured cannot pass.
func (e *env) gated(c *cli.Context, p *policy.Policy) (*analyze.Result, error) {
	o := p.Options(e.analysis(c))
	if r, err := historyOf(c); r != nil || err != nil {
		if err == nil {
			r.HoldHistories(o.Redlines)
		}
		return r, err
	}
	if c.Args().Present() {
		runs, err := e.whole(c, c.Args().Slice())
		if err != nil {
			return nil, err
		}
		r := analyze.One(runs, o)
		return r, judged(r)
	}
	var sides [3][]analyze.Capture
	for i, side := range []string{"before", "after", "release"} {
		for _, arg := range c.StringSlice(side) {
			runs, err := e.wholeSide(c, arg)
			if err != nil {
				return nil, err
			}
			sides[i] = append(sides[i], runs...)
		}
		label(sides[i], side)
	}
	if err := bothHeld(sides[0], sides[1]); err != nil {
		return nil, err
	}
	r := analyze.Compare(sides[0], sides[1], o)
	if len(c.StringSlice("release")) > 0 {
		if !held(sides[2]) {
			return nil, unreadable(errors.New("the release held nothing that can be judged"))
		}
		r.AddRelease(sides[2], sides[1], o)
	}
	return r, nil
}

// whole reads the runs of one side, all or none.
func (e *env) whole(c *cli.Context, args []string) ([]analyze.Capture, error) {
	var out []analyze.Capture
	var raw []string
	for _, arg := range args {
		r, err := earlier(arg)
		switch {
		case err != nil:
			return nil, err
		case r != nil:
			runs, err := fromResult(arg, r)
			if err != nil {
				return nil, err
			}
			out = append(out, runs...)
		default:
			raw = append(raw, arg)
		}
	}
	if len(raw) == 0 {
		return out, nil
	}
	progress := e.progress(raw)
	defer progress.stop()
	runs, err := ingest.Load(raw, e.options(c, progress))
	if err != nil {
		return nil, unreadable(err)
	}
	return append(out, captures(runs)...), unmeasured(runs)
}

// unmeasured is the error of runs of which some file could not be read: a gate does not pass what was not measured.
func unmeasured(runs []*ingest.Run) error {
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.Failed...)
	}
	if len(errs) == 0 {
		return nil
	}
	return unreadable(errors.Join(errs...))
}

func (e *env) wholeSide(c *cli.Context, arg string) ([]analyze.Capture, error) {
	if r, err := earlier(arg); err != nil {
		return nil, err
	} else if r != nil {
		return fromResult(arg, r)
	}
	progress := e.progress([]string{arg})
	defer progress.stop()
	runs, err := ingest.Side(arg, e.options(c, progress))
	if err != nil {
		return nil, unreadable(err)
	}
	return captures(runs), unmeasured(runs)
}

// historyOf is the result of history that stands in place of runs: its findings are held against the policy.
func historyOf(c *cli.Context) (*analyze.Result, error) {
	if c.NArg() != 1 {
		return nil, nil
	}
	r, err := earlier(c.Args().First())
	if r != nil && len(r.Histories) == 0 {
		r = nil
	}
	return r, err
}

func label(runs []analyze.Capture, side string) {
	for i := range runs {
		for k := range runs[i].Inputs {
			runs[i].Inputs[k].Side = side
		}
	}
}

// checks tells on standard error what does not hold, with the fingerprints by which it can be made known.
func (e *env) checks(r *analyze.Result) {
	const most = 20
	told := 0
	for _, outcome := range []analyze.Outcome{analyze.Fail, analyze.Inconclusive} {
		for _, c := range r.Checks {
			if c.Outcome != outcome {
				continue
			}
			if told++; told > most {
				continue
			}
			mark := ""
			if c.Fingerprint != "" && outcome == analyze.Fail {
				mark = " [" + c.Fingerprint + "]"
			}
			fmt.Fprintf(e.stderr, "%s: %s%s\n", outcome, visible(c.Message), mark)
		}
	}
	if told > most {
		fmt.Fprintf(e.stderr, "… and %d more\n", told-most)
	}
}

// verdict is the exit code of a judged result.
func verdict(r *analyze.Result) error {
	measured := slices.ContainsFunc(r.Series, func(s analyze.Series) bool { return s.Side != "before" })
	switch {
	case r.Verdict == analyze.Pass:
		return nil
	case r.Verdict == analyze.Fail:
		return &exitError{exitFound, errors.New("")}
	case !measured && len(r.Histories) == 0:
		return unreadable(errors.New("held nothing that could be measured: this is no pass"))
	}
	return &exitError{exitUndecided, errors.New("")}
}

// policy reads a policy file; its faults are told as they are, each with the line it is in.
func (e *env) policy(path string) (*policy.Policy, error) {
	name := filepath.ToSlash(path)
	text, err := readSmall(path)
	if err != nil {
		return nil, usage("%s: %v", name, err)
	}
	p, err := policy.Parse(name, text)
	var faults policy.Errors
	if errors.As(err, &faults) {
		fmt.Fprintln(e.stderr, faults)
		return nil, usage("%s: %s", name, count(len(faults), "fault"))
	}
	if err != nil {
		return nil, usage("%v", err)
	}
	for _, w := range p.Warnings() {
		fmt.Fprintln(e.stderr, "warning:", w)
	}
	return p, nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
