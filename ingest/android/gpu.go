package android

import (
	"bytes"
	"math"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var (
	gpuSnapshot = []byte("Memory snapshot for GPU ")
	gpuGlobal   = []byte("Global total: ")
	gpuProcess  = []byte("Proc ")
	gpuTotal    = []byte(" total: ")
)

// SniffGPU claims "Memory snapshot for GPU N:".
func SniffGPU(head []byte) bool {
	if bytes.Contains(head, []byte("== dumpstate: ")) {
		return false
	}
	return bytes.HasPrefix(head, gpuSnapshot) || bytes.Contains(head, append([]byte{'\n'}, gpuSnapshot...))
}

// gpu reads the totals. A process may have memory on several GPUs; its gpu_used is the sum.
type gpu struct {
	log
	device                   table.Sym
	seen                     map[int64]bool // GPUs of this snapshot
	usual                    int            // how many the snapshot before had
	processes                []gpuUse
	index                    map[int64]int
	scope, process, name, gu table.Sym
}

type gpuUse struct {
	pid, bytes int64
	line       int
}

// DecodeGPU reads the bytes of each GPU and of each process. The error is that of the reading, or says why the file
// held nothing.
func DecodeGPU(in *source.Input, b *table.Builder) error {
	g := &gpu{log: newLog(in, b), scope: b.Text("device"), process: b.Text("process"), name: b.Text(""), gu: b.Text("gpu_used")}
	g.seen, g.index = map[int64]bool{}, map[int64]int{}
	b.Fact("platform", "Android")
	for g.l.Scan() {
		if line := trim(g.l.Bytes()); len(line) > 0 {
			g.line(line)
		}
	}
	g.cut()
	g.write()
	return g.close(in, "\"Global total:\" behind \"Memory snapshot for GPU 0:\"")
}

func (g *gpu) line(line []byte) {
	switch {
	case bytes.HasPrefix(line, gpuSnapshot):
		g.snapshot(line)
	case g.device != table.Null && bytes.HasPrefix(line, gpuGlobal):
		if v, ok := g.last(line, len(gpuGlobal)); ok {
			g.b.Add(table.Sample{Scope: g.scope, Name: g.device, Metric: g.gu, Value: v, Line: g.l.Line()})
		}
	case g.device != table.Null && bytes.HasPrefix(line, gpuProcess) && bytes.Contains(line, gpuTotal):
		g.use(line)
	default:
		if _, mark := source.ParseMark(line); mark {
			g.write()
		}
		g.between(line)
	}
}

// snapshot reads "Memory snapshot for GPU 0:"; a GPU that the current one has already begins the next.
func (g *gpu) snapshot(line []byte) {
	id, n := whole(line[len(gpuSnapshot):])
	if n == 0 {
		g.b.Problems.Add(g.l.Pos(len(gpuSnapshot)+1), "want the number of a GPU, have %q", clip(line[len(gpuSnapshot):]))
		g.device = table.Null
		return
	}
	if g.seen[id] {
		g.write()
		g.next()
	}
	g.touched, g.seen[id] = true, true
	g.device = g.b.Sym(append([]byte("GPU "), line[len(gpuSnapshot):len(gpuSnapshot)+n]...))
}

// use reads "Proc 1234 total: 5678".
func (g *gpu) use(line []byte) {
	pid, n := number(line[len(gpuProcess):])
	at := len(gpuProcess) + n
	if n == 0 || !bytes.HasPrefix(line[at:], gpuTotal) {
		g.b.Problems.Add(g.l.Pos(len(gpuProcess)+1), "want \"N total: BYTES\", have %q", clip(line[len(gpuProcess):]))
		return
	}
	v, ok := g.last(line, at+len(gpuTotal))
	if !ok {
		return
	}
	i, known := g.index[pid]
	if !known {
		i = len(g.processes)
		g.index[pid] = i
		g.processes = append(g.processes, gpuUse{pid: pid, line: g.l.Line()})
	}
	if v > math.MaxInt64-g.processes[i].bytes {
		g.b.Problems.Add(g.l.Pos(at+len(gpuTotal)+1), "want a sum below 2^63 bytes for pid %d", pid)
		return
	}
	g.processes[i].bytes += v
}

// last reads the figure that ends a line. Without a line end it may be cut.
func (g *gpu) last(line []byte, at int) (int64, bool) {
	v, n := number(line[at:])
	switch {
	case n == 0 || at+n != len(line):
		g.b.Problems.Add(g.l.Pos(at+1), "want a size in bytes, have %q", clip(line[at:]))
		return 0, false
	case !g.l.Ended():
		g.b.Problems.Add(g.l.Pos(at+1), "want the end of the line, have the end of the file: a figure that may be cut is dropped")
		return 0, false
	}
	return v, true
}

// cut drops the sums of the processes where the end of the file has cut the last dump: what they have on the GPUs that
// are missing is not in them.
func (g *gpu) cut() {
	if len(g.processes) > 0 && (!g.l.Ended() || len(g.seen) < g.usual) {
		g.b.Problems.Add(g.l.Pos(0), "want the rest of the GPUs, have the end of the file: the sums of %d processes are dropped", len(g.processes))
		g.processes = g.processes[:0]
	}
}

// write gives each process of the snapshot its row.
func (g *gpu) write() {
	for _, p := range g.processes {
		g.b.Process(table.Known(p.pid), table.Null)
		g.b.Add(table.Sample{Scope: g.process, Name: g.name, Metric: g.gu, Value: p.bytes, Line: p.line})
	}
	g.b.Process(table.Int{}, table.Null)
	if len(g.seen) > 0 {
		g.usual = len(g.seen)
	}
	g.processes = g.processes[:0]
	clear(g.index)
	clear(g.seen)
	g.device = table.Null
}
