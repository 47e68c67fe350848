package series

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// psrecordColumns are the columns of psrecord's log that are read (github.com/astrofrog/psrecord); their words are
// one blank apart, the columns two or more. MB is 1024².
var psrecordColumns = map[string]string{"Elapsed time": "time", "Timestamp": "wall", "Real (MB)": "rss", "Virtual (MB)": "vss"}

// SniffPsrecord claims the header "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)" near the top.
func SniffPsrecord(head []byte) bool {
	found := false
	eachLine(head, 20, func(line []byte) bool {
		found = psrecordHeader(line) != nil
		return found
	})
	return found
}

// psrecordHeader gives what each column is, "" for one that is not read; nil if the line is no header.
func psrecordHeader(line []byte) []string {
	if len(line) == 0 || line[0] != '#' || !bytes.Contains(line, []byte("Real (MB)")) || !bytes.Contains(line, []byte("Elapsed time")) {
		return nil
	}
	var out []string
	for _, cell := range bytes.Split(line[1:], []byte("  ")) {
		if cell = bytes.TrimSpace(cell); len(cell) > 0 {
			out = append(out, psrecordColumns[string(cell)])
		}
	}
	return out
}

type psrecord struct {
	in      *source.Input
	b       *table.Builder
	lines   *source.Lines
	columns []string
	cells   [][]byte
	wall    clock
	words   words
	rows    int
}

// DecodePsrecord reads psrecord's log: rss and vss of one process over the elapsed time. The error is that of the
// reader, or says that the file holds no sample.
func DecodePsrecord(in *source.Input, b *table.Builder) error {
	d := &psrecord{in: in, b: b, lines: source.NewLines(in), words: newWords(b)}
	b.Process(table.Int{}, table.Null)
	for d.lines.Scan() {
		line := d.lines.Bytes()
		if h := psrecordHeader(line); h != nil {
			d.columns = h
		} else if d.cells = fields(line, d.cells); d.columns != nil && isData(d.cells) {
			d.sample(line)
		} else if d.columns != nil && d.lines.Ended() && len(d.cells) == len(d.columns) && isData(d.cells[1:]) {
			d.b.Problems.Add(d.lines.Pos(1), "want a row of figures, have %q", clip(line))
		}
	}
	if err := d.lines.Err(); err != nil {
		return err
	}
	if d.rows == 0 {
		return source.Errorf(in.At(d.lines.Line(), 0), "held nothing: no line of figures below the header %q", "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)")
	}
	b.Fact("units", "kB, MB and GB are read as 1024, 1024² and 1024³ bytes")
	return nil
}

// isData tells lines of figures from START_TIME: and other text.
func isData(cells [][]byte) bool {
	return len(cells) > 0 && (cells[0][0] >= '0' && cells[0][0] <= '9' || cells[0][0] == '-')
}

func (d *psrecord) sample(line []byte) {
	cells := d.joinDate()
	if len(cells) != len(d.columns) {
		d.b.Problems.Add(d.lines.Pos(len(line)+1), "want %d figures, have %d", len(d.columns), len(cells))
		return
	}
	last := cells[len(cells)-1]
	kept := cells
	if role := d.columns[len(cells)-1]; !d.lines.Ended() && role != "" {
		d.b.Problems.Add(d.lines.Pos(columnOf(line, last)), "want the end of the line behind %q, have the end of the file: the figure may be cut and is left out", clip(last))
		if kept = cells[:len(cells)-1]; role == "time" || role == "wall" {
			return
		}
	}
	stamp := table.Stamp{Line: d.lines.Line()}
	for i, c := range cells {
		if !d.time(&stamp, d.columns[i], c) {
			d.b.Problems.Add(d.lines.Pos(columnOf(line, c)), "want a time, have %q", clip(c))
			return
		}
	}
	d.b.Snapshot(stamp)
	for i, c := range kept {
		d.figure(line, d.columns[i], c)
	}
}

// joinDate makes one cell of a date and a time of day in the first column.
func (d *psrecord) joinDate() [][]byte {
	if len(d.cells) != len(d.columns)+1 || d.columns[0] != "wall" {
		return d.cells
	}
	first := d.cells[0]
	end := columnOf(first, d.cells[1]) - 1 + len(d.cells[1])
	d.cells[1] = first[:end]
	return d.cells[1:]
}

func (d *psrecord) time(s *table.Stamp, column string, cell []byte) (ok bool) {
	switch column {
	case "wall":
		s.Wall.V, s.Wall.OK = d.wall.read(cell)
		return s.Wall.OK
	case "time":
		n, okNumber := parseDecimal(cell, false)
		s.Trace.V, ok = n.times(1e9)
		s.Trace.OK = ok && okNumber
		return s.Trace.OK
	}
	return true
}

func (d *psrecord) figure(line []byte, column string, cell []byte) {
	metric := d.words.rss
	switch column {
	case "vss":
		metric = d.words.vss
	case "rss":
	default:
		return
	}
	n, ok := parseDecimal(cell, false)
	v, fits := n.times(1 << 20)
	if !ok || !fits || n.neg {
		if !missing(cell) {
			d.b.Problems.Add(d.lines.Pos(columnOf(line, cell)), "want a size in MB, have %q", clip(cell))
		}
		return
	}
	d.rows++
	d.b.Add(table.Sample{Scope: d.words.process, Name: d.words.empty, Metric: metric, Value: v, Line: d.lines.Line()})
}
