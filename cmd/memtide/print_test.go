package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// reportOf is the page of a command, written by the program's own command line.
func reportOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".html")
	var errs strings.Builder
	if code := run(append(append([]string{"memtide"}, args...), "-o", path), strings.NewReader(""), io.Discard, &errs); code != 0 {
		t.Fatalf("%s: exit code %d: %s", name, code, errs.String())
	}
	return path
}

// printedText is the text of a PDF without blanks, and how many pages it has.
func printedText(t *testing.T, path string) (text string, pages int) {
	t.Helper()
	out, err := exec.Command("pdftotext", "-layout", path, "-").Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return packed(string(out)), strings.Count(string(out), "\f")
}

func packed(text string) string { return strings.Join(strings.Fields(text), "") }

// TestPrint prints a report of each command, on A4 and Letter, and reads the PDF again: who gets it in place of the page must
// find the verdict, the figures of the first screen, every finding with its evidence, and the heads of tables on each page.
func TestPrint(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("no pdftotext on this machine: `make tools-for-tests` installs poppler-utils")
	}
	b := liveTab(t)
	for _, c := range []struct {
		name  string
		pages int // at most
		args  []string
	}{
		{"analyze", 7, []string{"analyze", top + "/fixtures/gallery/leakmix.ndjson.gz"}},
		{"compare", 15, []string{"compare", "--before", top + "/fixtures/demo/before", "--after", top + "/fixtures/demo/after"}},
		{"history", 6, []string{"history", top + "/fixtures/demo/history"}},
	} {
		live(t, b, reportOf(t, c.name, c.args...))
		want, _ := b.do(`[document.querySelector("h1"), ...document.querySelectorAll("#answer td, #answer th:not(:has(.hidden)), article.finding h3, article.finding dd")].map(e => {
			const copy = e.cloneNode(true); copy.querySelectorAll(".narrow, svg, .links, .hidden, .unit, small").forEach(x => x.remove()); return copy.textContent }).join("\n")`).(string)
		for paper, size := range map[string][2]float64{"a4": {8.27, 11.69}, "letter": {8.5, 11}} {
			path := filepath.Join(t.TempDir(), c.name+"-"+paper+".pdf")
			if dir := os.Getenv("MEMTIDE_SCREENSHOTS"); dir != "" {
				path = filepath.Join(dir, filepath.Base(path))
			}
			b.pdf(path, size[0], size[1])
			text, pages := printedText(t, path)
			for _, w := range strings.Split(want, "\n") {
				if w = packed(w); !strings.Contains(text, w) {
					t.Errorf("%s on %s: not printed: %q", c.name, paper, w)
				}
			}
			if pages < 2 || pages > c.pages {
				t.Errorf("%s on %s: %d pages, want at most %d", c.name, paper, pages, c.pages)
			}
			if n := strings.Count(text, "sha256"); c.name == "compare" && n < 3 {
				t.Errorf("%s on %s: the head of the table of inputs stands on %d pages", c.name, paper, n)
			}
		}
		b.clean()
	}
}
