// Command notices collects the licence texts of all that is linked into a program: of Go itself, and of every module
// with the folders of its packages, from the module cache.
//
//	go run ./cmd/notices ./cmd/memtide > cmd/memtide/notices/third-party.txt
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is one entry of the list, with the folders that are linked from it.
type module struct {
	Path, Version, Dir string
	Main               bool
	folders            map[string]bool
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

// linked lists Go and the modules of all packages that the given ones depend on. They are the same for every system
// that the program is built for; only the packages of them differ.
func linked(packages []string) ([]*module, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module,Dir"}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	byPath := map[string]*module{"": {Path: "Go", Version: strings.TrimPrefix(runtime.Version(), "go"), Dir: strings.TrimSpace(string(root)), folders: map[string]bool{}}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *module
			Dir    string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := byPath[p.Module.Path]
		if m == nil {
			m = p.Module
			m.folders = map[string]bool{}
			byPath[m.Path] = m
		}
		m.folders[p.Dir] = true
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b *module) int { return strings.Compare(a.Path, b.Path) }), nil
}

var (
	licence = regexp.MustCompile(`(?i)^(third[-_]party[-_]?)?(licen[cs]es?|copying|notice|patents|unlicense)([-._].*)?$`)
	granted = regexp.MustCompile(`(?i)permission is hereby granted|redistribution and use in source`)
)

// write prints the licence files of a module and of its linked folders; one without any is an error, so that none is
// shipped unseen. Some modules have theirs at the end of the read-me.
func write(w io.Writer, m *module) error {
	found := 0
	m.folders[m.Dir] = true
	for _, dir := range slices.Sorted(maps.Keys(m.folders)) {
		n, err := writeFolder(w, m, dir, licence.MatchString)
		if err != nil {
			return err
		}
		found += n
	}
	if found == 0 {
		var err error
		if found, err = writeFolder(w, m, m.Dir, func(name string) bool { return strings.HasPrefix(strings.ToLower(name), "readme") }); err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("%s %s has no licence", m.Path, m.Version)
	}
	return nil
}

// writeFolder prints the files of a folder that are wanted and grant a licence, or are named for it.
func writeFolder(w io.Writer, m *module, dir string, wanted func(string) bool) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range entries {
		if e.IsDir() || !wanted(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return n, err
		}
		if !licence.MatchString(e.Name()) && !granted.Match(text) {
			continue
		}
		rel, err := filepath.Rel(m.Dir, filepath.Join(dir, e.Name()))
		if err != nil {
			return n, err
		}
		n++
		fmt.Fprintf(w, "==== %s %s: %s ====\n\n%s\n", m.Path, m.Version, filepath.ToSlash(rel), bytes.TrimSpace(text))
	}
	return n, nil
}
