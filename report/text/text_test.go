package text_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

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
}

func TestSummaryIsShortAndPlain(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "single": example.Single(), "many": example.Many(300),
		"large": example.Large(200, 100), "hostile": example.Hostile(), "nothing": nil} {
		got := render(t, r)
		if n := strings.Count(got, "\n"); n > 50 {
			t.Errorf("%s: %d lines", name, n)
		}
		if i := strings.IndexAny(got, "\x1b\x00\x07\r\t\u202e"); i >= 0 {
			t.Errorf("%s: control character at %d", name, i)
		}
		for line := range strings.Lines(got) {
			if strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
				t.Errorf("%s: blanks at the end of %q", name, line)
			}
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorIsReturned(t *testing.T) {
	if err := text.Render(full{}, report.New(example.Compare(), report.Options{})); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v", err)
	}
}
