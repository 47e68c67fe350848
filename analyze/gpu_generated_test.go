package analyze_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// device writes captures of made-up programs that use a GPU, as the readers of Nsight Systems and PyTorch do: an event for each
// call, and where it leaves the level that it moves.
type device struct {
	b      *table.Builder
	r      *rand.Rand
	now    int64
	line   int
	next   uint64
	levels map[string]int64
	stacks map[string]int64
	length int64 // ns of the capture
}

func newDevice(name string, r *rand.Rand) *device {
	d := &device{b: table.NewBuilder(name, "test"), r: r, next: 0x7f0000000000, levels: map[string]int64{}, stacks: map[string]int64{}, length: 20e9 + r.Int64N(1000e9)}
	d.b.Snapshot(table.Stamp{Trace: table.Known(0), Line: 1})
	d.b.Process(table.Known(70), d.b.Text("server"))
	return d
}

func (d *device) done() analyze.Capture {
	return analyze.Capture{Name: "run", Set: table.Assemble([]*table.Part{d.b.Done()})}
}

func (d *device) stack(names ...string) int64 {
	key := fmt.Sprint(names)
	if id, ok := d.stacks[key]; ok {
		return id
	}
	id := int64(0)
	for i := len(names) - 1; i >= 0; i-- {
		id = d.b.Frame(table.Frame{Parent: id, Function: d.b.Text(names[i]), Module: d.b.Text("server")}, 1)
	}
	d.stacks[key] = id
	return id
}

func (d *device) event(op, class string, object uint64, size int64, stack int64) {
	d.line++
	d.b.Event(&table.Event{At: d.now, Seq: int64(d.line), TID: table.Known(71), Op: d.b.Text(op), Class: d.b.Text(class), Object: object, HasObject: object != 0, Size: table.Int{V: size, OK: size >= 0}, Stack: stack, Line: d.line})
}

func (d *device) sample(scope, name, metric string, v int64) {
	d.b.Add(table.Sample{Scope: d.b.Text(scope), Name: d.b.Text(name), Metric: d.b.Text(metric), Value: v, Line: d.line, At: d.now})
}

// move changes a level and samples it.
func (d *device) move(scope, name, metric string, by int64) {
	d.levels[name+metric] += by
	d.sample(scope, name, metric, d.levels[name+metric])
}

func (d *device) create(class string) {
	d.event("create", class, 0, -1, d.stack("make_"+class, "step", "main"))
	d.move("handle", class, "count", 1)
}

func (d *device) destroy(class string) {
	d.event("destroy", class, 0, -1, d.stack("end_"+class, "step", "main"))
	d.move("handle", class, "count", -1)
}

const gpu0 = "GPU 0 Test Card"

func (d *device) alloc(size int64, site string) uint64 {
	d.next += uint64(size+511) &^ 511
	d.event("alloc", "gpu-memory", d.next, size, d.stack("cudaMalloc", site, "step", "main"))
	d.move("device", gpu0, "gpu_used", size)
	return d.next
}

func (d *device) free(object uint64, size int64, site string) {
	d.event("free", "gpu-memory", object, size, d.stack("cudaFree", site, "step", "main"))
	d.move("device", gpu0, "gpu_used", -size)
}

// each calls a step n times over the length of the capture, at irregular times.
func (d *device) each(n int, step func(i int)) {
	for i := range n {
		d.now = d.length/int64(n)*int64(i) + d.r.Int64N(d.length/int64(n)/2+1)
		step(i)
	}
}

// generated is a program, and the finding it must have: rule and class, or none.
type generated struct {
	name, rule, class string
	write             func(d *device)
}

// some is a number of steps, log-uniform.
func some(r *rand.Rand, least, most float64) int {
	return int(least * math.Exp(r.Float64()*math.Log(most/least)))
}

type block struct {
	at   uint64
	size int64
}

var generatedSet = []generated{
	{"handles made and ended", "", "", func(d *device) {
		class := []string{"cuda-event", "cuda-stream", "cuda-graph", "cuda-graph-exec"}[d.r.IntN(4)]
		held, most := 0, 1+d.r.IntN(20)
		d.each(some(d.r, 40, 2000), func(int) {
			d.create(class)
			for held++; held > 0 && (held > most || d.r.IntN(5) < 3); held-- {
				d.destroy(class)
			}
		})
	}},
	{"constant pools of handles", "", "", func(d *device) {
		n := 2 + d.r.IntN(200)
		for range n {
			d.now += d.r.Int64N(1e6)
			d.create("cuda-stream")
			d.create("cuda-event")
		}
		d.each(some(d.r, 30, 500), func(int) {
			d.now += 1e9
			d.create("cuda-event")
			d.destroy("cuda-event")
		})
	}},
	{"graphs captured again and again", "handle-leak", "cuda-graph-exec-handles", func(d *device) {
		lost := 0.3 + 0.7*d.r.Float64()
		d.each(some(d.r, 40, 2000), func(int) {
			d.create("cuda-graph")
			d.create("cuda-graph-exec")
			d.destroy("cuda-graph")
			if d.r.Float64() > lost {
				d.destroy("cuda-graph-exec")
			}
		})
	}},
	{"events never destroyed", "handle-leak", "cuda-event-handles", func(d *device) {
		d.each(some(d.r, 40, 2000), func(int) { d.create("cuda-event") })
	}},
	{"memory made and freed", "", "", func(d *device) {
		var held []block
		most := 1 + d.r.IntN(30)
		d.alloc(1<<30+d.r.Int64N(1<<32), "load_model")
		d.each(some(d.r, 100, 3000), func(int) {
			size := int64(4096 + d.r.IntN(64<<20))
			held = append(held, block{d.alloc(size, "forward"), size})
			for len(held) > most || len(held) > 0 && d.r.IntN(3) > 0 {
				k := d.r.IntN(len(held))
				d.free(held[k].at, held[k].size, "backward")
				held = slices.Delete(held, k, k+1)
			}
		})
	}},
	{"blocks of sessions that stay", "leaked", "gpu-memory", func(d *device) {
		size := int64(1+d.r.IntN(64)) << 20
		lost := 2 + d.r.IntN(4)
		d.alloc(1<<31, "load_model")
		d.each(some(d.r, 60, 1500), func(i int) {
			for k := range 4 {
				at := d.alloc(size, "append_kv")
				if k > 0 || i%lost != 0 {
					d.now += 1000
					d.free(at, size, "end_session")
				}
			}
		})
	}},
	{"cache that rises at rest", "growth", "kv-cache", func(d *device) { d.cache(float64(2000 + d.r.IntN(20000))) }},
	{"cache that is empty at rest", "", "", func(d *device) { d.cache(0) }},
	{"calls without sizes, freed", "", "", func(d *device) { d.calls(0) }},
	{"calls without sizes, kept", "leaked", "gpu-memory-calls", func(d *device) { d.calls(0.3 + 0.7*d.r.Float64()) }},
	{"pages of 2 MiB, growing", "growth", "gpu-memory", func(d *device) { d.pages(float64(2+d.r.IntN(40))*mib/10, 0) }},
	{"pages of 2 MiB, load", "", "", func(d *device) { d.pages(0, float64(20+d.r.IntN(400))*mib) }},
	{"reserved grows, allocated does not", "", "", func(d *device) {
		level, base := int64(1<<30), int64(1<<30)+d.r.Int64N(1<<30)
		d.each(some(d.r, 60, 800), func(i int) {
			if i%3 == 0 {
				level += int64(d.r.IntN(10)) * 2 * mib
			}
			d.sample("device", gpu0, "gpu_allocated", base+int64(d.r.IntN(64))*mib)
			d.sample("device", gpu0, "gpu_reserved", base+level)
		})
	}},
	{"both reserved and allocated grow", "growth", "gpu-memory", func(d *device) {
		level, base := int64(0), int64(1<<30)
		d.each(some(d.r, 60, 800), func(i int) {
			level += int64(d.r.IntN(10)) * mib
			d.sample("device", gpu0, "gpu_allocated", base+level+int64(d.r.IntN(16))*mib)
			d.sample("device", gpu0, "gpu_reserved", (base+level+64*mib)&^(20*mib-1))
		})
	}},
	{"freed under a view that is used", "use-after-free", "gpu-memory", func(d *device) {
		n := some(d.r, 60, 800)
		bad := n/4 + d.r.IntN(n/2)
		d.each(n, func(i int) {
			at := d.alloc(1<<20, "make_tensor")
			d.now += 1000
			d.event("use", "gpu-memory", at, -1, d.stack("view", "step", "main"))
			d.free(at, 1<<20, "drop_tensor")
			if i == bad {
				d.now += 1000
				d.event("use", "gpu-memory", at, -1, d.stack("view", "step", "main"))
			}
		})
	}},
	{"freed in words, never in deed", "unfinished-release", "gpu-memory", func(d *device) { d.deferred(4 + d.r.IntN(6)) }},
	{"frees that wait for a stream", "", "", func(d *device) { d.deferred(0) }},
}

// cache writes a key-value cache of a server with busy and idle times, which keeps so much of it (in millionths) for each rest.
func (d *device) cache(stays float64) {
	kept := 0.0
	rests := 8 + d.r.IntN(30)
	d.each(rests, func(int) {
		for k := range 2 + d.r.IntN(6) {
			d.now += int64(1e9)
			d.sample("pool", "KV cache", "kv_usage", int64(kept)+int64(50000+d.r.IntN(400000)))
			d.sample("pool", "KV cache", "requests_running", int64(1+d.r.IntN(8)+k))
			d.sample("pool", "KV cache", "requests_waiting", 0)
		}
		kept += stays * (0.7 + 0.6*d.r.Float64())
		d.now += 1e9
		d.sample("pool", "KV cache", "kv_usage", int64(kept))
		d.sample("pool", "KV cache", "requests_running", 0)
		d.sample("pool", "KV cache", "requests_waiting", 0)
	})
}

// calls writes allocating calls of which no sizes and addresses are known; a share of them is not freed.
func (d *device) calls(lost float64) {
	held := 0
	step := func(op string, by int64) {
		d.event(op, "gpu-memory", 0, -1, d.stack("cudaMalloc", "buffer", "step", "main"))
		d.move("class", "gpu-memory", "live_count", by)
	}
	d.each(some(d.r, 50, 2000), func(int) {
		step("alloc", 1)
		if d.r.Float64() < lost {
			return
		}
		for held++; held > 0 && (held > 8 || d.r.IntN(2) == 0); held-- {
			step("free", -1)
		}
	})
}

// pages writes what a driver says is in use: whole pages of 2 MiB, growth for each step, and load that comes and goes.
func (d *device) pages(growth, load float64) {
	const page = 2 * mib
	d.sample("device", gpu0, "gpu_total", 80<<30)
	phase := d.r.Float64()
	n := some(d.r, 60, 800)
	if growth > 0 {
		n = max(n, int(40*page/growth)) // forty pages or more
	}
	turns := 5 + d.r.Float64()*20
	d.each(n, func(i int) {
		v := 3e9 + growth*float64(i) + load*(1+math.Sin(2*math.Pi*(phase+turns*float64(i)/float64(n))))
		d.sample("device", gpu0, "gpu_used", int64(v/page)*page)
	})
}

// deferred writes the log of an allocator that frees in two steps; one of so many frees is never completed.
func (d *device) deferred(forgets int) {
	type wait struct {
		block
		left int
	}
	var waiting []wait
	level := int64(0)
	d.each(some(d.r, 80, 1500), func(i int) {
		size := int64(512 + d.r.IntN(4<<20))
		d.next += uint64(size+511) &^ 511
		d.event("alloc", "gpu-memory", d.next, size, d.stack("cudaMalloc", "forward", "step", "main"))
		d.now += 1000
		d.event("release", "gpu-memory", d.next, -1, d.stack("drop", "step", "main"))
		if forgets == 0 || i%forgets != 0 {
			waiting = append(waiting, wait{block{d.next, size}, d.r.IntN(4)})
			level += size
		}
		d.now += 1000
		left := waiting[:0]
		for _, w := range waiting {
			if w.left > 0 {
				w.left--
				left = append(left, w)
				continue
			}
			d.event("free", "gpu-memory", w.at, w.size, d.stack("process_events", "step", "main"))
			level -= w.size
		}
		waiting = left
		d.sample("device", gpu0, "gpu_allocated", 1<<30+level)
	})
}

// batches are runs at several batch sizes whose memory rises with a power of it.
func batches(r *rand.Rand, power float64) []analyze.Capture {
	var out []analyze.Capture
	base, factor := 2e9, float64(4+r.IntN(4))*mib*4
	if power == 1 {
		factor *= 8
	}
	for _, batch := range []int{1, 2, 4, 8, 16, 32}[:4+r.IntN(3)] {
		d := newDevice(fmt.Sprintf("batch-%d", batch), r)
		d.each(40+r.IntN(40), func(int) {
			d.sample("device", gpu0, "gpu_allocated", int64(base+factor*math.Pow(float64(batch), power)+r.NormFloat64()*0.2*mib))
		})
		c := d.done()
		c.Name = fmt.Sprintf("batch-%d", batch)
		out = append(out, c)
	}
	return out
}

// TestDeviceMemoryIsToldApart: of each made-up program the right thing is said, with random sizes and lengths, and nothing else
// that is more than a note. MEMTIDE_STATISTICS chooses how many of each.
func TestDeviceMemoryIsToldApart(t *testing.T) {
	seeds := 30
	if v, err := strconv.Atoi(os.Getenv("MEMTIDE_STATISTICS")); err == nil {
		seeds = v
	}
	for _, g := range generatedSet {
		wrong := 0
		for seed := range seeds {
			d := newDevice("run", rand.New(rand.NewPCG(uint64(seed), 55)))
			g.write(d)
			if said := g.judge(analyze.One([]analyze.Capture{d.done()}, analyze.Defaults())); said != "" {
				if wrong++; wrong <= 3 {
					t.Errorf("%s, seed %d: %s", g.name, seed, said)
				}
			}
		}
		t.Logf("%-36s %d of %d right", g.name, seeds-wrong, seeds)
	}
	for power, want := range map[float64]generated{1: {}, 2: {name: "square of the batch", rule: "coupled-growth", class: "quadratic"}} {
		for seed := range seeds {
			r := analyze.One(batches(rand.New(rand.NewPCG(uint64(seed), 56)), power), analyze.Defaults())
			for i := range r.Findings { // a level that goes with the batch is a cost: a note
				if f := &r.Findings[i]; f.Rule == "coupled-growth" {
					f.Severity = "warning"
				}
			}
			if said := want.judge(r); said != "" {
				t.Errorf("batch to the power %.0f, seed %d: %s", power, seed, said)
			}
		}
	}
}

// judge says what is wrong with a result.
func (g generated) judge(r *analyze.Result) string {
	found := g.rule == ""
	for _, f := range r.Findings {
		switch {
		case f.Severity == "note":
		case f.Rule == g.rule && f.Class == g.class:
			found = true
		default:
			return fmt.Sprintf("%s %s of %s: %s", f.Rule, f.Class, f.Subject.Name, f.Message)
		}
	}
	if !found {
		for _, s := range r.Series {
			if s.Subject.Metric != "gpu_total" {
				return fmt.Sprintf("no %s %s; %s %s is %s: %s", g.rule, g.class, s.Subject.Name, s.Subject.Metric, s.Verdict, s.Reason)
			}
		}
		return "no " + g.rule
	}
	return ""
}
