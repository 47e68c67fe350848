//go:build unix

package analyze

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
)

// eventLog writes an event log as it is read, so that none need lie anywhere: 400 sites, addresses that are used again at once as
// an allocator does, so many objects alive, and one site that keeps a third of what it makes.
type eventLog struct {
	r      *rand.Rand
	bytes  int64 // at least so many
	events int64
	alive  int
	told   [400]bool
	now    int64
	top    uint64
	spare  [16][]uint64
	live   []liveBlock
	buf    []byte
}

type liveBlock struct {
	at    uint64
	class int
}

func newEventLog(bytes int64, alive int) *eventLog {
	l := &eventLog{r: rand.New(rand.NewPCG(3, 4)), bytes: bytes, alive: alive, top: 0x7f1200000000, now: 1e12}
	l.buf = append(l.buf, `{"schema":"memtide-events/1","clock":"mono","tool":"test","process":"server","pid":4242}`+"\n"...)
	return l
}

func (l *eventLog) Read(p []byte) (int, error) {
	for len(l.buf) < 1<<16 && l.bytes > 0 {
		was := len(l.buf)
		l.event()
		l.bytes -= int64(len(l.buf) - was)
	}
	if len(l.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.buf)
	l.buf = l.buf[:copy(l.buf, l.buf[n:])]
	return n, nil
}

func (l *eventLog) event() {
	l.events++
	l.now += 100 + int64(l.r.IntN(2000))
	if len(l.live) > l.alive+l.r.IntN(l.alive/4) {
		l.free()
		return
	}
	class, stack := l.r.IntN(16), min(l.r.IntN(400), l.r.IntN(400))
	at := l.top
	if n := len(l.spare[class]); n > 0 {
		at, l.spare[class] = l.spare[class][n-1], l.spare[class][:n-1]
	} else {
		l.top += uint64(16 * (class + 2))
	}
	if stack != 200 || l.r.IntN(3) > 0 {
		l.live = append(l.live, liveBlock{at, class})
	}
	l.begin("alloc", at)
	l.buf = append(l.buf, `,"kind":"heap","size":`...)
	l.buf = strconv.AppendInt(l.buf, int64(16*(class+1)-l.r.IntN(16)), 10)
	l.buf = append(l.buf, `,"stack_id":`...)
	l.buf = strconv.AppendInt(l.buf, int64(stack+1), 10)
	if !l.told[stack] {
		l.told[stack] = true
		l.buf = fmt.Appendf(l.buf, `,"stack":["malloc","make_%d@src/part_%d.c:%d","step@src/main.c:%d","main@src/main.c:7"]`, stack, stack%20, stack, stack%30)
	}
	l.buf = append(l.buf, "}\n"...)
}

// free ends an object: every other time one of the youngest.
func (l *eventLog) free() {
	n := len(l.live)
	k := l.r.IntN(n)
	if l.r.IntN(2) == 0 {
		k = n - 1 - l.r.IntN(min(n, 100))
	}
	b := l.live[k]
	l.live[k] = l.live[n-1]
	l.live = l.live[:n-1]
	l.spare[b.class] = append(l.spare[b.class], b.at)
	l.begin("free", b.at)
	l.buf = append(l.buf, "}\n"...)
}

func (l *eventLog) begin(op string, at uint64) {
	l.buf = append(l.buf, `{"ts_ns":`...)
	l.buf = strconv.AppendInt(l.buf, l.now, 10)
	l.buf = append(l.buf, `,"tid":`...)
	l.buf = strconv.AppendInt(l.buf, int64(4242+l.r.IntN(8)), 10)
	l.buf = append(l.buf, `,"op":"`...)
	l.buf = append(l.buf, op...)
	l.buf = append(l.buf, `","addr":"0x`...)
	l.buf = strconv.AppendUint(l.buf, at, 16)
	l.buf = append(l.buf, '"')
}

// dropped is a sink that keeps nothing: what reading alone costs.
type dropped struct{}

func (dropped) Event(*table.EventRow) {}
func (dropped) Done()                 {}

func cpuTime() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func loadLog(b testing.TB, in io.Reader, sink func(*table.Builder) table.EventSink) Capture {
	runs, err := ingest.Load([]string{"-"}, ingest.Options{Stdin: in, Events: sink})
	if err != nil || len(runs) != 1 {
		b.Fatal(err)
	}
	return Capture{Name: "run", Set: runs[0].Set}
}

// BenchmarkEventLog reads 3 million events: to nowhere, and to the lives of their objects and a result. Events for each second of
// CPU time, the collector's included.
func BenchmarkEventLog(b *testing.B) {
	log := newEventLog(3e6*92, 50000)
	text, _ := io.ReadAll(log)
	for _, c := range []struct {
		name string
		sink func(*table.Builder) table.EventSink
	}{
		{"parse", func(*table.Builder) table.EventSink { return dropped{} }},
		{"lifetimes", func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			from := cpuTime()
			for b.Loop() {
				in := loadLog(b, bytes.NewReader(text), c.sink)
				if c.name == "lifetimes" {
					if r := One([]Capture{in}, Defaults()); len(r.Series) == 0 {
						b.Fatal("no series")
					}
				}
			}
			b.ReportMetric(float64(log.events)*float64(b.N)/(cpuTime()-from).Seconds(), "events/cpu-s")
		})
	}
}

// TestLongEventLog reads a generated log of MEMTIDE_LONG_LOG bytes (5e9, say) that exists nowhere: memory is bounded by the objects
// that are alive, those ended lately and the stacks, whatever its length.
func TestLongEventLog(t *testing.T) {
	size, err := strconv.ParseFloat(os.Getenv("MEMTIDE_LONG_LOG"), 64)
	if err != nil {
		t.Skip("MEMTIDE_LONG_LOG is not set to a number of bytes")
	}
	log := newEventLog(int64(size), 100000)
	var most atomic.Uint64
	stop := make(chan struct{})
	go watch(&most, stop)
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	from, began := cpuTime(), time.Now()
	in := loadLog(t, log, func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) })
	r := One([]Capture{in}, Defaults())
	spent := cpuTime() - from
	close(stop)
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	t.Logf("%.2f GB, %d events in %.0f s of CPU with writing them, %.0f s in all; heap at most %d MiB, resident at most %d MiB", size/1e9, log.events, spent.Seconds(), time.Since(began).Seconds(),
		most.Load()>>20, u.Maxrss>>10)
	if most.Load() > 512<<20 {
		t.Errorf("%d MiB of heap", most.Load()>>20)
	}
	if len(r.Findings) == 0 {
		t.Error("make_200 was not found")
	}
	for i, f := range r.Findings {
		if (f.Subject.Name == "make_200") != (i == 0) && f.Severity != "note" {
			t.Errorf("%s %s: %s", f.Severity, f.Rule, f.Message)
		}
	}
}

func watch(most *atomic.Uint64, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > most.Load() {
				most.Store(m.HeapAlloc)
			}
		}
	}
}
