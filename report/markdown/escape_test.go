package markdown

import (
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"plain text, 1.5 MiB": "plain text, 1.5 MiB",
		"a_b*c`d":             "a\\_b\\*c\\`d",
		"[x](y) | z":          `\[x\](y) \| z`,
		"<b>&amp;":            "&lt;b&gt;&amp;amp;",
		"@team #12 $x$":       `@<!-- -->team \#12 \$x\$`,
		"https://x.example":   "https:<!-- -->//x.example",
		"www.x.example":       "www<!-- -->.x.example",
		"two\nlines":          "two lines",
		`back\slash ~~no~~`:   `back\\slash \~\~no\~\~`,
	} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"/system/lib64/libc.so": "`/system/lib64/libc.so`",
		"a|b":                   "`a\\|b`",
		"one ` tick":            "``one ` tick``",
		"`edge":                 "`` `edge ``",
		"``two``":               "``` ``two`` ```",
		"<b>":                   "`<b>`",
		"":                      "", " ": " ",
	} {
		if got := code(in); got != want {
			t.Errorf("code(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEntities(t *testing.T) {
	if got := entities(`</summary>"'&@`); got != "&lt;/summary&gt;&#34;&#39;&amp;@<!-- -->" {
		t.Errorf("%q", got)
	}
}

// No text, escaped, holds anything that begins an element, a mention, a cell or a line.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"<script>", "@a", "a|b", "`", "\\`", "\r\n# x", "://"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := strings.ReplaceAll(escape(s), "<!-- -->", "\u2060")
		if strings.ContainsAny(got, "<>\r\n") || strings.Contains(got, "://") {
			t.Errorf("escape(%q) = %q", s, got)
		}
		for i, c := range []byte(got) {
			if (c == '|' || c == '`') && (i == 0 || got[i-1] != '\\') {
				t.Errorf("escape(%q) = %q: bare %c", s, got, c)
			}
		}
		fenced := code(s)
		if strings.ContainsAny(fenced, "\r\n") {
			t.Errorf("code(%q) = %q", s, fenced)
		}
	})
}
