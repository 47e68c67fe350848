package event

import "bytes"

// columns are those of a CSV; numFields is one that is not known.
type columns struct {
	table  bool // the log is CSV
	fields []field
}

// newColumns reads a CSV header; false if it lacks op or a time.
func newColumns(line []byte) (columns, bool) {
	c := columns{table: true}
	var have uint32
	for at := 0; at <= len(line); {
		x, end := cellAt(line, at)
		f := fieldOf(bytes.TrimSpace(line[x.from:x.to]))
		c.fields = append(c.fields, f)
		have |= 1 << f
		at = end + 1
	}
	return c, have&(1<<op) != 0 && have&(1<<ts|1<<tsNS) != 0
}

// header takes a line as the header of the CSV, if it is one.
func (d *decoder) header(line []byte) bool {
	c, ok := newColumns(line)
	if !ok {
		return false
	}
	d.columns, d.rec.csv = c, true
	d.rec.begin(line)
	for i, at := 0, 0; i < len(c.fields); i++ {
		x, end := cellAt(line, at)
		at = end + 1
		if c.fields[i] == numFields {
			d.rec.unknown = append(d.rec.unknown, x)
		} else if d.rec.put(c.fields[i], x); d.rec.again >= 0 {
			d.odd()
			d.rec.again = -1
		}
	}
	d.odd()
	return true
}

// row reads a line of cells. The last line of a file that was cut may end inside a number or a stack, which shows only by
// the missing line end.
func (d *decoder) row(line []byte) {
	if !d.l.Ended() {
		d.b.Problems.Add(d.l.Pos(len(line)+1), "want a line end: without one the last line is taken for cut, and left out")
		return
	}
	r := &d.rec
	r.begin(line)
	at := 0
	for _, f := range d.fields {
		if at > len(line) {
			d.b.Problems.Add(d.l.Pos(at), "want %d cells, have the end of the line", len(d.fields))
			return
		}
		c, end := cellAt(line, at)
		if c.to > c.from && f < numFields {
			r.cells[f] = c
			r.set |= 1 << f
		}
		at = end + 1
	}
	if at <= len(line) {
		d.b.Problems.Add(d.l.Pos(at+1), "want %d cells, have more: %q", len(d.fields), clip(line[at:]))
		return
	}
	d.event()
}

// cellAt gives the cell that begins at i, and the place of the comma or line end behind it. Quotes are those of RFC 4180;
// one that does not end is part of the text.
func cellAt(line []byte, i int) (c cell, end int) {
	if is(line, i, '"') {
		escaped := false
		for k := i + 1; k < len(line); k++ {
			n := bytes.IndexByte(line[k:], '"')
			if n < 0 {
				break
			}
			if k += n; is(line, k+1, '"') {
				escaped = true
				k++
				continue
			}
			if k+1 == len(line) || line[k+1] == ',' {
				return cell{i + 1, k, true, escaped}, k + 1
			}
			break
		}
	}
	end = len(line)
	if n := bytes.IndexByte(line[i:], ','); n >= 0 {
		end = i + n
	}
	return cell{from: i, to: end}, end
}
