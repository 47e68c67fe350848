package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many characters of a name are shown; the middle of a longer one is left out, since paths and
// symbols differ at their ends. The JSON has all of it.
const longest = 160

// name makes a string of a capture fit to be shown: clean and not endless.
func name(text string) string { return cut(clean(text), longest) }

// sentence makes a note or reason of a result fit to be shown below a name.
func sentence(text string) string { return cut(minus(clean(text)), 3*longest) }

// negative finds a number with a hyphen for its sign and a unit after it, as nothing but a quantity in a sentence has.
var negative = regexp.MustCompile(`(^|[ (\[])-(\d[\d.,]* ?(?:%|(?:B|[KMGT]iB|s|min|h)\b))`)

// minus writes the signs of quantities in a sentence as tables write them; names and paths stay as they are.
func minus(text string) string {
	if !strings.Contains(text, "-") {
		return text
	}
	return negative.ReplaceAllString(text, "${1}−${2}")
}

// clean replaces what would act on a terminal or turn the line around (control, format and bidirectional
// characters, line separators) and what is not UTF-8. Captures are untrusted, and so are their names.
func clean(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
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
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	half := (most - 1) / 2
	return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
}
