package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder puts flags before arguments, because cli/v2 takes a flag behind an argument as an argument. It also
// refuses a flag that the command does not have, and names the nearest. "--" ends the flags.
func reorder(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	cmd := command(app, args[1])
	if cmd == nil {
		return args, nil
	}
	head := args[:2:2]
	if len(args) > 2 {
		if sub := subcommand(cmd, args[2]); sub != nil {
			cmd, head = sub, args[:3:3]
		}
	}
	flags, rest := []string{}, []string{}
	for i := len(head); i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") || arg == "--generate-bash-completion" {
			rest = append(rest, arg)
			continue
		}
		takes, err := takesValue(cmd, arg)
		if err != nil {
			return nil, err
		}
		flags = append(flags, arg)
		if takes {
			if i+1 >= len(args) {
				return nil, usage("%s wants a value", arg)
			}
			i++
			flags = append(flags, args[i])
		}
	}
	return append(append(append(head, flags...), separated(rest)...), rest...), nil
}

// separated guards arguments that look like flags, which only "--" lets through.
func separated(rest []string) []string {
	if n := len(rest); n > 0 && rest[n-1] == "--generate-bash-completion" {
		return nil
	}
	return []string{"--"}
}

func command(app *cli.App, name string) *cli.Command {
	for _, c := range app.Commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func subcommand(cmd *cli.Command, name string) *cli.Command {
	for _, c := range cmd.Subcommands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func commandNames(app *cli.App) []string {
	var out []string
	for _, c := range app.Commands {
		out = append(out, c.Name)
	}
	return out
}

// takesValue says whether a flag is followed by a value.
func takesValue(cmd *cli.Command, arg string) (bool, error) {
	name, _, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if name == "h" || name == "help" {
		return false, nil
	}
	var all []string
	for _, f := range cmd.Flags {
		for _, n := range f.Names() {
			if n == name {
				_, isBool := f.(*cli.BoolFlag)
				return !isBool && !joined, nil
			}
			all = append(all, n)
		}
	}
	return false, usage("%s has no flag %s%s", cmd.Name, arg, nearest(name, all))
}

// nearest names the word that a mistyped one was meant to be, if one is near.
func nearest(word string, all []string) string {
	best, least := "", 3
	for _, w := range all {
		if d := distance(word, w); d < least && d < len(word) {
			best, least = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
