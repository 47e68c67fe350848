package ingest

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var update = flag.Bool("update", false, "rewrite the golden files under ingest/testdata")

// noFormat are folders of fixtures that are no format's: whole runs, and the programs that make captures.
var noFormat = map[string]bool{"make": true, "demo": true, "gallery": true}

// walkFixtures visits every capture in fixtures/<format>/, from the root of the module, so that names are relative.
func walkFixtures(t *testing.T, visit func(t *testing.T, format, path string)) {
	t.Chdir("..")
	n := 0
	err := filepath.WalkDir("fixtures", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		format := strings.Split(filepath.ToSlash(p), "/")[min(1, strings.Count(filepath.ToSlash(p), "/"))]
		if noFormat[format] {
			return fs.SkipDir
		}
		if e.IsDir() || e.Name() == "SOURCE.md" {
			return nil
		}
		n++
		t.Run(filepath.ToSlash(strings.TrimPrefix(p, "fixtures/")), func(t *testing.T) { visit(t, format, filepath.ToSlash(p)) })
		return nil
	})
	if err != nil || n < 50 {
		t.Fatalf("%d fixtures, %v", n, err)
	}
}

// TestSniffWalk: each fixture is claimed by the format that its folder names, and by no other. One that is damaged on
// purpose may be claimed by none.
func TestSniffWalk(t *testing.T) {
	walkFixtures(t, func(t *testing.T, format, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in, err := source.NewInput(path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if format == "bugreport" {
			if !isBugReport(in.Head) {
				t.Error("no bug report")
			}
			return
		}
		if find(format) == nil {
			t.Fatalf("no format is called %s", format)
		}
		claims := claim(in.Head)
		if len(claims) == 0 && strings.HasPrefix(filepath.Base(path), "bad-") {
			return
		}
		if len(claims) != 1 || claims[0].Name != format {
			t.Errorf("claimed by %q, want %s alone", names(claims), format)
		}
	})
}

// TestEveryFormatHasFixtures: at least one whole capture and one that is damaged.
func TestEveryFormatHasFixtures(t *testing.T) {
	for _, f := range Formats() {
		all, _ := filepath.Glob(filepath.Join("..", "fixtures", f.Name, "*"))
		bad, _ := filepath.Glob(filepath.Join("..", "fixtures", f.Name, "bad-*"))
		if len(all) == 0 {
			t.Errorf("%s has no fixtures", f.Name)
		} else if _, err := os.Stat(filepath.Join("..", "fixtures", f.Name, "SOURCE.md")); err != nil {
			t.Errorf("%s: nothing says where its fixtures come from", f.Name)
		} else if len(all)-len(bad) < 2 {
			t.Errorf("%s has no whole capture", f.Name)
		}
	}
}

// TestGoldenWalk holds what is read from each fixture against a file: every table that has rows, what the capture
// says of itself, and the problems.
func TestGoldenWalk(t *testing.T) {
	written := map[string]bool{}
	walkFixtures(t, func(t *testing.T, format, path string) {
		golden := "ingest/testdata/golden/" + strings.TrimPrefix(path, "fixtures/") + ".golden"
		written[golden] = true
		runs, err := Load([]string{path}, Options{})
		got := bytes.ReplaceAll(describe(t, runs, err), []byte(path), []byte("@")) // it is in every row
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("%v; write it with: go test ./ingest -update", err)
		}
		if diff := cmp.Diff(string(have), string(got)); diff != "" {
			t.Errorf("-golden +now; if the change is meant: go test ./ingest -update\n%s", diff)
		}
	})
	_ = filepath.WalkDir("ingest/testdata/golden", func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !written[filepath.ToSlash(p)] {
			t.Errorf("%s belongs to no fixture", p)
		}
		return nil
	})
}

func describe(t *testing.T, runs []*Run, err error) []byte {
	var w bytes.Buffer
	if err != nil {
		fmt.Fprintf(&w, "error: %v\n", err)
	}
	for _, r := range runs {
		for _, f := range r.Set.Files {
			fmt.Fprintf(&w, "%s: %d samples, %d without data, %d rows\n", f.Format, f.Snapshots, f.NoData, f.Rows)
		}
		fmt.Fprintf(&w, "clock %s, start %s, restarts %v\n", r.Set.Clock, startOf(r.Set), r.Set.Restarts)
		for _, f := range r.Set.Facts() {
			fmt.Fprintf(&w, "fact %s: %s\n", f.Name, f.Value)
		}
		for _, p := range r.Set.Problems() {
			fmt.Fprintf(&w, "problem %s\n", p)
		}
		for id := table.ID(0); id < table.NumTables; id++ {
			if r.Set.Len(id) == 0 {
				continue
			}
			fmt.Fprintf(&w, "\n%s\n", table.Schemas[id].Name)
			if err := r.Set.DumpCSV(&w, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w.Bytes()
}

func startOf(s *table.Set) string {
	if !s.Start.OK {
		return "not known"
	}
	return fmt.Sprintf("%d.%09d", s.Start.V/1e9, s.Start.V%1e9)
}
