// Package torch reads what PyTorch says of device memory: snapshots of its caching allocator
// (torch.cuda.memory._dump_snapshot, a pickle, or the same dict as JSON), traces of its profiler with memory events, and
// the memory timeline of its profiler.
package torch

import (
	"bytes"
	"errors"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffSnapshot claims pickles that name the parts of a snapshot, and JSON texts that begin with one.
func SniffSnapshot(head []byte) bool {
	if len(head) > 2 && head[0] == opProto {
		return head[1] <= 5 && hasAny(head, "segments", "device_traces", "segment_type")
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		key, _, _ := bytes.Cut(bytes.TrimLeft(head[1:], " \t\r\n"), []byte{':'})
		return hasAny(key, `"segments"`, `"device_traces"`, `"allocator_settings"`) && hasAny(head, `"device_traces"`, `"segment_type"`, `"total_size"`)
	case bytes.HasPrefix(head, []byte("[")):
		return hasAny(head, `"segment_type"`, `"total_size"`) && hasAny(head, `"blocks"`)
	}
	return false
}

func hasAny(s []byte, parts ...string) bool {
	for _, p := range parts {
		if bytes.Contains(s, []byte(p)) {
			return true
		}
	}
	return false
}

// DecodeSnapshot reads a snapshot of the allocator. It fails on a pickle with an opcode that a snapshot does not need,
// of which the error tells the offset, and on what holds no segment and no event of a trace. Rows of a pickle have the
// offset of their record as line.
func DecodeSnapshot(in *source.Input, b *table.Builder) error {
	w := newWindow(in)
	m := &machine{b: b, in: in}
	m.stacks.init(b)
	err := readValues(w, m)
	if errors.As(err, new(*source.Error)) {
		return err
	}
	if err != nil {
		b.Fact("partial", "true")
		m.unwind()
	}
	s := snapshot{machine: m}
	wrote := s.find() && s.write()
	switch {
	case w.err != nil:
		return w.err
	case !wrote && err != nil:
		return source.Errorf(m.place(), "held nothing: %v, before the first segment and the first event", err)
	case !wrote:
		return source.Errorf(m.place(), "held nothing: want a dict with segments and device_traces that are not empty; record with torch.cuda.memory._record_memory_history()")
	case err != nil:
		b.Problems.Add(m.place(), "%v: the rows are those of what stands before", err)
	}
	return nil
}

// readValues gives the input to the machine. A refusal is a source.Error; other errors are damage, before which what
// was read is sound.
func readValues(w *window, m *machine) error {
	if len(w.in.Head) == 0 || w.in.Head[0] != opProto {
		m.place = w.at
		f := feed{w: w, m: m}
		return f.read()
	}
	u := &unpickler{w: w, m: m}
	m.place = u.place
	err := u.read()
	if r := (*refused)(nil); errors.As(err, &r) {
		return source.Errorf(w.in.At(0, 0), "byte %d: %v", u.at, r)
	}
	if err != nil {
		return &damage{u.at, err}
	}
	return nil
}

// damage is a place in a pickle behind which nothing can be read.
type damage struct {
	at  int64
	err error
}

func (d *damage) Error() string { return "byte " + decimal(d.at) + ": " + d.err.Error() }
