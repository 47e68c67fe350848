package lang

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed zh/*.txt
var texts embed.FS

// script holds the words of the script of a page, which is given them as they are.
const script = "zh/script.txt"

// files are the contents of the catalogue, in the order of their names.
func files() (all []string) {
	names, _ := fs.Glob(texts, path.Join("zh", "*.txt"))
	slices.Sort(names)
	for _, name := range names {
		if name == script {
			continue
		}
		text, _ := texts.ReadFile(name)
		all = append(all, string(text))
	}
	return all
}

// pair is one entry: a line in English and below it one in the other language.
type pair struct {
	from, to string
	whole    bool
}

// pairs reads the lines of files: two and two; an empty one or one that begins with # says nothing.
// What stands below a line "#whole" is never part of another text.
func pairs(files []string) (all []pair) {
	for _, text := range files {
		from, whole := "", false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			switch {
			case line == "#whole":
				whole = true
			case line == "" || strings.HasPrefix(line, "# ") || line == "#":
			case from == "":
				from = line
			default:
				all, from = append(all, pair{from, line, whole}), ""
			}
		}
	}
	return all
}

// piece is a part of a template: a literal, or a placeholder with what may stand in it.
type piece struct {
	literal string
	kind    byte // 0 for a literal; 's' any text, 'd' a number, 'w' a word of the catalogue, 'v' what is no list
	arg     int  // which placeholder, from 0
}

// phrase is a template with its translation.
type phrase struct {
	pieces []piece
	out    []piece
	weight int  // letters of its literals
	whole  bool // it is a text by itself, never part of one
}

// catalogue finds phrases: those without a placeholder by their text, the others by the longest word in them.
type catalogue struct {
	exact   map[string]string
	formats map[string]string
	byWord  map[string][]*phrase
}

func compile(all []pair) *catalogue {
	c := &catalogue{exact: map[string]string{}, formats: map[string]string{}, byWord: map[string][]*phrase{}}
	for _, p := range all {
		if _, known := c.formats[p.from]; known {
			continue
		}
		c.formats[p.from] = p.to
		pieces := parse(fold(p.from))
		if len(pieces) == 1 && pieces[0].kind == 0 {
			c.exact[pieces[0].literal] = strings.TrimSuffix(literalOf(parse(p.to)), "。")
			continue
		}
		ph := &phrase{pieces: pieces, whole: p.whole, out: parse(strings.TrimSuffix(p.to, "。"))}
		word := ""
		for _, q := range pieces {
			for _, w := range tokens(q.literal) {
				ph.weight += len(w)
				if len(w) > len(word) {
					word = w
				}
			}
		}
		c.byWord[word] = append(c.byWord[word], ph)
	}
	return c
}

func literalOf(pieces []piece) string {
	text := ""
	for _, p := range pieces {
		text += p.literal
	}
	return text
}

var verb = regexp.MustCompile(`%(\[\d+\])?[-+#0]*\d*(?:\.\d+)?([a-zA-Z%])`)

// parse takes a template apart at its verbs.
func parse(text string) (out []piece) {
	arg, at := 0, 0
	literal := ""
	for _, m := range verb.FindAllStringSubmatchIndex(text, -1) {
		literal += text[at:m[0]]
		at = m[1]
		kind := text[m[4]]
		if kind == '%' {
			literal += "%"
			continue
		}
		if literal != "" {
			out, literal = append(out, piece{literal: literal}), ""
		}
		if m[2] >= 0 {
			n, _ := strconv.Atoi(text[m[2]+1 : m[3]-1])
			arg = n - 1
		}
		out = append(out, piece{kind: kindOf(kind), arg: arg})
		arg++
	}
	if literal += text[at:]; literal != "" {
		out = append(out, piece{literal: literal})
	}
	return out
}

func kindOf(verb byte) byte {
	switch verb {
	case 'd', 'g', 'f', 'e', 'x':
		return 'd'
	case 'w', 'v':
		return verb
	}
	return 's'
}

// tokens are the words and signs between the blanks of a text, small and without the marks around them.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '%' || r > 127)
	})
}
