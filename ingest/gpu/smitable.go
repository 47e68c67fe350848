package gpu

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var smiTitle = []byte("| NVIDIA-SMI ")

// SniffTable claims the table that nvidia-smi prints: its title line, and a row with memory used / total.
func SniffTable(head []byte) bool {
	titled := false
	return eachLine(head, func(line []byte) bool {
		titled = titled || bytes.HasPrefix(line, smiTitle)
		_, _, ok := memoryOf(line)
		return titled && ok
	})
}

// DecodeTable reads the table of nvidia-smi, one or many behind each other as a loop or watch writes them.
func DecodeTable(in *source.Input, b *table.Builder) error {
	r := &grid{ledger: newLedger(b), l: source.NewLines(in), card: -1}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	if r.open && r.l.Err() == nil {
		b.Problems.Add(r.l.Pos(0), "want the line that ends the table of processes, have the end of the file: it is cut")
		r.cutLast()
	}
	r.clock()
	return r.finish(in, r.l.Err(), "want rows such as 19818MiB / 81559MiB")
}

// grid reads the rows of the tables. A card takes two or three of them: the first names it, the second tells its memory.
type grid struct {
	*ledger
	l        *source.Lines
	date     table.Int
	open     bool // inside a table; it ends with the last line of its list of processes
	listing  bool // below the head of the list of processes
	rows     bool // that list has rows or says that there are none
	card     int  // named, its memory not read yet; -1 if none is
	cards    int
	products map[string]string // by index, in this table
}

func (r *grid) line(line []byte) {
	switch {
	case len(line) == 0:
	case bytes.HasPrefix(line, smiTitle):
		r.title(line)
	case line[0] == '+':
		r.rule()
	case line[0] == '|':
		if r.open {
			r.row(line)
		}
	case !r.open && mayDate(line):
		ns, ok := source.ParseTime(string(bytes.TrimSpace(line)))
		r.date = table.Int{V: ns, OK: ok}
	}
}

// mayDate keeps other words that stand between tables from being parsed.
func mayDate(line []byte) bool {
	t := bytes.TrimSpace(line)
	return len(t) >= 19 && len(t) < 48 && bytes.IndexByte(t, ':') > 0 && t[len(t)-1] >= '0' && t[len(t)-1] <= '9'
}

// title begins a table.
func (r *grid) title(line []byte) {
	if r.open {
		r.b.Problems.Add(r.l.Pos(0), "want the end of the table before, have the next one: it is cut")
		r.cutLast()
	}
	r.moment(r.date, r.l.Line())
	r.date = table.Int{}
	r.open, r.listing, r.rows, r.card, r.cards = true, false, false, -1, 0
	r.products = map[string]string{}
	if f := bytes.Fields(line[len(smiTitle):]); len(f) > 0 {
		r.b.Fact("tool", "nvidia-smi "+string(f[0]))
	}
}

func (r *grid) cutLast() {
	if r.cards != 1 {
		r.forgetProcesses()
	}
}

// rule reads +----+: the one below the list of processes ends the table.
func (r *grid) rule() {
	r.card = -1
	if r.rows {
		r.open, r.listing, r.rows = false, false, false
	}
}

func (r *grid) row(line []byte) {
	if line = bytes.TrimRight(line, " "); line[len(line)-1] != '|' && r.l.Ended() && !bytes.HasPrefix(line, []byte("|-")) && !bytes.HasPrefix(line, []byte("|=")) {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want a row that ends with |, have %q", clip(line))
	}
	switch {
	case bytes.HasPrefix(line, []byte("| Processes:")):
		r.listing = true
	case r.listing:
		r.process(line)
	default:
		r.cardRow(line)
	}
}

// cardRow reads a row of the upper table, or of the table of MIG devices below it.
func (r *grid) cardRow(line []byte) {
	first, _, _ := bytes.Cut(line[1:], []byte{'|'})
	words := bytes.Fields(first)
	usedAt, totalAt, ok := memoryOf(line)
	switch {
	case ok && r.card >= 0:
		r.figures(line, r.card, usedAt, totalAt)
		r.card = -1
	case ok && len(words) == 4 && decimal(words[0]) && decimal(words[1]) && decimal(words[2]):
		index, mig := string(words[0]), string(words[1])
		dev := r.device([]byte(index+" "+r.products[index]+" MIG "+mig), func() device { return device{index: index, product: r.products[index], mig: mig} })
		r.figures(line, dev, usedAt, totalAt)
	case !ok && len(words) > 1 && decimal(words[0]):
		r.named(first, string(words[0]), line)
	case ok && len(words) > 0: // a row with no words in front of its figures is the BAR1 memory of a MIG device
		r.b.Problems.Add(r.l.Pos(1), "want the index of a card in this row or in the one before, have none: %q is left out", clip(line[usedAt:]))
	}
}

// modes are the words that stand behind the name of a card: persistence, or the driver model of Windows.
var modes = [][]byte{[]byte("On"), []byte("Off"), []byte("N/A"), []byte("TCC"), []byte("WDDM"), []byte("MCDM")}

// named reads "0  NVIDIA H100 80GB HBM3   On" with the bus id in the next cell.
func (r *grid) named(cell []byte, index string, line []byte) {
	name := bytes.TrimSpace(bytes.TrimSpace(cell)[len(index):])
	for _, m := range modes {
		if rest, ok := bytes.CutSuffix(name, m); ok && bytes.HasSuffix(rest, []byte(" ")) {
			name = bytes.TrimSpace(rest)
			break
		}
	}
	d := device{index: index, product: known(name)}
	if f := bytes.Fields(line[min(len(line), len(cell)+2):]); len(f) > 0 && bytes.IndexByte(f[0], ':') > 0 {
		d.bus = string(f[0])
	}
	r.products[index] = d.product
	r.cards++
	r.card = r.device([]byte(index+" "+d.product+" "+d.bus), func() device { return d })
}

func (r *grid) figures(line []byte, dev, usedAt, totalAt int) {
	word := func(i int) []byte {
		w, _, _ := bytes.Cut(line[i:], []byte{' '})
		return w
	}
	r.size(r.l, usedAt+1, dev, used, word(usedAt), mebibyte, 0)
	r.size(r.l, totalAt+1, dev, total, word(totalAt), mebibyte, 0)
}

// memoryOf finds 19818MiB /  81559MiB in a row: where the two figures begin.
func memoryOf(line []byte) (usedAt, totalAt int, ok bool) {
	slash := bytes.Index(line, []byte("MiB / "))
	if slash < 0 {
		return 0, 0, false
	}
	usedAt = slash
	for usedAt > 0 && line[usedAt-1] > ' ' && line[usedAt-1] != '|' {
		usedAt--
	}
	totalAt = slash + len("MiB / ")
	for totalAt < len(line) && line[totalAt] == ' ' {
		totalAt++
	}
	end := bytes.Index(line[totalAt:], []byte("MiB"))
	return usedAt, totalAt, end > 0 && usedAt < slash
}

// process reads a row of the list of processes: GPU, GI and CI from driver 450 on, PID, type, name, memory.
func (r *grid) process(line []byte) {
	words := fields(nil, bytes.Trim(line, "|"))
	if bytes.Contains(line, []byte("No running processes")) || bytes.HasPrefix(line, []byte("|====")) {
		r.rows = true
		return
	}
	at := typeAt(words)
	if at < 0 {
		r.noProcess(words)
		return
	}
	cell := words[len(words)-1]
	name := bytes.TrimSpace(line[offsetOf(line, words[at])+len(words[at]) : offsetOf(line, cell)])
	if missing(cell) {
		return
	}
	id, ok := pid(words[at-1])
	if !ok {
		r.noProcess(words)
		return
	}
	v, ok := size(cell, mebibyte)
	if !ok {
		r.b.Problems.Add(r.l.Pos(offsetOf(line, cell)+1), "want a size such as 841MiB, have %q", clip(cell))
		return
	}
	y := table.Null
	if !missing(name) {
		y = r.b.Sym(name)
	}
	r.used(id, y, 0, v, r.l.Pos(offsetOf(line, cell)+1), 0)
}

// noProcess says that a row with a size is none of a process that can be told. The heads of the list have no size.
func (r *grid) noProcess(words [][]byte) {
	if len(words) > 0 && bytes.HasSuffix(words[len(words)-1], []byte("MiB")) {
		r.b.Problems.Add(r.l.Pos(1), "want the index of a card, a process ID and a type such as C+G, have %q: the row is left out", clip(bytes.Join(words, []byte(" "))))
	}
}

// typeAt is the place of the word that tells the type of a process, -1 if the row is none of a process.
func typeAt(words [][]byte) int {
	for _, i := range [...]int{4, 2} {
		if len(words) > i+2 && decimal(words[0]) && decimal(words[i-1]) {
			switch string(words[i]) {
			case "C", "G", "C+G", "M", "M+C", "M+G", "M+C+G":
				return i
			}
		}
	}
	return -1
}

// offsetOf is the place of a word, a slice of line, in it.
func offsetOf(line, word []byte) int { return cap(line) - cap(word) }

func decimal(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
