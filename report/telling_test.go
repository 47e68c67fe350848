package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/unit"
)

func TestStatusesAreThoseOfTheComparison(t *testing.T) {
	f := func(side, print, status string) analyze.Finding {
		return analyze.Finding{Rule: "growth", Severity: "warning", Side: side, Fingerprint: print, Status: status}
	}
	before, after := analyze.Input{Side: "before", Run: "1"}, analyze.Input{Side: "after", Run: "1"}
	for _, c := range []struct {
		name     string
		inputs   []analyze.Input
		findings []analyze.Finding
		want     string
	}{
		{"settled", []analyze.Input{before, after}, []analyze.Finding{f("after", "a", "kept"), f("after", "b", "new"), f("before", "c", "fixed"), f("before", "d", "")}, "kept new fixed -"},
		{"by fingerprint", []analyze.Input{before, after}, []analyze.Finding{f("after", "a", ""), f("before", "a", ""), f("after", "b", ""), f("before", "c", ""), f("", "e", "")}, "kept new fixed -"},
		{"one side", nil, []analyze.Finding{f("", "a", ""), f("", "b", "")}, "- -"},
	} {
		var got []string
		for _, one := range newStory(&analyze.Result{Inputs: c.inputs, Findings: c.findings}).statuses() {
			if one.status == "" {
				one.status = "-"
			}
			got = append(got, one.status)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Findings are counted once, with what became of them.
func TestFindingsTextSaysWhatBecameOfThem(t *testing.T) {
	inputs := []analyze.Input{{Side: "before", Run: "1"}, {Side: "after", Run: "1"}}
	of := func(status ...string) (out []analyze.Finding) {
		for i, s := range status {
			out = append(out, analyze.Finding{Rule: "growth", Severity: "warning", Side: "after", Fingerprint: string(rune('a' + i)), Status: s})
		}
		return out
	}
	for want, findings := range map[string][]analyze.Finding{"1 warning finding (kept).": of("kept"), "2 warning findings (new).": of("new", "new"), "3 warning findings (2 new, 1 fixed).": of("new", "fixed", "new")} {
		if got := newStory(&analyze.Result{Inputs: inputs, Findings: findings}).findingsText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The line of the slope lies where the slope was taken from, not through the warm-up.
func TestTrendBeginsWhereTheSlopeWasTaken(t *testing.T) {
	c := &Chart{Lines: []Line{{Points: joined([]analyze.Timeline{line(0, 10, 20, 30, 40)}, 100)}}}
	c.trend(&analyze.Series{SlopePerS: of(10.0), Growth: of(200.0)})
	if l := c.Lines[1]; l.Points[0].T != 20 || l.Points[1].T != 40 || l.Points[1].Mid-l.Points[0].Mid != 200 {
		t.Errorf("%+v", l)
	}
}

// Parts whose change is no number in the scale of the table are summed, however many rows there is room for.
func TestInvisiblePartsAreSummed(t *testing.T) {
	var parts []analyze.Delta
	for i, change := range []float64{8 * mib, 0.02 * mib, 900, 800, -700} {
		d := head("pss", mib, mib+change, analyze.Unsettled)
		d.Subject.Scope, d.Subject.Name = "mapping", string(rune('a'+i))
		parts = append(parts, d)
	}
	s := newStory(&analyze.Result{Deltas: parts})
	names := func() (all []string) {
		tables, rest := s.partTables(parts, "pss", partScopes[3], "grew")
		for _, b := range tables {
			var names []string
			for _, row := range b.(*Table).Rows {
				names = append(names, row[0].Text+string(row[len(row)-1].Tone))
			}
			all = append(all, strings.Join(names, ", ")+fmt.Sprint(" ", b.(*Table).Folded)+rest)
		}
		return all
	}
	if got := names(); len(got) != 1 || got[0] != "awarn, bwarn, 3 more mappingsmuted false" {
		t.Errorf("%q", got)
	}
	for i := range parts {
		parts[i].Band = mib
	}
	if got := names(); len(got) != 2 || got[0] != "awarn, 4 more mappingsmuted false" || got[1] != "bmuted, cmuted, dmuted, emuted true" {
		t.Errorf("with a tolerance: %q", got)
	}
	parts[4].Verdict = analyze.Removed
	if got := names(); got[0] != "awarn, 4 more mappingsmuted false" {
		t.Errorf("what went is summed if it is no number: %q", got)
	}
	parts = parts[1:4]
	if got := names(); len(got) != 1 || got[0] != "bmuted, cmuted, dmuted true" {
		t.Errorf("nothing but slight changes: %q", got)
	}
}

func TestPartsWithoutNewsAreCounted(t *testing.T) {
	still, gone := head("count", 4, 4, analyze.Equivalent), head("count", 4, 0, analyze.Unsettled)
	still.Subject.Scope, gone.Subject.Scope = "handle", "handle"
	gone.After.Median, gone.Shift = nil, nil
	s := newStory(&analyze.Result{Deltas: []analyze.Delta{still, gone}})
	blocks := s.grew("app", "grew", "What grew").Blocks
	if p := blocks[0].(*Paragraph); len(blocks) != 1 || p.Text != "Not shown: 1 kind of handle without a change, 1 kind of handle measured on one side only." || p.Tone != Muted {
		t.Errorf("%+v", blocks[0])
	}
}

func TestSameDoubtsAreOneItem(t *testing.T) {
	items := merge(nil, Item{Term: "rss", Text: "why."})
	items = merge(merge(items, Item{Term: "pss", Text: "why."}), Item{Term: "swap", Text: "else."})
	if len(items) != 2 || items[0].Term != "rss, pss" {
		t.Errorf("%+v", items)
	}
}

// What the analysis has said itself is not said again.
func TestNoDoubtIsSaidTwice(t *testing.T) {
	r := &analyze.Result{Inputs: []analyze.Input{{Side: "before", Run: "1", Format: "meminfo"}, {Side: "after", Run: "1", Format: "smaps"}}}
	if got := len(newStory(r).limits().Blocks[0].(*List).Items); got != 2 {
		t.Errorf("%d items without warnings", got)
	}
	r.Warnings = []string{"1 run before, 1 after: take at least 4 runs a side."}
	r.Summary = "The two sides come from different tools (meminfo before, smaps after)."
	if items := newStory(r).limits().Blocks[0].(*List).Items; len(items) != 1 || items[0].Text != r.Warnings[0] {
		t.Errorf("%+v", items)
	}
}

func TestOneLengthStandsInTheCaption(t *testing.T) {
	a, b := seriesOf("process", "", analyze.Stable, mib), seriesOf("category", "heap", analyze.Stable, mib)
	s := newStory(&analyze.Result{Series: []analyze.Series{a, b}})
	if got := s.seriesTable(s.Series, unit.Bytes, "x", "cap"); got.Caption != "cap (60 samples in 1 min 30 s)" || len(got.Columns) != 8 || len(got.Rows[0]) != 8 {
		t.Errorf("%q, %d columns", got.Caption, len(got.Columns))
	}
	s.Series[1].N = 3
	if got := s.seriesTable(s.Series, unit.Bytes, "x", "cap"); got.Caption != "cap" || len(got.Columns) != 10 {
		t.Errorf("%q, %d columns", got.Caption, len(got.Columns))
	}
}

// Beside every verdict on the first screen stands what could have shown; the reasons are one click away.
func TestReasonsAreFolded(t *testing.T) {
	a, b, c := seriesOf("process", "", analyze.Leak, 9*mib), seriesOf("process", "", analyze.Stable, 0), seriesOf("process", "", analyze.Stable, 0)
	b.Subject.Metric, c.Subject.Metric = "swap", "rss"
	a.Reason, b.Reason, c.Reason = "it grew", "it is flat", "it is flat"
	doc := New(&analyze.Result{Series: []analyze.Series{a, b, c}, Verdict: analyze.Fail}, Options{})
	all := tables(doc.Sections[0])
	if all[0].Columns[3].Title != "could have shown" || all[0].Rows[0][3].Text != "0.50" || all[0].Rows[0][0].Note != "" {
		t.Errorf("%q", rowTexts(all[0].Rows[0]))
	}
	why := all[1]
	if !why.Folded || !why.Extra || len(why.Rows) != 2 || rowTexts(why.Rows[0]) != "pss|It grew" || rowTexts(why.Rows[1]) != "rss, swap|It is flat" {
		t.Errorf("%+v", why.Rows)
	}
}

// A part that grows is told once, by the metric that tells most, and not where it is a trifle.
func TestGrowingPartsAreToldOnce(t *testing.T) {
	part := func(name, metric string, growth float64) analyze.Series {
		v := seriesOf("category", name, analyze.Leak, growth)
		v.Subject.Metric, v.First, v.Last = metric, 10*mib, 10*mib+int64(growth)
		return v
	}
	summary := part("Private Other", "pss", 9*mib)
	summary.Subject.Scope = "summary"
	s := newStory(&analyze.Result{Series: []analyze.Series{part("heap", "private_dirty", 5*mib), part("heap", "pss", 5*mib), part("heap", "rss", 5*mib), part("stack", "pss", 8192), summary}})
	var got []string
	for _, v := range s.growingParts("app", unit.Bytes) {
		got = append(got, full(v.Subject))
	}
	if strings.Join(got, ", ") != "pss of heap" {
		t.Errorf("%q", got)
	}
	if charts := s.leaking("app").Blocks; len(charts) != 0 {
		t.Errorf("%d charts without a timeline", len(charts))
	}
}

func TestStillGrowing(t *testing.T) {
	short := example.Wide()
	for i := range short.Series {
		short.Series[i].N = 1
	}
	p, ok := newStory(short).stillGrowing().Blocks[0].(*Paragraph)
	if !ok || p.Text != "That cannot be said: the longest series has 1 sample, and at least 5 are needed, better 30." {
		t.Errorf("%+v", p)
	}
	long := newStory(example.Compare()).stillGrowing()
	first := long.Blocks[0].(*Table)
	if !strings.HasPrefix(first.Caption, "pss before: 1 plateau; after: 1 leak") || len(first.Rows) != 2 || long.Note != couldHave {
		t.Errorf("%q, %d rows", first.Caption, len(first.Rows))
	}
	if rest := long.Blocks[1].(*Table); !rest.Folded || !strings.HasPrefix(rest.Caption, "Other series, ") {
		t.Errorf("%q", rest.Caption)
	}
}

func TestCaptionsSayWhatANumberIs(t *testing.T) {
	d := head("pss", mib, 2*mib, analyze.Regression)
	for _, c := range []struct {
		n, runs int
		want    string
	}{{1, 1, "app: one sample a side"}, {60, 1, "app: median of the last half of the samples"}, {60, 3, "app: median of the last half of each run, and of these the median over the runs"}} {
		d.Before.N, d.After.N = c.n, c.n
		r := &analyze.Result{Deltas: []analyze.Delta{d}}
		for i := range c.runs {
			r.Inputs = append(r.Inputs, analyze.Input{Side: "before", Run: string(rune('a' + i))}, analyze.Input{Side: "after", Run: string(rune('a' + i))})
		}
		if got := newStory(r).levelCaption("app"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The first chart shows what the worst finding is about; measures that move alike are drawn once.
func TestTheFirstChartIsThatOfTheFinding(t *testing.T) {
	r := example.Compare()
	r.Findings[0].Subject = analyze.Subject{Process: "com.example.gallery", Scope: "process", Metric: "rss"}
	s := newStory(r)
	if got := s.chartMetric("com.example.gallery"); got != "rss" {
		t.Errorf("%q", got)
	}
	wide := example.Wide()
	for _, d := range wide.Deltas[:6] {
		l := values(*d.Before.Median, *d.After.Median)
		l.Side, l.Subject = "after", d.Subject
		wide.Timeline = append(wide.Timeline, l)
	}
	blocks := newStory(wide).charts("", "charts").Blocks
	if last := blocks[len(blocks)-1].(*Paragraph); len(blocks) != 3 || last.Text != "Not drawn, the same as another or further down in the order: private_dirty, dirty and anonymous." {
		t.Errorf("%d blocks, %+v", len(blocks), blocks[len(blocks)-1])
	}
}

// An interval never looks like a point where it is none.
func TestNarrowIntervals(t *testing.T) {
	d := head("pss", 28*mib, 36.2*mib, analyze.Regression)
	d.ShiftLo, d.ShiftHi = of(8.17*mib), of(8.21*mib)
	table := deltaTable([]analyze.Delta{d}, unit.Bytes, nameColumn("measure", false), changeColumn, intervalColumn)
	if got := rowTexts(table.Rows[0]); got != "pss|+8.20|[+8.17, +8.21]" {
		t.Errorf("%q", got)
	}
}

// A change of nothing has the unit of the levels beside it; what nobody knows has none.
func TestUnitsOfNothing(t *testing.T) {
	same, unknown := head("pss", 28*mib, 28*mib, analyze.Equivalent), analyze.Delta{Subject: analyze.Subject{Metric: "pss"}}
	same.ShiftLo, same.ShiftHi = of(0.0), of(0.0)
	for _, c := range []struct {
		d    analyze.Delta
		want string
	}{{same, "MiB MiB"}, {unknown, " "}} {
		table := deltaTable([]analyze.Delta{c.d}, unit.Bytes, beforeColumn, changeColumn)
		if got := table.Columns[0].Unit + " " + table.Columns[1].Unit; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where nothing changed, the processes that hold most come first.
func TestCalmProcessesAreInTheOrderOfTheirSize(t *testing.T) {
	of := func(process string, size float64) analyze.Delta {
		d := head("pss", size, size, analyze.Equivalent)
		d.Subject.Process = process
		return d
	}
	s := newStory(&analyze.Result{Deltas: []analyze.Delta{of("a", mib), of("b", 9*mib), of("c", 3*mib)}})
	if got := strings.Join(s.processes, " "); got != "b c a" {
		t.Errorf("%q", got)
	}
}

// The machine is no process: it has a section of its own beside them, and is not counted.
func TestTheMachineIsToldApart(t *testing.T) {
	free := head("mem_free", 9*mib, 4*mib, analyze.Regression)
	free.Subject.Process, free.Subject.Scope = "", "system"
	other := head("pss", mib, mib, analyze.Equivalent)
	other.Subject.Process = "other"
	doc := New(&analyze.Result{Deltas: []analyze.Delta{head("pss", mib, 2*mib, analyze.Regression), other, free}}, Options{})
	if !strings.HasPrefix(doc.Context, "2 processes") || doc.Title != "2 processes: memory before and after" {
		t.Errorf("%q, %q", doc.Context, doc.Title)
	}
	for _, s := range doc.Sections {
		if s.ID == "system" {
			if table := tables(s)[0]; s.Title != "Whole system" || table.Rows[0][0].Text != "mem_free" || strings.HasPrefix(table.Caption, "Whole system") || table.Columns[0].Title != "measure" {
				t.Errorf("%q: %q", s.Title, table.Caption)
			}
			return
		}
	}
	t.Error("no section of the machine")
}

// A small leak of a measure that nobody leads with stands among the other series.
func TestASmallLeakIsNotForced(t *testing.T) {
	var series []analyze.Series
	for i, metric := range []string{"rss", "pss", "vm_pte", "vss", "referenced", "lazy_free", "locked", "rss_file", "rss_anon", "rss_shmem"} {
		v := seriesOf("process", "", analyze.Stable, 0)
		v.Subject.Metric, v.First, v.Last = metric, int64(i+1)*mib, int64(i+1)*2*mib
		series = append(series, v)
	}
	series[2].Verdict, series[2].Severity = analyze.Leak, "note"
	first := tables(New(&analyze.Result{Series: series}, Options{}).Sections[0])[0]
	if len(first.Rows) != 2 {
		t.Errorf("%d rows", len(first.Rows))
	}
	series[2].Severity = "warning"
	if first = tables(New(&analyze.Result{Series: series}, Options{}).Sections[0])[0]; len(first.Rows) != 3 {
		t.Errorf("%d rows", len(first.Rows))
	}
}
