package text

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
	"github.com/memtide/memtide/report/unit"
)

func printed(t *testing.T, print func(*printer)) string {
	t.Helper()
	var b bytes.Buffer
	p := &printer{bufio.NewWriter(&b), map[string]bool{}, lang.English}
	print(p)
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 40)
	got := printed(t, func(p *printer) { p.wrap("- ", long) })
	for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if columns(line) > width {
			t.Errorf("line %d is %d wide", i, columns(line))
		}
		if i > 0 && !strings.HasPrefix(line, "  word") {
			t.Errorf("line %d is not indented: %q", i, line)
		}
	}
	if got := printed(t, func(p *printer) { p.wrap("", strings.Repeat("x", 230)) }); got != strings.Repeat("x", 100)+"\n"+strings.Repeat("x", 100)+"\n"+strings.Repeat("x", 30)+"\n" {
		t.Errorf("a long word: %q", got)
	}
	if got := printed(t, func(p *printer) { p.wrap("", "") }); got != "\n" {
		t.Errorf("nothing: %q", got)
	}
}

func TestSnip(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"short", 10, "short"}, {"abcdefghijk", 7, "abc…ijk"}, {"日本語日本語日本語", 9, "日本…本語"}, {"", 3, ""}} {
		if got := snip(c.in, c.most); got != c.want || columns(got) > c.most {
			t.Errorf("snip(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func TestSpark(t *testing.T) {
	line := func(values ...float64) (points []report.Point) {
		for i, v := range values {
			points = append(points, report.Point{T: float64(i), Mid: v})
		}
		return points
	}
	if got := spark(line(0, 1, 2, 3, 4, 5, 6, 7), 0, 7); got != bars {
		t.Errorf("%q", got)
	}
	if got := spark(line(5, 5), 5, 5); got != "▁▁" {
		t.Errorf("flat: %q", got)
	}
	if got := spark(line(make([]float64, 500)...), 0, 1); columns(got) != 60 {
		t.Errorf("%d characters", columns(got))
	}
	if got := spark(line(-9, 99), 0, 1); got != "▁█" {
		t.Errorf("out of range: %q", got)
	}
}

// The sentence names the greatest steps and sums the others, so that it still leads from one total to the other.
func TestWaterfallSums(t *testing.T) {
	w := &report.Waterfall{Scale: unit.Scale{Unit: "B"}, Steps: []report.Step{{Label: "before", Total: true, To: 100}, {Label: "a", From: 100, To: 150},
		{Label: "b", From: 150, To: 130}, {Label: "c", From: 130, To: 135}, {Label: "d", From: 135, To: 134}, {Label: "after", Total: true, To: 134}}}
	for most, want := range map[int]string{
		2: " 100 → 134 B: a +50, b −20, 2 more +4.\n",
		4: " 100 → 134 B: a +50, b −20, c +5, d −1.\n",
	} {
		if got := printed(t, func(p *printer) { p.waterfall(w, most) }); got != want {
			t.Errorf("%d steps: %q, want %q", most, got, want)
		}
	}
	if got := printed(t, func(p *printer) { p.waterfall(&report.Waterfall{}, 3) }); got != "" {
		t.Errorf("an empty one: %q", got)
	}
}

func TestTableLinesUp(t *testing.T) {
	table := &report.Table{Columns: []report.Column{{Title: "name"}, {Title: "after", Unit: "MiB", Number: true}, {Bar: true}, {Title: "p", Extra: true}, {Title: "verdict"}},
		Rows: [][]report.Cell{
			{{Text: "a"}, {Text: "1.0"}, {}, {Text: "0.5"}, {Text: "leak", Mark: "✗"}},
			{{Text: "日本"}, {Text: "1,234.5"}, {}, {Text: "0.5"}, {Text: "—"}},
			{{Text: "not shown"}, {}, {}, {}, {}}, {{Text: "nor this"}, {}, {}, {}, {}}}}
	got := printed(t, func(p *printer) { p.table(report.Section{Brief: 2}, table) })
	want := " name (2 of 4), MiB    after  verdict\n a                       1.0  ✗ leak\n 日本                1,234.5  —\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A table that is wider than a line first shortens its names, then leaves out columns before the last.
func TestTableFits(t *testing.T) {
	cell := func(text string) report.Cell { return report.Cell{Text: text} }
	for _, c := range []struct {
		name    string
		columns int
		value   string
		want    string
	}{
		{"fits", 2, "1.0", strings.Repeat("n", 30)},
		{"names", 4, strings.Repeat("1", 20), "nnnnnn…nnnnnn"},
		{"columns", 9, strings.Repeat("1", 20), "nnnnnnnnn…nnnnnnnnn"},
	} {
		table := &report.Table{Columns: []report.Column{{Title: "name"}}, Rows: [][]report.Cell{{cell(strings.Repeat("n", 30))}}}
		for range c.columns {
			table.Columns = append(table.Columns, report.Column{Title: "c", Unit: "MiB", Number: true})
			table.Rows[0] = append(table.Rows[0], cell(c.value))
		}
		table.Columns = append(table.Columns, report.Column{Title: "verdict"})
		table.Rows[0] = append(table.Rows[0], cell("leak"))
		got := printed(t, func(p *printer) { p.table(report.Section{Brief: 5}, table) })
		for line := range strings.Lines(got) {
			if columns(strings.TrimSuffix(line, "\n")) > width {
				t.Errorf("%s: %q", c.name, line)
			}
		}
		if !strings.Contains(got, "name, MiB") || !strings.Contains(got, "leak") || c.name == "fits" && !strings.Contains(got, c.want) || c.name != "fits" && !strings.Contains(got, "…") {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
}

func TestShorten(t *testing.T) {
	if got := shorten("short", longest); got != "short" {
		t.Errorf("%q", got)
	}
	if got := shorten(strings.Repeat("word ", 100), longest); len([]rune(got)) > longest+2 || !strings.HasSuffix(got, "word …") {
		t.Errorf("%q", got)
	}
}

func TestFindingsAndLists(t *testing.T) {
	f := &report.Findings{Items: []report.Finding{
		{Severity: "critical", Status: "new", Message: "It leaks.", Evidence: []string{"a.txt:7", "b.txt:9"}, Advice: "Look."},
		{Severity: "warning", Status: "fixed", Message: "It leaked.", Advice: "Nothing."}, {Severity: "note", Message: "Third."}, {Severity: "note"}}, Omitted: "9 not listed."}
	got := printed(t, func(p *printer) { p.findings(f, 2) })
	want := "! critical new: It leaks. See a.txt:7.\n  try: Look.\n! warning fixed: It leaked.\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	got = printed(t, func(p *printer) {
		p.list(&report.List{Items: []report.Item{{Term: "swap", Text: "unknown."}, {Text: "more."}, {Text: "third."}, {Text: "fourth."}}}, 2)
	})
	if want := "- swap: unknown.\n- more.\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestVerdictWord(t *testing.T) {
	for _, c := range []struct {
		doc  report.Doc
		want string
	}{{report.Doc{Outcome: "fail"}, "FAIL"}, {report.Doc{Outcome: "inconclusive"}, "INCONCLUSIVE"}, {report.Doc{}, "NO VERDICT"}} {
		if got := verdict(&c.doc); got != c.want {
			t.Errorf("%q is %q, want %q", c.doc.Outcome, got, c.want)
		}
	}
}

func TestWordsArePartedAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"a bb ccc", 3, "a|bb|ccc"}, {"abcdef gh", 4, "abcd|ef|gh"}, {"日本語日本語", 4, "日本|語日|本語"}, {"", 5, ""}} {
		if got := strings.Join(words(c.in, c.most), "|"); got != c.want {
			t.Errorf("words(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func TestStop(t *testing.T) {
	for in, want := range map[string]string{"It grew": "It grew.", "It grew. ": "It grew.", "It grew …": "It grew …"} {
		if got := stop(in); got != want {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// The line of a slope reaches beyond the values and is not drawn; the range is that of the values.
func TestAChartHasTheRangeOfItsValues(t *testing.T) {
	points := func(values ...float64) (out []report.Point) {
		for i, v := range values {
			out = append(out, report.Point{T: float64(i), Mid: v})
		}
		return out
	}
	c := &report.Chart{Title: "pss over time", Scale: unit.Scale{Unit: "B"}, Lines: []report.Line{{Points: points(10, 20)}, {Side: "trend", Label: "slope", Points: points(-90, 20)}}}
	if got := printed(t, func(p *printer) { p.chart(c) }); got != " pss over time, 10 to 20 B\n ▁█\n" {
		t.Errorf("%q", got)
	}
}

// What is left out is said only where that takes less room than to print it.
func TestTheLastOneIsPrinted(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, c := range []struct {
		name, got, want string
	}{
		{"row", printed(t, func(p *printer) {
			p.table(report.Section{Brief: 1}, &report.Table{Columns: []report.Column{{Title: "name"}}, Rows: [][]report.Cell{{{Text: "a"}}, {{Text: "b"}}}})
		}), " name\n a\n b\n"},
		{"item", printed(t, func(p *printer) { p.list(&report.List{Items: []report.Item{{Text: "a."}, {Text: "b."}}}, 1) }), "- a.\n- b.\n"},
		{"a long item", printed(t, func(p *printer) { p.list(&report.List{Items: []report.Item{{Text: "a."}, {Text: long}}}, 1) }), "- a.\n"},
		{"finding", printed(t, func(p *printer) {
			p.findings(&report.Findings{Items: []report.Finding{{Severity: "note", Message: "A."}, {Severity: "note", Message: "B.", Evidence: []string{"f:1"}}}}, 1)
		}), "! note: A.\n! note: B.\n"},
		{"a long finding", printed(t, func(p *printer) {
			p.findings(&report.Findings{Items: []report.Finding{{Severity: "note", Message: "A."}, {Severity: "note", Message: long}}}, 1)
		}), "! note: A.\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// What the first screen has said is no item of a list again, and paragraphs that follow one another are one.
func TestParagraphsFlow(t *testing.T) {
	got := printed(t, func(p *printer) {
		p.section(report.Section{Brief: 1, Blocks: []report.Block{&report.Paragraph{Text: "One."}, &report.Paragraph{Text: "Two."}, &report.Paragraph{Text: "Mute.", Tone: report.Muted},
			&report.List{Items: []report.Item{{Text: "Two."}, {Text: "Three."}}}, &report.Paragraph{Text: "Four."}}})
	})
	if want := "One. Two.\n- Three.\nFour.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A heading says how much of its section is shown, if that is not all.
func TestHeadingsCount(t *testing.T) {
	items := []report.Item{{Text: "a."}, {Text: "b."}, {Text: "c."}}
	for most, want := range map[int]string{1: "\nDOUBTS (1 OF 3)\n- a.\n", 2: "\nDOUBTS\n- a.\n- b.\n- c.\n"} {
		got := printed(t, func(p *printer) {
			p.section(report.Section{Title: "Doubts", Brief: most, Blocks: []report.Block{&report.List{Items: items}}})
		})
		if got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
	f := &report.Findings{Items: []report.Finding{{Severity: "note"}, {Severity: "note"}, {Severity: "note"}}}
	if got := printed(t, func(p *printer) { p.section(report.Section{Title: "Findings", Brief: 1, Blocks: []report.Block{f}}) }); !strings.HasPrefix(got, "\nFINDINGS (1 OF 3)\n") {
		t.Errorf("%q", got)
	}
}

func TestSides(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a (pid 7)", "b", "before: a (pid 7) · after: b\n"},
		{strings.Repeat("a", 60), strings.Repeat("b", 60), "before: " + strings.Repeat("a", 60) + "\nafter: " + strings.Repeat("b", 60) + "\n"},
	} {
		if got := printed(t, func(p *printer) {
			p.sides([]report.Side{{Name: "before", Text: c.before}, {Name: "after", Text: c.after}})
		}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := printed(t, func(p *printer) { p.sides(nil) }); got != "" {
		t.Errorf("%q", got)
	}
}
