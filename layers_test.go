package memtide_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const root = "github.com/memtide/memtide"

// pkg is what `go list -json` says of one package.
type pkg struct {
	ImportPath, Dir      string
	GoFiles, TestGoFiles []string
	XTestGoFiles         []string
	Imports              []string
}

// name is the path below the module: "ingest/table".
func (p pkg) name() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, root), "/") }

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// layers says what of ours each package may import. The first row whose pattern fits a package holds for it; "/*" at
// the end of a pattern stands for one more element, "/..." for any number.
var layers = []struct {
	of  string
	may []string
}{
	{"ingest/source", nil},
	{"ingest/category", nil},
	{"ingest/blocks", nil},
	{"ingest/callstack", []string{"ingest/source", "ingest/table"}},
	{"analyze/stat", nil},
	{"analyze/vclock", nil},
	{"report/unit", nil},
	{"report/lang", nil},
	{"ingest/table", []string{"ingest/source", "ingest/blocks"}},
	{"ingest/table/export", []string{"ingest/table"}},
	{"ingest/table/profile", []string{"ingest/table"}},
	{"ingest/internal/tabletest", []string{"ingest/table"}}, // for the tests of the formats
	{"ingest/sample", []string{"ingest/source", "ingest/table"}},
	{"ingest/nsight/arrowipc", nil},
	{"ingest/nsight", []string{"ingest/source", "ingest/table", "ingest/callstack", "ingest/blocks", "ingest/nsight/arrowipc"}},
	{"ingest/*", []string{"ingest/source", "ingest/table", "ingest/category", "ingest/sample", "ingest/callstack", "ingest/blocks"}}, // a format
	{"ingest", []string{"ingest/*"}},
	{"analyze", []string{"ingest/table", "ingest/source", "ingest/blocks", "analyze/stat", "analyze/lifetime"}},
	{"analyze/lifetime", []string{"ingest/table", "ingest/blocks", "analyze/vclock"}}, // for the numbers of its strings
	{"analyze/policy", []string{"analyze", "ingest/table"}},
	{"report", []string{"analyze", "ingest/table", "ingest/source", "report/unit", "report/lang", "report/internal/..."}},
	{"report/internal/example", []string{"analyze", "report/unit"}}, // results for the tests of all renderers
	{"report/internal/golden", nil},
	{"report/internal/...", []string{"analyze", "report/unit", "report/internal/..."}},
	{"report/*", []string{"report", "report/unit", "report/lang", "report/internal/..."}}, // a renderer
	{"cmd/memtide", []string{"ingest", "ingest/pysource", "ingest/table", "ingest/table/export", "ingest/table/profile", "analyze", "analyze/policy", "analyze/lifetime", "report", "report/*"}},
	{"cmd/*", nil}, // tools of the build
	{"fixtures/make/*", nil},
	{"", nil},
}

func fits(pattern, name string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(name, base+"/")
	}
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		rest, below := strings.CutPrefix(name, base+"/")
		return below && !strings.Contains(rest, "/")
	}
	return pattern == name
}

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		row := slices.IndexFunc(layers, func(l struct {
			of  string
			may []string
		}) bool {
			return fits(l.of, p.name())
		})
		if row < 0 {
			t.Errorf("%s has no place in the layers", p.name())
			continue
		}
		for _, i := range p.Imports {
			ours, is := strings.CutPrefix(i, root+"/")
			if is && !slices.ContainsFunc(layers[row].may, func(m string) bool { return fits(m, ours) }) {
				t.Errorf("%s imports %s; it may import %s", p.name(), ours, strings.Join(layers[row].may, " "))
			}
		}
	}
}

// walls are packages that only the named places may import: what they know ends there.
var walls = []struct{ prefix, only, why string }{
	{"github.com/apache/arrow/", "ingest/table ingest/table/export ingest/nsight", "Arrow's API stops there; Nsight exports are Parquet"},
	{"html/template", "report/html", "only that package knows markup"},
	{"github.com/go-echarts/", "report/html", "only that package knows markup"},
	{"github.com/urfave/cli/", "cmd/memtide", "flags and exit codes belong to the command"},
	{"gonum.org/", "analyze/stat", "the maths is a leaf"},
	{"net/http", "", "the program is offline"},
	{"math/rand", "analyze/stat report/internal/example", "nothing is left to chance without a seed"},
}

func TestWalls(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			for _, w := range walls {
				if strings.HasPrefix(i, w.prefix) && !slices.Contains(strings.Fields(w.only), p.name()) && !strings.HasPrefix(p.name(), "fixtures/") {
					t.Errorf("%s imports %s: %s", p.name(), i, w.why)
				}
			}
		}
	}
}

// pure packages compute values from values: no files, no clock, no log, no processes.
func TestAnalysisIsPure(t *testing.T) {
	barred := []string{"os", "io/fs", "log", "log/slog", "time", "os/exec", "net", "sync", "runtime"}
	for _, p := range packages(t) {
		if p.name() != "analyze" && p.name() != "analyze/stat" {
			continue
		}
		for _, i := range p.Imports {
			if slices.Contains(barred, i) {
				t.Errorf("%s imports %s", p.name(), i)
			}
		}
	}
}
