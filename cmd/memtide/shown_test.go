package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "libart.so": "libart.so", "é 😀": "é 😀", "a\nb\tc": "a b c", "\x1b[2J": `\u001b[2J`, "\u009b1m": `\u009b1m`, "\x7f": `\u007f`,
		"\u202egpj": `\u202egpj`, "\u2066x": `\u2066x`, "\xff": "\uFFFD", "\u200b": `\u200b`, "\u2028": `\u2028`,
	} {
		if have := visible(in); have != want {
			t.Errorf("visible(%q) = %q, want %q", in, have, want)
		}
	}
}

func TestShort(t *testing.T) {
	long := short("/data/" + strings.Repeat("é", 500) + ".so")
	if n := utf8.RuneCountInString(long); n > widest || n < widest-2 || !strings.HasPrefix(long, "/data/") || !strings.HasSuffix(long, ".so") {
		t.Errorf("%d characters: %q", n, long)
	}
	if exact := strings.Repeat("x", widest); short(exact) != exact {
		t.Error("a name of just the width was cut")
	}
}

// An input is told of by the files that came from it: itself, and the members of an archive.
func TestInputsOfFiles(t *testing.T) {
	s := &table.Set{}
	for _, name := range []string{"a.txt", "a.txt.old", "z.zip!/in/a.txt", "z.zip!/b.tar!/c.txt"} {
		s.Files = append(s.Files, table.File{Name: name, Rows: 1, Snapshots: 1})
	}
	files := filesByPath(s)
	for path, want := range map[string]int{"a.txt": 1, "a.txt.old": 1, "z.zip": 2, "z.zip!/in/a.txt": 1, "z.zip!/b.tar": 1, "in/a.txt": 0} {
		in := analyze.Input{Path: path}
		add(&in, s, files[path])
		if in.Rows != want || in.Samples != want {
			t.Errorf("%s: %d rows, %d samples, want %d", path, in.Rows, in.Samples, want)
		}
	}
}

// What has no such mark is told in a line that can be read, however long the names of the marks are.
func TestNoAnchorIsShort(t *testing.T) {
	long := strings.Repeat("m", 100_000)
	e := &analyze.NoAnchor{Run: long, Want: analyze.AlignAt{At: analyze.AtMark, Name: long + "z"}, Has: analyze.Anchors{Marks: []analyze.Mark{{Name: long}, {Name: long + "n"}}}}
	if text := noAnchor(e); len(text) > 600 {
		t.Errorf("%d bytes", len(text))
	}
}
