package analyze

import (
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/table"
)

// TestReadable: what people read, and what a function is known by from build to build.
func TestReadable(t *testing.T) {
	for _, c := range []struct{ name, readable, identity string }{
		{"leak_linear", "leak_linear", "leak_linear"},
		{"_ZN4pool4grabEm", "pool::grab(unsigned long)", "pool::grab(unsigned long)"},
		{"__ZN4pool4grabEm", "pool::grab(unsigned long)", "pool::grab(unsigned long)"},
		{"_ZN1A1fILi3EEEvi.constprop.0", "void A::f<3>(int) [clone .constprop.0]", "void A::f<3>(int)"},
		{"grow.part.0.isra.0", "grow.part.0.isra.0", "grow"},
		{"grow.cold", "grow.cold", "grow"},
		{"_ZN3app5cache6insert17h0123456789abcdefE", "app::cache::insert", "app::cache::insert"},
		{"_RNvNtCs1234_7mycrate5cache6insert.llvm.99", "mycrate::cache::insert", "mycrate::cache::insert"},
		{"_Znotmangled", "_Znotmangled", "_Znotmangled"},
		{"main.(*cache).part", "main.(*cache).part", "main.(*cache).part"},
		{"com.acme.part.Loader.cold.start", "com.acme.part.Loader.cold.start", "com.acme.part.Loader.cold.start"},
		{"grow.constprop.0.cold.12", "grow.constprop.0.cold.12", "grow"},
		{"buffer_64", "buffer_64", "buffer_64"},
		{".cold", ".cold", ".cold"},
		{"", "", ""},
	} {
		if got := readable(c.name); got != c.readable {
			t.Errorf("readable %s: %s, want %s", c.name, got, c.readable)
		}
		if got := identity(c.name); got != c.identity {
			t.Errorf("identity %s: %s, want %s", c.name, got, c.identity)
		}
	}
	start := time.Now()
	readable("_Z1fSt4pairI" + strings.Repeat("S_IS0_S0_ES1_", 4000) + "E")
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("a name that unfolds took %v", d)
	}
}

// TestFingerprintAcrossBuilds: a copy that a compiler made of a function is that function; other arguments make another.
func TestFingerprintAcrossBuilds(t *testing.T) {
	of := func(name string) string {
		return fingerprint("leaked", Subject{Process: "app", Scope: "class", Name: name}, "heap", name)
	}
	if of("_ZN1A1fEi.constprop.0") != of("_ZN1A1fEi") || of("_ZN1A1fEi") != of("A::f(int)") {
		t.Error("one function has two fingerprints")
	}
	if of("_ZN1A1fEi") == of("_ZN1A1fEl") || of("_ZN1A1fILi1EEEvv") == of("_ZN1A1fILi2EEEvv") {
		t.Error("two functions have one fingerprint")
	}
}

// TestAlias: a site is compared with what it was called on the other side; two copies in one run stay two.
func TestAlias(t *testing.T) {
	c := &comparison{names: map[Subject]string{}}
	run := func(names ...string) string {
		var tracks []*track
		for _, n := range names {
			tracks = append(tracks, &track{subject: Subject{"app", "class", n, "live_bytes"}})
		}
		var out []string
		for _, k := range c.alias(tracks) {
			out = append(out, k.subject.Name)
		}
		return strings.Join(out, " ")
	}
	if got := run("grow", "other"); got != "grow other" {
		t.Error(got)
	}
	if got := run("grow.constprop.0", "third"); got != "grow third" {
		t.Error(got)
	}
	if got := run("grow.constprop.0", "grow"); got != "grow.constprop.0 grow" {
		t.Error(got)
	}
}

// TestQuote: the innermost frame with a source is quoted, by line or by columns; frames that are no Python are not asked for.
func TestQuote(t *testing.T) {
	var asked []SourceAt
	o := Options{Source: func(at SourceAt) []string {
		asked = append(asked, at)
		if at.File == "lib/torch.py" {
			return nil
		}
		return []string{at.File}
	}}
	r := &Result{Findings: []Finding{{calls: []table.Call{{SourceFile: "a.cpp", SourceLine: table.Known(1)}, {SourceFile: "lib/torch.py", SourceLine: table.Known(3)},
		{SourceFile: "train.py:7:8-31"}, {SourceFile: "main.py", SourceLine: table.Known(1)}}}, {calls: []table.Call{{SourceFile: "no_line.py"}}}}}
	r.quote(o)
	want := []SourceAt{{"lib/torch.py", 3, -1, 0}, {"train.py", 7, 8, 31}}
	if len(asked) != 2 || asked[0] != want[0] || asked[1] != want[1] {
		t.Errorf("asked %v, want %v", asked, want)
	}
	if len(r.Findings[0].Source) != 1 || r.Findings[0].Source[0] != "train.py" || r.Findings[1].Source != nil {
		t.Errorf("%v %v", r.Findings[0].Source, r.Findings[1].Source)
	}
}
