package torch

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffTrace claims traces of PyTorch's profiler (kineto): Chrome's trace format with memory events, or with the head
// that kineto writes.
func SniffTrace(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("[")):
		return bytes.Contains(head, memoryName) && bytes.Contains(head, []byte(`"ph"`))
	case !bytes.HasPrefix(head, []byte("{")):
		return false
	case bytes.Contains(head, []byte(`"traceEvents"`)) && bytes.Contains(head, memoryName):
		return true
	}
	return bytes.Contains(head, []byte(`"schemaVersion"`)) && bytes.Contains(head, []byte(`"deviceProperties"`))
}

var (
	memoryName  = []byte(`"[memory]"`)
	stepName    = []byte(`"ProfilerStep#`)
	processName = []byte(`"process_name"`)
)

// DecodeTrace reads a trace of PyTorch's profiler. Of its events only memory events, the steps of the profiler and the
// names of processes are looked into; a cut trace gives the rows of what is there. It fails on a trace without memory
// events.
func DecodeTrace(in *source.Input, b *table.Builder) error {
	t := trace{w: newWindow(in), b: b, devices: map[int64]gpu{}, names: map[int64]string{}}
	whole := t.read()
	if len(t.events) > 0 {
		t.write()
	}
	switch {
	case t.w.err != nil:
		return t.w.err
	case len(t.events) == 0:
		return source.Errorf(in.At(t.w.lineNow(), 0), "held nothing: no [memory] event, profile_memory was off; record with torch.profiler.profile(profile_memory=True)")
	case !whole:
		t.stopped()
	}
	return nil
}

// stopped tells why the reading ended before the trace.
func (t *trace) stopped() {
	t.b.Fact("partial", "true")
	c, ok := t.w.next()
	switch {
	case t.w.long:
		t.b.Problems.Add(t.w.at(), "want values of at most %d bytes, have a longer one: what stands behind it is not read", maxToken)
	case !ok || t.cut:
		t.b.Problems.Add(t.w.at(), "the file ends inside the trace: the rows are those of what stands before")
	default:
		t.b.Problems.Add(t.w.at(), "want JSON, have %q: what stands behind it is not read", c)
	}
}

// trace is what is kept of a trace until its rows are written, which needs the events in order of time.
type trace struct {
	w       *window
	b       *table.Builder
	base    int64 // ns since 1970 that times count from; 0 if they are not told
	rank    table.Int
	devices map[int64]gpu
	names   map[int64]string // of processes
	steps   []step
	events  []memoryEvent
	cut     bool
}

// gpu is an entry of deviceProperties.
type gpu struct {
	name  string
	total int64 // bytes, 0 if not known
}

// step is a round of the profiler.
type step struct{ start, end, number int64 }

// memoryEvent is one [memory] event.
type memoryEvent struct {
	time, seq, line     int64 // time in ns
	addr                uint64
	bytes               int64 // of a free below 0
	allocated, reserved table.Int
	pid, tid, device    table.Int
	onDevice, hasAddr   bool
}

// read reads the trace: an object that holds the list of events, or the list itself. It is false where the text ends
// before the trace does, or is no JSON.
func (t *trace) read() bool {
	c, ok := t.w.next()
	if !ok {
		return false
	}
	switch c {
	case '[':
		return t.list(t.event)
	case '{':
		t.w.pos++
		return t.members()
	}
	return false
}

func (t *trace) members() bool {
	for {
		c, ok := t.w.next()
		switch {
		case !ok:
			return false
		case c == '}':
			t.w.pos++
			return true
		case c == ',':
			t.w.pos++
			continue
		case c != '"':
			return false
		}
		raw, ok := t.w.text()
		if !ok {
			return t.ends()
		}
		key := string(raw[:min(len(raw), 64)])
		if c, ok = t.w.next(); !ok || c != ':' {
			return false
		}
		t.w.pos++
		if c, ok = t.w.next(); !ok || !t.member(key, c) {
			return false
		}
	}
}

func (t *trace) member(key string, c byte) bool {
	switch {
	case key == "traceEvents" && c == '[':
		return t.list(t.event)
	case key == "deviceProperties" && c == '[':
		return t.list(t.property)
	}
	value, ok := t.w.value()
	if !ok {
		return t.ends()
	}
	if len(value) == 0 {
		return false
	}
	switch key {
	case "baseTimeNanoseconds":
		t.base, _ = integer(value)
	case "distributedInfo":
		fields(value, func(k, v []byte) {
			if string(k) == "rank" {
				t.rank.V, t.rank.OK = integer(v)
			}
		})
	}
	return true
}

// ends notes that the input ended inside a value.
func (t *trace) ends() bool {
	t.cut = !t.w.long
	return false
}

// list reads a list of objects; visit gets each whole.
func (t *trace) list(visit func(span []byte)) bool {
	t.w.pos++
	for {
		c, ok := t.w.next()
		switch {
		case !ok:
			return false
		case c == ']':
			t.w.pos++
			return true
		case c == ',':
			t.w.pos++
			continue
		case c == '}' || c == ':':
			return false
		}
		span, ok := t.w.value()
		if !ok {
			return t.ends()
		}
		if c == '{' {
			visit(span)
		}
	}
}

func (t *trace) property(span []byte) {
	var id table.Int
	var g gpu
	fields(span, func(k, v []byte) {
		switch string(k) {
		case "id":
			if id = amount(v); !id.OK {
				t.b.Problems.Add(t.w.at(), "want the number of a GPU, have %q: its name and size are not known", clip(string(v)))
			}
		case "name":
			g.name = string(bytes.ToValidUTF8(plain(v), []byte("\ufffd")))
		case "totalGlobalMem":
			size := amount(v)
			if g.total = max(0, size.V); !size.OK {
				t.b.Problems.Add(t.w.at(), "want the size of the memory of a GPU in bytes, have %q", clip(string(v)))
			}
		}
	})
	if id.OK && len(t.devices) < 1<<16 {
		t.devices[id.V] = g
	}
}
