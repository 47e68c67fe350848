package report

import (
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report/unit"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		e    analyze.Evidence
		want string
	}{
		{analyze.Evidence{File: "a.txt", Line: 7}, "a.txt:7"}, {analyze.Evidence{File: "a.txt"}, "a.txt"},
		{analyze.Evidence{File: "a.txt", Line: 7, TimeNS: of(int64(90e9)), Value: of(int64(3 * mib))}, "a.txt:7 (at 1 min 30 s, 3.0 MiB)"},
		{analyze.Evidence{File: "a.txt", Line: 7, Value: of(int64(0))}, "a.txt:7 (0 B)"},
		{analyze.Evidence{File: "a\x1b.txt", Line: -1}, `a\u001b.txt`},
	} {
		if got := place(c.e, unit.Bytes); got != c.want {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
	for _, c := range []struct {
		p    analyze.Problem
		want string
	}{{analyze.Problem{File: "a", Line: 3, Column: 9}, "a:3:9"}, {analyze.Problem{File: "a", Line: 3}, "a:3"}, {analyze.Problem{File: "a", Column: 9}, "a"}} {
		if got := where(c.p); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
		}
	}
}

func TestNumbersOfAFinding(t *testing.T) {
	for _, c := range []struct {
		key  string
		v    float64
		kind unit.Kind
		name string
		want string
	}{
		{"growth", 18.4 * mib, unit.Bytes, "growth", "18.4 MiB"}, {"growth", 12, unit.Count, "growth", "12"}, {"slope_per_s", 1024, unit.Bytes, "slope", "+3.5 MiB/h"},
		{"eta_s", 9900, unit.Bytes, "eta", "2 h 45 min"}, {"p", 0.000031, unit.Bytes, "p", "3.1e-05"}, {"p", 0, unit.Bytes, "p", "< 1e-6"}, {"events", 1200, unit.Bytes, "events", "1,200"},
		{"late_ratio", math.Inf(1), unit.Bytes, "late ratio", "—"}, {"late_ratio", 0.973219, unit.Bytes, "late ratio", "0.9732"},
	} {
		if got := statText(c.key, c.v, c.kind); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.key, c.v, got, c.want)
		}
		if got := statName(c.key); got != c.name {
			t.Errorf("%s is called %q, want %q", c.key, got, c.name)
		}
	}
}

func TestFindingsText(t *testing.T) {
	for want, severities := range map[string][]string{
		"1 critical finding.": {"critical"}, "2 warning findings.": {"warning", "warning"}, "3 findings: 1 critical, 2 note.": {"note", "critical", "note"}, "2 findings.": {"odd", ""},
	} {
		r := &analyze.Result{}
		for _, s := range severities {
			r.Findings = append(r.Findings, analyze.Finding{Severity: s})
		}
		if got := newStory(r).findingsText(); got != want {
			t.Errorf("%q: %q, want %q", severities, got, want)
		}
	}
}

func TestEvidenceAndFindingsAreCapped(t *testing.T) {
	f := analyze.Finding{Rule: "leaked", Severity: "warning"}
	for i := range 30 {
		f.Evidence = append(f.Evidence, analyze.Evidence{File: "a", Line: int64(i + 1)})
	}
	s := newStory(&analyze.Result{Findings: []analyze.Finding{f, f, f}})
	s.limit.Findings = 2
	block := s.findings().Blocks[0].(*Findings)
	if e := block.Items[0].Evidence; len(e) != mostEvidence+1 || e[mostEvidence] != "and 22 more places" {
		t.Errorf("evidence %q", e)
	}
	if len(block.Items) != 2 || block.Omitted != "1 finding is not listed; all are in the JSON result." {
		t.Errorf("%d findings, %q", len(block.Items), block.Omitted)
	}
}

func TestInputs(t *testing.T) {
	s := newStory(&analyze.Result{Inputs: []analyze.Input{
		{Side: "before", Run: "1", Path: "a.txt", Bytes: 2048, Samples: 3, Lossy: true, Facts: []analyze.Fact{{Name: "android", Value: "13"}}},
		{Side: "after", Run: "1", Path: "b.txt", Bytes: 512, SHA256: "ab", Facts: []analyze.Fact{{Name: "android", Value: "14"}, {Name: "empty"}}}}})
	section := s.inputs()
	table := section.Blocks[0].(*Table)
	var got []string
	for _, c := range table.Rows[0] {
		got = append(got, c.Text)
	}
	if want := "a.txt before 1 — 2.00 3 0 0 — — —"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", strings.Join(got, " "), want)
	}
	if table.Rows[0][0].Note != "lossy" || table.Columns[4].Unit != "KiB" {
		t.Errorf("%+v, size in %s", table.Rows[0][0], table.Columns[4].Unit)
	}
	if facts := section.Blocks[1].(*List).Items; len(facts) != 1 || facts[0] != (Item{Term: "android", Text: "13 and 14"}) {
		t.Errorf("facts %+v", facts)
	}
	one := newStory(&analyze.Result{Inputs: []analyze.Input{{Run: "1", Path: "a.txt"}}}).inputs().Blocks[0].(*Table)
	if one.Columns[0].Title != "file" || one.Columns[1].Title != "run" || len(one.Rows[0]) != len(one.Columns) {
		t.Errorf("one side: %+v", one.Columns)
	}
}

func TestProblemsAreCountedAndCapped(t *testing.T) {
	s := newStory(&analyze.Result{Problems: []analyze.Problem{{File: "a", Line: 1, Message: "want x", Count: 40}, {File: "b"}, {File: "c", Count: 2}}})
	s.limit.Series = 2
	table := s.problems().Blocks[0].(*Table)
	if len(table.Rows) != 2 || !strings.HasPrefix(table.Caption, "43 records of 3 kinds") || table.Omitted != "1 kind is not listed; all are in the JSON result." {
		t.Errorf("%d rows, %q, %q", len(table.Rows), table.Caption, table.Omitted)
	}
	if table.Rows[1][2].Text != "1" {
		t.Errorf("a problem without a count is %q problems", table.Rows[1][2].Text)
	}
}

func TestGlossaryHoldsWhatOccurs(t *testing.T) {
	r := &analyze.Result{Deltas: []analyze.Delta{head("rss", 1, 2, ""), head("odd", 1, 2, "")}, Series: []analyze.Series{{Subject: analyze.Subject{Metric: "swap"}}}}
	var got []string
	for _, i := range newStory(r).glossary().Blocks[0].(*List).Items {
		got = append(got, i.Term)
	}
	if strings.Join(got, " ") != "rss swap" {
		t.Errorf("%q", got)
	}
}

func TestMetricsComeFromTheTables(t *testing.T) {
	for i, m := range table.Metrics {
		if rank(m.Name) != i {
			t.Errorf("%s: place %d, want %d", m.Name, rank(m.Name), i)
		}
	}
	for _, list := range [][]string{telling, leading, firsts} {
		for _, m := range list {
			if rank(m) == rank("") {
				t.Errorf("%s is told but no table has it", m)
			}
		}
	}
	for metric, want := range map[string]unit.Kind{"pss": unit.Bytes, "count": unit.Count, "live_count": unit.Count, "live_bytes": unit.Bytes, "account": unit.Bytes} {
		if kindOf(metric) != want {
			t.Errorf("%s: %v", metric, kindOf(metric))
		}
	}
	for metric, want := range map[string]string{"rss": "Resident set size: pages in memory, shared ones in full. Not to be added over processes.",
		"pss": "Proportional set size: shared pages divided by the processes that map them.", "swap_free": "Swap that nothing uses."} {
		if got := meaning(table.MetricOf(metric)); got != want {
			t.Errorf("%s means %q, want %q", metric, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plural(1, "run"), "1 run"}, {plural(0, "run"), "0 runs"}, {plural(2, "process", "processes"), "2 processes"},
		{enumerate(nil, 3), ""}, {enumerate([]string{"a"}, 3), "a"}, {enumerate([]string{"a", "b"}, 3), "a and b"}, {enumerate([]string{"a", "b", "c", "d", "e"}, 2), "a, b and 3 more"},
		{full(analyze.Subject{Name: "Stack", Metric: "pss"}), "pss of Stack"}, {full(analyze.Subject{Metric: "pss"}), "pss"},
		{noteText(""), "."}, {noteText("why not."), " (why not)."},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestHeadlineWithoutASummary(t *testing.T) {
	for outcome, want := range map[analyze.Outcome]string{analyze.Pass: "Nothing was found wrong.", analyze.Fail: "Something is wrong: 1 finding.", analyze.Inconclusive: "The captures do not settle the question."} {
		if got := New(&analyze.Result{Verdict: outcome, Findings: []analyze.Finding{{}}}, Options{}).Headline; got != want {
			t.Errorf("%s: %q, want %q", outcome, got, want)
		}
	}
}
