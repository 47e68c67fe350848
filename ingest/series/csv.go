package series

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// headerLimit is how many lines, comments and empty ones, may stand before the header.
const headerLimit = 200

// wanted is the advice to a file without a header.
const wanted = "want a header line that names its columns, such as time_s,rss_kb or iteration,pss_kb,private_dirty_kb"

// SniffCSV claims a header of a time or an iteration and of figures, with a line below it that has as many cells
// and a time in its place; and the CSV that this program dumps of its own table samples.
func SniffCSV(head []byte) bool {
	var h *header
	claimed := false
	eachLine(head, headerLimit, func(line []byte) bool {
		switch {
		case h != nil && !blankOrComment(line):
			claimed = h.fits(line)
			return true
		case h != nil || len(trim(line)) == 0:
			return false
		}
		var ok bool
		h, ok = parseHeader(line)
		claimed = ok && (h.sure || h.isDump())
		return !ok && trim(line)[0] != '#'
	})
	return claimed
}

func blankOrComment(line []byte) bool {
	t := trim(line)
	return len(t) == 0 || t[0] == '#'
}

// fits says whether a line of data goes with the header.
func (h *header) fits(line []byte) bool {
	cells, closed := split(line, h.sep, nil)
	if len(cells) != len(h.columns) {
		return !closed && h.sure
	}
	if h.clock < 0 || h.isDump() {
		return true
	}
	at := unquote(cells[h.clock])
	c := clock{comma: h.comma, unit: int64(h.columns[h.clock].unit)}
	_, ok := c.read(at)
	return ok || missing(at) && h.sure
}

// DecodeCSV reads a series of figures, one sample a line, into table samples. The error is that of the reader, or
// says that the file has no header or holds no value.
func DecodeCSV(in *source.Input, b *table.Builder) error {
	if SniffPS(in.Head) {
		return DecodePS(in, b)
	}
	lines := source.NewLines(in)
	h, err := readHeader(in, lines)
	if err != nil {
		return err
	}
	h.drive(in.Drivers)
	r := &records{lines: lines, sep: h.sep, width: len(h.columns)}
	at := lines.Line()
	if h.isDump() {
		err = decodeDump(in, b, h, r)
	} else {
		err = decodeSeries(in, b, h, r, at)
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	return err
}

func readHeader(in *source.Input, lines *source.Lines) (*header, error) {
	for lines.Scan() {
		line := lines.Bytes()
		if len(trim(line)) == 0 {
			continue
		}
		if h, ok := parseHeader(line); ok {
			return h, nil
		}
		if trim(line)[0] == '#' {
			continue
		}
		return nil, source.Errorf(lines.Pos(1), "%s, have %q", wanted, clip(line))
	}
	if lines.Err() != nil {
		return nil, lines.Err()
	}
	return nil, source.Errorf(in.At(lines.Line(), 0), "held nothing: %s", wanted)
}

// clip shortens what a message quotes.
func clip(s []byte) string {
	const most = 60
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}
