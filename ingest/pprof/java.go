package pprof

import (
	"bytes"
	"path"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// javaPeriod is that of the Java agent; the profile does not say it (google/pprof, profile/legacy_java_profile.go).
const javaPeriod = 512 << 10

// isJavaHeader is "--- heapz 1 ---".
func isJavaHeader(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("--- heapz "))
	if !ok {
		return false
	}
	t := text{s: rest}
	_, ok = t.number()
	return ok && bytes.Equal(bytes.TrimSpace(rest[t.i:]), []byte("---"))
}

// java reads the heapz of a Java program: attributes, "BYTES COUNT @ IDS", and the functions of the ids.
func (h *heap) java() error {
	start := h.l.Line()
	h.period = javaPeriod
	h.functions = map[uint64]callstack.Frame{}
	for h.l.Scan() {
		line := h.l.Bytes()
		switch {
		case len(bytes.TrimSpace(line)) == 0 || bytes.IndexByte(line, '=') > 0 && bytes.IndexByte(line, '@') < 0 && len(h.functions) == 0:
		case bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("0x")):
			h.javaFunction(line)
		default:
			h.javaEntry(line)
		}
	}
	if err := h.l.Err(); err != nil {
		return err
	}
	if len(h.entries) == 0 {
		return source.Errorf(h.in.At(start, 0), "held nothing: want BYTES COUNT @ and ids behind the header")
	}
	h.javaRows(start)
	return nil
}

func (h *heap) javaEntry(line []byte) {
	t := text{s: line}
	var f figures
	var ok bool
	for _, to := range []*int64{&f.liveBytes, &f.liveCount} {
		if *to, ok = t.number(); !ok {
			break
		}
	}
	if !ok || !t.is('@') {
		h.b.Problems.Add(h.l.Pos(t.i+1), "want BYTES COUNT @ and ids, have %q", clip(line[t.i:]))
		h.bad++
		return
	}
	from, to := h.addresses(&t)
	h.entries = append(h.entries, entry{figures: f, line: h.l.Line(), from: from, to: to})
}

// javaFunction reads "0x0000008c com.example.Class.method (File.java:18)"; in place of file and line a library may stand,
// and states of the machine (GC, VM) have only their name.
func (h *heap) javaFunction(line []byte) {
	t := text{s: line}
	id, ok := t.hex()
	name := bytes.TrimSpace(line[t.i:])
	if !ok || len(name) == 0 {
		h.b.Problems.Add(h.l.Pos(t.i+1), "want an id and a function, have %q", clip(line[t.i:]))
		return
	}
	f := callstack.Frame{Function: string(name)}
	if i := bytes.LastIndex(name, []byte(" (")); i > 0 && name[len(name)-1] == ')' {
		place := string(name[i+2 : len(name)-1])
		f.Function = string(bytes.TrimSpace(name[:i]))
		if f.SourceFile, f.SourceLine = fileLine(place); !f.SourceLine.OK && path.Base(place) != place {
			f.Module, f.SourceFile = path.Base(place), ""
		}
	}
	h.functions[id] = f
}

func (h *heap) javaRows(start int) {
	h.b.Snapshot(table.Stamp{Line: start})
	h.b.Process(table.Int{}, table.Null)
	h.facts("requested")
	k := h.rows(func(s *table.Site, e *entry) { s.LiveCount, s.LiveBytes = scale(e.liveCount, e.liveBytes, h.period) })
	if h.bad == 0 {
		k.total(start)
	}
}
