package lang_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	_ "github.com/memtide/memtide/report/internal/golden" // takes -update
	"github.com/memtide/memtide/report/internal/walk"
	"github.com/memtide/memtide/report/lang"
)

// english finds two or more words in a row that look like English prose.
var english = regexp.MustCompile(`(?:^|[\s(\[“"，。；：、（])([A-Za-z]?[a-z]+(?:['’-][a-z]+)*[,;:.]?(?: [A-Za-z]?[a-z]+(?:['’-][a-z]+)*[,;:.]?)+)`)

// units stand between numbers and look like words.
var units = regexp.MustCompile(`[0-9.,∞] ?(?:ns|µs|ms|s|min|h|d|[KMGTPE]?i?B(?:/\w+)?|x|pages)\b`)

// metrics are names too.
var metrics = func() *regexp.Regexp {
	var all []string
	for _, m := range table.Metrics {
		all = append(all, m.Name)
	}
	return regexp.MustCompile(`\b(?:\w+_\w+|` + strings.Join(all, "|") + `)\b`)
}()

// lists are of names.
var lists = regexp.MustCompile(`^[\w.:/-]+(, [\w.:/-]+)+$`)

// left is the prose that a text still has in English; what a capture names is none.
func left(text string, names []string) string {
	if strings.Contains(text, " ← ") || lists.MatchString(text) {
		return ""
	}
	for _, n := range names {
		text = strings.ReplaceAll(text, n, "§")
	}
	text = units.ReplaceAllString(metrics.ReplaceAllString(text, "§"), "0")
	for _, m := range english.FindAllStringSubmatch(text, -1) {
		if !terms.MatchString(m[1]) {
			return m[1]
		}
	}
	return ""
}

// terms are names that the field writes in English.
var terms = regexp.MustCompile(`^(memtide (compare|history|analyze)|jemalloc stats|tensor core|launch bounds|dirty size|malloc zone|heap_size|Swift closure context.*|Got Remote|no time|Welch t|Nsight Systems|com\.example.*)[,;:.]?$`)

// names are what captures say: of processes, mappings, devices, tools, and what could not be read.
func names(r *analyze.Result) []string {
	var out []string
	add := func(texts ...string) {
		for _, t := range texts {
			if len(t) > 2 && strings.Contains(t, " ") {
				out = append(out, t)
				if n := len(t); n > 160 {
					out = append(out, t[:70], t[n-70:])
				}
			}
		}
	}
	collect := walk.Editor{String: func(t string) string { add(t, strings.ReplaceAll(t, "_", " ")); return t }}
	for _, in := range r.Inputs {
		walk.Copy(in, collect)
	}
	for _, p := range r.Problems { // decoders speak English, as compilers do
		add(p.File, strings.TrimSuffix(p.Message, "."), p.Message)
	}
	subjects := []analyze.Subject{}
	for _, s := range r.Series {
		subjects = append(subjects, s.Subject)
		add(s.Run)
	}
	for _, d := range r.Deltas {
		subjects = append(subjects, d.Subject)
	}
	for _, f := range r.Findings {
		subjects = append(subjects, f.Subject)
		add(f.Class)
		if f.Rule == "fault" || f.Stats["events"] == 1 { // it quotes a tool
			_, quote, _ := strings.Cut(strings.TrimSuffix(f.Message, "."), ": ")
			quote, _, _ = strings.Cut(quote, ". It held")
			quote, _, _ = strings.Cut(strings.TrimSuffix(quote, "."), ". Then")
			add(f.Subject.Process+": "+quote, quote, strings.TrimSuffix(quote, "()"), strings.ReplaceAll(quote, ": ", "："))
		}
		add(f.Stack...)
		add(f.Source...)
		for _, e := range f.Evidence {
			add(e.File)
		}
	}
	walk.Copy(r.Stacks, collect)
	walk.Copy(r.Lifetimes, collect)
	walk.Copy(r.Reconciliations, walk.Editor{})
	for _, h := range r.Histories {
		subjects = append(subjects, h.Subject)
		for _, p := range h.Changes {
			for _, part := range p.Parts {
				add(part.Name)
			}
		}
	}
	for _, s := range subjects {
		add(s.Process, s.Name, s.Process+" "+s.Name, "process "+s.Name)
		if i := strings.Index(s.Name, " ("); i > 0 {
			add(s.Name[i+1:])
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(out)
}

// untranslated lists what prose of a report is still English.
func untranslated(r *analyze.Result) (missing []string) {
	d := *report.Translate(report.New(r, report.Options{}), lang.Chinese)
	known := names(r)
	d.Result = nil
	sections := d.Sections
	d.Sections = nil
	check := walk.Editor{Fields: map[string]func(string) string{"Doc.Tool": nil, "Finding.Stack": nil, "Finding.Source": nil, "Finding.Print": nil, "Chain.Frames": nil, "Explore.Rows": nil, "Cell.Whole": nil, "Section.ID": nil},
		String: func(t string) string {
			quotes := slices.ContainsFunc(r.Findings, func(f analyze.Finding) bool {
				return f.Stats["events"] == 1 && strings.Contains(t, f.Class) || f.Rule == "fault" && strings.Contains(t, f.Class)
			})
			if l := left(t, known); l != "" && !strings.Contains(t, "…") && !quotes {
				missing = append(missing, fmt.Sprintf("%q left in %q", l, t))
			}
			return t
		}}
	walk.Copy(d, check)
	for _, s := range sections {
		blocks := s.Blocks
		s.Blocks = nil
		walk.Copy(s, check)
		for _, b := range blocks {
			checkBlock(b, check)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// checkBlock goes through a block; of cells of code only what the report adds to a name.
func checkBlock(b report.Block, e walk.Editor) {
	switch b := b.(type) {
	case *report.Paragraph:
		walk.Copy(*b, e)
	case *report.Table:
		t := *b
		t.Rows = nil
		for _, row := range b.Rows {
			cells := slices.Clone(row)
			for i := range cells {
				if cells[i].Code {
					cells[i].Text = ""
				}
			}
			t.Rows = append(t.Rows, cells)
		}
		walk.Copy(t, e)
	case *report.Chart:
		walk.Copy(*b, e)
	case *report.Waterfall:
		walk.Copy(*b, e)
	case *report.Findings:
		walk.Copy(*b, e)
	case *report.Moments:
		walk.Copy(*b, e)
	case *report.Flame:
		walk.Copy(*b, e)
	case *report.List:
		walk.Copy(*b, e)
	}
}

// results are those of a program over all fixtures.
func results(t *testing.T) map[string]*analyze.Result {
	dir := t.TempDir()
	tool := filepath.Join(dir, "memtide")
	if out, err := exec.Command("go", "build", "-o", tool, "github.com/memtide/memtide/cmd/memtide").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	fixtures := filepath.Join("..", "..", "fixtures")
	all := map[string]*analyze.Result{}
	run := func(name string, args ...string) {
		file := filepath.Join(dir, "r.json")
		os.Remove(file)
		exec.Command(tool, append(args, "-o", file)...).Run() // what cannot be read is no result
		text, err := os.ReadFile(file)
		if err != nil {
			return
		}
		r := &analyze.Result{}
		if err := json.Unmarshal(text, r); err != nil {
			t.Fatal(err)
		}
		all[name] = r
	}
	kinds, err := os.ReadDir(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if kind.Name() == "make" || !kind.IsDir() {
			continue
		}
		path := filepath.Join(fixtures, kind.Name())
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			if e.Name() != "SOURCE.md" && !strings.HasSuffix(e.Name(), ".golden") {
				run(kind.Name()+"/"+e.Name(), "analyze", filepath.Join(path, e.Name()))
			}
		}
	}
	demo := filepath.Join(fixtures, "demo")
	run("demo", "compare", "--before", filepath.Join(demo, "before"), "--after", filepath.Join(demo, "after"))
	run("demo-history", "history", filepath.Join(demo, "history"))
	for _, pair := range [][2]string{{"smaps/sleep.txt", "smaps/kernel3-tabs.txt"}, {"smaps/sleep.txt", "dumpsys-meminfo/process-android14.txt"}, {"smaps/grow-loop.log", "smaps/grow-loop.log"},
		{"memtide-events/seconds.ndjson", "memtide-events/pass.ndjson"}, {"gallery/leakmix.ndjson.gz", "memtide-events/seconds.ndjson"}, {"dumpsys-meminfo/system-android6.txt", "dumpsys-meminfo/system-android13.txt"},
		{"massif/", "heaptrack/"}} {
		before, after := filepath.Join(fixtures, pair[0]), filepath.Join(fixtures, pair[1])
		run(pair[0]+" "+pair[1], "compare", "--before", before, "--after", after, "--release", before)
	}
	if len(all) < 40 {
		t.Fatalf("%d results", len(all))
	}
	return all
}

// No prose of a report on a capture stays English.
func TestReportsAreTranslated(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all fixtures")
	}
	seen := map[string]bool{}
	for name, r := range results(t) {
		for _, m := range untranslated(r) {
			if !seen[m] {
				seen[m] = true
				t.Errorf("%s: %s", name, m)
			}
		}
	}
}

// Made-up results hold sentences of no analysis; what the report itself says of them is translated.
func TestExamplesAreTranslated(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "single": example.Single(), "snapshot": example.Snapshot(), "few": example.Few(),
		"snapshots": example.Snapshots(12), "wide": example.Wide(), "many": example.Many(5), "stacks": example.Stacks(), "gate": example.Gate(), "large": example.Large(60, 50), "empty": {}} {
		own := map[string]bool{}
		walk.Copy(*r, walk.Editor{String: func(t string) string { own[strings.ToLower(strings.Trim(t, ". "))] = true; return t }})
		for _, m := range untranslated(r) {
			run, _, _ := strings.Cut(strings.ToLower(strings.Trim(m, `"`)), `"`)
			said := strings.ToLower(m)
			if !slices.ContainsFunc(slices.Collect(func(yield func(string) bool) {
				for o := range own {
					if !yield(o) {
						return
					}
				}
			}), func(o string) bool {
				return len(o) > 12 && (strings.Contains(o, run) || strings.Contains(said, o) || strings.Contains(o, said[1:min(len(said), 20)]))
			}) {
				t.Errorf("%s: %s", name, m)
			}
		}
	}
}
