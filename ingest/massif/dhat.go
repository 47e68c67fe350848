package massif

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// dhatWord is the first key of a file of DHAT (Valgrind 3.16 and later, dhat/dh_main.c; the dhat crate of Rust).
var dhatWord = []byte(`"dhatFileVersion"`)

// SniffDHAT claims a JSON object that begins with a dhatFileVersion.
func SniffDHAT(head []byte) bool {
	head = bytes.TrimLeft(head[:min(len(head), 4096)], " \t\r\n")
	return len(head) > 0 && head[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), dhatWord)
}

// point is a program point: blocks and bytes in all, and at the end of the run.
type point struct {
	Total      figure `json:"tb"`
	TotalCount figure `json:"tbk"`
	End        figure `json:"eb"`
	EndCount   figure `json:"ebk"`
	Frames     []*int `json:"fs"` // nil where null stands
	line       int
}

// figure is a count from 0 up; bad is something else in its place.
type figure struct {
	table.Int
	bad string
}

// UnmarshalJSON takes a number that fits in 63 bits.
func (f *figure) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseUint(string(text), 10, 63)
	if err != nil {
		f.bad = string(text[:min(len(text), 40)])
		return nil
	}
	f.Int = table.Known(int64(v))
	return nil
}

// dhat reads one file. Its functions stand behind the points, so all are held.
type dhat struct {
	in      *source.Input
	b       *table.Builder
	data    []byte
	json    *json.Decoder
	line    int // of counted, from 1
	counted int
	mode    string
	command string
	pid     table.Int
	points  []point
	names   []string
}

// DecodeDHAT reads the program points of DHAT into sites: what is left at the end, and all that was allocated. The error is
// that of the reading, or says where the file is damaged, or that it does not count the heap.
func DecodeDHAT(in *source.Input, b *table.Builder) error {
	data, err := io.ReadAll(in.Reader())
	if err != nil {
		return err
	}
	d := &dhat{in: in, b: b, data: data, json: json.NewDecoder(bytes.NewReader(data)), line: 1, mode: "heap"}
	if err := d.read(); err != nil {
		return source.Errorf(d.pos(err), "held nothing: the JSON is cut or damaged: %v", err)
	}
	if d.mode != "heap" && d.mode != "rust-heap" {
		return source.Errorf(in.At(1, 1), "held nothing: want DHAT in the mode heap, have %q", d.mode)
	}
	if len(d.points) == 0 || len(d.names) == 0 {
		return source.Errorf(in.At(1, 1), "held nothing: want program points (pps) and functions (ftbl), have %d and %d", len(d.points), len(d.names))
	}
	d.rows()
	return nil
}

// pos is where the reading stands, or where the JSON is wrong.
func (d *dhat) pos(err error) source.Pos {
	at := d.json.InputOffset()
	if err != nil { // the decoder counts from the value it is in; the whole text has its own place
		if s := new(json.SyntaxError); errors.As(json.Unmarshal(d.data, new(json.RawMessage)), &s) {
			at = s.Offset - 1
		}
	}
	before := d.data[:max(0, min(at, int64(len(d.data))))]
	return d.in.At(1+bytes.Count(before, []byte{'\n'}), len(before)-bytes.LastIndexByte(before, '\n'))
}

// read goes over the keys of the object.
func (d *dhat) read() error {
	if t, err := d.json.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("want an object"))
	}
	for d.json.More() {
		key, err := d.json.Token()
		if err != nil {
			return err
		}
		if err := d.value(key); err != nil {
			return err
		}
	}
	_, err := d.json.Token()
	return err
}

func (d *dhat) value(key json.Token) error {
	switch key {
	case "mode":
		return d.take(&d.mode)
	case "cmd":
		return d.take(&d.command)
	case "pid":
		var pid int64
		err := d.take(&pid)
		d.pid = table.Int{V: pid, OK: pid > 0}
		return err
	case "pps":
		return d.readPoints()
	case "ftbl":
		return d.take(&d.names)
	}
	return d.take(new(json.RawMessage))
}

// take reads a value. One of another type is a problem, and reading goes on behind it.
func (d *dhat) take(to any) error {
	err := d.json.Decode(to)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		d.b.Problems.Add(d.pos(nil), "want %v, have %s", wrong.Type, wrong.Value)
		return nil
	}
	return err
}

func (d *dhat) readPoints() error {
	if t, err := d.json.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, errors.New("want a list of program points"))
	}
	for d.json.More() {
		p := point{line: d.lineHere()}
		if err := d.take(&p); err != nil {
			return err
		}
		d.points = append(d.points, p)
	}
	_, err := d.json.Token()
	return err
}

// lineHere counts the lines up to the value that comes next.
func (d *dhat) lineHere() int {
	at := int(d.json.InputOffset())
	for at < len(d.data) && bytes.IndexByte([]byte(" \t\r\n,"), d.data[at]) >= 0 {
		at++
	}
	d.line += bytes.Count(d.data[d.counted:at], []byte{'\n'})
	d.counted = at
	return d.line
}

func (d *dhat) rows() {
	d.b.Snapshot(table.Stamp{Line: 1})
	d.b.Process(d.pid, program(d.b, d.command))
	for _, f := range [...][2]string{{"clock", "order"}, {"unit", "requested"}, {"tool", "dhat"}, {"command", d.command}} {
		d.b.Fact(f[0], f[1])
	}
	frames := make([]callstack.Frame, len(d.names))
	for i, n := range d.names {
		frames[i] = parseFrame(n)
	}
	for i := range d.points {
		p := &d.points[i]
		s := callstack.Add(d.b, d.stack(p, frames), p.line)
		for _, f := range [...]figure{p.Total, p.TotalCount, p.End, p.EndCount} {
			if f.bad != "" {
				d.b.Problems.Add(d.in.At(p.line, 0), "want a number from 0 up that fits in 63 bits, have %s", f.bad)
			}
		}
		d.b.Site(table.Site{Stack: s.Leaf, Class: s.Class, LiveBytes: p.End.Int, LiveCount: p.EndCount.Int, TotalBytes: p.Total.Int, TotalCount: p.TotalCount.Int, Line: p.line})
	}
}

// stack gives the calls of a point, leaf first. Number 0 is the root, which is no function.
func (d *dhat) stack(p *point, frames []callstack.Frame) []callstack.Frame {
	var out []callstack.Frame
	for _, at := range p.Frames {
		if at == nil {
			d.b.Problems.Add(d.in.At(p.line, 0), "want the number of a function, have null: it is left out")
			continue
		}
		i := *at
		switch {
		case i < 0 || i >= len(frames):
			d.b.Problems.Add(d.in.At(p.line, 0), "want a function below %d, have number %d: it is left out", len(frames), i)
		case i > 0 || d.names[0] != "[root]":
			out = append(out, frames[i])
		}
	}
	return out
}
