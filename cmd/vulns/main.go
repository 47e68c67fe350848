// Command vulns runs govulncheck over the program and judges what it says by module.
//
//	go run ./cmd/vulns -db DIR -tool golang.org/x/vuln/cmd/govulncheck@VERSION ./...
//
// A known fault in a module that is linked in breaks the build, whether its code is called or not: the cure is a newer
// version in go.mod. One in the standard library is printed and breaks nothing: the cure is a newer Go, which is the
// choice of the machine. govulncheck's own exit code cannot tell the two apart. Nor does govulncheck say when its
// database is empty, so it is run first over a module whose faults are known (testdata/control), and must find them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

func main() {
	db := flag.String("db", "", "folder of the database, as golang.org/x/vulndb/cmd/indexdb writes it")
	tool := flag.String("tool", "", "govulncheck as `PATH@VERSION`")
	control := flag.String("control", "cmd/vulns/testdata/control", "module with known faults")
	flag.Parse()
	if err := run(os.Stdout, scanner{*tool, *db}, *control, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "vulns:", err)
		os.Exit(1)
	}
}

// scanner is govulncheck with its database.
type scanner struct{ tool, db string }

func run(w io.Writer, s scanner, control string, packages []string) error {
	known, err := s.scan(control, []string{"./..."})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(known, fault.linked) {
		return fmt.Errorf("no fault found in %s, which has some: the database at %s says nothing", control, s.db)
	}
	found, err := s.scan(".", packages)
	if err != nil {
		return err
	}
	return judge(w, found)
}

// judge prints what was found; the error is that of faults in modules.
func judge(w io.Writer, found []fault) error {
	broken := 0
	for _, f := range found {
		what := "a newer Go is the cure"
		if f.linked() {
			broken++
			what = "require at least " + f.fixed
		}
		fmt.Fprintf(w, "%s: %s %s (%s): %s\n", f.id, f.module, f.version, f.depth, what)
	}
	if broken > 0 {
		return fmt.Errorf("%d known faults in modules", broken)
	}
	fmt.Fprintf(w, "no known fault in a module, %d in this Go's standard library\n", len(found))
	return nil
}

// fault is one entry of the database that concerns a module.
type fault struct{ id, module, version, fixed, depth string }

// linked says that the fault lies in a module and not in Go itself.
func (f fault) linked() bool { return f.module != "stdlib" && f.module != "toolchain" }

func (s scanner) scan(dir string, packages []string) ([]fault, error) {
	db, err := filepath.Abs(s.db)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{"run", s.tool, "-C", dir, "-db", "file://" + filepath.ToSlash(db), "-format", "json"}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found, err := read(out)
	return found, errors.Join(err, cmd.Wait())
}

// read takes the findings out of govulncheck's stream of messages, one for each entry and module: it reports the
// same one for the module, for the package and for each call, the deepest last.
func read(r io.Reader) ([]fault, error) {
	var out []fault
	for d := json.NewDecoder(r); ; {
		var m struct {
			Finding *struct {
				OSV   string `json:"osv"`
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Package, Function string }
			}
		}
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 {
			continue
		}
		t := m.Finding.Trace[0]
		f := fault{m.Finding.OSV, t.Module, t.Version, m.Finding.Fixed, depth(t.Package, t.Function)}
		at := slices.IndexFunc(out, func(o fault) bool { return o.id == f.id && o.module == f.module })
		if at < 0 {
			out = append(out, f)
		} else if f.depth == "called" || out[at].depth == "required" {
			out[at].depth = f.depth
		}
	}
}

func depth(pkg, function string) string {
	switch {
	case function != "":
		return "called"
	case pkg != "":
		return "imported"
	}
	return "required"
}
