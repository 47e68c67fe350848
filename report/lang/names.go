package lang

import "strings"

// Keep makes texts stay as they are wherever they are a part of a longer text: names, which may look like words of the
// program (a process called "leak"). A text that is a name as a whole is its caller's to keep.
func (t *Translator) Keep(names ...string) {
	for _, name := range names {
		if name != "" {
			t.names[name] = true
		}
	}
	clear(t.known)
}

// named says whether a text within the one that was asked for is a name.
func (t *Translator) named(text string) bool {
	return t.names[text] && text != t.top
}

// name is a name: it stays, and no sentence is the worse for it.
func name(text string) said {
	s := kept(text)
	s.rest = 0
	if strings.Contains(text, " ") {
		s.cost = min(s.cost, 1)
	}
	return s
}
