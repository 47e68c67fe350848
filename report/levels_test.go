package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/example"
)

func tables(s Section) (out []*Table) {
	for _, b := range s.Blocks {
		if t, ok := b.(*Table); ok {
			out = append(out, t)
		}
	}
	return out
}

// One snapshot is told by what is there: no verdict on growth, no wall of inconclusive, no chart of one point.
func TestOneSnapshot(t *testing.T) {
	doc := New(example.Snapshot(), Options{})
	if doc.Headline != "pid 4711: 12.3 MiB pss, 20.4 MiB rss, 5.4 MiB uss." || doc.Outcome != "" {
		t.Errorf("%q, %q", doc.Headline, doc.Outcome)
	}
	if doc.Context != "pid 4711 · capture · one snapshot · smaps" || doc.Title != "pid 4711: memory" {
		t.Errorf("%q, %q", doc.Context, doc.Title)
	}
	first := doc.Sections[0]
	if p := first.Blocks[0].(*Paragraph).Text; !strings.Contains(p, "at least 5 samples, better 30") || !strings.HasPrefix(p, "One snapshot") {
		t.Errorf("%q", p)
	}
	for _, s := range doc.Sections {
		for _, b := range s.Blocks {
			if c, ok := b.(*Chart); ok {
				t.Errorf("a chart of one point: %s", c.Title)
			}
		}
	}
	all := tables(first)
	if got := rowTexts(all[0].Rows[0]); got != "rss|20.4||Resident set size: pages in memory, shared ones in full" || all[0].Columns[1].Unit != "MiB" {
		t.Errorf("%q in %s", got, all[0].Columns[1].Unit)
	}
	for i, want := range []string{"anon|6.15|50.0 %||7.38", "file|3.69|30.0 %||—", "heap|1.84|15.0 %||—", "remainder|0.62|5.0 %||—"} {
		if got := rowTexts(all[2].Rows[i]); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	if all[2].Omitted != "1 more is 0, or not known: not listed." || !all[2].Columns[3].Size {
		t.Errorf("%q", all[2].Omitted)
	}
}

func TestASystemIsRanked(t *testing.T) {
	doc := New(example.Snapshots(40), Options{})
	if want := "40 processes hold 986.2 MiB pss; the most is in com.example.service00 (130.0 MiB) and com.example.service01 (92.9 MiB)."; doc.Headline != want {
		t.Errorf("%q", doc.Headline)
	}
	all := tables(doc.Sections[0])
	if len(all) != 2 || len(all[0].Rows) != 10 || len(all[1].Rows) != 30 || !all[1].Folded || all[1].Caption != "30 more processes" {
		t.Fatalf("%d tables, %d rows", len(all), len(all[0].Rows))
	}
	if got := rowTexts(all[0].Rows[1]); got != "com.example.service01|92.9|9.4 %||—|—" {
		t.Errorf("%q", got)
	}
	for _, s := range doc.Sections {
		if s.ID == "system" && (s.Title != "Whole system" || tables(s)[0].Rows[0][0].Text != "mem_total") {
			t.Errorf("%q: %q", s.Title, rowTexts(tables(s)[0].Rows[0]))
		}
	}
}

// rss must not be summed over processes: no share and no total of it.
func TestWhatDoesNotAddHasNoShare(t *testing.T) {
	var series []analyze.Series
	for _, p := range []string{"a", "b", "c"} {
		series = append(series, of1(p, "process", "rss", 1))
	}
	for i := range series {
		series[i].N = 1
		series[i].Last = int64(i+1) * mib
	}
	doc := New(&analyze.Result{Series: series}, Options{})
	if want := "3 processes by rss; the most is in c (3.0 MiB) and b (2.0 MiB)."; doc.Headline != want {
		t.Errorf("%q", doc.Headline)
	}
	if got := rowTexts(tables(doc.Sections[0])[0].Rows[0]); got != "c|3.0|" {
		t.Errorf("%q", got)
	}
}

// A few samples have a first and a last, and a difference that is no verdict.
func TestFewSamples(t *testing.T) {
	doc := New(example.Few(), Options{})
	first := doc.Sections[0]
	if p := first.Blocks[0].(*Paragraph).Text; !strings.HasPrefix(p, "3 samples show what is there") {
		t.Errorf("%q", p)
	}
	if doc.Headline != "com.example.gallery: 18.1 MiB pss, 26.0 MiB rss, 11.0 MiB uss." {
		t.Errorf("%q", doc.Headline)
	}
	if got := rowTexts(tables(first)[0].Rows[0]); got != "rss|20.40|26.00|+5.60|20.40|26.00|3" {
		t.Errorf("%q", got)
	}
	drawn := false
	for _, s := range doc.Sections {
		drawn = drawn || s.ID == "grew" && len(s.Blocks[0].(*Waterfall).Steps) > 2
		for _, table := range tables(s) {
			for _, row := range table.Rows {
				if strings.Contains(rowTexts(row), "inconclusive") {
					t.Errorf("%s: %q", table.ID, rowTexts(row))
				}
			}
		}
	}
	if !drawn {
		t.Error("what changed is not drawn")
	}
}

// A fault beside a snapshot is the headline, and the verdict stays.
func TestAFindingBesideASnapshot(t *testing.T) {
	r := example.Snapshot()
	r.Verdict, r.Summary = analyze.Fail, "The capture reports 1 fault."
	r.Findings = []analyze.Finding{{Rule: "fault", Severity: "critical", Message: "crash SIGSEGV: read of a freed object"}}
	doc := New(r, Options{})
	if doc.Headline != r.Summary || doc.Outcome != analyze.Fail || doc.Sections[0].Blocks[0].(*Paragraph).Text != "Crash SIGSEGV: read of a freed object" {
		t.Errorf("%q, %q, %q", doc.Headline, doc.Outcome, doc.Sections[0].Blocks[0].(*Paragraph).Text)
	}
}

func TestSizingSums(t *testing.T) {
	z := sizing{metrics: []string{"pss", "rss"}, one: "category", many: "categories", additive: func(m string) bool { return m == "pss" }, total: of(200.0 * mib)}
	sum := 0.0
	for i := range 20 {
		v := float64(20-i) * 0.9 * mib
		sum += v
		z.rows = append(z.rows, sized{name: string(rune('a' + i)), values: []*float64{&v, &v}})
	}
	z.rows = append(z.rows, sized{name: "nothing", values: []*float64{of(0.0), nil}})
	table := z.tables("x", 0)[0].(*Table)
	got := 0.0
	for _, row := range table.Rows {
		got += *row[1].Value
	}
	if len(table.Rows) != 12 || got < 200*mib-1 || got > 200*mib+1 {
		t.Errorf("%d rows sum to %v", len(table.Rows), got/mib)
	}
	if rest := rowTexts(table.Rows[10]); !strings.HasPrefix(rest, "10 smaller categories|") || !strings.HasSuffix(rest, "|—") {
		t.Errorf("%q: what does not add was added", rest)
	}
	if none := (sizing{metrics: []string{"pss"}, rows: []sized{{name: "a", values: []*float64{of(0.0)}}}}).tables("x", 0); none != nil {
		t.Errorf("a table of nothing: %+v", none)
	}
}
