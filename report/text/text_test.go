package text_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
	"github.com/memtide/memtide/report/text"
)

func render(t *testing.T, r *analyze.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	golden.Check(t, "compare.txt", []byte(render(t, example.Compare())))
	golden.Check(t, "single.txt", []byte(render(t, example.Single())))
	golden.Check(t, "many.txt", []byte(render(t, example.Many(40))))
	golden.Check(t, "wide.txt", []byte(render(t, example.Wide())))
	golden.Check(t, "snapshot.txt", []byte(render(t, example.Snapshot())))
	golden.Check(t, "snapshots.txt", []byte(render(t, example.Snapshots(60))))
	golden.Check(t, "few.txt", []byte(render(t, example.Few())))
}

// widest is how many columns of a terminal a line may take, and longest how many lines a summary has; the results that
// have something for every section may take more.
const widest, longest = 100, 40

var rich = map[string]int{"compare": 45, "large": 45, "hostile": 90}

func TestSummaryIsShortAndPlain(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "single": example.Single(), "many": example.Many(300), "wide": example.Wide(),
		"snapshot": example.Snapshot(), "snapshots": example.Snapshots(130), "few": example.Few(), "large": example.Large(200, 100), "hostile": example.Hostile(), "nothing": nil} {
		got := render(t, r)
		if n := strings.Count(got, "\n"); n > max(longest, rich[name]) {
			t.Errorf("%s: %d lines", name, n)
		}
		if i := strings.IndexAny(got, "\x1b\x00\x07\r\t\u202e"); i >= 0 {
			t.Errorf("%s: control character at %d", name, i)
		}
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: blanks at the end of %q", name, line)
			}
			if n := prettytext.StringWidthWithoutEscSequences(line); n > widest {
				t.Errorf("%s: a line of %d columns: %q", name, n, line)
			}
		}
	}
}

// A summary ends with where the full report is.
func TestTheEndNamesTheFullReport(t *testing.T) {
	for written, want := range map[string]string{"": "The full report: add -o report.html.", "out/demo.html": "The full report is out/demo.html."} {
		doc := report.New(example.Compare(), report.Options{})
		doc.Written = written
		var b bytes.Buffer
		if err := text.Render(&b, doc); err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(strings.TrimSpace(b.String()), "\n\n")
		if last := parts[len(parts)-1]; !strings.HasPrefix(last, want) {
			t.Errorf("%q: ends with %q", written, last)
		}
	}
}

// A note stands once in a summary, however many tables have it.
func TestNotesAreSaidOnce(t *testing.T) {
	note := []report.Note{{Text: "Measured by different tools."}, {Text: "A long reason.", Extra: true}}
	table := func() *report.Table {
		return &report.Table{Notes: note, Columns: []report.Column{{Title: "a"}}, Rows: [][]report.Cell{{{Text: "x"}}}}
	}
	var b bytes.Buffer
	if err := text.Render(&b, &report.Doc{Sections: []report.Section{{Brief: 3, Blocks: []report.Block{table(), table()}}}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "Measured") != 1 || strings.Contains(got, "reason") {
		t.Errorf("%s", got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorIsReturned(t *testing.T) {
	if err := text.Render(full{}, report.New(example.Compare(), report.Options{})); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v", err)
	}
}
