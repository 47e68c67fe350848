package gpu

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// tick is how far the rows of one reading of all devices may lie apart.
const tick = 100e6

// rows reads a CSV below its header.
type rows struct {
	*ledger
	*dialect
	*columns
	l     *source.Lines
	cells [][]byte
	key   []byte
	start int64     // wall clock of the moment
	mark  table.Int // wall clock of a line between the rows
}

func (r *rows) line(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 || r.columns != nil && bytes.Equal(line, r.text) {
		return nil
	}
	if line[0] < '0' || line[0] > '9' {
		if c, ok := r.parse(line); ok {
			r.columns = c
			return nil
		}
	}
	if r.columns == nil || r.at[timeColumn] < 0 {
		if m, ok := source.ParseMark(line); ok && m.HasWall {
			r.mark = table.Known(m.Wall)
			return nil
		}
	}
	if r.columns == nil {
		r.b.Problems.Count(r.l.Pos(1), "want a header in front of all rows, have another line")
		return nil
	}
	if !r.split(line) {
		return nil
	}
	return r.row()
}

// split cuts a line into cells. The name of a process may hold commas: what is too much belongs to it.
func (r *rows) split(line []byte) bool {
	r.cells = r.cells[:0]
	extra := 0
	if p := r.at[processColumn]; p >= 0 {
		extra = max(0, bytes.Count(line, []byte{','})+1-r.width)
	}
	for rest := line; rest != nil; {
		i := bytes.IndexByte(rest, ',')
		for n := extra; len(r.cells) == r.at[processColumn] && n > 0; n-- {
			i += 1 + bytes.IndexByte(rest[i+1:], ',')
		}
		cell := rest
		if i >= 0 {
			cell, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		r.cells = append(r.cells, bytes.TrimSpace(cell))
	}
	if len(r.cells) == r.width {
		return true
	}
	if r.l.Ended() {
		r.b.Problems.Count(r.l.Pos(1), "want as many cells as the header has, %d, have another line", r.width)
	} else {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want %d cells, have the end of the file behind %d: the row is cut", r.width, len(r.cells))
	}
	return false
}

// cell is that of a role; nil if the header has no such column.
func (r *rows) cell(c role) []byte {
	if i := r.at[c]; i >= 0 {
		return r.cells[i]
	}
	return nil
}

// column is the place of a cell in its line, from 1.
func (r *rows) column(cell []byte) int {
	line := r.l.Bytes()
	return cap(line) - cap(cell) + 1
}

func (r *rows) row() error {
	at := r.mark
	if c := r.cell(timeColumn); len(c) > 0 {
		if at.V, at.OK = timeOf(c); !at.OK {
			r.b.Problems.Add(r.l.Pos(r.column(c)), "want a time such as 2026/07/14 08:12:53.353, have %q", clip(c))
			return nil
		}
	}
	if c := known(r.cell(driverColumn)); c != "" {
		r.b.Fact("tool", "nvidia-smi "+c)
	}
	dev := r.find()
	if r.at[pidColumn] >= 0 {
		r.process(dev, at)
		return nil
	}
	d := &r.devices[dev]
	if again := r.now() > 0 && d.seen == r.now(); again {
		if err := r.ambiguous(d, at); err != nil {
			return err
		}
		r.begin(at)
	} else if r.late(at) {
		r.begin(at)
	}
	d.seen, d.at = r.now(), at.V
	for _, s := range r.columns.sizes {
		if cell := r.cells[s.at]; r.whole(s, cell) {
			r.size(r.l, r.column(cell), dev, s.metric, cell, s.unit, r.offset(at))
		}
	}
	return nil
}

// whole says whether a figure is all there: the last one of a file without a line end may be cut, unless its unit follows it.
func (r *rows) whole(s sizeColumn, cell []byte) bool {
	if r.l.Ended() || s.at < r.width-1 || len(cell) == 0 || cell[len(cell)-1] < '0' || cell[len(cell)-1] > '9' {
		return true
	}
	r.b.Problems.Add(r.l.Pos(len(r.l.Bytes())+1), "want the end of the line, have that of the file: the figure in front of it may be cut")
	return false
}

func (r *rows) late(at table.Int) bool {
	return r.now() == 0 || at.OK && (at.V-r.start > tick || r.start-at.V > tick)
}

// offset is how far a row lies behind the beginning of its moment.
func (r *rows) offset(at table.Int) int64 {
	if !at.OK {
		return 0
	}
	return at.V - r.start
}

func (r *rows) begin(at table.Int) {
	r.moment(at, r.l.Line())
	r.start = at.V
	r.mark = table.Int{}
}

// find is the device of the row.
func (r *rows) find() int {
	k := r.key[:0]
	for _, c := range [...]role{indexColumn, uuidColumn, busColumn, productColumn} {
		k = append(append(k, r.cell(c)...), 0)
	}
	r.key = k
	return r.device(k, func() device {
		return device{index: known(r.cell(indexColumn)), product: known(r.cell(productColumn)), uuid: known(r.cell(uuidColumn)), bus: known(r.cell(busColumn))}
	})
}

// ambiguous refuses rows of one time that may be of several devices. Rows without a time may be one device in a loop.
func (r *rows) ambiguous(d *device, at table.Int) error {
	if d.index != "" || d.uuid != "" || d.bus != "" || string(r.cell(countColumn)) == "1" {
		return nil
	}
	if r.at[timeColumn] < 0 {
		if r.united {
			r.b.Problems.Count(r.l.Pos(0), "want a column index or uuid, have none and no time: all rows are taken for one device, one after the other")
		}
		return nil
	}
	if gap := at.V - d.at; at.OK && gap <= r.near && -gap <= r.near {
		return source.Errorf(r.l.Pos(1), "want a column index, uuid or pci.bus_id: rows at one time are of several devices, and nothing tells which is which; add index to --query-gpu")
	}
	return nil
}

// process reads a row of --query-compute-apps.
func (r *rows) process(dev int, at table.Int) {
	c := r.cell(pidColumn)
	if missing(c) {
		return
	}
	id, ok := pid(c)
	if !ok {
		r.b.Problems.Add(r.l.Pos(r.column(c)), "want a pid, have %q", clip(c))
		return
	}
	if r.shows(id, dev) || r.late(at) {
		r.begin(at)
	}
	r.show(id, dev)
	name := table.Null
	if s := r.cell(processColumn); !missing(s) {
		name = r.b.Sym(s)
	}
	for _, s := range r.columns.sizes {
		cell := r.cells[s.at]
		if missing(cell) || !r.whole(s, cell) {
			continue
		}
		if v, ok := size(cell, s.unit); ok {
			r.used(id, name, dev, v, r.l.Pos(r.column(cell)), r.offset(at))
		} else {
			r.b.Problems.Add(r.l.Pos(r.column(cell)), "want a size such as 841 MiB, have %q", clip(cell))
		}
	}
}
