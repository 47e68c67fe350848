// Package bpftrace reads what bpftrace prints, as text or with -f json: lines of events that a script writes with printf,
// and dumps of maps. The forms are those of bpftrace 0.17 and of its manual; which lines a script must print to be
// read as events is said in docs/formats/bpftrace-events.md.
package bpftrace

import (
	"bytes"
	"math"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// handler takes a log apart, line by line.
type handler interface {
	// text is a line that a script printed, without its end. whole is false where the input ends inside it.
	text(line []byte, at int, whole bool)
	// dump is a record of JSON: a map, or a histogram or statistics in the place of one.
	dump(kind string, data []byte)
}

// reader gives the lines of a log. What printf and time print in JSON is joined and cut at its line ends, since a record
// may hold a part of a line, or several.
type reader struct {
	l      *source.Lines
	b      *table.Builder
	part   []byte // of a line that goes on in the next record
	partAt int
	data   []byte
	lost   int64
	losses bool
}

func newReader(in *source.Input, b *table.Builder) reader {
	return reader{l: source.NewLines(in), b: b}
}

func (r *reader) each(h handler) error {
	for r.l.Scan() {
		line := r.l.Bytes()
		if isRecord(line) {
			r.record(line, h)
		} else if !r.loses(line) {
			h.text(line, r.l.Line(), r.l.Ended())
		}
	}
	if len(r.part) > 0 {
		h.text(r.part, r.partAt, false)
	}
	return r.l.Err()
}

// record reads one line of JSON.
func (r *reader) record(line []byte, h handler) {
	kind, data, ok := cutRecord(line)
	if ok {
		switch kind {
		case "printf", "time", "cat", "join", "system":
			ok = r.printed(data, h)
		case "map", "hist", "stats":
			h.dump(kind, data)
		case "lost_events":
			ok = r.lostEvents(data)
		}
	}
	if !ok {
		r.b.Problems.Add(r.l.Pos(1), "want a record of bpftrace, have one that is cut or no JSON: %q", clip(line))
	}
}

// printed adds a piece of text.
func (r *reader) printed(data []byte, h handler) bool {
	var ok bool
	if r.data, ok = unescape(r.data[:0], data); !ok {
		return false
	}
	for rest := r.data; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if len(r.part) == 0 {
			r.partAt = r.l.Line()
		}
		if i < 0 {
			r.part = append(r.part, rest...)
			break
		}
		line := rest[:i]
		if len(r.part) > 0 {
			r.part = append(r.part, line...)
			line = r.part
		}
		h.text(bytes.TrimSuffix(line, []byte{'\r'}), r.partAt, true)
		r.part, rest = r.part[:0], rest[i+1:]
	}
	return true
}

// loses reads "Lost 12 events", which bpftrace prints between the lines of the script.
func (r *reader) loses(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("Lost "))
	if !ok {
		return false
	}
	number, ok := bytes.CutSuffix(bytes.TrimSpace(rest), []byte(" events"))
	n, whole := integer(number)
	return ok && whole && n >= 0 && r.lose(n)
}

func (r *reader) lose(n int64) bool {
	r.losses = true
	if r.lost += n; r.lost < 0 {
		r.lost = math.MaxInt64
	}
	return true
}

// facts notes what every log of bpftrace says of itself.
func (r *reader) facts(clock string) {
	r.b.Fact("tool", "bpftrace")
	if clock != "" {
		r.b.Fact("clock", clock)
	}
	if r.losses {
		r.b.Fact("lost", strconv.FormatInt(r.lost, 10))
	}
	if r.lost > 0 {
		r.b.Fact("lossy", "true")
	}
}

// prose says whether a line is one that bpftrace itself, or a script's comment, puts between its output.
func prose(line []byte) bool {
	for _, p := range [...]string{"#", "Attaching ", "Attached ", "WARNING: ", "stdin:"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}

// clip shortens what a message quotes.
func clip(s []byte) []byte { return s[:min(len(s), 40)] }
