// Package label makes a name that a capture holds fit to stand in one line of another format. Captures are untrusted:
// their names hold line breaks, terminal sequences and bytes that are not UTF-8. The quoting that a format wants comes
// after this and belongs to its renderer.
package label

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean writes text as one line: line breaks and tabs become spaces, characters that nobody sees or that act on what
// shows them (control, format, private use, non-characters) are spelled out as \u001b, and bytes that are no UTF-8
// become U+FFFD.
func Clean(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n', r == '\r', r == '\t':
			b.WriteByte(' ')
		case hidden(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return r&0xFFFE == 0xFFFE || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}

// Short is Clean cut to about most characters, 24 at the least. The middle of a longer name goes, since paths and
// symbols differ at their ends; eight hex digits of its hash take the place, so that two long names stay two.
func Short(text string, most int) string {
	text, most = Clean(text), max(most, 24)
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	h := sha256.Sum256([]byte(text))
	mark := "…" + hex.EncodeToString(h[:4]) + "…"
	half := (most - utf8.RuneCountInString(mark)) / 2
	runes := []rune(text)
	return string(runes[:half]) + mark + string(runes[len(runes)-half:])
}
