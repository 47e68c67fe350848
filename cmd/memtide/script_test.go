package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/text/encoding/unicode"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script, docs and README.md")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"memtide": main})
}

// TestScripts runs testdata/script/*.txtar: what a user types, what comes out, and with which exit code. $FIXTURES is the
// folder of captures. Beyond testscript's own commands there are
//
//	exits CODE COMMAND ARG…   runs a command that must end with the code
//	utf16 FILE, crlf FILE     change how a text file is written
//	alike FILE FILE           two files hold the same bytes
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("../../fixtures")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("FIXTURES", fixtures)
			return os.Symlink(fixtures, filepath.Join(e.WorkDir, "fixtures"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "utf16": recode(utf16), "crlf": recode(crlf), "esc": recode(esc), "alike": alike},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	code, failed := 0, new(exec.ExitError)
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s exits %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

func recode(f func([]byte) ([]byte, error)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		for _, arg := range args {
			text, err := f([]byte(ts.ReadFile(arg)))
			ts.Check(err)
			ts.Check(os.WriteFile(ts.MkAbs(arg), text, 0o644))
		}
	}
}

func utf16(text []byte) ([]byte, error) {
	return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(text)
}

// esc puts characters into a file that a script should not hold as they are.
func esc(text []byte) ([]byte, error) {
	return []byte(strings.NewReplacer("<ESC>", "\x1b", "<BEL>", "\a", "<RLO>", "\u202e").Replace(string(text))), nil
}

func crlf(text []byte) ([]byte, error) {
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), nil
}

func alike(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: alike FILE FILE")
	}
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("%s and %s: alike is %v", args[0], args[1], neg)
	}
}
