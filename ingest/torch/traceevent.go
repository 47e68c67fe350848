package torch

import (
	"bytes"
	"math"
	"strconv"

	"github.com/memtide/memtide/ingest/table"
)

// entry is the members of an event that are looked at.
type entry struct {
	name, cat, args []byte
	time, dur       int64 // ns
	hasTime         bool
	pid, tid        table.Int
	torn            bool // pid or tid is there and is no number
}

// event looks into an event if it is one that gives rows.
func (t *trace) event(span []byte) {
	memory := bytes.Contains(span, memoryName)
	if !memory && !bytes.Contains(span, stepName) && !bytes.Contains(span, processName) {
		return
	}
	var e entry
	sound := fields(span, func(k, v []byte) { e.member(k, v) })
	switch {
	case string(e.name) == "process_name" && e.pid.OK:
		fields(e.args, func(k, v []byte) {
			if string(k) == "name" {
				t.names[e.pid.V] = string(bytes.ToValidUTF8(plain(v), []byte("\ufffd")))
			}
		})
	case string(e.name) == "[memory]":
		t.memory(&e, sound, t.w.lineNow()-bytes.Count(span, []byte{'\n'}))
	case bytes.HasPrefix(e.name, stepName[1:]) && string(e.cat) != "gpu_user_annotation" && e.hasTime:
		if n, ok := integer(e.name[len(stepName)-1:]); ok && e.dur <= math.MaxInt64-max(e.time, 0) {
			t.steps = append(t.steps, step{e.time, e.time + e.dur, n})
		}
	}
}

func (e *entry) member(k, v []byte) {
	switch string(k) {
	case "name":
		e.name = plain(v)
	case "cat":
		e.cat = plain(v)
	case "args":
		e.args = v
	case "ts":
		e.time, e.hasTime = micros(v)
	case "dur":
		if d, ok := micros(v); ok && d >= 0 {
			e.dur = d
		}
	case "pid":
		e.pid.V, e.pid.OK = integer(v)
		e.torn = e.torn || !e.pid.OK && string(v) != "null"
	case "tid":
		e.tid.V, e.tid.OK = integer(v)
		e.torn = e.torn || !e.tid.OK && string(v) != "null"
	}
}

// memory keeps a memory event. The keys of its arguments are those of torch/csrc/profiler/collection.cpp.
func (t *trace) memory(e *entry, sound bool, line int) {
	m := memoryEvent{time: e.time, seq: int64(len(t.events)), pid: e.pid, tid: e.tid, line: int64(line)}
	var bytesOK, typed bool
	sound = fields(e.args, func(k, v []byte) {
		switch string(k) {
		case "Device Type":
			var n int64
			n, typed = integer(v)
			m.onDevice = n != 0
		case "Device Id":
			m.device.V, m.device.OK = integer(v)
		case "Addr":
			if m.addr, m.hasAddr = address(v); !m.hasAddr && string(v) != "null" {
				t.b.Problems.Count(t.w.in.At(line, 0), "want an address as \"Addr\" of a [memory] event, have none")
			}
		case "Bytes":
			m.bytes, bytesOK = integer(v)
		case "Total Allocated":
			m.allocated = t.total(string(k), v, line)
		case "Total Reserved":
			m.reserved = t.total(string(k), v, line)
		}
	}) && sound
	if !sound || !e.hasTime || !bytesOK || !typed {
		t.b.Problems.Count(t.w.in.At(line, 0), "want ts, Device Type and Bytes in a [memory] event that is JSON, have one without")
		return
	}
	if e.torn {
		t.b.Problems.Count(t.w.in.At(line, 0), "want numbers as pid and tid of a [memory] event, have another")
	}
	if m.device.V < 0 {
		m.device = table.Int{}
	}
	t.events = append(t.events, m)
}

// total reads a total of the allocator; what is none is told.
func (t *trace) total(key string, v []byte, line int) table.Int {
	n := amount(v)
	if !n.OK && string(v) != "null" {
		t.b.Problems.Count(t.w.in.At(line, 0), "want a number of bytes as %q of a [memory] event, have none", key)
	}
	return n
}

// amount reads bytes, which cannot be below 0.
func amount(v []byte) table.Int {
	n, ok := integer(v)
	return table.Int{V: n, OK: ok && n >= 0}
}

// address reads an address, which older versions write as a signed number.
func address(v []byte) (uint64, bool) {
	if n, ok := integer(v); ok {
		return uint64(n), true
	}
	if len(v) > 20 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(v), 10, 64)
	return n, err == nil
}

// micros reads microseconds with a fraction and gives nanoseconds, without the loss of a float: times since 1970 have 16
// digits before the point.
func micros(v []byte) (int64, bool) {
	whole, fraction, _ := bytes.Cut(v, []byte{'.'})
	n, ok := integer(whole)
	if !ok || n > math.MaxInt64/1000-1 || n < math.MinInt64/1000+1 {
		return exponent(v)
	}
	sub, scale := int64(0), int64(100)
	for i, c := range fraction {
		if c-'0' > 9 {
			return exponent(v)
		}
		if i < 3 {
			sub += int64(c-'0') * scale
			scale /= 10
		}
	}
	if len(v) > 0 && v[0] == '-' {
		sub = -sub
	}
	return n*1000 + sub, true
}

// exponent reads 1.5e+15, which a writer of floats may give.
func exponent(v []byte) (int64, bool) {
	if len(v) > 40 || !bytes.ContainsAny(v, "eE") {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.Abs(x) > math.MaxInt64/1000/2 {
		return 0, false
	}
	return int64(math.Round(x * 1000)), true
}
