package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/policy"
	"github.com/urfave/cli/v2"
)

func (e *env) policyCommand() *cli.Command {
	return &cli.Command{
		Name: "policy", Usage: "begin, check or describe a policy file for gate", UsageText: "memtide policy check FILE…\nmemtide policy init RUN… [-o FILE] [flags]\nmemtide policy schema",
		Description: "docs/policy.md explains policies by example.", HideHelpCommand: true,
		Subcommands: []*cli.Command{e.policyCheck(), e.policyInit(), e.policySchema()},
		Action: func(c *cli.Context) error {
			all := []string{"check", "init", "schema"}
			if c.Args().Present() {
				return usage("unknown command policy %q%s", c.Args().First(), nearest(c.Args().First(), all))
			}
			return usage("policy wants one of check, init, schema")
		},
	}
}

func (e *env) policyCheck() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "tell every fault of a policy file, with line and column", UsageText: "memtide policy check FILE…",
		Description: "Exit codes: 0 no fault · 2 a fault, or no such file.",
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return usage("policy check wants at least one file")
			}
			var first error
			for _, path := range c.Args().Slice() {
				if _, err := e.policy(path); err == nil {
					fmt.Fprintf(e.stdout, "%s: no fault\n", visible(path))
				} else if first == nil {
					first = err
				} else {
					e.tell(first.Error())
					first = err
				}
			}
			return first
		},
	}
}

func (e *env) policyInit() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "write a commented policy that a run passes", UsageText: "memtide policy init RUN… [-o FILE] [flags]",
		Description: "Limits are a fifth above what was measured; growth that is there is allowed until a day; what else is wrong with the run becomes a known finding until then.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to a `FILE` that is not there yet (default: standard output)"},
			&cli.StringFlag{Name: "expires", Usage: "the last `DAY` of what is wrong already (default: 90 days from today)"},
		}, inputFlags()...),
		Action: func(c *cli.Context) error {
			expires, err := dayOf(c, "expires", time.Now().AddDate(0, 0, 90))
			if err != nil {
				return err
			}
			if !c.Args().Present() {
				return usage("policy init wants at least one run")
			}
			if err := knownFormat(c); err != nil {
				return err
			}
			runs, err := e.whole(c, c.Args().Slice())
			if err != nil {
				return err
			}
			text, err := policy.Starter(analyze.One(runs, analyze.Defaults()), expires)
			if err != nil {
				return unreadable(err)
			}
			return e.begin(c.String("output"), text)
		},
	}
}

// begin writes a new policy, never over one that somebody edited.
func (e *env) begin(path string, text []byte) error {
	if path == "" || path == "-" {
		_, err := e.stdout.Write(text)
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return usage("%s is there already; remove it first, or choose another name", path)
	}
	return writeWhole(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

func (e *env) policySchema() *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of policy files, for editors", UsageText: "memtide policy schema",
		Action: func(*cli.Context) error {
			text, err := policy.JSONSchema()
			if err == nil {
				_, err = e.stdout.Write(text)
			}
			return err
		},
	}
}

// readSmall reads a file that a person wrote; of a larger one only as much as shows that it is too large.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if e := new(os.PathError); errors.As(err, &e) {
		return nil, e.Err
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if e := new(os.PathError); errors.As(err, &e) {
		return nil, e.Err
	}
	return text, err
}
