package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
)

// render writes a page without a script, unless options say otherwise.
func render(t *testing.T, r *analyze.Result, options ...html.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Render(&b, report.New(r, report.Options{}), append(options, html.Options{Static: true})[0]); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// results are what the tests of all pages are run on, each made once.
var results = map[string]func() *analyze.Result{
	"compare": sync.OnceValue(example.Compare), "single": sync.OnceValue(example.Single), "hostile": sync.OnceValue(example.Hostile),
	"many": sync.OnceValue(func() *analyze.Result { return example.Many(40) }), "large": sync.OnceValue(func() *analyze.Result { return example.Large(200, 600) }),
	"stacks": sync.OnceValue(example.Stacks),
	"wide":   sync.OnceValue(example.Wide), "snapshot": sync.OnceValue(example.Snapshot), "few": sync.OnceValue(example.Few),
	"snapshots": sync.OnceValue(func() *analyze.Result { return example.Snapshots(130) }),
	"nothing":   func() *analyze.Result { return nil },
}

func TestGolden(t *testing.T) {
	golden.Check(t, "compare.html", []byte(render(t, example.Compare())))
	golden.Check(t, "single.html", []byte(render(t, example.Single())))
}

var (
	tag       = regexp.MustCompile(`<(/?)([a-zA-Z!][a-zA-Z0-9]*)([^>]*)>`)
	attribute = regexp.MustCompile(`\s([a-zA-Z:-]+)(?:="([^"]*)")?`)
)

// allowed are all elements and attributes that a page may have: nothing that runs, loads or sends.
var allowed = struct{ elements, attributes []string }{
	strings.Fields("!doctype html head meta title style body header main footer nav section article p h1 h2 h3 strong b span small code br wbr a ul ol li dl dt dd " +
		"details summary figure figcaption div table thead tbody tr th td svg g path rect circle text tspan desc"),
	strings.Fields("lang charset http-equiv content name id class href role tabindex aria-labelledby aria-label aria-hidden hidden title scope align colspan cellpadding data-v data-series data-chain data-print " +
		"width height viewBox preserveAspectRatio x y dx dy cx cy r d fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray stroke-linejoin vector-effect " +
		"font-size font-family font-weight display text-anchor html"),
}

func TestNothingRunsOrLoads(t *testing.T) {
	for name, result := range results {
		page := render(t, result())
		body := page[:strings.Index(page, "<style>")] + page[strings.Index(page, "</style>"):]
		for _, m := range tag.FindAllStringSubmatch(body, -1) {
			if !slices.Contains(allowed.elements, m[2]) {
				t.Errorf("%s: element %s", name, m[0])
			}
			for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
				if !slices.Contains(allowed.attributes, a[1]) {
					t.Errorf("%s: attribute %s in %s", name, a[1], m[0])
				}
				if a[1] == "href" && !strings.HasPrefix(a[2], "#") {
					t.Errorf("%s: link to %s", name, a[2])
				}
			}
		}
		if strings.Contains(strings.ToLower(page), "<script") || regexp.MustCompile(`(?i)(src|href|url\()\s*=?\s*["']?\s*(https?:|//|data:|javascript:)`).MatchString(body) {
			t.Errorf("%s: script or address", name)
		}
	}
}

func TestPolicyIsThatOfTheStyle(t *testing.T) {
	page := render(t, example.Compare())
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(policy[1], "&#39;", "'"), "&#43;", "+"), want) || !strings.Contains(policy[1], "default-src") {
		t.Errorf("policy %q, want %s", policy, want)
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style loads something")
	}
}

// Elements are closed in the order in which they were opened, and every reference leads somewhere.
func TestStructure(t *testing.T) {
	void := strings.Fields("!doctype meta br wbr path rect circle")
	for name, result := range results {
		page := render(t, result())
		page = page[:strings.Index(page, "<style>")] + page[strings.Index(page, "</style>")+len("</style>"):]
		var open []string
		ids := map[string]bool{}
		var wanted []string
		for _, m := range tag.FindAllStringSubmatch(page, -1) {
			for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
				switch {
				case a[1] == "id" && ids[a[2]]:
					t.Errorf("%s: id %s twice", name, a[2])
				case a[1] == "id":
					ids[a[2]] = true
				case a[1] == "href":
					wanted = append(wanted, a[2][1:])
				case a[1] == "aria-labelledby":
					wanted = append(wanted, strings.Fields(a[2])...)
				}
			}
			switch {
			case slices.Contains(void, m[2]):
			case m[1] == "":
				open = append(open, m[2])
			case len(open) == 0 || open[len(open)-1] != m[2]:
				t.Fatalf("%s: </%s> closes %v", name, m[2], open)
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: not closed: %v", name, open)
		}
		for _, id := range wanted {
			if !ids[id] {
				t.Errorf("%s: nothing has the id %q", name, id)
			}
		}
	}
}

func TestSize(t *testing.T) {
	if n := len(render(t, results["large"]())); n > 600<<10 {
		t.Errorf("%d bytes for 200 mappings, want at most 600 KiB without the interactive layer", n)
	}
}

// The first screen has at most eight rows in its first table, said once what holds for all of them, and no bar or
// chart of what is nothing.
func TestFirstScreen(t *testing.T) {
	page := render(t, example.Wide())
	table := regexp.MustCompile(`(?s)<table id="answer-totals".*?</table>`).FindString(page)
	if n := strings.Count(table, `<th scope="row"`); n == 0 || n > 8 {
		t.Errorf("%d rows", n)
	}
	_, after, _ := strings.Cut(page, table)
	if !strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(after, "</div>")), `<p class="muted under">The same as`) || strings.Contains(table, "<small>") {
		t.Errorf("notes: %.200q", after)
	}
	if !strings.Contains(after, `<details class="more"><summary>`) {
		t.Error("the other measures are not folded")
	}
}

func TestASnapshotHasBarsAndNoChart(t *testing.T) {
	page := render(t, example.Snapshot())
	if strings.Contains(page, `class="plot"`) || strings.Contains(page, "inconclusive</span>") || !strings.Contains(page, `fill="#7d93ad"`) {
		t.Error("a chart of one point, a wall of verdicts, or no bars")
	}
	if !strings.Contains(page, "– No verdict</strong>") || !strings.Contains(page, "<h1>pid 4711: 12.3 MiB pss") {
		t.Error("the headline is not what is there")
	}
}

// A wide chart is there a second time for narrow screens, hidden where styles are blocked.
func TestNarrowCharts(t *testing.T) {
	page := render(t, example.Compare())
	wide, narrow := strings.Count(page, `<svg class="plot" width="760"`), strings.Count(page, `<svg class="plot narrow" display="none" aria-hidden="true" width="360"`)
	if wide != 1 || narrow != wide {
		t.Errorf("%d wide charts, %d for narrow screens", wide, narrow)
	}
}

// On a narrow screen the verdict stands under the name of its row, and its column is gone.
func TestNarrowVerdicts(t *testing.T) {
	page := render(t, example.Compare())
	for _, want := range []string{`<th scope="row" align="left">rss<span class="narrow verdict bad" hidden aria-hidden="true">✗ regression</span></th>`,
		`<td class="twice"><span class="nowrap bad"><span class="mark">✗</span> regression</span></td></tr>`, `<th scope="col" class="twice" align="left">verdict</th>`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if narrow := page[strings.Index(page, "max-width:640px"):]; !strings.Contains(narrow, ".twice{display:none}") || !strings.Contains(narrow, ".narrow.verdict[hidden]{display:block") {
		t.Error("the style does not swap them")
	}
}

// The first screen says what was compared, the hash of an input is whole in its title, a red line is drawn and named.
func TestSidesHashesAndRedLines(t *testing.T) {
	page := render(t, example.Compare())
	whole := example.Compare().Inputs[0].SHA256
	for _, want := range []string{"<b>before:</b> 5 runs of 60 samples, run-1 to run-5 (2025-11-01 to 2025-11-05)</span>", `<code class="nowrap" title="` + whole + `">` + whole[:12] + "</code>",
		`stroke="#cf5a45" stroke-width="1.4" stroke-dasharray="7 4"`, ">red line budget 448.0 MiB</text>", `<section id="redlines"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if one := render(t, example.Single()); strings.Contains(one, `class="sides"`) {
		t.Error("one side is compared with nothing")
	}
	far := example.Compare()
	for i := range far.Timeline {
		if far.Timeline[i].Limit != nil {
			far.Timeline[i].Limit = example.Of(9e9)
		}
	}
	if page := render(t, far); strings.Contains(page, `stroke-width="1.4" stroke-dasharray`) || !strings.Contains(page, "is outside of the chart.</p>") {
		t.Error("a line far away is drawn, or not told of")
	}
}

func TestDeterminism(t *testing.T) {
	for name, result := range results {
		if first := render(t, result()); first != render(t, result()) {
			t.Errorf("%s: two renderings differ", name)
		}
	}
}

// Coordinates are numbers within the picture, whatever the values.
func TestCharts(t *testing.T) {
	for name, result := range results {
		page := render(t, result())
		for _, bad := range []string{"NaN", "Inf", "ZgotmplZ", "%!"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: %s in the page", name, bad)
			}
		}
	}
	flat := example.Single()
	for i := range flat.Timeline {
		for j := range flat.Timeline[i].Mid {
			flat.Timeline[i].Min[j], flat.Timeline[i].Mid[j], flat.Timeline[i].Max[j] = 0, 0, 0
		}
	}
	if page := render(t, flat); strings.Contains(page, "NaN") || !strings.Contains(page, `class="plot"`) {
		t.Error("a flat chart is not drawn")
	}
	page := render(t, example.Compare())
	for _, want := range []string{"<title id=", "<desc id=", "before (median of 5 runs) from", "The axis starts at", "stroke-dasharray"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}
