package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
	"github.com/urfave/cli/v2"
)

// inputFlags are those of every command that reads captures.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "driver", Usage: "`NAME` of a column, or of a number in the names of runs (NAME=8), that counts the work given: growth is held against it; may be repeated"},
		&cli.StringSliceFlag{Name: "symbols", Usage: "name bare addresses by what is in `DIR`: binaries, debug files, /proc/PID/maps, tables of JIT compilers (docs/symbols.md); may be repeated"},
		&cli.StringSliceFlag{Name: "class", Usage: "follow the number of objects of the classes that fit `PATTERN` (* stands for any text); may be repeated"},
		&cli.StringSliceFlag{Name: "pair", Usage: "hold the numbers of two classes, `A=B`, against each other; may be repeated"},
		&cli.StringFlag{Name: "format", Usage: "read all inputs as `NAME` in place of recognising them; see memtide formats"},
	}
}

// knownFormat says of a wrong --format at once what would otherwise be said of each file.
func knownFormat(c *cli.Context) error {
	name, all := c.String("format"), []string{}
	for _, f := range ingest.Formats() {
		if f.Name == name {
			return nil
		}
		all = append(all, f.Name)
	}
	if name == "" {
		return nil
	}
	return usage("unknown format %q%s; `memtide formats` lists them", name, nearest(name, all))
}

// rows are the commands that show the tables; all others follow events as they are read, and keep none.
var rows = []string{"dump", "inspect", "export"}

func (e *env) options(c *cli.Context, p *progress) ingest.Options {
	o := ingest.Options{Format: c.String("format"), Stdin: e.stdin, Progress: p.add, Drivers: c.StringSlice("driver"), Symbols: c.StringSlice("symbols")}
	if !slices.Contains(rows, c.Command.Name) {
		o.Events = func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) }
	}
	return o
}

// load reads the arguments of a one-sided command.
func (e *env) load(c *cli.Context) ([]*ingest.Run, error) {
	if !c.Args().Present() {
		return nil, usage("%s wants at least one capture", c.Command.Name)
	}
	if err := knownFormat(c); err != nil {
		return nil, err
	}
	for _, arg := range c.Args().Slice() {
		if r, err := earlier(arg); err != nil {
			return nil, err
		} else if r != nil {
			return nil, unreadable(fmt.Errorf("%s: a result of memtide, which holds no tables: it can stand by itself in analyze, or as a side of compare", filepath.ToSlash(arg)))
		}
	}
	p := e.progress(c.Args().Slice())
	defer p.stop()
	runs, err := ingest.Load(e.once(c.Args().Slice()), e.options(c, p))
	return runs, e.told(runs, err)
}

// told lets a command go on with what could be read: faults of single inputs are printed, and only if nothing is left
// they end the command.
func (e *env) told(runs []*ingest.Run, err error) error {
	if err == nil {
		return nil
	}
	if len(runs) == 0 {
		return unreadable(err)
	}
	e.tell(err.Error())
	return nil
}

// captures turns runs into what analyze reads.
func captures(runs []*ingest.Run) []analyze.Capture {
	var out []analyze.Capture
	for _, r := range runs {
		out = append(out, analyze.Capture{Name: r.Name, Set: r.Set, Inputs: inputs(r, "")})
	}
	return out
}

// inputs describes the files of a run. An archive or bug report has several parts of one path.
func inputs(r *ingest.Run, side string) []analyze.Input {
	var out []analyze.Input
	processes, files := append([]string{}, r.Set.Processes()...), filesByPath(r.Set)
	for _, in := range r.Inputs {
		entry := analyze.Input{Side: side, Run: r.Name, Path: in.Path, Format: in.Format, Bytes: in.Bytes, SHA256: in.SHA256, Clock: r.Set.Clock, Process: processes}
		add(&entry, r.Set, files[in.Path])
		out = append(out, entry)
	}
	return out
}

// side reads one value of --before or --after as an earlier result of memtide, or as captures.
func (e *env) side(arg string, o ingest.Options) ([]analyze.Capture, error) {
	if r, err := earlier(arg); err != nil {
		return nil, err
	} else if r != nil {
		return fromResult(arg, r)
	}
	runs, err := ingest.Side(arg, o)
	return captures(runs), e.told(runs, err)
}

// maxPIDs bounds the pids that are named of one input: a dump of a whole system has hundreds.
const maxPIDs = 20

// filesByPath finds the files of a set by the path of the input they come from: an archive has several files behind it.
func filesByPath(s *table.Set) map[string][]*table.File {
	out := map[string][]*table.File{}
	for i := range s.Files {
		f := &s.Files[i]
		out[f.Name] = append(out[f.Name], f)
		for at, c := range f.Name {
			if c == '!' && at > 0 && strings.HasPrefix(f.Name[at:], "!/") {
				out[f.Name[:at]] = append(out[f.Name[:at]], f)
			}
		}
	}
	return out
}

// add counts what the tables of a run say of one input.
func add(in *analyze.Input, s *table.Set, files []*table.File) {
	var first, last int64
	for _, f := range files {
		if f.Rows == 0 && f.NoData == 0 {
			addFacts(in, f.Facts)
			continue
		}
		if in.Rows == 0 {
			first, last = f.First, f.Last
		}
		first, last = min(first, f.First), max(last, f.Last)
		in.Samples, in.NoData, in.Rows = in.Samples+f.Snapshots, in.NoData+f.NoData, in.Rows+f.Rows
		in.PID = append(in.PID, f.PIDs...)
		for _, p := range f.Problems {
			in.Problems += p.Count
		}
		addFacts(in, f.Facts)
	}
	slices.Sort(in.PID)
	in.PID = slices.Compact(in.PID)
	in.PID = in.PID[:min(len(in.PID), maxPIDs)]
	in.Duration = float64(last-first) / 1e9
	if s.Start.OK && in.Rows > 0 {
		in.Start = time.Unix(0, s.Start.V+first).UTC().Format(time.RFC3339)
	}
}

func addFacts(in *analyze.Input, facts []table.Fact) {
	for _, fact := range facts {
		in.Facts = append(in.Facts, analyze.Fact(fact))
		switch fact.Name {
		case "device":
			in.Device = fact.Value
		case "tool":
			in.Tool = fact.Value
		case "lossy":
			in.Lossy = fact.Value == "true"
		}
	}
}

// once drops arguments that name the same file again, and says so: read twice, a capture would count twice.
func (e *env) once(args []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, arg := range args {
		key := filepath.Clean(arg)
		if seen[key] {
			e.tell(fmt.Sprintf("%s is given twice: it is read once", filepath.ToSlash(arg)))
			continue
		}
		seen[key] = true
		out = append(out, arg)
	}
	return out
}
