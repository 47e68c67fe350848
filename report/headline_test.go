package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
)

func TestSplit(t *testing.T) {
	long := strings.Repeat("and on ", 30)
	for _, c := range []struct{ name, text, head, rest string }{
		{"short", "Memory got worse: pss +8.2 MiB (+29.3 %); likewise rss.", "Memory got worse: pss +8.2 MiB (+29.3 %); likewise rss.", ""},
		{"sentences", "Memory grows: rss grows by 14.7 MiB an hour. Grew by 81.07 MiB in 5.51 h, " + long, "Memory grows: rss grows by 14.7 MiB an hour.", "Grew by 81.07 MiB in 5.51 h, " + long},
		{"as many sentences as fit", "One thing is so and so, as it is. Another one is too. " + long, "One thing is so and so, as it is. Another one is too.", "And on" + long[6:]},
		{"semicolon", "It cannot be said whether memory changed: com.example: pss −20.1 MiB (−6.9 %); likewise uss, private_dirty, dirty, heap_alloc and others.",
			"It cannot be said whether memory changed: com.example: pss −20.1 MiB (−6.9 %).", "Likewise uss, private_dirty, dirty, heap_alloc and others."},
		{"colon", "The two sides come from different tools (dumpsys-meminfo before, smaps after): their figures are shown beside each other and no verdict is given.",
			"The two sides come from different tools (dumpsys-meminfo before, smaps after).", "Their figures are shown beside each other and no verdict is given."},
		{"not inside of brackets", "This is a headline that has no other place to be parted than the one (within; these. brackets: or, so) " + long, "", ""},
		{"only a bracket", "com.example.gallery leaks, Native Heap grew by 18.4 MiB in 29 min 30 s and was still growing very much so (37.4 MiB/h, high confidence).",
			"com.example.gallery leaks, Native Heap grew by 18.4 MiB in 29 min 30 s and was still growing very much so.", "37.4 MiB/h, high confidence."},
		{"a bracket in the middle", "com.example.gallery leaks, Native Heap grew by 18.4 MiB in 29 min 30 s and was still growing (37.4 MiB/h, high confidence) at the end.",
			"com.example.gallery leaks, Native Heap grew by 18.4 MiB in 29 min 30 s and was still growing.",
			"com.example.gallery leaks, Native Heap grew by 18.4 MiB in 29 min 30 s and was still growing (37.4 MiB/h, high confidence) at the end."},
		{"a metric begins the rest", "It cannot be said whether memory changed at all, for there is nothing in the captures that would; " + "pss " + long, "It cannot be said whether memory changed at all, for there is nothing in the captures that would.", "pss " + long},
	} {
		head, rest := split(c.text)
		if c.head != "" && (head != c.head || rest != c.rest) {
			t.Errorf("%s:\n%q\n%q, want\n%q\n%q", c.name, head, rest, c.head, c.rest)
		}
		if utf8.RuneCountInString(head) > mostHeadline {
			t.Errorf("%s: %d characters", c.name, utf8.RuneCountInString(head))
		}
		if strings.Count(head, "(") != strings.Count(head, ")") {
			t.Errorf("%s: parted in a bracket: %q", c.name, head)
		}
	}
	if head, rest := split(strings.Repeat("word ", 50)); !strings.HasSuffix(head, "…") || !strings.HasPrefix(rest, "word word") {
		t.Errorf("%q, %q", head, rest)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a (b. c; d: e, f) g")
	f.Add(strings.Repeat("ä. ", 100))
	f.Add("((((" + strings.Repeat("x ", 100) + ")")
	f.Fuzz(func(t *testing.T, text string) {
		text = clean(text)
		head, _ := split(text)
		if utf8.RuneCountInString(head) > mostHeadline || !utf8.ValidString(head) || head == "" && text != "" {
			t.Errorf("split(%q) = %q", text, head)
		}
	})
}

func TestCapital(t *testing.T) {
	for in, want := range map[string]string{"": "", "likewise rss": "Likewise rss", "pss of it": "pss of it", "private_dirty + x": "private_dirty + x", "libx.so grew": "libx.so grew",
		"swap, and": "swap, and", "übrig": "Übrig", "one run a side: so": "One run a side: so", "grew by 3": "Grew by 3"} {
		if got := capital(in); got != want {
			t.Errorf("capital(%q) = %q, want %q", in, got, want)
		}
	}
	if got := sentenceCase("swap of the machine"); got != "Swap of the machine" {
		t.Errorf("%q", got)
	}
}

// What is told as a finding is not told above it once more.
func TestTheRestOfAHeadlineIsAParagraph(t *testing.T) {
	long := "grew by 81 MiB in 5.5 h, with the end still rising, and neither steps nor a curve that levels off explain it as well"
	r := &analyze.Result{Verdict: analyze.Fail, Summary: "Memory grows: rss grows by 14.7 MiB an hour. " + long + "."}
	doc := New(r, Options{})
	if doc.Headline != "Memory grows: rss grows by 14.7 MiB an hour." || doc.Sections[0].Blocks[0].(*Paragraph).Text != capital(long)+"." {
		t.Errorf("%q", doc.Headline)
	}
	r.Findings = []analyze.Finding{{Rule: "growth", Severity: "warning", Message: "rss grows by 14.7 MiB an hour. " + long}}
	if p := New(r, Options{}).Sections[0].Blocks[0].(*Paragraph); p.Text != "1 warning finding." {
		t.Errorf("%q", p.Text)
	}
}
