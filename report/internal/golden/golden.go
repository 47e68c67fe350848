// Package golden compares what a renderer wrote with a file under report/testdata. With -update the files are
// rewritten: go test ./report/... -update.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files under report/testdata")

// Check fails the test if got differs from the file.
func Check(t *testing.T, file string, got []byte) {
	t.Helper()
	path := find(t, file)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./report/... -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if the change is meant: go test ./report/... -update\n%s", file, diff)
	}
}

// find walks up from the test's folder to report/testdata.
func find(t *testing.T, file string) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && filepath.Base(dir) != "report" && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "testdata", file)
}
