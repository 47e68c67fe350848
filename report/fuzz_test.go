package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
)

// Whatever a name holds, what is shown is short, valid and acts on nothing.
func FuzzName(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J", "\u202e\u2066", "\xff\xfe", strings.Repeat("ä", 500), "a\r\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := name(s)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > longest || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("name(%q) = %q", s, got)
		}
		if clean(clean(s)) != clean(s) {
			t.Errorf("clean is not done after one pass: %q", s)
		}
	})
}

// A path in an input is hidden wherever it occurs, in whatever sentence; redaction is the same every time.
func FuzzRedact(f *testing.F) {
	f.Add("/home/alice/secret/a.txt", "see ", " there")
	f.Add(`C:\Users\bob\x\a.txt`, `"`, `"`)
	f.Add("rel/dir/a.txt", "(", ")")
	f.Add("/", "/", "//")
	f.Add("A:\\Users\\00\xd2", "0", "0") // a user name that is not UTF-8
	f.Add("//server/share/x", "a/ b/ c/", "..")
	f.Fuzz(func(t *testing.T, path, before, after string) {
		r := &analyze.Result{Inputs: []analyze.Input{{Path: path}}, Warnings: []string{before + path + after, path}}
		got, again := Redact(r), Redact(r)
		if got.Warnings[0] != again.Warnings[0] || got.Inputs[0].Path != again.Inputs[0].Path {
			t.Fatal("two redactions differ")
		}
		if got.Warnings[1] != got.Inputs[0].Path {
			t.Errorf("%q is %q as an input and %q in a warning", path, got.Inputs[0].Path, got.Warnings[1])
		}
	})
}
