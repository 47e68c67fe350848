package torch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// writeSnapshot writes a snapshot of about so many bytes, made as torch makes them: each allocation and each free has a list
// of 60 frames of its own, of 2000 stacks that differ; 260 bytes an event.
func writeSnapshot(w io.Writer, size int64) (events int) {
	p := newPickler(w)
	r := rand.New(rand.NewPCG(1, 2))
	p.dict(func() {
		p.text("segments")
		p.list(func() {
			p.dict(func() {
				p.intItem("device", 0)
				p.intItem("address", 1<<46)
				p.intItem("total_size", 1<<35)
				p.text("blocks")
				p.op(opEmptyList)
				p.memoize()
			})
		})
		p.text("device_traces")
		p.list(func() {
			p.list(func() { events = writeEvents(p, r, size) })
		})
	})
	p.stop()
	return events
}

func writeEvents(p *pickler, r *rand.Rand, size int64) (events int) {
	var frames []uint32
	for i := range 500 {
		// Frames are first met inside the first event, as the members of a list.
		frames = append(frames, p.frame(fmt.Sprintf("function_%d", i), fmt.Sprintf("/opt/model/file_%d.py", i%40), int64(i)))
	}
	p.op(opPopMark, opMark)
	event := func(action string, addr, bytes int64, frames func()) {
		p.dict(func() {
			p.textItem("action", action)
			p.intItem("addr", addr)
			p.intItem("size", bytes)
			p.intItem("stream", 0)
			p.intItem("time_us", 1_748_000_000_000_000+int64(events)*7)
			p.text("frames")
			frames()
		})
		if events++; events%1000 == 0 {
			p.op(opAppends, opMark)
		}
	}
	stack := func(n int) {
		p.list(func() {
			for i := range 60 {
				p.get(frames[(n*(i+1)+i*i)%len(frames)])
			}
		})
	}
	for p.bytes < size {
		n, addr, bytes := r.IntN(2000), int64(1<<46)+int64(r.IntN(1<<20))<<9, int64(r.IntN(1<<20))
		event("alloc", addr, bytes, func() { stack(n) })
		var shared uint32
		event("free_requested", addr, bytes, func() { stack(n + 1); shared = p.memo - 1 })
		event("free_completed", addr, bytes, func() { p.get(shared) })
	}
	return events
}

func decodeOnly(tb testing.TB, f decoder, from io.Reader) *table.Part {
	tb.Helper()
	in, err := source.NewInput("x", from)
	if err != nil {
		tb.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	if err := f(in, b); err != nil {
		tb.Fatal(err)
	}
	return b.Done()
}

// Events as kineto lays them out.
const (
	memoryLayout = `
  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
    "pid": 783658, "tid": 785244,
    "ts": %d.%03d,
    "args": {
      "Ev Idx": %d, "Device Type": 1, "Device Id": 0, "Addr": %d, "Bytes": %d, "Total Allocated": %d, "Total Reserved": 12782141440
    }
  },`
	operatorLayout = `
  {
    "ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: AddmmBackward%d", "pid": 783658, "tid": 785244,
    "ts": %d, "dur": %d,
    "args": {
      "External id": %d,"Ev Idx": %d, "Fwd thread id": 1, "Sequence number": %d
    }
  },`
)

// writeTrace writes a profiler trace: of ten events one is of memory, in the layout that kineto writes.
func writeTrace(w io.Writer, size int) {
	out := bufio.NewWriterSize(w, 1<<20)
	n := 0
	put := func(format string, args ...any) { m, _ := fmt.Fprintf(out, format, args...); n += m }
	put("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"Made Up GPU\", \"totalGlobalMem\": 34089730048\n    }\n  ],\n  \"traceEvents\": [")
	for i := 0; n < size; i++ {
		ts := 1_669_783_687_464_300 + i
		if i%10 == 9 {
			put(memoryLayout, ts, i%1000, i, 139926520725504+i*512, 512*(1-2*(i/10%2)), 1<<30+512*(i/10%2))
			continue
		}
		put(operatorLayout, i%7, ts, i%90, i, i, i)
	}
	put("\n  {\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1, \"pid\": 783658, \"tid\": 0,\n    \"args\": {\n      \"name\": \"python3\"\n    }\n  }\n  ]\n}\n")
	_ = out.Flush()
}

// newlines is the limit: chunks of 1 MiB, every line end found, nothing read from it.
func newlines(text []byte) (n int) {
	for from := 0; from < len(text); from += 1 << 20 {
		chunk := text[from:min(len(text), from+1<<20)]
		for {
			i := bytes.IndexByte(chunk, '\n')
			if i < 0 {
				break
			}
			n, chunk = n+1, chunk[i+1:]
		}
	}
	return n
}

// naive is what a script does: the whole text into maps, then a loop.
func naive(tb testing.TB, text []byte) (n int) {
	var all struct {
		TraceEvents []map[string]any `json:"traceEvents"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		tb.Fatal(err)
	}
	for _, e := range all.TraceEvents {
		if e["name"] == "[memory]" {
			n++
		}
	}
	return n
}

// BenchmarkRatios reads a trace in three ways in turn and reports how they compare, by the CPU time of the whole process.
func BenchmarkRatios(b *testing.B) {
	var w bytes.Buffer
	writeTrace(&w, 32<<20)
	text := w.Bytes()
	var d, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { table.Assemble([]*table.Part{decodeOnly(b, DecodeTrace, bytes.NewReader(text))}) })
		n += tabletest.CPUOf(func() { newlines(text) })
		f += tabletest.CPUOf(func() { naive(b, text) })
	}
	mb := float64(len(text)) / 1e6 * float64(b.N)
	b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
	b.ReportMetric(mb/n.Seconds(), "newlines-MB/CPUs")
	b.ReportMetric(mb/f.Seconds(), "naive-MB/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-naive")
}

func BenchmarkSnapshot(b *testing.B) {
	var w bytes.Buffer
	writeSnapshot(&w, 64<<20)
	b.SetBytes(int64(w.Len()))
	var d time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { decodeOnly(b, DecodeSnapshot, bytes.NewReader(w.Bytes())) })
	}
	b.ReportMetric(float64(w.Len())/1e6*float64(b.N)/d.Seconds(), "decode-MB/CPUs")
}

// TestLongSnapshot reads a pickle of MEMTIDE_LONG megabytes, made while it is read, and holds the memory that the heap
// takes against twice its size.
func TestLongSnapshot(t *testing.T) {
	mb, err := strconv.Atoi(os.Getenv("MEMTIDE_LONG"))
	if err != nil {
		t.Skip("set MEMTIDE_LONG, 1000 for a gigabyte")
	}
	debug.FreeOSMemory()
	r, w := io.Pipe()
	events := make(chan int, 1)
	go func() {
		n := writeSnapshot(w, int64(mb)*1e6)
		events <- n
		w.Close()
	}()
	var most atomic.Uint64
	done := make(chan bool)
	go func() {
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			if now := m.HeapInuse; now > most.Load() {
				most.Store(now)
			}
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	var part *table.Part
	cpu := tabletest.CPUOf(func() { part = decodeOnly(t, DecodeSnapshot, r) })
	done <- true
	n := table.Assemble([]*table.Part{part}).Len(table.Events)
	if want := <-events; n != want {
		t.Errorf("%d events, want %d", n, want)
	}
	t.Logf("%d MB, %d events: heap of %d MB at most, %.1f s of CPU with the writing", mb, n, most.Load()/1e6, cpu.Seconds())
	if most.Load() > 2*uint64(mb)*1e6 {
		t.Errorf("heap of %d bytes, want at most twice %d MB", most.Load(), mb)
	}
}
