package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/unit"
)

// texts are the paragraphs, captions, notes and items of a report, for tests on what is said.
func texts(d *Doc) string {
	var b strings.Builder
	for _, s := range d.Sections {
		for _, block := range s.Blocks {
			switch block := block.(type) {
			case *Paragraph:
				b.WriteString(block.Text + "\n")
			case *List:
				for _, i := range block.Items {
					b.WriteString(i.Term + " " + i.Text + "\n")
				}
			case *Table:
				b.WriteString(block.Caption + "\n")
			}
		}
	}
	return b.String()
}

func TestUnread(t *testing.T) {
	inputs := []analyze.Input{{Path: "a.txt", Problems: 3}, {Path: "b.txt"}}
	for _, c := range []struct {
		name     string
		problems []analyze.Problem
		want     string
	}{
		{"records", []analyze.Problem{{File: "a.txt", Line: 7, Column: 2}, {File: "a.txt", Line: 9, Count: 2}}, "3 records could not be read: a.txt:7:2, a.txt:9."},
		{"files", []analyze.Problem{{File: "x", Count: 4}, {File: "y"}}, "5 files could not be read: x, y."},
		{"both", []analyze.Problem{{File: "a.txt", Line: 7}, {File: "x"}, {File: "b.txt", Line: 1}}, "1 file and 2 records could not be read: x, a.txt:7 and others."},
		{"only counted", nil, "3 records could not be read: a.txt."},
	} {
		doc := New(&analyze.Result{Inputs: inputs, Problems: c.problems, Series: []analyze.Series{seriesOf("process", "", analyze.Stable, 0)}}, Options{})
		got := texts(doc)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, got)
		}
		if strings.Contains(got, "Nothing was left open") || strings.Contains(got, "below") && len(c.problems) == 0 {
			t.Errorf("%s: says that all is well, or points at what does not follow:\n%s", c.name, got)
		}
		if u := newStory(doc.Result).unread(); len(c.problems) > 0 && !strings.Contains(got, u.count()+" of ") {
			t.Errorf("%s: the table counts otherwise than %q:\n%s", c.name, u.count(), got)
		}
	}
	if text := (unread{}).String(); text != "" {
		t.Errorf("nothing unread: %q", text)
	}
	empty := New(&analyze.Result{Inputs: []analyze.Input{{Path: "a", NoData: 1}}, Series: []analyze.Series{seriesOf("process", "", analyze.Stable, 0)}}, Options{})
	if got := texts(empty); strings.Contains(got, "Nothing was left open") || !strings.Contains(got, "1 sample holds no data") {
		t.Errorf("a sample without data:\n%s", got)
	}
}

func TestBothSidesLeak(t *testing.T) {
	leak := func(side, metric, severity string) analyze.Series {
		v := seriesOf("process", "", analyze.Leak, 5)
		v.Side, v.Subject.Metric, v.Severity = side, metric, severity
		return v
	}
	deltas := []analyze.Delta{head("pss", mib, mib, analyze.Equivalent)}
	for _, c := range []struct {
		name, summary string
		series        []analyze.Series
		want          string
	}{
		{"both", "", []analyze.Series{leak("before", "rss", ""), leak("before", "pss", ""), leak("after", "pss", ""), leak("after", "rss", "")}, "Both sides leak: pss and rss."},
		{"one", "", []analyze.Series{leak("before", "pss", ""), leak("after", "rss", "")}, ""},
		{"a small one", "", []analyze.Series{leak("before", "pss", "note"), leak("after", "pss", "")}, ""},
		{"said already", "Nothing changed. Both sides leak.", []analyze.Series{leak("before", "pss", ""), leak("after", "pss", "")}, ""},
	} {
		if got := newStory(&analyze.Result{Deltas: deltas, Series: c.series, Summary: c.summary}).bothLeak(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBandNote(t *testing.T) {
	band := func(metric string, b float64) analyze.Delta {
		d := head(metric, 9*mib, 9*mib, analyze.Equivalent)
		d.Band = b
		return d
	}
	for _, c := range []struct {
		kind unit.Kind
		ds   []analyze.Delta
		want string
	}{
		{unit.Bytes, []analyze.Delta{band("pss", 1.3*mib), band("rss", 1.3*mib)}, "Within ±1.3 MiB counts as equal."},
		{unit.Bytes, []analyze.Delta{band("pss", 2*mib), band("rss", 9*mib), band("swap", mib)}, "Within ±1.0 MiB (swap) to ±9.0 MiB (rss) counts as equal."},
		{unit.Count, []analyze.Delta{band("count", 24)}, "Within ±24 counts as equal."},
		{unit.Bytes, []analyze.Delta{band("pss", 0)}, ""},
	} {
		got := ""
		for _, n := range bandNote(c.ds, c.kind) {
			got += n.Text
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	table := New(example.Compare(), Options{}).Sections[0]
	if said := firstTable(table).Notes; said[len(said)-1].Text != "Within ±1.0 MiB (shared_dirty) to ±9.7 MiB (rss) counts as equal." {
		t.Errorf("%+v", said)
	}
}

func firstTable(s Section) *Table {
	for _, b := range s.Blocks {
		if t, ok := b.(*Table); ok {
			return t
		}
	}
	return &Table{}
}

func TestWarmUpIsExplainedOnce(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{{"growth.warm_up", "0.1", "the first 10 % of"}, {"warm-up", "5 %", "the first 5 % of"}, {"other", "", "the start of"}} {
		s := newStory(&analyze.Result{Method: []analyze.Setting{{Name: c.name, Value: c.value}}})
		if got := s.warmUpNote().Text; !strings.Contains(got, "leave out warm-up, "+c.want+" the samples") {
			t.Errorf("%s %s: %q", c.name, c.value, got)
		}
	}
	n := 0
	for _, s := range New(example.Single(), Options{}).Sections {
		for _, b := range s.Blocks {
			if table, ok := b.(*Table); ok {
				for _, note := range table.Notes {
					n += strings.Count(note.Text, "leave out warm-up")
				}
			}
		}
	}
	if n != 1 {
		t.Errorf("said %d times", n)
	}
}

func TestMinus(t *testing.T) {
	for in, want := range map[string]string{
		"rss -8.49 MiB (-29.3 %), from -1 to 2": "rss −8.49 MiB (−29.3 %), from -1 to 2",
		"interval [-3.1 MiB to -2 MiB]":         "interval [−3.1 MiB to −2 MiB]",
		"-5 % -6 % -7 KiB":                      "−5 % −6 % −7 KiB",
		"kill -9 and libx-2.so and a-5 MiB":     "kill -9 and libx-2.so and a-5 MiB",
		"/data/x -3Box":                         "/data/x -3Box",
	} {
		if got := minus(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := New(&analyze.Result{Summary: "Memory got better: pss -8.49 MiB (-3 %)."}, Options{}).Headline; got != "Memory got better: pss −8.49 MiB (−3 %)." {
		t.Errorf("%q", got)
	}
}
