package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fill puts translated arguments into a translation.
func fill(out []piece, args []said) string {
	text := ""
	for _, p := range out {
		part := p.literal
		if p.kind != 0 {
			if p.arg >= len(args) {
				continue
			}
			part = strings.TrimSuffix(args[p.arg].text, "。")
		}
		text = join(text, part)
	}
	return text
}

// join sets a blank between Chinese and Latin characters, as is usual, and none beside a mark of full width.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if last == ' ' && unicode.Is(unicode.Han, first) {
		if before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(a, " ")); unicode.Is(unicode.Han, before) {
			return strings.TrimRight(a, " ") + b
		}
	}
	switch {
	case wide(last):
		return a + strings.TrimLeft(b, " ")
	case wide(first):
		return strings.TrimRight(a, " ") + b
	case unicode.Is(unicode.Han, last) && latin(first), latin(last) && unicode.Is(unicode.Han, first):
		return a + " " + b
	}
	return a + b
}

func wide(r rune) bool { return strings.ContainsRune("，。；：、（）“”", r) }

func latin(r rune) bool {
	return r < 0x2e80 && !unicode.IsSpace(r) && !strings.ContainsRune("()[]\"'/", r)
}

// joints are the marks between parts of a text, the strongest first, and what stands in their place.
var joints = []struct{ mark, to string }{{". ", "。"}, {"; ", "；"}, {": ", "："}, {" · ", " · "}, {", ", "，"}, {" and ", "和"}}

// parts reads a text as parts with marks between them, or with a part in brackets.
func (t *Translator) parts(text string, best *said) {
	for _, j := range joints {
		for at := 0; ; at += len(j.mark) {
			i := strings.Index(text[at:], j.mark)
			if i < 0 {
				break
			}
			at += i
			t.joined(text[:at], text[at+len(j.mark):], j.mark, j.to, best)
		}
	}
	t.bracketed(text, best)
	t.led(text, best)
}

func (t *Translator) joined(left, right, mark, to string, best *said) {
	if t.steps++; t.steps > mostSteps || left == "" || right == "" || !balanced(left) || !balanced(right) {
		return
	}
	a := t.part(left, mark)
	if a.cost+0.2 >= best.cost {
		return
	}
	b := t.part(right, mark)
	cost := a.cost + b.cost + 0.2
	if cost >= best.cost {
		return
	}
	if !a.han && !b.han && mark != " and " {
		*best = said{text: left + mark + right, cost: cost, rest: a.rest + b.rest}
		return
	}
	if mixed(a, b, mark) {
		return
	}
	if mark == " and " && !a.han {
		a.text = strings.ReplaceAll(a.text, ", ", "、")
	}
	if mark != " · " {
		a.text = strings.TrimSuffix(a.text, "。")
	}
	*best = said{text: join(join(a.text, to), b.text), cost: cost, han: true, rest: a.rest + b.rest}
}

// mixed says that two parts may not be joined, because one of them stayed English: a sentence is translated as a whole or
// not at all. Behind a colon something may be quoted.
func mixed(a, b said, mark string) bool {
	switch mark {
	case ". ", "; ", " · ":
		return false
	case ": ":
		return a.rest > 0 && (b.rest > 0 || !b.han) || b.rest > 0 && b.han
	}
	return a.rest+b.rest > 0
}

// part translates a part between marks; a word alone is one of the program only between the marks of a heading.
func (t *Translator) part(text, mark string) said {
	if !strings.Contains(text, " ") && mark != " · " {
		return kept(text)
	}
	if side, run, ok := strings.Cut(text, " "); ok && mark == " · " && (side == "before" || side == "after") && !strings.Contains(run, " ") {
		return said{text: chinese().exact[side] + " " + run, han: true}
	}
	return t.say(text)
}

// bracketed reads the first brackets of a text apart from it.
func (t *Translator) bracketed(text string, best *said) {
	open := strings.Index(text, " (")
	if open <= 0 {
		return
	}
	end := open + 2 + closing(text[open+2:])
	if end >= len(text) {
		return
	}
	before, inside, after := t.part(text[:open], ""), t.say(text[open+2:end]), said{}
	rest := text[end+1:]
	mark, to := markOf(rest)
	switch tail := strings.TrimLeft(rest[len(mark):], ",;: "); {
	case tail != "":
		after = t.say(tail)
	case rest != "":
		return
	}
	cost := before.cost + inside.cost + after.cost + 0.2
	if cost >= best.cost {
		return
	}
	if !before.han && !inside.han && !after.han {
		*best = said{text: text, cost: cost, rest: before.rest + inside.rest + after.rest}
		return
	}
	if before.rest+inside.rest+after.rest > 0 {
		return
	}
	shut := before.text + " (" + inside.text + ")"
	if inside.han {
		shut = join(before.text, "（"+inside.text+"）")
	} else if before.han {
		shut = strings.TrimSuffix(before.text, "。") + " (" + inside.text + ")"
	}
	*best = said{text: join(join(shut, to), after.text), cost: cost, han: true, rest: before.rest + inside.rest + after.rest}
}

// markOf is the mark that follows brackets, and what stands in its place.
func markOf(rest string) (mark, to string) {
	for _, j := range joints {
		if strings.HasPrefix(rest, j.mark) {
			return j.mark, j.to
		}
	}
	return "", ""
}

// closing is where the bracket that a text is in ends.
func closing(text string) int {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// led reads a text as a name in front of a sentence that has nothing to do with it is not: only signs lead.
func (t *Translator) led(text string, best *said) {
	for _, sign := range []string{"~ ", "± ", "! "} {
		if after, ok := strings.CutPrefix(text, sign); ok {
			if s := t.say(after); s.han && s.cost < best.cost {
				*best = said{text: sign + s.text, cost: s.cost, han: true}
			}
		}
	}
}
