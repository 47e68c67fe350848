package main

import (
	"fmt"
	"strings"
	"unicode"
)

// widest bounds a name in a table, in characters.
const widest = 80

// visible writes text from a capture as one line that a terminal does not act on: line breaks and tabs become spaces, what
// nobody sees (control, format, private use) is spelled out as \u001b.
func visible(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n', r == '\r', r == '\t':
			b.WriteByte(' ')
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// short is visible with the middle of a name that is too wide left out: names differ at their ends.
func short(text string) string {
	runes := []rune(visible(text))
	if len(runes) <= widest {
		return string(runes)
	}
	half := (widest - 1) / 2
	return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
}
