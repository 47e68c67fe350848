package perf

import (
	"bytes"
	"strconv"
)

// record reads what perf prints of its own records among the events: maps and losses. Other events say nothing of
// memory.
func (t *trace) record(h *header) {
	switch string(h.event) {
	case "PERF_RECORD_MMAP", "PERF_RECORD_MMAP2":
		t.module(h.payload)
	case "PERF_RECORD_LOST", "PERF_RECORD_LOST_SAMPLES":
		t.lose(after(h.payload, "lost "))
	}
}

// lose counts events that are stated as lost; the number may be unknown.
func (t *trace) lose(text []byte) {
	t.lossy = true
	if n, ok := decimal(text[:digitsAt(text)]); ok && t.lost+n >= t.lost {
		t.lost += n
	}
}

func after(s []byte, words string) []byte {
	_, rest, _ := bytes.Cut(s, []byte(words))
	return rest
}

// comment reads the head of a trace file: "# entries-in-buffer/entries-written: 205/5839   #P:2" tells of events that
// were overwritten.
func (t *trace) comment(line []byte) {
	rest := after(line, "entries-in-buffer/entries-written: ")
	n := digitsAt(rest)
	kept, ok := decimal(rest[:n])
	if !ok || n == len(rest) || rest[n] != '/' {
		return
	}
	rest = rest[n+1:]
	if written, ok := decimal(rest[:digitsAt(rest)]); ok && kept < written {
		t.lossy = true
		t.lost += min(written-kept, 1<<62-t.lost)
	}
}

// prose reads what is neither an event nor a frame: losses, what trace-cmd prints, warnings of perf.
func (t *trace) prose(line []byte) {
	text := trimLeft(line)
	switch {
	case len(text) == 0, bytes.HasPrefix(text, []byte("=> ")), bytes.HasPrefix(text, []byte("cpus=")), bytes.HasPrefix(text, []byte("version = ")):
	case bytes.HasPrefix(text, []byte("CPU")) && bytes.Contains(text, []byte(" EVENTS")):
		t.lose(after(text, "LOST "))
		if rest := after(text, "["); bytes.Contains(rest, []byte(" EVENTS DROPPED]")) {
			t.lose(rest)
		}
	case bytes.HasPrefix(text, []byte("Processed ")) && bytes.Contains(text, []byte(" lost ")):
		t.lossy = true
	case bytes.HasPrefix(text, []byte("CPU")), bytes.HasPrefix(text, []byte("Warning:")), bytes.HasPrefix(text, []byte("Check IO/CPU")):
	default:
		t.unknown(text)
	}
}

// unknown tells of a line that could not be read. A memory event without a time is named as one.
func (t *trace) unknown(text []byte) {
	for rest := text; len(rest) > 0; {
		var word []byte
		word, rest, _ = bytes.Cut(rest, []byte{' '})
		if n := len(word); n > 1 && word[n-1] == ':' && kindOf(word[:n-1], trimLeft(rest)) != other {
			t.b.Problems.Count(t.l.Pos(1), "want the time before a memory event (perf script -F +time), have none")
			t.skip = true
			return
		}
	}
	t.b.Problems.Count(t.l.Pos(1), "want an event, [COMMAND] PID [CPU] SECONDS: EVENT: …, have another line")
}

// facts says what the trace is; what it does not hold is not mentioned.
func (t *trace) facts() {
	t.b.Fact("clock", "boot")
	if t.lossy {
		t.b.Fact("lossy", "true")
	}
	if t.lost > 0 {
		t.b.Fact("lost", strconv.FormatInt(t.lost, 10))
	}
	slab := t.has[slabAlloc] || t.has[slabFree] || t.has[cacheAlloc] || t.has[cacheFree]
	pages := t.has[pageAlloc] || t.has[pageFree]
	if slab || pages {
		t.b.Fact("partial", "true")
	}
	if t.has[rssStat] {
		t.b.Fact("change_only", "true")
	}
	if t.has[probe] && !slab {
		t.b.Fact("unit", "requested")
	} else if slab && !t.has[probe] {
		t.b.Fact("unit", "usable")
	}
}
