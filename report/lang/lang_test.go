package lang_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/lang"
)

func TestParse(t *testing.T) {
	if tag, err := lang.Parse("zh"); tag != lang.Chinese || err != nil {
		t.Errorf("%q, %v", tag, err)
	}
	if _, err := lang.Parse("fr"); err == nil || !strings.Contains(err.Error(), `["en" "zh"]`) {
		t.Errorf("fr: %v", err)
	}
	if lang.Tag("").String() != "en" || !lang.Tag("").English() {
		t.Error("the zero tag is not English")
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ from, want string }{
		{"leak", "泄漏"},
		{"One value a side: a difference without an interval.", "每侧仅一个值：差值没有区间。"},
		{"com.example: pss of Native Heap grows by 3.2 MiB an hour.", "com.example：Native Heap 的 pss 正在增长：每小时 3.2 MiB。"},
		{"rss rose from 1 MiB to 2 MiB: +1 MiB (+100.0 %), interval +0.5 MiB to +1.5 MiB, carried by heap 80 %, anon 20 %. So did pss, uss.",
			"rss 从 1 MiB 升至 2 MiB：+1 MiB (+100.0 %)，区间 +0.5 MiB 至 +1.5 MiB，主要来自 heap 占 80 %，anon 占 20 %。pss、uss 亦然。"},
		{"In 1 of 4 runs before, 3 of 4 after.", "变更前 4 次运行中有 1 次，变更后 4 次中有 3 次。"}, // reordered
		{"2 findings: 1 critical, 1 warning (1 new, 1 kept).", "2 项问题：1 项严重，1 项警告（1 项新增，1 项仍存在）。"},
		{"new, undone by build-7", "新增，被 build-7 抵消"},
		// Names, numbers and what no phrase fits stay.
		{"", ""}, {"libleak.so", "libleak.so"}, {"/data/app/new leak (deleted)", "/data/app/new leak (deleted)"}, {"[+1.0, +2.0]", "[+1.0, +2.0]"}, {"12.3 MiB", "12.3 MiB"},
		{"a policy of nobody that stands in no catalogue", "a policy of nobody that stands in no catalogue"}, {"a (b", "a (b"},
	} {
		if got := lang.New(lang.Chinese).Text(c.from); got != c.want {
			t.Errorf("%q is %q, want %q", c.from, got, c.want)
		}
		if got := lang.New(lang.English).Text(c.from); got != c.from {
			t.Errorf("%q is %q in English", c.from, got)
		}
	}
}

func TestWords(t *testing.T) {
	if got := lang.Chinese.Word("Top frames"); got != "栈顶帧" {
		t.Error(got)
	}
	if got := lang.Chinese.Sprintf("Written by %s.", "x"); got != "由 x 生成。" {
		t.Error(got)
	}
	if got := lang.English.Word("Top frames") + lang.Tag("").Sprintf("%d more %s", 2, "x"); got != "Top frames2 more x" {
		t.Error(got)
	}
}

var (
	placeholder = regexp.MustCompile(`%(\[\d+\])?[-+#0]*\d*(?:\.\d+)?[dsgfwv]`)
	han         = regexp.MustCompile(`\p{Han}`)
)

// Every entry says in Chinese all that the English one says, once, and no phrase is there with two meanings.
func TestCatalogue(t *testing.T) {
	known := map[string]string{}
	for _, p := range lang.Pairs() {
		from, to := p[0], p[1]
		if a, b := placeholder.FindAllString(strings.ReplaceAll(from, "%%", ""), -1), placeholder.FindAllString(strings.ReplaceAll(to, "%%", ""), -1); len(a) != len(b) || len(slices.Compact(slices.Sorted(slices.Values(b)))) != len(b) && strings.Contains(to, "%[") {
			t.Errorf("%q has %d placeholders, %q has %d", from, len(a), to, len(b))
		}
		if !han.MatchString(to) && !regexp.MustCompile(`GiB|^zone$|^kernel$|%d / %d|^pid|^%s（`).MatchString(to) || han.MatchString(from) {
			t.Errorf("%q is %q", from, to)
		}
		if strings.HasSuffix(from, ".") != strings.HasSuffix(to, "。") && !strings.HasSuffix(to, "%s") {
			t.Errorf("%q and %q do not end alike", from, to)
		}
		if other, ok := known[from]; ok && other != to {
			t.Errorf("%q is %q and %q", from, other, to)
		}
		known[from] = to
	}
}

// Hostile names are kept, and take no long time.
func TestHostileTexts(t *testing.T) {
	start := time.Now()
	for _, text := range []string{strings.Repeat("a, ", 1900), strings.Repeat("(", 500) + strings.Repeat(")", 500) + " x", strings.Repeat("of in at by and ", 300), strings.Repeat("x: y; z. ", 400), strings.Repeat("%s %d ", 500)} {
		if got := lang.New(lang.Chinese).Text(text); len(got) < len(text)/2 {
			t.Errorf("%.40q has become %.40q", text, got)
		}
	}
	for range 2 {
		report.Translate(report.New(example.Hostile(), report.Options{}), lang.Chinese)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

// A report with a thousand mappings is translated in a moment.
func TestTranslatesFast(t *testing.T) {
	doc := report.New(example.Large(1000, 100), report.Options{})
	start := time.Now()
	report.Translate(doc, lang.Chinese)
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("took %v", d)
	}
}

// What machines read does not depend on the language, and the report that was translated is not changed.
func TestResultStaysEnglish(t *testing.T) {
	doc := report.New(example.Compare(), report.Options{})
	title, headline := doc.Title, doc.Headline
	out := report.Translate(doc, lang.Chinese)
	if out.Result != doc.Result || doc.Title != title || doc.Headline != headline || doc.Lang != "" || out.Lang != lang.Chinese || out.Title == title {
		t.Errorf("%q, %q, %q", doc.Title, out.Title, out.Lang)
	}
	if report.Translate(doc, lang.English) != doc || report.Translate(&report.Doc{}, lang.Chinese).Lang != lang.Chinese {
		t.Error("English is translated, or nothing cannot be")
	}
}

// A headline that is parted in English is parted anew in Chinese, and nothing of it is lost.
func TestHeadlineIsWhole(t *testing.T) {
	long := "Memory grows: com.example.app: pss of Native Heap grows by 3.2 MiB an hour, all of it in Native Heap. Grew by 12 MiB in 3 h (4.1 MiB/h, 95 % interval 3 MiB to 5 MiB); p < 1e-6 on 60 samples, the end still rises, and neither steps nor a curve that levels off explain it as well."
	doc := report.Translate(report.New(&analyze.Result{Verdict: analyze.Fail, Summary: long}, report.Options{}), lang.Chinese)
	text := doc.Headline
	for _, b := range doc.Sections[0].Blocks {
		if p, ok := b.(*report.Paragraph); ok {
			text += p.Text
		}
	}
	if !strings.Contains(text, "正在增长：每小时 3.2 MiB，全部来自 Native Heap") || !strings.Contains(text, "95 % 区间 3 MiB 至 5 MiB") || left(text, []string{"Native Heap"}) != "" {
		t.Error(text)
	}
}

var spokenText = regexp.MustCompile(`'([^'\n]*)'|` + "`([^`]*)`")

// Every text of the page's script has a translation: those in quotes that begin with a capital and hold a word.
func TestScriptIsTranslated(t *testing.T) {
	var source []byte
	parts, _ := filepath.Glob("../html/assets/script/*.js")
	for _, name := range parts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	if len(source) == 0 {
		t.Fatal("the page has no script")
	}
	words, phrases := lang.Chinese.Script()
	begins := regexp.MustCompile(`^[A-Z‹][a-z‹ ]+ ?[a-zA-Z]*`)
	keys := regexp.MustCompile(`^(Escape|Arrow\w+|Enter|Backspace|Home|End|Page\w+|[KMGTPE]iB|Object|Array)$`)
	for _, m := range spokenText.FindAllStringSubmatch(string(source), -1) {
		text := m[1] + m[2]
		if !begins.MatchString(text) || keys.MatchString(text) {
			continue
		}
		stem, _, _ := strings.Cut(text, "${")
		if words[text] == "" && !slices.ContainsFunc(phrases, func(p [2]string) bool { return stem != text && strings.HasPrefix(p[0], stem) }) && words[strings.TrimSpace(stem)] == "" {
			t.Errorf("no translation of %q", text)
		}
	}
}
