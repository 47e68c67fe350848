package memcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/table"
)

// record is one error or one loss record: what was found, and the stacks in the order in which they stand.
type record struct {
	what   string
	line   int
	stacks []stack
	lost   bool // a loss record
	kind   string
	bytes  table.Int // lost
	blocks table.Int
	origin *blockText // the block that the address is of
	addr   table.Int
}

// stack is a call stack and what is said of it: nothing for the first, else "Block was alloc'd at" and the like.
type stack struct {
	about  string
	frames []callstack.Frame
}

// lossKinds name the states of a lost block: in the text, and as kinds of the XML.
var lossKinds = []struct{ words, xml, fault string }{
	{"definitely lost", "Leak_DefinitelyLost", "leak-definite"},
	{"indirectly lost", "Leak_IndirectlyLost", "leak-indirect"},
	{"possibly lost", "Leak_PossiblyLost", "leak-possible"},
	{"still reachable", "Leak_StillReachable", "leak-reachable"},
}

// errorKinds tell the kind of an error by its words; the first that fits counts. The kind of an access depends on the
// block, and is left empty.
var errorKinds = []struct{ words, fault string }{
	{"Mismatched ", "mismatched-free"},
	{"Invalid free()", "invalid-free"},
	{"Invalid realloc()", "invalid-free"},
	{"ninitialised ", "uninitialised"},
	{"Process terminating", "crash"},
	{"Fatal signal ", "crash"},
	{"Invalid read of size ", ""},
	{"Invalid write of size ", ""},
}

// noErrors begin lines with a stack that tell of no fault of memory: what is left open, and signals by which others end
// the process.
var noErrors = []string{"Open ", "FILE DESCRIPTORS", "File descriptor ", "Thread ", "Warning: "}

// fatal are the signals that a process gets for what it did itself.
var fatal = []string{"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"}

func (r *record) isError() bool {
	for _, p := range noErrors {
		if strings.HasPrefix(r.what, p) {
			return false
		}
	}
	return r.kindOf() != "crash" || slices.ContainsFunc(fatal, func(s string) bool { return strings.Contains(r.what, s) })
}

// kindOf classifies an error.
func (r *record) kindOf() string {
	for _, k := range errorKinds {
		switch {
		case !strings.Contains(r.what, k.words):
		case k.fault == "invalid-free" && r.origin != nil && r.origin.freed && r.origin.where == "inside" && r.origin.distance == 0:
			return "double-free"
		case k.fault != "":
			return k.fault
		case r.origin == nil:
			return "invalid-access"
		case r.origin.where != "inside":
			return "overflow"
		case r.origin.freed:
			return "use-after-free"
		}
	}
	return "invalid-access"
}

// size is the bytes that were accessed; of a double free those of the block.
func (r *record) size(kind string) table.Int {
	if kind == "double-free" {
		return r.origin.size
	}
	if _, s, ok := strings.Cut(r.what, " of size "); ok {
		return leading(s)
	}
	return table.Int{}
}

// write makes the rows of a record.
func (r *record) write(b *table.Builder) {
	var stacks [3]callstack.Stack // of the error, of the free, of the allocation
	for i, s := range r.stacks {
		if at := role(i, s.about); at >= 0 && stacks[at].Leaf == 0 {
			stacks[at] = callstack.Add(b, s.frames, r.line)
		}
	}
	f := table.Fault{Detail: b.Text(r.what), Line: r.line, Stack: stacks[0].Leaf, FreeStack: stacks[1].Leaf, AllocStack: stacks[2].Leaf}
	if r.lost {
		b.Site(table.Site{Class: stacks[0].Class, Stack: stacks[0].Leaf, LiveBytes: r.bytes, LiveCount: r.blocks, Line: r.line})
		f.Kind, f.Size = b.Text(r.kind), r.bytes
	} else {
		kind := r.kindOf()
		f.Kind, f.Size = b.Text(kind), r.size(kind)
		f.Address, f.HasAddress = uint64(r.addr.V), r.addr.OK
	}
	b.Fault(f)
}

// role says of what a stack is: 0 the error, 1 the free, 2 the allocation, -1 something else.
func role(i int, about string) int {
	switch {
	case i == 0:
		return 0
	case strings.HasSuffix(about, "free'd"):
		return 1
	case strings.HasSuffix(about, "alloc'd at"), strings.HasSuffix(about, "alloc'd"), strings.HasSuffix(about, "created by a heap allocation"):
		return 2
	}
	return -1
}

// about notes a line between two stacks: what the address is of.
func (r *record) about(text string) {
	rest, ok := strings.CutPrefix(text, "Address 0x")
	if !ok {
		if _, rest, ok = strings.Cut(text, "at address 0x"); !ok { // "Access not within mapped region at address 0x0"
			return
		}
	}
	if v, _, ok := number(rest, 16); ok && !r.addr.OK {
		r.addr = table.Known(int64(v))
	}
	if o := blockOf(text); o != nil && r.origin == nil {
		r.origin = o
	}
}

// blockText is "8 bytes inside a block of size 64 free'd".
type blockText struct {
	distance int64
	where    string // inside, before, after
	size     table.Int
	freed    bool
}

func blockOf(text string) *blockText {
	_, rest, _ := strings.Cut(text, " is ")
	w := strings.Fields(rest)
	if len(w) < 9 || w[1] != "bytes" || w[3]+w[4]+w[5]+w[6] != "ablockofsize" {
		return nil
	}
	distance, size := leading(w[0]), leading(w[7])
	if !distance.OK || !size.OK {
		return nil
	}
	return &blockText{distance.V, w[2], size, w[8] == "free'd"}
}

// leading reads the number, with commas between thousands, that a text begins with.
func leading(s string) table.Int {
	v, _, ok := number(s, 10)
	return table.Int{V: int64(v), OK: ok && v < 1<<63}
}

// number reads digits, commas between decimal ones skipped, and gives what stands behind them. Digits that go on as a
// word are not ok: they are a part of a number that is damaged.
func number(s string, base uint64) (v uint64, rest string, ok bool) {
	i := 0
	for ; i < len(s); i++ {
		d := digit(s[i])
		if s[i] == ',' && base == 10 && i > 0 && i+1 < len(s) && digit(s[i+1]) < 10 {
			continue
		}
		if d >= base {
			break
		}
		if v > (1<<64-1-d)/base {
			return 0, "", false
		}
		v = v*base + d
	}
	return v, s[i:], i > 0 && (i == len(s) || !inWord(s[i]))
}

func inWord(c byte) bool {
	return digit(c) < 99 || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 || c == '_'
}

func digit(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'f':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return uint64(c-'A') + 10
	}
	return 99
}

// loss reads "96 (32 direct, 64 indirect) bytes in 1 blocks are definitely lost in loss record 4 of 5". The bytes are the
// direct ones: the indirect ones have records of their own.
func loss(text string) *record {
	head, tail, ok := strings.Cut(text, " in loss record ")
	if !ok || tail == "" {
		return nil
	}
	total, rest, ok := number(head, 10)
	if _, direct, found := strings.Cut(rest, "("); found && strings.Contains(direct, " direct, ") {
		total, _, ok = number(direct, 10)
	}
	_, blocks, found := strings.Cut(head, " bytes in ")
	n, _, ok2 := number(blocks, 10)
	if !ok || !found || !ok2 || total >= 1<<63 || n >= 1<<63 {
		return nil
	}
	for _, k := range lossKinds {
		if strings.HasSuffix(head, k.words) {
			return &record{what: text, lost: true, kind: k.fault, bytes: table.Known(int64(total)), blocks: table.Known(int64(n))}
		}
	}
	return nil
}

// program is the base name of the first word of a command line.
func program(command string) string {
	first, _, _ := strings.Cut(command, " ")
	return path.Base(first)
}
