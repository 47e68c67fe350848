package gpu

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffROCm claims the JSON of rocm-smi: a card with the total of its VRAM.
func SniffROCm(head []byte) bool {
	return bytes.Contains(head, []byte(`"card`)) && bytes.Contains(head, []byte(`"VRAM Total Memory (B)"`)) && bytes.IndexByte(head, '{') >= 0
}

// DecodeROCm reads rocm-smi --showmeminfo vram --json, one object or several behind each other, each a moment. A date on a
// line of its own is the time of the object below it.
func DecodeROCm(in *source.Input, b *table.Builder) error {
	r := &cards{ledger: newLedger(b), l: source.NewLines(in), card: -1}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	if r.depth > 0 && r.l.Err() == nil {
		b.Problems.Add(r.l.Pos(0), "want } at the end of the object, have the end of the file: it is cut")
	}
	b.Fact("tool", "rocm-smi")
	r.clock()
	return r.finish(in, r.l.Err(), `want a card with "VRAM Total Used Memory (B)": rocm-smi --showmeminfo vram --json`)
}

// cards goes through the objects token by token: {"card0": {"key": "value", …}, …}.
type cards struct {
	*ledger
	l     *source.Lines
	depth int
	mark  table.Int
	key   string // waiting for its value; empty if none is
	value bool   // a colon was read: a value follows
	card  int    // the device at hand, -1 outside of a card
}

func (r *cards) line(line []byte) {
	if r.depth == 0 {
		if m, ok := source.ParseMark(line); ok {
			r.mark = table.Int{V: m.Wall, OK: m.HasWall}
			return
		}
	}
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case '{', '[':
			r.open(c)
			i++
		case '}', ']':
			r.shut()
			i++
		case ',':
			r.value = false
			i++
		case ':':
			r.value = true
			i++
		case '"':
			end := stringEnd(line, i)
			if end < 0 {
				if r.depth > 0 {
					r.b.Problems.Add(r.l.Pos(i+1), "want a string that ends in its line, have %q", clip(line[i:]))
				}
				return
			}
			r.text(line[i:end], i+1)
			i = end
		case ' ', '\t':
			i++
		default:
			end := i + 1
			for end < len(line) && strings.IndexByte("{}[],:\" \t", line[end]) < 0 {
				end++
			}
			if r.value && (end < len(line) || r.l.Ended()) {
				r.figure(line[i:end], i+1)
			}
			i = end
		}
	}
}

// stringEnd is the place behind the string that begins at i, -1 if it does not end.
func stringEnd(line []byte, i int) int {
	for i++; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func (r *cards) open(c byte) {
	if r.depth == 0 && c == '{' {
		r.moment(r.mark, r.l.Line())
		r.mark = table.Int{}
	}
	if r.depth == 1 && c == '{' && r.now() > 0 {
		r.begin()
	}
	r.depth++
	r.value = false
}

// begin starts the object of a card; "system" is none.
func (r *cards) begin() {
	index, ok := strings.CutPrefix(r.key, "card")
	if _, err := strconv.ParseUint(index, 10, 16); !ok || err != nil {
		r.card = -1
		if r.key != "system" {
			r.b.Problems.Add(r.l.Pos(1), "want a card such as \"card0\", have %q: its object is left out", clip([]byte(r.key)))
		}
		return
	}
	r.card = r.device([]byte(index), func() device { return device{index: index} })
}

func (r *cards) shut() {
	r.depth = max(0, r.depth-1)
	r.value = false
	if r.depth < 2 {
		r.card = -1
	}
}

// text is a string: a key, or a value.
func (r *cards) text(quoted []byte, column int) {
	if !r.value {
		r.key = unquote(quoted)
		return
	}
	r.figure(quoted[1:len(quoted)-1], column+1)
}

func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var s string
		if json.Unmarshal(quoted, &s) == nil {
			return s
		}
	}
	return string(quoted[1 : len(quoted)-1])
}

// products are the keys that name a card, in different versions of ROCm; the first that is there counts.
var products = [...]string{"Card series", "Card Series", "Card SKU"}

// figure is the value of a key of a card.
func (r *cards) figure(value []byte, column int) {
	r.value = false
	if r.card < 0 || r.depth != 2 {
		return
	}
	d := &r.devices[r.card]
	switch {
	case strings.EqualFold(r.key, "VRAM Total Memory (B)"):
		r.size(r.l, column, r.card, total, value, 1, 0)
	case strings.EqualFold(r.key, "VRAM Total Used Memory (B)"):
		r.size(r.l, column, r.card, used, value, 1, 0)
	case r.key == "PCI Bus":
		d.bus = known(value)
	case r.key == products[0], r.key == products[1], r.key == products[2] && d.product == "":
		if s := known(value); s != "" {
			d.product = unquote(append(append([]byte{'"'}, s...), '"'))
		}
	}
}
