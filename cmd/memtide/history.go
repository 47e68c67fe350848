package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest"
	"github.com/urfave/cli/v2"
)

// releaseFlag is the fixed third side of compare, gate and history.
func releaseFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "release", Usage: "a `RUN` of a release to hold against as well: what grows a little with every build shows there; may be repeated"}
}

func linesFlag() cli.Flag {
	return &cli.StringFlag{Name: "policy", Usage: "take red lines and tolerances from a policy `FILE`; gate judges by it"}
}

func (e *env) historyCommand() *cli.Command {
	return &cli.Command{
		Name: "history", Usage: "say which build of a series changed memory", UsageText: "memtide history BUILD… [--release RUN…] [flags]\nmemtide history FOLDER [--release RUN…] [flags]",
		Description: "Each BUILD is a folder of runs, a capture, or a result of memtide (.json, .json.gz), given from the oldest to the newest. One folder\nholds a build in each of its folders, or, if it has none, in each of its files, in natural order of their names. A result of history\nstands for all of its builds, so that it can be carried on: memtide history earlier.json build-31 -o later.json.\nFrom 12 builds on changes within the history are found, from 7 on the newest build is held against those before it.",
		Flags:       slices.Concat([]cli.Flag{releaseFlag(), linesFlag()}, inputFlags(), outputFlags()),
		Action:      e.history,
	}
}

func (e *env) history(c *cli.Context) error {
	out, err := planOutputs(c)
	if err != nil {
		return err
	}
	if !c.Args().Present() {
		return usage("history wants at least two builds, or a folder of builds")
	}
	if err := knownFormat(c); err != nil {
		return err
	}
	o := e.analysis(c)
	if path := c.String("policy"); path != "" {
		p, err := e.policy(path)
		if err != nil {
			return err
		}
		o = p.Options(o)
	}
	builds, err := e.builds(c)
	if err != nil {
		return err
	}
	release, err := e.release(c)
	if err != nil {
		return err
	}
	var fixed *analyze.Build
	if len(release) > 0 {
		b := analyze.NewBuild(filepath.ToSlash(filepath.Base(c.StringSlice("release")[0])), release)
		fixed = &b
	}
	r := analyze.Over(builds, fixed, o)
	if len(r.Histories) == 0 {
		return unreadable(fmt.Errorf("the builds held nothing that can be judged"))
	}
	return e.deliver(c, r, out)
}

// release reads the runs of the release, if one was given.
func (e *env) release(c *cli.Context) ([]analyze.Capture, error) {
	runs, err := e.runs(c, "release")
	if err == nil && len(c.StringSlice("release")) > 0 && !held(runs) {
		err = unreadable(fmt.Errorf("the release held nothing that can be judged"))
	}
	return runs, err
}

// builds reads the builds one after the other, of each only its levels being kept. One that cannot be read is told and
// stays as one of which nothing is known, unless it is the newest: that one is what the history is asked about.
func (e *env) builds(c *cli.Context) ([]analyze.Build, error) {
	args, err := buildArgs(c.Args().Slice())
	if err != nil {
		return nil, err
	}
	p := e.progress(args)
	defer p.stop()
	names := buildNames(args)
	var out []analyze.Build
	for i, arg := range args {
		more, err := e.build(arg, names[i], e.options(c, p))
		switch {
		case err != nil && i == len(args)-1:
			return nil, fmt.Errorf("%w\n%s: the newest build is what a history is asked about: it has to hold something", err, names[i])
		case err != nil:
			e.tell(err.Error())
			more = []analyze.Build{analyze.NewBuild(names[i], nil)}
		}
		out = append(out, more...)
	}
	if len(out) < 2 {
		return nil, usage("history wants at least two builds, have %d", len(out))
	}
	if n := len(out) - empty(out); n < 2 {
		return nil, unreadable(fmt.Errorf("history wants at least two builds that hold something, have %d", n))
	}
	return out, nil
}

// empty counts the builds of which nothing is known.
func empty(builds []analyze.Build) (n int) {
	for i := range builds {
		if builds[i].Empty() {
			n++
		}
	}
	return n
}

// build reads one argument: mostly one build.
func (e *env) build(arg, name string, o ingest.Options) ([]analyze.Build, error) {
	r, err := earlier(arg)
	switch {
	case err != nil:
		return nil, err
	case r != nil && len(r.Histories) > 0:
		return r.Builds(), nil
	}
	runs, err := e.side(arg, o)
	if err != nil {
		return nil, err
	}
	if !held(runs) {
		return nil, unreadable(fmt.Errorf("%s: held nothing that can be judged", filepath.ToSlash(arg)))
	}
	return []analyze.Build{analyze.NewBuild(name, runs)}, nil
}

// buildArgs are the paths of the builds: the arguments, or what stands in the only one if that is a folder.
func buildArgs(args []string) ([]string, error) {
	if len(args) != 1 {
		return args, nil
	}
	if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
		return args, nil // what is wrong is said when it is read
	}
	folders, files, err := ingest.Entries(args[0])
	if err != nil {
		return nil, unreadable(err)
	}
	if len(folders) > 0 {
		return folders, nil
	}
	return files, nil
}

// buildNames are the last parts of the paths, without the ending of a file; more of the path where these are not different.
func buildNames(args []string) []string {
	short, seen := make([]string, len(args)), map[string]int{}
	for i, arg := range args {
		arg = filepath.ToSlash(filepath.Clean(arg))
		short[i] = strings.TrimPrefix(arg[strings.LastIndexByte(arg, '/')+1:], "/")
		if info, err := os.Stat(args[i]); err == nil && !info.IsDir() {
			if name, _, ok := strings.Cut(short[i], "."); ok && name != "" {
				short[i] = name
			}
		}
		seen[short[i]]++
	}
	for i, arg := range args {
		if seen[short[i]] > 1 {
			short[i] = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(arg)), "/")
		}
	}
	return short
}
