package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/internal/example"
)

var script = regexp.MustCompile(`(?s)<script(?: type="([^"]*)" id="([^"]*)")?>(.*?)</script>`)

// The scripts of a page are ours, each allowed by its hash; all else in such an element is data, in which no name ends it.
func TestScriptsAreOursAlone(t *testing.T) {
	var first []string
	for name, result := range results {
		page := render(t, result(), html.Options{})
		policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
		var scripts []string
		found := script.FindAllStringSubmatch(page, -1)
		if n := strings.Count(strings.ToLower(page), "<script"); n != len(found) {
			t.Errorf("%s: %d beginnings of a script, %d scripts", name, n, len(found))
		}
		for _, m := range found {
			if m[1] != "" {
				if strings.ContainsAny(m[3], "<>&") || m[1] == "application/json" && !json.Valid([]byte(m[3])) {
					t.Errorf("%s: %s is not data alone", name, m[2])
				}
				continue
			}
			sum := sha256.Sum256([]byte(m[3]))
			if !strings.Contains(policy, " 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: a script that the policy does not name", name)
			}
			scripts = append(scripts, m[3])
		}
		if first == nil {
			first = scripts
		}
		if strings.Join(scripts, "\x00") != strings.Join(first, "\x00") || len(scripts) == 0 {
			t.Errorf("%s: the scripts depend on the result", name)
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("policy %s", policy)
		}
	}
}

// What the script adds is not needed: the text of a page is the same without it.
func TestScriptOnlyAdds(t *testing.T) {
	for name, result := range results {
		with := script.ReplaceAllString(render(t, result(), html.Options{}), "")
		without := render(t, result())
		cut := func(page string) string {
			_, body, _ := strings.Cut(page, "<body>")
			body, _, _ = strings.Cut(body, "<footer>")
			return strings.TrimSpace(regexp.MustCompile(`(?s)<section id="explore".*?</section>`).ReplaceAllString(body, ""))
		}
		if strings.Join(strings.Fields(cut(with)), " ") != strings.Join(strings.Fields(cut(without)), " ") {
			t.Errorf("%s: the page differs by more than its script", name)
		}
	}
}

func TestWhatDoesNotFitIsNamed(t *testing.T) {
	result := example.Large(200, 600)
	whole := render(t, result, html.Options{Data: make([]byte, 3000)})
	static := render(t, result)
	if strings.Contains(whole, "Left out") || strings.Contains(static, "Left out") {
		t.Fatal("left out without need")
	}
	for _, c := range []struct {
		size      int
		want, not string
	}{
		{len(whole) - 1, "the result for memtide to read again (--embed-data)", "lines over time"},
		{len(whole) - 6000, "the lines over time of the table of all series", "flame"},
		{len(static) + 2000, "everything that needs a script", "folded"},
	} {
		page := render(t, result, html.Options{Data: make([]byte, 3000), MaxSize: c.size})
		_, foot, _ := strings.Cut(page, "<footer>")
		foot, _, _ = strings.Cut(foot, "</footer>")
		if len(page) > c.size || !strings.Contains(foot, c.want) || strings.Contains(foot, c.not) {
			t.Errorf("at most %d: %d bytes, %.600s", c.size, len(page), foot)
		}
	}
	var b bytes.Buffer
	if err := html.Render(&b, report.New(result, report.Options{}), html.Options{MaxSize: 40_000}); err == nil || !strings.Contains(err.Error(), "at most 40000 are allowed") || b.Len() > 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}

// The limits hold with as many anchors as a result can have.
func TestSizeWithScript(t *testing.T) {
	r := results["large"]()
	for _, l := range r.Timeline {
		if slices.ContainsFunc(r.Anchors, func(a analyze.Anchors) bool { return a.Side == l.Side && a.Run == l.Run }) {
			continue
		}
		a := analyze.Anchors{Side: l.Side, Run: l.Run, Count: 9000}
		for i := range 400 {
			a.Iteration, a.IterationS = append(a.Iteration, int64(i)*22), append(a.IterationS, float64(i)*1.237)
		}
		for i := range 100 {
			a.Marks = append(a.Marks, analyze.Mark{Name: fmt.Sprintf("a mark of some length %d", i), TimeS: float64(i) * 4.321})
		}
		r.Anchors = append(r.Anchors, a)
	}
	for most, o := range map[int]html.Options{2_000_000: {}, 600_000: {Static: true}} {
		n := len(render(t, r, o))
		t.Logf("%d bytes, at most %d", n, most)
		if n > most {
			t.Errorf("%d bytes for 200 mappings, want at most %d", n, most)
		}
	}
}

// A flame graph is drawn in the file: callers above, what grew in one colour, what shrank in another, and what is not listed.
func TestFlameGraphIsDrawn(t *testing.T) {
	page := render(t, example.Stacks())
	_, flame, _ := strings.Cut(page, `<figure id="flame"`)
	flame, _, _ = strings.Cut(flame, "</figure>")
	for _, want := range []string{"<title>all: 61.0 MiB before, 78.0 MiB after, +17.0 MiB</title>", `<title>gallery::Cache::add [libgallery.so]: 40.0 MiB before, 61.0 MiB after, &#43;21.0 MiB</title>`,
		`fill="#cf5a45"`, `fill="#4f83c2"`, ">812 more chains</text>", `role="img" aria-label="Flame graph. In all 61.0 MiB before`} {
		if !strings.Contains(strings.ReplaceAll(flame, "all: 61.0 MiB before, 78.0 MiB after, &#43;", "all: 61.0 MiB before, 78.0 MiB after, +"), want) {
			t.Errorf("no %s in\n%.3000s", want, flame)
		}
	}
	if !strings.Contains(page, `data-chain="stack-`) {
		t.Error("the finding does not lead to its chain")
	}
}
