package label_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	_ "github.com/memtide/memtide/report/internal/golden" // takes -update
	"github.com/memtide/memtide/report/internal/label"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "libart.so": "libart.so", "a\nb\tc\r": "a b c ", "\x1b[31mred": `\u001b[31mred`, "\xff\xfe": "\uFFFD", "\u202egpj": `\u202egpj`,
		"\uFFFF": `\uffff`, "\U0001FFFE": `\u1fffe`, "😀": "😀", "\x00": `\u0000`, "\u2028": `\u2028`, "]]>": "]]>",
	} {
		if got := label.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	long := strings.Repeat("long", 2500)
	got := label.Short("/system/"+long+".so", 60)
	if utf8.RuneCountInString(got) > 60 || !strings.HasPrefix(got, "/system/") || !strings.HasSuffix(got, ".so") {
		t.Errorf("%q", got)
	}
	if other := label.Short("/system/"+long+"x"+long+".so", 60); other == got {
		t.Errorf("two names became one: %q", got)
	}
	if got := label.Short("short", 60); got != "short" {
		t.Errorf("%q", got)
	}
	if got := label.Short(strings.Repeat("é", 50), 60); got != strings.Repeat("é", 50) {
		t.Errorf("characters, not bytes, are counted: %q", got)
	}
}

func FuzzShort(f *testing.F) {
	for _, s := range []string{"a\nb", "\x1b[0m", "\xff", "\u202e", "\uFFFF", strings.Repeat("x", 300)} {
		f.Add("0", -43)
		f.Add(s, 24)
	}
	f.Fuzz(func(t *testing.T, s string, most int) {
		got := label.Short(s, most)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("Short(%q) = %q", s, got)
		}
		if n := utf8.RuneCountInString(got); n > max(most, 24) {
			t.Errorf("Short(%q, %d) has %d characters", s, most, n)
		}
		if again := label.Clean(got); again != got {
			t.Errorf("Clean changes what is clean: %q, %q", got, again)
		}
	})
}
