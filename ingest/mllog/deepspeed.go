package mllog

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// caller stands in every line of see_memory_usage.
var caller = []byte(":see_memory_usage] ")

// SniffDeepSpeed claims a log that has a line of figures of see_memory_usage.
func SniffDeepSpeed(head []byte) bool {
	for rest := head; ; {
		i := bytes.Index(rest, caller)
		if i < 0 {
			return false
		}
		rest = rest[i+len(caller):]
		if line, _, _ := bytes.Cut(rest, []byte{'\n'}); isFigures(line) {
			return true
		}
	}
}

func isFigures(text []byte) bool {
	_, _, ok := number(bytes.TrimPrefix(text, []byte("MA ")), gibibyte)
	return bytes.HasPrefix(text, []byte("MA ")) && (ok || bytes.Contains(text, []byte(" Max_MA ")))
}

// DecodeDeepSpeed reads what see_memory_usage logs: a message, the memory of the device and its peaks since the message
// before, and the memory of the machine. Each message without its number is a phase, and a series of its own.
func DecodeDeepSpeed(in *source.Input, b *table.Builder) error {
	r := &trainer{b: b, l: source.NewLines(in)}
	b.Fact("tool", "deepspeed")
	for r.l.Scan() {
		line := r.l.Bytes()
		if i := bytes.Index(line, caller); i >= 0 {
			r.line(line, i)
		}
	}
	if err := r.l.Err(); err != nil {
		return err
	}
	if r.timeless {
		b.Fact("clock", "order")
	} else {
		b.Fact("clock", "wall")
	}
	if r.rows == 0 {
		return source.Errorf(in.At(in.Skip+1, 0), "held nothing: want a line of see_memory_usage such as MA 6.43 GB Max_MA 6.83 GB CA 7.43 GB Max_CA 7 GB")
	}
	return nil
}

// trainer reads calls of see_memory_usage: each is a moment.
type trainer struct {
	b         *table.Builder
	l         *source.Lines
	phase     string
	iteration table.Int
	timeless  bool // a call has no time
	rows      int
	inside    bool // the line of the machine's memory may follow
}

func (r *trainer) line(line []byte, i int) {
	text := bytes.TrimSpace(line[i+len(caller):])
	switch {
	case isFigures(text):
		r.figures(line, text, i)
	case bytes.HasPrefix(text, []byte("CPU Virtual Memory:")):
		r.machine(line, text)
	default:
		r.message(text)
	}
}

// message is the phase, and at its end perhaps a number: "after backward 5".
func (r *trainer) message(text []byte) {
	r.iteration = table.Int{}
	r.inside = false
	if cut := bytes.LastIndexByte(text, ' '); cut > 0 && cut+1 < len(text) {
		if n := text[cut+1:]; len(n) < 16 && digits(n, 0, len(n)) >= 0 {
			r.iteration = table.Known(digits(n, 0, len(n)))
			text = bytes.TrimRight(text[:cut], " ")
		}
	}
	r.phase = string(text)
}

// figuresOf are the figures of a device. Their GB is 2^30.
var figuresOf = [...]struct{ words, metric string }{
	{"MA ", "gpu_allocated"}, {" Max_MA ", "gpu_allocated_peak"}, {" CA ", "gpu_reserved"}, {" Max_CA ", "gpu_reserved_peak"},
}

func (r *trainer) figures(line, text []byte, at int) {
	r.begin(line[:at])
	name := "GPU"
	if r.phase != "" {
		name += " (" + r.phase + ")"
	}
	for _, f := range figuresOf {
		rest := after(text, f.words)
		v, behind, ok := number(rest, gibibyte)
		if !ok || !bytes.HasPrefix(behind, []byte(" GB")) {
			r.bad(line, rest)
			continue
		}
		r.add("device", name, f.metric, v)
	}
	r.inside = true
}

// bad tells of a figure that cannot be read; rest ends where the line does, trailing blanks not counted.
func (r *trainer) bad(line, rest []byte) {
	r.b.Problems.Add(r.l.Pos(len(bytes.TrimRight(line, " \t"))-len(rest)+1), "want a size in GB, have %q", clip(rest))
}

func (r *trainer) machine(line, text []byte) {
	rest := after(text, "used = ")
	v, behind, ok := number(rest, gibibyte)
	if !ok || !bytes.HasPrefix(behind, []byte(" GB")) {
		r.bad(line, rest)
		return
	}
	if !r.inside {
		r.begin(line)
	}
	r.add("system", "", "mem_used", v)
	r.inside = false
}

func (r *trainer) add(scope, name, metric string, v int64) {
	r.rows++
	r.b.Process(table.Int{}, table.Null)
	r.b.Add(table.Sample{Scope: r.b.Text(scope), Name: r.b.Text(name), Metric: r.b.Text(metric), Value: v, Line: r.l.Line(), Iteration: r.iteration})
}

// begin starts the moment of a call, at the time in front of its line: [2025-01-01 12:00:00,123].
func (r *trainer) begin(front []byte) {
	s := table.Stamp{Line: r.l.Line()}
	for rest := front; ; {
		i := bytes.IndexByte(rest, '[')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		end := bytes.IndexByte(rest, ']')
		if end < 19 || end > 40 || digits(rest, 0, 4) < 0 {
			continue
		}
		if ns, ok := source.ParseTime(string(rest[:end])); ok {
			s.Wall = table.Known(ns)
			break
		}
	}
	r.timeless = r.timeless || !s.Wall.OK
	r.b.Snapshot(s)
}
