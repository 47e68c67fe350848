// Package lang says the words of a report in another language. Analysis and reports are written in English; a catalogue
// pairs each English phrase, with a placeholder for what varies, with its translation. A whole sentence is translated by
// finding the phrases that it was made by, phrases within phrases. What is in no phrase (names, numbers, units) stays as
// it is. The package knows neither reports nor captures.
package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Tag is a language as BCP 47 and HTML name it. The zero Tag is English.
type Tag string

// The languages.
const (
	English Tag = "en"
	Chinese Tag = "zh"
)

// Tags are all languages.
var Tags = []Tag{English, Chinese}

// Parse gives the language of a name ("zh"); its error names those that there are.
func Parse(name string) (Tag, error) {
	if tag := Tag(name); slices.Contains(Tags, tag) {
		return tag, nil
	}
	return English, fmt.Errorf("want as a language one of %q, have %q", Tags, name)
}

// String is the name, "en" for the zero Tag.
func (t Tag) String() string {
	if t == "" {
		return string(English)
	}
	return string(t)
}

// English says whether nothing is to be translated.
func (t Tag) English() bool { return t != Chinese }

// chinese is compiled once, at the first use.
var chinese = sync.OnceValue(func() *catalogue { return compile(pairs(files())) })

// Word is the translation of a fixed text of a renderer. A text that the catalogue does not have stays English.
func (t Tag) Word(text string) string {
	if t.English() {
		return text
	}
	if to, ok := chinese().exact[fold(text)]; ok {
		return to
	}
	return text
}

// Sprintf is fmt.Sprintf with the translation of a format.
func (t Tag) Sprintf(format string, args ...any) string {
	if !t.English() {
		if to, ok := chinese().formats[format]; ok {
			format = to
		}
	}
	return fmt.Sprintf(format, args...)
}

// Stop ends a sentence.
func (t Tag) Stop() string { return t.mark(".", "。") }

// Colon stands behind a word that leads a text.
func (t Tag) Colon() string { return t.mark(": ", "：") }

// Space stands between sentences.
func (t Tag) Space() string { return t.mark(" ", "") }

func (t Tag) mark(english, other string) string {
	if t.English() {
		return english
	}
	return other
}

// Script is what the script of a page says: its fixed texts, and its phrases with placeholders, the longest first. Both are
// nil in English.
func (t Tag) Script() (words map[string]string, phrases [][2]string) {
	if t.English() {
		return nil, nil
	}
	text, _ := texts.ReadFile(script)
	words = map[string]string{" to ": " 至 ", " of ": " · "}
	for _, p := range pairs([]string{string(text)}) {
		if strings.Contains(p.from, "%s") || strings.Contains(p.from, "%d") {
			phrases = append(phrases, [2]string{p.from, p.to})
		} else {
			words[p.from] = p.to
		}
	}
	slices.SortStableFunc(phrases, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	return words, phrases
}

// fold makes the key of a text: without its full stop and without the capital letter that begins a sentence.
func fold(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "..") {
		text = text[:len(text)-1]
	}
	return lower(text)
}

// lower gives a text a small first letter, unless its first word is in capitals: "RSS", "GPU".
func lower(text string) string {
	if text == "" || text[0] < 'A' || text[0] > 'Z' || len(text) > 1 && (text[1] < 'a' || text[1] > 'z') && text[1] != ' ' {
		return text
	}
	return string(text[0]+'a'-'A') + text[1:]
}
