package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

// completions are what the shells need to ask memtide for the words that may follow.
var completions = map[string]string{
	"bash": `_memtide() {
  local cur="${COMP_WORDS[COMP_CWORD]}"
  local words
  words=$("${COMP_WORDS[@]:0:$COMP_CWORD}" --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "${words}" -f -- "${cur}"))
}
complete -o filenames -F _memtide memtide
`,
	"zsh": `#compdef memtide
_memtide() {
  local -a words
  words=("${(@f)$(${words[@]:0:$((CURRENT-1))} --generate-bash-completion 2>/dev/null)}")
  _describe 'memtide' words
  _files
}
compdef _memtide memtide
`,
}

func (e *env) completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print the completion script of a shell: bash, zsh or fish", UsageText: "memtide completion bash|zsh|fish",
		Action: func(c *cli.Context) error {
			text, ok := completions[c.Args().First()]
			if c.Args().First() == "fish" {
				var err error
				text, err = c.App.ToFishCompletion()
				if err != nil {
					return err
				}
				ok = true
			}
			if !ok {
				return usage("completion wants bash, zsh or fish, have %q", c.Args().First())
			}
			_, err := fmt.Fprint(e.stdout, text)
			return err
		},
	}
}
