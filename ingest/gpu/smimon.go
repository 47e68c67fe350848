package gpu

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffMon claims nvidia-smi dmon and pmon: a line of names, "# gpu …" or "#Date Time gpu …", above one of units.
func SniffMon(head []byte) bool {
	named := false
	return eachLine(head, func(line []byte) bool {
		if named && len(line) > 0 && line[0] == '#' && bytes.Contains(line, []byte("Idx")) {
			return true
		}
		named = monHeader(line) != nil
		return false
	})
}

// monColumns are the places of the columns that are read, -1 where there is none.
type monColumns struct {
	date, time, gpu, pid, fb, command int
	unit                              uint64
}

// monHeader understands the line of names; nil if it is none.
func monHeader(line []byte) *monColumns {
	if len(line) == 0 || line[0] != '#' {
		return nil
	}
	c := &monColumns{-1, -1, -1, -1, -1, -1, mebibyte}
	names := bytes.Fields(line[1:])
	for i, n := range names {
		switch string(n) {
		case "Date":
			c.date = i
		case "Time":
			c.time = i
		case "gpu":
			c.gpu = i
		case "pid":
			c.pid = i
		case "fb":
			c.fb = i
		case "command":
			c.command = i
		}
	}
	if c.gpu < 0 || c.gpu > 2 || len(names) < c.gpu+2 || c.gpu > 0 && c.date < 0 && c.time < 0 {
		return nil
	}
	return c
}

// DecodeMon reads nvidia-smi dmon and pmon. Only with -s m do they tell bytes, in the column fb.
func DecodeMon(in *source.Input, b *table.Builder) error {
	r := &monitor{ledger: newLedger(b), l: source.NewLines(in), last: -1}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	r.clock()
	want := "want a figure in the column fb"
	if !r.bytes {
		want = "want the column fb, have none, and mem is a share of time: take it with nvidia-smi dmon -s m, or pmon -s m; -o DT adds the time"
	}
	return r.finish(in, r.l.Err(), want)
}

type monitor struct {
	*ledger
	columns *monColumns
	l       *source.Lines
	words   [][]byte
	when    []byte // date and time of the moment
	last    int64  // GPU of the row before
	bytes   bool   // a header had fb
}

func (r *monitor) line(line []byte) {
	if len(line) == 0 {
		return
	}
	if line[0] == '#' {
		if c := monHeader(line); c != nil {
			r.columns = c
			r.bytes = r.bytes || c.fb >= 0
		} else if r.columns != nil {
			r.units(line)
		}
		return
	}
	c := r.columns
	if c == nil || c.fb < 0 {
		return
	}
	r.words = fields(r.words[:0], line)
	if len(r.words) == 0 {
		return
	}
	if len(r.words) <= max(c.fb, c.gpu, c.pid, c.command) || !r.l.Ended() && c.fb == len(r.words)-1 {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want as many columns as the header has, have the end of the line: the row is cut")
		return
	}
	r.row(line)
}

// units reads the unit of fb off the line below that of the names.
func (r *monitor) units(line []byte) {
	words := bytes.Fields(line[1:])
	if r.columns.fb >= 0 && r.columns.fb < len(words) {
		if u := units[string(words[r.columns.fb])]; u > 0 {
			r.columns.unit = u
		}
	}
}

func (r *monitor) row(line []byte) {
	c := r.columns
	index, ok := pid(r.words[c.gpu])
	if !ok {
		r.b.Problems.Count(r.l.Pos(offsetOf(line, r.words[c.gpu])+1), "want the number of a GPU, have %q", clip(r.words[c.gpu]))
		return
	}
	id := int64(-1)
	if c.pid >= 0 {
		if v, ok := pid(r.words[c.pid]); ok {
			id = v
		} else if w := r.words[c.pid]; !missing(w) {
			r.b.Problems.Add(r.l.Pos(offsetOf(line, w)+1), "want a process ID, have %q: the row is left out", clip(w))
		}
	}
	dev := r.device([]byte(strconv.FormatInt(index, 10)), func() device { return device{index: strconv.FormatInt(index, 10)} })
	if r.next(line, index, id, dev) {
		r.begin(line)
	}
	r.last = index
	r.show(id, dev)
	cell := r.words[c.fb]
	switch {
	case c.pid < 0:
		r.size(r.l, offsetOf(line, cell)+1, dev, used, cell, c.unit, 0)
	case id >= 0 && !missing(cell):
		r.process(line, id, dev, cell)
	}
}

// next says whether a row belongs to another moment than the one before: its time differs, GPUs begin again, or the same
// thing comes a second time.
func (r *monitor) next(line []byte, index, id int64, dev int) bool {
	return r.now() == 0 || !bytes.Equal(r.whenOf(line), r.when) || index < r.last || r.shows(id, dev)
}

// whenOf is the date and time of a row, as printed.
func (r *monitor) whenOf(line []byte) []byte {
	c := r.columns
	if c.gpu == 0 {
		return nil
	}
	end := r.words[c.gpu-1]
	from := offsetOf(line, r.words[0])
	return line[from : offsetOf(line, end)+len(end)]
}

func (r *monitor) begin(line []byte) {
	r.when = append(r.when[:0], r.whenOf(line)...)
	c := r.columns
	var at table.Int
	if c.date == 0 && c.time == 1 {
		d, t := r.words[0], r.words[1]
		if len(d) == 8 {
			at.V, at.OK = timeOf([]byte(string(d[:4]) + "/" + string(d[4:6]) + "/" + string(d[6:]) + " " + string(t)))
		}
		if !at.OK {
			r.b.Problems.Count(r.l.Pos(offsetOf(line, d)+1), "want a time such as 20260714 08:12:53, have %q", clip(r.when))
		}
	}
	r.moment(at, r.l.Line())
}

func (r *monitor) process(line []byte, id int64, dev int, cell []byte) {
	v, ok := size(cell, r.columns.unit)
	if !ok {
		r.b.Problems.Add(r.l.Pos(offsetOf(line, cell)+1), "want a size in MB, have %q", clip(cell))
		return
	}
	name := table.Null
	if c := r.columns.command; c >= 0 && r.l.Ended() {
		if s := bytes.TrimSpace(line[offsetOf(line, r.words[c]):]); !missing(s) {
			name = r.b.Sym(s)
		}
	}
	r.used(id, name, dev, v, r.l.Pos(offsetOf(line, cell)+1), 0)
}

// fields is bytes.Fields for blanks and tabs, into a slice that is used again, of words with the whole rest as capacity.
func fields(out [][]byte, line []byte) [][]byte {
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		out = append(out, line[from:i])
	}
	return out
}
