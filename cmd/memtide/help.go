package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagText is one line of a help text: the names with the value's placeholder, then what the flag does. The library's own
// writes a flag that may be repeated twice, and of a switch that it is false.
func flagText(f cli.Flag) string {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return ""
	}
	_, placeholder, _ := strings.Cut(d.GetUsage(), "`")
	placeholder, _, _ = strings.Cut(placeholder, "`")
	var names []string
	for _, n := range f.Names() {
		names = append(names, strings.TrimRight(fmt.Sprintf("%s%s %s", "--"[:min(len(n), 2)], n, placeholder), " "))
	}
	text := strings.ReplaceAll(d.GetUsage(), "`", "")
	if s := d.GetDefaultText(); d.TakesValue() && s != "" {
		text += " (default: " + s + ")"
	}
	return strings.Join(names, ", ") + "\t" + text
}

// helpOf lets `memtide help COMMAND` be `memtide COMMAND --help`.
func helpOf(args []string) []string {
	if len(args) < 2 || args[1] != "help" {
		return args
	}
	return append(append([]string{args[0]}, args[2:]...), "--help")
}
