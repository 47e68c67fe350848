package main

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/urfave/cli/v2"
)

// notices holds what cmd/notices collected when the program was built: the licences of all that is linked in. In a
// build without it there is only a note that says so.
//
//go:embed notices
var notices embed.FS

func (e *env) licensesCommand() *cli.Command {
	return &cli.Command{
		Name: "licenses", Usage: "print the notices of the third-party code in this program", UsageText: "memtide licenses",
		Action: func(*cli.Context) error {
			text, err := fs.ReadFile(notices, "notices/third-party.txt")
			if err != nil {
				text, err = fs.ReadFile(notices, "notices/README")
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.stdout, string(text))
			return err
		},
	}
}
