// Package source says where a fact was read: inputs, positions, problems, and lines with their numbers. It is the
// leaf that every reader of a format stands on; it knows no format and no table.
package source

import (
	"fmt"
	"io"
	"sort"
)

// HeadSize is how many bytes of an input are looked at to recognise its format.
const HeadSize = 64 << 10

// Pos is a place in an input. Line and Column count from 1; 0 means that it is not known.
type Pos struct {
	File         string
	Line, Column int
}

// String gives file:line:column, without the parts that are not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error is a fault of an input as a whole: no record could be taken from it.
type Error struct {
	Pos
	Message string
}

// Error gives "file:line:column: message".
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Message }

// Errorf makes an Error at a position; the message says what was expected and what was found.
func Errorf(p Pos, format string, args ...any) error {
	return &Error{Pos: p, Message: fmt.Sprintf(format, args...)}
}

// Problem is a record that could not be read as it should be; the reading went on behind it.
type Problem struct {
	Pos
	Message string
	Count   int // how often; the position is that of the first
}

// String gives "file:line:column: message (n times)".
func (p Problem) String() string {
	if p.Count > 1 {
		return fmt.Sprintf("%s: %s (%d times)", p.Pos, p.Message, p.Count)
	}
	return p.Pos.String() + ": " + p.Message
}

// maxProblems bounds the list of one input, so that a damaged file of a million bad lines stays small; what lies
// beyond is counted in one problem at the end.
const maxProblems = 1000

// Problems collects what was wrong with one input. The zero value is ready.
type Problems struct {
	list  []Problem
	index map[string]int
	more  Problem
}

// Add notes a problem of its own at p.
func (ps *Problems) Add(p Pos, format string, args ...any) {
	ps.put(Problem{p, fmt.Sprintf(format, args...), 1})
}

// Count notes a problem that is told once with the number of times it was met: the same message at any place.
func (ps *Problems) Count(p Pos, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if i, ok := ps.index[message]; ok {
		ps.list[i].Count++
		return
	}
	if ps.put(Problem{p, message, 1}) {
		if ps.index == nil {
			ps.index = map[string]int{}
		}
		ps.index[message] = len(ps.list) - 1
	}
}

func (ps *Problems) put(p Problem) bool {
	if len(ps.list) < maxProblems {
		ps.list = append(ps.list, p)
		return true
	}
	if ps.more.Count == 0 {
		ps.more = Problem{p.Pos, "and further problems, not listed", 0}
	}
	ps.more.Count++
	return false
}

// List gives the problems in the order of their lines.
func (ps *Problems) List() []Problem {
	out := append([]Problem(nil), ps.list...)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Line < out[j].Line })
	if ps.more.Count > 0 {
		out = append(out, ps.more)
	}
	return out
}

// Input is one file, archive member or stream to read: plain bytes, already unpacked and in UTF-8.
type Input struct {
	Name string // as the user gave it, slashes forward; members behind '!': bugreport.zip!/main.txt
	Head []byte // up to HeadSize bytes from the start, for recognising the format
	// Drivers are names of columns or marks that count the work given: what memory may grow with.
	Drivers []string
	Skip    int // lines of the file before this input: a section of a bug report counts on from there
	// LongLine is set by Lines: the first line that was longer than 64 MiB and lost its rest; 0 if none was.
	LongLine int
	r        io.Reader
}

// NewInput reads the head of r. The error is that of r.
func NewInput(name string, r io.Reader) (*Input, error) {
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return &Input{Name: name, Head: head[:n], r: r}, err
}

// Reader gives the whole input from its start, head included. It may be taken once.
func (in *Input) Reader() io.Reader { return &headed{head: in.Head, r: in.r} }

// At gives the position of a line of this input.
func (in *Input) At(line, column int) Pos { return Pos{in.Name, line, column} }

// headed is io.MultiReader without its loss of the large reads that Lines asks for.
type headed struct {
	head []byte
	r    io.Reader
}

func (h *headed) Read(p []byte) (int, error) {
	if len(h.head) > 0 {
		n := copy(p, h.head)
		h.head = h.head[n:]
		return n, nil
	}
	return h.r.Read(p)
}
