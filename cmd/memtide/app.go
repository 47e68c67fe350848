package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"
)

// The exit codes. 0 is clean or passed; it is never given when nothing was measured.
const (
	exitFound     = 1 // a finding at or above --fail-on
	exitUsage     = 2 // flags, or a policy file
	exitInput     = 3 // an input could not be read or held nothing to judge, or an output could not be written
	exitUndecided = 4 // inconclusive, where that was asked to fail
	exitInternal  = 5
)

// version is set by the linker for releases.
var version = "dev"

// env is what a command reads from and writes to.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// exitError ends the program with a code; the message, if any, was not printed yet.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

func unreadable(err error) error { return &exitError{exitInput, err} }

// run is main without the process round it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "memtide: internal error: %v\n%s\nThis is a fault of memtide; please report it with the capture.\n", p, debug.Stack())
			code = exitInternal
		}
	}()
	out := &standard{Writer: stdout}
	e := &env{stdin, out, stderr}
	app := e.app()
	args, err := reorder(app, helpOf(args))
	if err == nil {
		err = app.Run(args)
	}
	if out.failed != nil {
		err = out.failed
	}
	return e.finish(err)
}

func (e *env) finish(err error) int {
	if err == nil {
		return 0
	}
	if isClosedPipe(err) {
		return 0 // the reader of our output had enough: `memtide dump … | head`
	}
	code := exitUsage
	var coded *exitError
	if errors.As(err, &coded) {
		code = coded.code
	}
	if text := err.Error(); text != "" {
		e.tell(text)
	}
	return code
}

// tell prints an error, of a long list of them the first: a folder can hold thousands of files with the same fault.
func (e *env) tell(text string) {
	const most = 10
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i == most && len(lines) > most+1 {
			fmt.Fprintf(e.stderr, "memtide: … and %d more\n", len(lines)-most)
			return
		}
		fmt.Fprintln(e.stderr, "memtide:", visible(line))
	}
}

func (e *env) app() *cli.App {
	cli.FlagStringer = flagText
	app := &cli.App{
		Name: "memtide", Usage: "reads memory captures and says what grew, what leaks and what changed", Version: version,
		UsageText:   "memtide COMMAND [arguments and flags, in any order]",
		Description: "Exit codes: 0 clean or passed · 1 a finding at or above --fail-on · 2 usage or policy file ·\n3 an input could not be read or held nothing to judge, or an output could not be written · 4 gate could not decide · 5 internal error.\nThe text of an error goes to standard error, results to standard output or to the files of -o.",
		Reader:      e.stdin, Writer: e.stdout, ErrWriter: e.stderr,
		DisableSliceFlagSeparator: true, // a comma may be part of a name
		Suggest:                   true, EnableBashCompletion: true, HideHelpCommand: true,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return usage("%v", err) },
		Commands: []*cli.Command{
			e.formatsCommand(), e.inspectCommand(), e.dumpCommand(), e.analyzeCommand(), e.compareCommand(), e.historyCommand(), e.gateCommand(), e.policyCommand(), e.exportCommand(), e.licensesCommand(), e.completionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unknown command %q%s", c.Args().First(), nearest(c.Args().First(), commandNames(c.App)))
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true // a folder of captures may be named h
	}
	return app
}
