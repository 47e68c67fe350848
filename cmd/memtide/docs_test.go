package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
)

const top = "../.."

// inStep holds a document against what it should say; with -update it is written.
func inStep(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: make golden", err)
	}
	if diff := cmp.Diff(string(have), want); diff != "" {
		t.Errorf("%s is out of step (-document +program); if the change is meant: make golden\n%s", path, diff)
	}
}

// call runs the program in this process and gives all that it prints.
func call(args ...string) string {
	var out bytes.Buffer
	code := run(append([]string{"memtide"}, args...), strings.NewReader(""), &out, &out)
	if code != 0 {
		fmt.Fprintf(&out, "(exit code %d)\n", code)
	}
	return out.String()
}

var trailing = regexp.MustCompile(`(?m)[ \t]+$`)

// TestCommandLineDocument keeps docs/cli.md in step with the help texts.
func TestCommandLineDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The command line\n\nWritten from the help texts by `make golden`; do not edit it.\n")
	section := func(title string, args ...string) {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", title, trailing.ReplaceAllString(call(args...), ""))
	}
	section("memtide", "--help")
	for _, c := range (&env{}).app().Commands {
		section("memtide "+c.Name, c.Name, "--help")
		for _, sub := range c.Subcommands {
			section("memtide "+c.Name+" "+sub.Name, c.Name, sub.Name, "--help")
		}
	}
	inStep(t, top+"/docs/cli.md", b.String())
}

// TestTablesDocument keeps docs/tables.md in step with the schemas and the list of metrics.
func TestTablesDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The tables\n\nWritten from the schemas by `make golden`; do not edit it.\n\n" +
		"Every capture becomes rows of these tables; `memtide dump` and `memtide export` write them. Unknown is null (an empty cell in CSV), never 0.\n" +
		"Sizes are bytes, times nanoseconds. Rows stand in order of time, file and line; columns in the order given here.\n" +
		"Strings are dictionary columns in Arrow and UTF-8 in Parquet.\n")
	for _, s := range table.Schemas {
		fmt.Fprintf(&b, "\n## %s\n\nA row is %s.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n", s.Name, s.Row)
		for _, c := range s.Columns {
			kind := map[table.Kind]string{table.Int64: "int64", table.Uint64: "uint64", table.String: "string"}[c.Kind]
			if c.Nullable {
				kind += "?"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, kind, c.Unit, c.Meaning)
		}
	}
	b.WriteString("\n`?` marks a column that may be null.\n\n## Metrics\n\nAdditive metrics may be summed over processes; of the others no total is made. A name that is not listed here is one that\n" +
		"the capture brought with it (a line of /proc/meminfo, a pool): bytes, of which neither more nor less is better.\n\n" +
		"| metric | unit | better | additive | meaning |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range table.Metrics {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Unit, m.Better, map[bool]string{true: "yes"}[m.Additive], m.Meaning)
	}
	inStep(t, top+"/docs/tables.md", trailing.ReplaceAllString(b.String(), ""))
}

// TestReadMe runs every `$ memtide …` line of README.md against the fixtures and keeps the list of formats in step.
func TestReadMe(t *testing.T) {
	path, err := filepath.Abs(top + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	formats := formatTable(t)
	fixtures, err := filepath.Abs(top + "/fixtures")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(fixtures, "fixtures"); err != nil {
		t.Fatal(err)
	}
	inStep(t, path, withFormats(t, withExamples(t, string(text)), formats))
}

// withExamples replaces what stands below each example of a console block by what the program prints now.
func withExamples(t *testing.T, text string) string {
	t.Helper()
	var out []string
	examples, inside, skip := 0, false, false
	for _, line := range strings.Split(text, "\n") {
		switch command, is := strings.CutPrefix(line, "$ memtide "); {
		case strings.HasPrefix(line, "```"):
			inside, skip = line == "```console", false
		case inside && is:
			examples++
			skip = true
			printed := trailing.ReplaceAllString(call(strings.Fields(command)...), "")
			out = append(out, line, strings.TrimRight(printed, "\n"))
			continue
		case inside && strings.HasPrefix(line, "$ "):
			skip = false // another program's: not run
		}
		if !skip {
			out = append(out, line)
		}
	}
	if examples < 3 {
		t.Errorf("%d examples in README.md, want at least 3", examples)
	}
	return strings.Join(out, "\n")
}

func withFormats(t *testing.T, text, formats string) string {
	t.Helper()
	const from, to = "<!-- formats: written by make golden -->\n", "<!-- end of formats -->"
	before, rest, ok := strings.Cut(text, from)
	_, after, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("README.md has no place for the formats, between %q and %q", from, to)
	}
	return before + from + formats + to + after
}

func formatTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| format | what | how to take it |\n| --- | --- | --- |\n")
	for _, f := range ingest.Formats() {
		name := "`" + f.Name + "`"
		if _, err := os.Stat(top + "/docs/formats/" + f.Name + ".md"); err == nil {
			name = "[" + name + "](docs/formats/" + f.Name + ".md)"
		}
		capture := "`" + strings.ReplaceAll(f.Capture, "|", `\|`) + "`"
		if rest, ok := strings.CutPrefix(f.Capture, "see "); ok {
			capture = "see [" + rest + "](" + rest + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, f.Title, capture)
	}
	return b.String()
}

var link = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)

// TestLinks follows the links between the documents, and those to files of the tree.
func TestLinks(t *testing.T) {
	documents, err := filepath.Glob(top + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(top + "/docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(append(documents, more...), top+"/README.md") {
		text, err := os.ReadFile(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(d), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", d, m[1])
			}
		}
	}
}

var mentioned = regexp.MustCompile("`((?:docs|fixtures|ingest|analyze|report|cmd)/[A-Za-z0-9_./-]+)`")

// TestMentionedFiles holds that a path of the tree that a document names is there.
func TestMentionedFiles(t *testing.T) {
	for _, d := range []string{"README.md", "docs/reading-order.md", "docs/adding-a-format.md"} {
		text, err := os.ReadFile(filepath.Join(top, d))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mentioned.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(top, m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", d, m[1])
			}
		}
	}
}
