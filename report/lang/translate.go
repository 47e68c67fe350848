package lang

import (
	"cmp"
	"slices"
	"strings"
)

// Translator translates the texts of one report and remembers them. It is not for several goroutines.
type Translator struct {
	tag   Tag
	known map[string]said
	steps int
	top   string // the text that was asked for
	names map[string]bool
}

// New makes a translator; that to English keeps every text.
func New(tag Tag) *Translator {
	return &Translator{tag: tag, known: map[string]said{}, names: map[string]bool{}}
}

// said is a text in the other language. Cost counts the words that stayed English; han says that any were translated.
type said struct {
	text string
	cost float64
	han  bool
	rest int // words in it that stayed English and only prose has
}

// mostSteps bounds the work on one text: hostile ones could be read in any number of ways. What is not found by then
// stays English.
const mostSteps = 60_000

// slight is how many letters a phrase has that may stand by chance in any text ("%s of %s"): it is taken only around what is
// no prose itself, lest a sentence that nobody translated become a mixture.
const slight = 4

// longestText is in bytes; sentences are shorter, and what is longer is data.
const longestText = 6000

// Text is the translation of a text: a word, a phrase or sentences.
func (t *Translator) Text(text string) string {
	if t.tag.English() || text == "" || len(text) > longestText {
		return text
	}
	t.steps, t.top = 0, strings.TrimSuffix(strings.TrimSpace(text), ".")
	return t.say(text).text
}

// say translates a text in the best way it can be read.
func (t *Translator) say(text string) said {
	if t.named(text) {
		return name(text)
	}
	if s, ok := t.known[text]; ok {
		return s
	}
	core := strings.TrimSpace(text)
	stop := strings.HasSuffix(core, ".") && !strings.HasSuffix(core, "..")
	if stop {
		core = core[:len(core)-1]
	}
	s := t.read(core)
	switch {
	case !s.han:
		s.text = text
	case stop:
		s.text += "。"
	}
	if t.steps < mostSteps { // else it may be no good, which the next text need not have
		t.known[text] = s
	}
	return s
}

func (t *Translator) read(text string) said {
	c := chinese()
	if to, ok := c.exact[lower(text)]; ok {
		return said{text: to, han: true}
	}
	best := kept(text)
	if !strings.Contains(text, " ") {
		return best
	}
	for _, p := range c.candidates(text) {
		if !p.whole || text == t.top {
			t.try(p, text, &best)
		}
	}
	t.parts(text, &best)
	return best
}

// candidates are the phrases one of whose words occurs, those that say most first.
func (c *catalogue) candidates(text string) []*phrase {
	var out []*phrase
	seen := map[string]bool{}
	for _, word := range append(tokens(text), "") {
		if !seen[word] {
			seen[word] = true
			out = append(out, c.byWord[word]...)
		}
	}
	slices.SortStableFunc(out, func(a, b *phrase) int { return cmp.Compare(b.weight, a.weight) })
	return out
}

// kept is a text that stays; each of its words that looks like prose costs.
func kept(text string) said {
	cost := 0.0
	words := strings.Fields(text)
	if list(text) {
		return said{text: text, cost: 0.1 * float64(len(words))}
	}
	for _, w := range words {
		w = strings.Trim(w, ".,;:()[]“”\"'")
		switch {
		case !letters(w):
		case len(words) == 1:
			cost += 0.3
		case w[0] >= 'a':
			cost++
		default:
			cost += 0.5
		}
	}
	s := said{text: text, cost: cost}
	if len(words) > 1 {
		for _, w := range strings.Fields(unquoted(text)) {
			if functional[strings.ToLower(strings.Trim(w, ".,;:()[]“”\"'"))] {
				s.rest++
			}
		}
	}
	return s
}

// unquoted is a text without what stands between double quotes: a name may be a sentence.
func unquoted(text string) string {
	parts := strings.Split(text, `"`)
	out := ""
	for i := 0; i < len(parts); i += 2 {
		out += parts[i] + " "
	}
	return out
}

// functional are words that sentences have and names have not.
var functional = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields("a an the is are was were be been has have had does do did can cannot could it its that this these those which who what where when " +
		"to in at by for from with than then so such they them there if as on or not no but each every any want only into") {
		all[w] = true
	}
	return all
}()

// list says whether a text is a list of names: "rss, uss, private_dirty".
func list(text string) bool {
	for name := range strings.SplitSeq(text, ", ") {
		if name == "" || strings.Contains(name, " ") {
			return false
		}
	}
	return strings.Contains(text, ", ")
}

// letters says whether a word may be one of English.
func letters(w string) bool {
	return len(w) > 1 && !strings.ContainsFunc(w, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '\''
	})
}

// try reads a text as made by a phrase, in every way that it can have been.
func (t *Translator) try(p *phrase, text string, best *said) {
	args := make([]said, 0, 8)
	var next func(rest string, i int, cost float64)
	next = func(rest string, i int, cost float64) { // cost is of the arguments so far
		if t.steps++; t.steps > mostSteps || cost >= best.cost && best.han {
			return
		}
		if i == len(p.pieces) {
			if rest == "" && cost+0.1 < best.cost {
				*best = said{text: fill(p.out, args), cost: cost + 0.1, han: true, rest: restOf(args)}
			}
			return
		}
		piece := p.pieces[i]
		if piece.kind == 0 {
			if after, ok := cutLiteral(rest, piece.literal, i == 0); ok {
				next(after, i+1, cost)
			}
			return
		}
		for _, end := range ends(rest, p.pieces[i+1:]) {
			if arg, ok := t.argument(piece.kind, rest[:end]); ok && p.takes(i, arg, rest[:end]) {
				args = append(args, arg)
				next(rest[end:], i+1, cost+arg.cost)
				args = args[:len(args)-1]
			}
		}
	}
	next(text, 0, 0)
}

// takes says whether a text may stand in a placeholder: what is prose and was not translated only behind a colon, where it
// is quoted; in a phrase of few letters nothing that is more than a name.
func (p *phrase) takes(i int, arg said, text string) bool {
	if arg.rest > 0 && (i == 0 || !strings.HasSuffix(p.pieces[i-1].literal, ": ")) {
		return false
	}
	return p.weight > slight || arg.cost < 1.1 && !functional[strings.ToLower(text)] && !strings.Contains(text, " · ") && !strings.Contains(text, ": ")
}

func restOf(args []said) (sum int) {
	for _, a := range args {
		sum += a.rest
	}
	return sum
}

// cutLiteral takes a literal off the start of a text; the first letter of a sentence may be a capital one.
func cutLiteral(text, literal string, first bool) (string, bool) {
	if after, ok := strings.CutPrefix(text, literal); ok {
		return after, true
	}
	if first {
		return strings.CutPrefix(lower(text), literal)
	}
	return "", false
}

// ends are the places at which a placeholder may end: where the next literal begins, or the end of the text.
func ends(rest string, after []piece) (out []int) {
	if len(after) == 0 {
		return []int{len(rest)}
	}
	literal := after[0].literal
	if len(after) == 1 { // it must be the end
		if at := len(rest) - len(literal); at > 0 && rest[at:] == literal {
			return []int{at}
		}
		return nil
	}
	for at := 1; at < len(rest); at++ {
		i := strings.Index(rest[at:], literal)
		if i < 0 {
			break
		}
		at += i
		out = append(out, at)
	}
	return out
}

// argument translates what stands in a placeholder, if it may stand there.
func (t *Translator) argument(kind byte, text string) (said, bool) {
	if text == "" || text != strings.TrimSpace(text) || !balanced(text) {
		return said{}, false
	}
	switch kind {
	case 'v':
		if strings.Contains(text, ", ") {
			return said{}, false
		}
	case 'd':
		return said{text: text}, number(text)
	case 'w':
		to, ok := chinese().exact[lower(text)]
		return said{text: to, han: true}, ok
	}
	if list(text) {
		s := kept(text)
		s.text = strings.ReplaceAll(text, ", ", "、")
		return s, true
	}
	if !t.names[text] && (text == "process" || text == "Process") { // one without a name
		return t.say(text), true
	}
	if !strings.Contains(text, " ") { // a name, even if it looks like a word
		return kept(text), true
	}
	return t.say(text), true
}

func number(text string) bool {
	digits := false
	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits = true
		} else if !strings.ContainsRune(",.+-−e<~±", r) {
			return false
		}
	}
	return digits
}

// balanced says whether every bracket and quotation that is opened in a text is closed in it.
func balanced(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0 && strings.Count(text, `"`)%2 == 0
}
