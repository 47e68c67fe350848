package markdown_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
	"github.com/memtide/memtide/report/markdown"
)

func render(t *testing.T, r *analyze.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	golden.Check(t, "compare.md", []byte(render(t, example.Compare())))
	golden.Check(t, "single.md", []byte(render(t, example.Single())))
	golden.Check(t, "snapshot.md", []byte(render(t, example.Snapshot())))
}

// A comment on a ticket may have 64 KB.
func TestFitsInAComment(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "large": example.Large(200, 50), "many": example.Many(300)} {
		if n := len(render(t, r)); n > 64<<10 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}

var (
	coded  = regexp.MustCompile("(`+)[^`\n].*?`+")
	ours   = regexp.MustCompile(`</?details>|</?summary>|</?sub>|<!-- -->`)
	active = regexp.MustCompile(`<[a-zA-Z/!]|@[a-z]|[^\\]\]\(|://`)
)

func TestHostileNamesAreInert(t *testing.T) {
	for line := range strings.Lines(render(t, example.Hostile())) {
		bare := ours.ReplaceAllString(coded.ReplaceAllString(line, ""), "\u2060")
		if found := active.FindString(bare); found != "" {
			t.Errorf("%q in %s", found, line)
		}
	}
}

// What a reader sees of one snapshot before unfolding anything is a screen.
func TestASnapshotIsShort(t *testing.T) {
	page := render(t, example.Snapshot())
	open := regexp.MustCompile(`(?s)<details>.*?</details>`).ReplaceAllString(page, "")
	if n := len(strings.Fields(strings.ReplaceAll(open, "\n\n", "\n"))); strings.Count(open, "\n|") > 20 || n > 250 || strings.Contains(open, "inconclusive |") {
		t.Errorf("%d words:\n%s", n, open)
	}
}

// Every row of a table has as many cells as its head.
func TestTablesAreRectangular(t *testing.T) {
	bar := regexp.MustCompile(`(^|[^\\])\|`)
	width := 0
	for line := range strings.Lines(render(t, example.Hostile())) {
		if !strings.HasPrefix(line, "|") {
			width = 0
			continue
		}
		n := len(bar.FindAllString(line, -1))
		if width != 0 && n != width {
			t.Errorf("%d cells, want %d: %s", n, width, line)
		}
		width = n
	}
}
