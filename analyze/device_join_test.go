package analyze_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
)

// cudaRun writes what two tools say of one made-up run of a training program: a log of cudaMalloc and cudaFree with C++ stacks, and a
// snapshot of PyTorch's allocator with Python stacks. What is true of it is known.
type cudaRun struct {
	log    []string // lines of memtide-events
	trace  []any    // of the snapshot
	lists  []*cudaSegment
	device int
	now    int64 // us since 1970
	clock  string
	next   uint64
}

type cudaSegment struct {
	addr, size uint64
	stack      string
	used       uint64
	blocks     []cudaBlock
	traced     bool
	gone       bool
}

type cudaBlock struct {
	addr, size uint64
	stack      string
	gone       bool
}

const (
	cudaStart = 1_750_000_000_000_000
	oneMiB    = 1 << 20
)

func newCUDARun(clock string) *cudaRun {
	return &cudaRun{now: cudaStart, clock: clock, next: 0x7f2000000000, log: []string{fmt.Sprintf(`{"schema":"memtide-events/1","clock":%q,"tool":"cudahook","process":"train","pid":4242}`, clock)}}
}

// cpu writes a line of the log of the CPU's side.
func (c *cudaRun) cpu(op string, addr, size uint64, stack ...string) {
	ts := c.now*1000 + int64(len(c.log)%7)*100
	if c.clock == "mono" {
		ts -= cudaStart*1000 - 5_000_000_000
	}
	text := fmt.Sprintf(`{"ts_ns":%d,"tid":%d,"op":%q,"kind":"gpu-memory","device":"GPU %d","addr":"0x%x"`, ts, 4242+c.device, op, c.device, addr)
	if op == "alloc" {
		text += fmt.Sprintf(`,"size":%d,"stack":["cudaMalloc+0x11 [libcudart.so.12]","%s"]`, size, strings.Join(stack, `","`))
	}
	c.log = append(c.log, text+"}")
}

func (c *cudaRun) gpu(action string, addr, size uint64, stack string) {
	c.trace = append(c.trace, fields{{"action", action}, {"addr", addr}, {"size", size}, {"stream", uint64(0)}, {"time_us", uint64(c.now)}, {"frames", pythonFrames(stack)}})
}

// pythonFrames are frames of "function file:line", leaf first, joined by semicolons.
func pythonFrames(stack string) (out []any) {
	for _, f := range strings.FieldsFunc(stack, func(r rune) bool { return r == ';' }) {
		var name, file string
		var line uint64
		fmt.Sscanf(strings.Replace(f, ":", " ", 1), "%s %s %d", &name, &file, &line)
		out = append(out, fields{{"name", name}, {"filename", file}, {"line", line}})
	}
	return out
}

// segment is a cudaMalloc of PyTorch's allocator that both see.
func (c *cudaRun) segment(size uint64, stack string, cpu ...string) *cudaSegment {
	return c.segmentAt(c.take(size), size, stack, cpu...)
}

func (c *cudaRun) segmentAt(addr, size uint64, stack string, cpu ...string) *cudaSegment {
	c.cpu("alloc", addr, size, append([]string{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::alloc_block(bool) [libc10_cuda.so]"}, cpu...)...)
	c.now++
	c.gpu("segment_alloc", addr, size, stack)
	s := &cudaSegment{addr: addr, size: size, stack: stack, traced: true}
	c.lists = append(c.lists, s)
	return s
}

// take gives an address that was never used.
func (c *cudaRun) take(size uint64) uint64 {
	at := c.next
	c.next += (size + 2*oneMiB - 1) / (2 * oneMiB) * (2 * oneMiB)
	return at
}

func (c *cudaRun) release(s *cudaSegment) {
	c.gpu("segment_free", s.addr, s.size, "")
	c.now++
	c.cpu("free", s.addr, 0)
	s.gone = true
}

func (c *cudaRun) block(s *cudaSegment, size uint64, stack string) *cudaBlock {
	b := cudaBlock{addr: s.addr + s.used, size: size, stack: stack}
	s.used += size
	s.blocks = append(s.blocks, b)
	c.gpu("alloc", b.addr, size, stack)
	return &s.blocks[len(s.blocks)-1]
}

func (c *cudaRun) drop(b *cudaBlock) {
	c.gpu("free_requested", b.addr, b.size, "")
	c.gpu("free_completed", b.addr, b.size, "")
	b.gone = true
}

// snapshot is the pickle.
func (c *cudaRun) snapshot() []byte {
	var segments []any
	for _, s := range c.lists {
		if s.gone {
			continue
		}
		var blocks []any
		at := s.addr
		for _, b := range s.blocks {
			if b.gone {
				continue
			}
			if b.addr > at {
				blocks = append(blocks, fields{{"size", b.addr - at}, {"requested_size", uint64(0)}, {"state", "inactive"}, {"frames", []any{}}})
			}
			blocks = append(blocks, fields{{"size", b.size}, {"requested_size", b.size}, {"state", "active_allocated"}, {"frames", pythonFrames(b.stack)}})
			at = b.addr + b.size
		}
		if at < s.addr+s.size {
			blocks = append(blocks, fields{{"size", s.addr + s.size - at}, {"requested_size", uint64(0)}, {"state", "inactive"}, {"frames", []any{}}})
		}
		segments = append(segments, fields{{"device", uint64(c.device)}, {"address", s.addr}, {"total_size", s.size}, {"stream", uint64(0)}, {"segment_type", "large"}, {"frames", pythonFrames(s.stack)}, {"blocks", blocks}})
	}
	traces := make([]any, c.device+1)
	for i := range traces {
		traces[i] = []any{}
	}
	traces[c.device] = c.trace
	var out bytes.Buffer
	out.Write([]byte{0x80, 2})
	pickle(&out, fields{{"segments", segments}, {"device_traces", traces}})
	out.WriteByte('.')
	return out.Bytes()
}

// fields are a dict in order.
type fields []struct {
	key string
	v   any
}

// pickle writes the opcodes that Python's pickle has for dicts, lists, texts and whole numbers.
func pickle(w *bytes.Buffer, v any) {
	switch v := v.(type) {
	case fields:
		w.WriteString("}(")
		for _, f := range v {
			pickle(w, f.key)
			pickle(w, f.v)
		}
		w.WriteByte('u')
	case []any:
		w.WriteString("](")
		for _, x := range v {
			pickle(w, x)
		}
		w.WriteByte('e')
	case string:
		w.WriteByte('X')
		w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(v))))
		w.WriteString(v)
	case uint64:
		b := binary.LittleEndian.AppendUint64(nil, v)
		if v >= 1<<63 {
			b = append(b, 0) // the sign
		}
		w.Write(append([]byte{0x8a, byte(len(b))}, b...))
	}
}

// train is the run: weights, activations in a pool, a cache in Python that only grows, an extension in C++ that leaks past PyTorch,
// a segment that is given back and made again at its address, memory that only one side sees, and ranges that cross.
func train(clock string) (c *cudaRun, want map[string]int64) {
	c = newCUDARun(clock)
	want = map[string]int64{}
	early := &cudaSegment{addr: c.take(2 * oneMiB), size: 2 * oneMiB} // before both recordings
	early.blocks, early.used = []cudaBlock{{addr: early.addr, size: oneMiB}}, oneMiB
	c.lists = append(c.lists, early)
	python := []string{"THPVariable_empty+0x1f [libtorch_python.so]", "main+0x2 [train]"}
	weights := c.segment(64*oneMiB, "load model.py:10;main train.py:3", "load_weights+0x4 [train]", "main+0x2 [train]")
	c.block(weights, 60*oneMiB, "load model.py:10;main train.py:3")
	pool := c.segment(40*oneMiB, "forward model.py:30;main train.py:8", "load_weights+0x4 [train]", "main+0x2 [train]")
	c.cpu("alloc", c.take(8*oneMiB), 8*oneMiB, "ncclCommInitRank+0x40 [libnccl.so.2]", "main+0x2 [train]")
	again := c.take(32 * oneMiB)
	crossing := c.take(8 * oneMiB)
	c.cpu("alloc", crossing+2*oneMiB, 4*oneMiB, "mixed+0x1 [train]", "main+0x2 [train]")
	c.now++
	c.gpu("segment_alloc", crossing, 4*oneMiB, "mixed.py")
	c.lists = append(c.lists, &cudaSegment{addr: crossing, size: 4 * oneMiB})
	var cycle, cache *cudaSegment
	for i := range 400 {
		c.now = cudaStart + int64(i+1)*100_000
		a := c.block(pool, 10*oneMiB, "forward model.py:30;main train.py:8")
		if cache == nil || cache.used == cache.size {
			cache = c.segment(20*oneMiB, "remember cache.py:12;step train.py:20;main train.py:9", python...)
			want["cache"] += 20 * oneMiB
		}
		c.block(cache, oneMiB, "remember cache.py:12;step train.py:20;main train.py:9")
		c.drop(a)
		pool.used = 0
		c.now += 10
		c.cpu("alloc", c.take(oneMiB/2), oneMiB/2, "vendor::Buffer::Buffer(unsigned long) [libvendor.so]", "vendor::decode() [libvendor.so]", "main+0x2 [train]")
		c.now += 10
		if i%50 == 10 {
			cycle = c.segmentAt(again, 32*oneMiB, "evaluate eval.py:5;main train.py:30", "load_weights+0x4 [train]", "main+0x2 [train]")
		}
		if i%50 == 40 {
			c.release(cycle)
		}
	}
	c.now += 1000
	c.gpu("snapshot", 0, 0, "")
	want["both"] = 104*oneMiB + want["cache"]
	want["cpu only"] = 8*oneMiB + 400*oneMiB/2
	want["gpu only"] = 2 * oneMiB
	want["inside"] = (60 + 400) * oneMiB
	return c, want
}

// bothSides analyzes the two captures as the command line does.
func bothSides(t testing.TB, files map[string][]byte) *analyze.Result {
	t.Helper()
	dir := t.TempDir()
	var args []string
	for name, data := range files {
		args = append(args, filepath.Join(dir, name))
		if err := os.WriteFile(args[len(args)-1], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(args)
	runs, err := ingest.Load(args, ingest.Options{Events: func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) }})
	if err != nil {
		t.Fatal(err)
	}
	var all []analyze.Capture
	for _, r := range runs {
		all = append(all, analyze.Capture{Name: r.Name, Set: r.Set})
	}
	return analyze.One(all, analyze.Defaults())
}

func (c *cudaRun) lines() []byte { return []byte(strings.Join(c.log, "\n") + "\n") }

func refused(d *analyze.DeviceJoin) (out []string) {
	for _, r := range d.Refused {
		out = append(out, fmt.Sprintf("%d (%d alive, %d MiB): %s", r.Objects, r.Alive, r.Bytes/oneMiB, r.Reason))
	}
	return out
}

// TestBothSidesOfADevice: what both name is joined exactly, with a clock that both share and without.
func TestBothSidesOfADevice(t *testing.T) {
	for _, clock := range []string{"wall", "mono"} {
		c, want := train(clock)
		r := bothSides(t, map[string][]byte{"cuda.ndjson": c.lines(), "torch.pickle": c.snapshot()})
		if len(r.DeviceJoins) != 1 {
			t.Fatalf("%s: %d devices", clock, len(r.DeviceJoins))
		}
		d := &r.DeviceJoins[0]
		got := map[string]int64{"cache": want["cache"], "both": d.Both.Bytes, "cpu only": d.CPUOnly.Bytes, "gpu only": d.GPUOnly.Bytes}
		if d.Inside != nil {
			got["inside"] = d.Inside.Bytes
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || d.CPUAlive.Objects+d.GPUAlive.Objects != 0 || d.Device != "0" {
			t.Errorf("%s: device %s: %v, want %v; %+v", clock, d.Device, got, want, d)
		}
		joined, clocks, no := int64(22+8), "wall", []string{"1 (1 alive, 4 MiB): the ranges of addresses cross"}
		if clock == "mono" { // eight lives of one address and size
			joined, clocks = 22, ""
			no = append(no, "8 (0 alive, 0 MiB): the address was in use more than once, and which of its lives this is cannot be told")
		}
		if d.Joined != joined || d.Clock != clocks || fmt.Sprint(refused(d)) != fmt.Sprint(no) {
			t.Errorf("%s: %d joined by clock %q, want %d; not: %q", clock, d.Joined, d.Clock, joined, refused(d))
		}
		checkFindings(t, clock, r)
		checkSeries(t, clock, r)
	}
}

// checkSeries: a site of PyTorch holds its blocks, and not the segments that they lie in as well.
func checkSeries(t *testing.T, clock string, r *analyze.Result) {
	t.Helper()
	for i := range r.Series {
		if s := &r.Series[i]; s.Subject.Name == "remember" && s.Subject.Metric == "live_bytes" && s.Last != 400*oneMiB {
			t.Errorf("%s: remember holds %d MiB by its series, want 400", clock, s.Last/oneMiB)
		}
	}
}

// checkFindings: the cache is told once, by the side that names its bytes, with both stacks; the leak past PyTorch stands by itself.
func checkFindings(t *testing.T, clock string, r *analyze.Result) {
	t.Helper()
	var got []string
	for i := range r.Findings {
		f := &r.Findings[i]
		text := f.Rule + " " + f.Subject.Name
		if f.Joined != nil {
			for _, s := range f.Joined.Sides {
				text += fmt.Sprintf("; %s %d of %s alive, %d MiB, by %s", s.File, s.Alive, s.Kind, s.Bytes/oneMiB, s.Stack[0])
			}
			for _, m := range f.Joined.Merged {
				text += "; with " + m.Rule + " of " + m.Run
			}
			for _, e := range f.Evidence {
				text += " " + e.File[:4]
			}
		}
		got = append(got, text)
	}
	slices.Sort(got)
	want := []string{
		"leaked remember; torch.pickle 400 of gpu-memory alive, 400 MiB, by remember cache.py:12; cuda.ndjson 20 of gpu-memory alive, 400 MiB, by THPVariable_empty; with leaked of cuda.ndjson torc torc cuda cuda cuda",
		"leaked vendor::Buffer::Buffer(unsigned long)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: findings\n%s\nwant\n%s", clock, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestHostileBothSides: lives in any order, at any address, of any size, are joined without a panic, and nothing is joined that is
// not there.
func TestHostileBothSides(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	addrs := []uint64{0, 1, 4096, 8192, 1 << 40, math.MaxUint64 - 4096, math.MaxUint64 - 1, math.MaxUint64}
	sizes := []uint64{0, 1, 4096, 8192, math.MaxInt64, 1 << 62}
	for range 60 {
		c := newCUDARun([]string{"wall", "mono"}[r.IntN(2)])
		for range 300 {
			a, n := addrs[r.IntN(len(addrs))], sizes[r.IntN(len(sizes))]
			c.now += r.Int64N(100) - 30
			switch r.IntN(6) {
			case 0, 1:
				c.cpu("alloc", a, n, "f [train]", "main [train]")
			case 2:
				c.cpu("free", a, 0)
			default:
				c.gpu([]string{"alloc", "free_requested", "free_completed", "segment_alloc", "segment_free"}[r.IntN(5)], a, n, "f a.py:1;main a.py:2")
			}
			if r.IntN(20) == 0 {
				c.lists = append(c.lists, &cudaSegment{addr: a, size: n})
			}
		}
		res := bothSides(t, map[string][]byte{"a.ndjson": c.lines(), "b.pickle": c.snapshot()})
		for _, d := range res.DeviceJoins {
			for _, p := range []analyze.DevicePart{d.Both, d.CPUOnly, d.GPUOnly, d.CPUAlive, d.GPUAlive} {
				if p.Objects < 0 || p.Bytes < 0 {
					t.Fatalf("%+v", d)
				}
			}
		}
	}
}
