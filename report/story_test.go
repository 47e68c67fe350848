package report_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	_ "github.com/memtide/memtide/report/internal/golden" // takes -update
)

func section(t *testing.T, d *report.Doc, id string) report.Section {
	t.Helper()
	for _, s := range d.Sections {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no section %q", id)
	return report.Section{}
}

func first[B report.Block](s report.Section) B {
	for _, b := range s.Blocks {
		if found, ok := b.(B); ok {
			return found
		}
	}
	var none B
	return none
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		result *analyze.Result
		want   string
	}{
		{"compare", example.Compare(), "answer grew charts findings redlines limits series runs inputs problems method glossary"},
		{"one side", example.Single(), "answer grew leaking charts findings limits series-other inputs method glossary"},
		{"many processes", example.Many(5), "answer process-2 process-3 limits runs inputs method glossary"},
		{"nothing", nil, "method"},
		{"one snapshot", example.Snapshot(), "answer limits inputs method glossary"},
		{"a system", example.Snapshots(40), "answer system process-1 process-2 process-3 limits inputs method glossary"},
		{"three samples", example.Few(), "answer grew charts limits inputs method glossary"},
	} {
		var ids []string
		for _, s := range report.New(c.result, report.Options{}).Sections {
			ids = append(ids, s.ID)
			if len(s.Blocks) == 0 {
				t.Errorf("%s: section %s is empty", c.name, s.ID)
			}
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s: sections %q, want %q", c.name, got, c.want)
		}
	}
}

func row(t *testing.T, table *report.Table, name string) []string {
	t.Helper()
	for _, r := range table.Rows {
		if r[0].Text == name {
			texts := make([]string, len(r))
			for i, c := range r {
				texts[i] = c.Text
			}
			return texts
		}
	}
	t.Fatalf("no row %q in %s", name, table.ID)
	return nil
}

func TestAnswer(t *testing.T) {
	table := first[*report.Table](section(t, report.New(example.Compare(), report.Options{}), "answer"))
	for name, want := range map[string]string{
		"rss":          "rss|487.3|511.7|+27.10|+5.6 %|[+20.90, +33.30]|regression",
		"shared_dirty": "shared_dirty|18.3|18.4|+0.10|~ +0.5 %|[−0.30, +0.50]|equivalent",
		"swap":         "swap|14.1|15.2|+0.90|~ +6.3 %|[−0.50, +2.30]|inconclusive",
	} {
		if got := strings.Join(row(t, table, name), "|"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if table.Rows[0][0].Text != "rss" || table.Columns[1].Unit != "MiB" {
		t.Errorf("the table begins with %q in %q", table.Rows[0][0].Text, table.Columns[1].Unit)
	}
}

// What is not known is a dash and has no value, whatever is missing.
func TestUnknown(t *testing.T) {
	r := &analyze.Result{Deltas: []analyze.Delta{{Subject: analyze.Subject{Process: "p", Scope: "process", Metric: "pss"}, Verdict: analyze.Unsettled}}}
	table := first[*report.Table](section(t, report.New(r, report.Options{}), "answer"))
	for i, c := range table.Rows[0][1:6] {
		if c.Text != "—" || c.Value != nil {
			t.Errorf("column %s: %q, value %v", table.Columns[i+1].Title, c.Text, c.Value)
		}
	}
}

func TestWaterfallSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := &analyze.Result{}
		add := func(scope, name string, before, after *float64, shift *float64, v analyze.Change) {
			r.Deltas = append(r.Deltas, analyze.Delta{Subject: analyze.Subject{Process: "p", Scope: scope, Name: name, Metric: "pss"},
				Before: analyze.Level{Median: before}, After: analyze.Level{Median: after}, Shift: shift, Verdict: v})
		}
		level := func() *float64 { return example.Of(math.Round(rng.Float64() * (1 << 30))) }
		add("process", "", level(), level(), level(), analyze.Regression)
		for i := range rng.IntN(40) + 1 {
			shift := *level() - 1<<29
			switch rng.IntN(4) {
			case 0:
				add("category", string(rune('a'+i)), nil, level(), nil, analyze.New)
			case 1:
				add("category", string(rune('a'+i)), level(), nil, nil, analyze.Removed)
			default:
				add("category", string(rune('a'+i)), level(), level(), &shift, analyze.Equivalent)
			}
		}
		w := first[*report.Waterfall](section(t, report.New(r, report.Options{}), "grew"))
		at := w.Steps[0].To
		if at != *r.Deltas[0].Before.Median {
			t.Fatalf("starts at %v, want %v", at, *r.Deltas[0].Before.Median)
		}
		for _, s := range w.Steps[1 : len(w.Steps)-1] {
			if s.From != at {
				t.Fatalf("step %q starts at %v, the one before ended at %v", s.Label, s.From, at)
			}
			at = s.To
		}
		end := *r.Deltas[0].After.Median
		if math.Abs(at-end) > 0.5 || w.Steps[len(w.Steps)-1].To != end {
			t.Fatalf("ends at %v and %v, want %v", at, w.Steps[len(w.Steps)-1].To, end)
		}
		if len(w.Steps) > 16 {
			t.Fatalf("%d steps", len(w.Steps))
		}
	}
}

// The last row of a ranking holds what is not named, so that the column sums to what all parts sum to.
func TestRankingSums(t *testing.T) {
	r := example.Compare()
	want := 0.0
	for _, d := range r.Deltas {
		if d.Subject.Scope == "mapping" {
			want += *d.Shift
		}
	}
	var table *report.Table
	for _, b := range section(t, report.New(r, report.Options{}), "grew").Blocks {
		if tb, ok := b.(*report.Table); ok && tb.ID == "grew-mapping-pss" {
			table = tb
		}
	}
	if len(table.Rows) != 8 || !strings.Contains(table.Omitted, "33 of 40") {
		t.Fatalf("%d rows, %q", len(table.Rows), table.Omitted)
	}
	sum := 0.0
	for _, row := range table.Rows {
		sum += *row[3].Value
	}
	if math.Abs(sum-want) > 1 {
		t.Errorf("the rows sum to %v, the parts to %v", sum, want)
	}
	if got := row(t, table, "anon_inode:sync_file"); got[1] != "—" || got[6] != "new" {
		t.Errorf("new mapping: %q", got)
	}
}

func TestLimits(t *testing.T) {
	list := func(r *analyze.Result) string {
		text := ""
		for _, i := range first[*report.List](section(t, report.New(r, report.Options{}), "limits")).Items {
			text += i.Term + " " + i.Text + "\n"
		}
		return text
	}
	unlike := example.Compare()
	for i := range unlike.Inputs {
		if unlike.Inputs[i].Side == "after" {
			unlike.Inputs[i].Process, unlike.Inputs[i].Device = []string{"com.example.other"}, "Pixel 8"
		}
	}
	few := example.Compare()
	few.Inputs = append(few.Inputs[:2:2], few.Inputs[5:7]...)
	for _, c := range []struct {
		name   string
		result *analyze.Result
		want   []string
	}{
		{"five runs", example.Compare(), []string{"swap the change lies in [−0.50, +2.30] MiB", "tolerance of ±1.00 MiB", "1 sample holds no data", "3 records could not", "after/run-2 was taken"}},
		{"one run a side", example.Many(9), []string{"One run a side: the intervals", "other totals are inconclusive too"}},
		{"two runs a side", few, []string{"With 2 runs before and 2 after, no interval"}},
		{"different things", unlike, []string{"different processes: com.example.gallery before, com.example.other after", "different devices: Pixel 7 before, Pixel 8 after"}},
		{"nothing open", example.Single(), []string{"Nothing was left open"}},
	} {
		got := list(c.result)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
	}
}

func TestFindingStatus(t *testing.T) {
	r := example.Compare()
	kept := r.Findings[1]
	kept.Side = "before"
	r.Findings = append(r.Findings, kept)
	var got []string
	for _, f := range first[*report.Findings](section(t, report.New(r, report.Options{}), "findings")).Items {
		got = append(got, f.Severity+" "+f.Status)
	}
	if want := "critical new, warning kept, warning fixed"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, ", "), want)
	}
}

func TestTrendOfOneSeries(t *testing.T) {
	c := first[*report.Chart](section(t, report.New(example.Single(), report.Options{}), "answer"))
	last := c.Lines[len(c.Lines)-1]
	if last.Side != "trend" || len(last.Points) != 2 {
		t.Fatalf("no trend: %+v", c.Lines)
	}
	if rise := last.Points[1].Mid - last.Points[0].Mid; math.Abs(rise-18.9*(1<<20)) > 1 {
		t.Errorf("the trend rises by %v", rise)
	}
}

func TestCapsAreNamed(t *testing.T) {
	d := report.New(example.Large(200, 50), report.Options{Rows: 5, Series: 10})
	table := first[*report.Table](section(t, d, "series"))
	if len(table.Rows) != 2 {
		t.Errorf("%d series shown", len(table.Rows))
	}
	more := section(t, d, "series").Blocks[1].(*report.Table)
	if len(more.Rows) != 10 || !strings.Contains(more.Omitted, "422 series are") || !more.Folded {
		t.Errorf("%d more, %q", len(more.Rows), more.Omitted)
	}
	if got := section(t, report.New(example.Many(60), report.Options{Series: 15}), "answer").Blocks[2].(*report.Table); len(got.Rows) != 15 || !strings.HasPrefix(got.Omitted, "37 processes") {
		t.Errorf("%d processes, %q", len(got.Rows), got.Omitted)
	}
}

// Names that would act on a terminal or turn a line around are shown as what they are, everywhere in a Doc.
func TestHostileNamesAreClean(t *testing.T) {
	d := report.New(example.Hostile(), report.Options{})
	check := func(text string) {
		if strings.ContainsAny(text, "\x1b\x00\x07\u202e\u202c") || len(text) > 3000 {
			t.Errorf("%.80q reached the report", text)
		}
	}
	check(d.Headline)
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			switch b := b.(type) {
			case *report.Table:
				check(b.Caption + b.Omitted)
				for _, row := range b.Rows {
					for _, c := range row {
						check(c.Text)
						check(c.Note)
					}
				}
			case *report.Findings:
				for _, f := range b.Items {
					check(f.Title + f.Message + f.Advice + f.Print + strings.Join(f.Stack, "") + strings.Join(f.Evidence, "") + strings.Join(f.Warnings, ""))
				}
			case *report.List:
				for _, i := range b.Items {
					check(i.Term + i.Text)
				}
			}
		}
	}
}
