package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtide/memtide/analyze"
)

// mostHeadline is how many characters a headline has at most: two lines of a page.
const mostHeadline = 120

// headline is the result's own sentence, its first part if it is long, and the rest; a result without a sentence gets
// the plain outcome.
func (s *story) headline() (head, rest string) {
	if text := s.levelHeadline(); text != "" {
		return split(text)
	}
	if s.Summary != "" {
		return split(minus(clean(s.Summary)))
	}
	switch s.Verdict {
	case analyze.Pass:
		return "Nothing was found wrong.", ""
	case analyze.Fail:
		return fmt.Sprintf("Something is wrong: %s.", plural(len(s.Findings), "finding")), ""
	}
	return "The captures do not settle the question.", ""
}

// breaks are the places at which a sentence may be parted, the best first, with what ends the first part.
var breaks = []struct{ between, end string }{{". ", "."}, {"; ", "."}, {": ", "."}, {", ", "."}}

// split parts a text that is too long for a headline. The rest begins a sentence of its own; where no good place is
// found, the headline ends before a bracket or in an ellipsis, and the rest is the whole text again.
func split(text string) (head, rest string) {
	if utf8.RuneCountInString(text) <= mostHeadline {
		return text, ""
	}
	for _, b := range breaks {
		if at := lastBreak(text, b.between); at > 0 {
			return strings.TrimSuffix(text[:at], ".") + b.end, capital(cut(text[at+len(b.between):], 3*longest))
		}
	}
	if at := lastBreak(text, " ("); at > 0 {
		inside := strings.TrimRight(text[at+2:], ".")
		if end := strings.IndexByte(inside, ')'); end == len(inside)-1 {
			return text[:at] + ".", capital(cut(inside[:end]+".", 3*longest))
		}
		return text[:at] + ".", cut(text, 3*longest)
	}
	head = string([]rune(text)[:mostHeadline-1])
	if at := strings.LastIndexByte(head, ' '); at > mostHeadline/2 {
		head = head[:at]
	}
	return head + "…", cut(text, 3*longest)
}

// lastBreak finds the last place within a headline's length that is outside of brackets, and far enough from the start
// for the first part to say something.
func lastBreak(text, between string) int {
	depth, n, found := 0, 0, 0
	for i, r := range text {
		if n++; n > mostHeadline {
			break
		}
		if r == ')' || r == ']' {
			depth--
		}
		if depth == 0 && n > mostHeadline/4 && strings.HasPrefix(text[i:], between) && len(text) > i+len(between) {
			found = i
		}
		if r == '(' || r == '[' {
			depth++
		}
	}
	return found
}

// capital begins a sentence with a capital letter, unless it begins with a name: pss, com.example.app, libx.so.
func capital(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if rank(strings.TrimRight(word, ",;:")) < rank("") {
		return text
	}
	return sentenceCase(text)
}

// sentenceCase begins a text with a capital letter, unless its first word is no word: private_dirty, libx.so.
func sentenceCase(text string) string {
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimRight(word, ",;:")
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return text
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
