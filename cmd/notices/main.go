// Command notices collects the licence texts of every module that is linked into a program, from the module cache.
//
//	go run ./cmd/notices ./cmd/memtide > cmd/memtide/notices/third-party.txt
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

type module struct {
	Path, Version, Dir string
	Main               bool
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, packages []string) error {
	modules, err := linked(packages)
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := write(w, m); err != nil {
			return err
		}
	}
	return nil
}

// linked lists the modules of all packages that the given ones depend on, on any system: the union over the targets
// would only add modules of the same list.
func linked(packages []string) ([]module, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	byPath := map[string]module{}
	for d := json.NewDecoder(out); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main {
			byPath[p.Module.Path] = *p.Module
		}
	}
	var all []module
	for _, m := range byPath {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return compare(a.Path, b.Path) })
	return all, cmd.Wait()
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._].*)?$`)

// write prints the licence files of a module; one without any is an error, so that none is shipped unseen.
func write(w io.Writer, m module) error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !licence.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(w, "==== %s %s: %s ====\n\n%s\n", m.Path, m.Version, e.Name(), text)
	}
	if !found {
		return fmt.Errorf("%s %s has no licence file", m.Path, m.Version)
	}
	return nil
}
