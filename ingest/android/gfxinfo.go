package android

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var (
	gfxHeader = []byte("Applications Graphics Acceleration Info:")
	gfxBlock  = []byte("** Graphics info for pid ")
	allocated = []byte("Total allocated ")
)

// SniffGfxinfo claims the header or the first line of a process.
func SniffGfxinfo(head []byte) bool {
	if bytes.Contains(head, []byte("== dumpstate: ")) {
		return false
	}
	return bytes.HasPrefix(head, gfxHeader) || bytes.HasPrefix(head, gfxBlock) ||
		bytes.Contains(head, append([]byte{'\n'}, gfxHeader...)) || bytes.Contains(head, append([]byte{'\n'}, gfxBlock...))
}

// gfxTotal is a line behind which a size in bytes stands on a line of its own.
type gfxTotal struct{ scope, name, metric string }

// gfxTotals: up to Android 8 the caches of the GPU are called memory.
var gfxTotals = map[string]gfxTotal{
	"Total GPU memory usage:": {"process", "", "gpu_used"},
	"Total memory usage:":     {"process", "", "gpu_used"},
	"Total CPU memory usage:": {"pool", "HWUI CPU caches", "live_bytes"},
}

// gfxinfo reads the sizes of each process.
type gfxinfo struct {
	log
	seen  map[int64]bool // pids of this snapshot
	title string         // the line before, if it is one of gfxTotals
}

// DecodeGfxinfo reads GPU memory, CPU caches and buffers of each process; the frame statistics are not stored. The
// error is that of the reading, or says why the file held nothing.
func DecodeGfxinfo(in *source.Input, b *table.Builder) error {
	g := &gfxinfo{log: newLog(in, b), seen: map[int64]bool{}}
	b.Fact("platform", "Android")
	for g.l.Scan() {
		g.line(trim(g.l.Bytes()))
	}
	if g.title != "" {
		g.b.Problems.Add(g.l.Pos(0), "want a size in bytes behind %q, have the end of the file", g.title)
	}
	return g.close(in, "\"Total GPU memory usage:\" of a process")
}

func (g *gfxinfo) line(line []byte) {
	if g.title != "" {
		g.bytes(line)
		return
	}
	if len(line) == 0 {
		return
	}
	switch line[0] {
	case 'A':
		if bytes.HasPrefix(line, gfxHeader) {
			g.open()
			g.seen = map[int64]bool{}
			return
		}
	case 'T':
		if _, ok := gfxTotals[string(line)]; ok {
			g.title = string(line)
		} else if bytes.HasPrefix(line, allocated) {
			g.allocated(line)
		}
		return
	case '*':
		if bytes.HasPrefix(line, gfxBlock) {
			g.block(line)
			return
		}
	case 'U':
		if g.realtime(line) {
			return
		}
	}
	if raw := g.l.Bytes(); raw[0] != ' ' && raw[0] != '\t' {
		g.between(line)
	}
}

// block reads "** Graphics info for pid 1878 [name] **".
func (g *gfxinfo) block(line []byte) {
	pid, n := whole(line[len(gfxBlock):])
	if n == 0 {
		g.b.Problems.Add(g.l.Pos(len(gfxBlock)+1), "want a pid, have %q", clip(line[len(gfxBlock):]))
		g.b.Process(table.Int{}, table.Null)
		return
	}
	if g.seen[pid] {
		g.next()
		g.seen = map[int64]bool{}
	}
	g.touched, g.seen[pid] = true, true
	name := table.Null
	if from, to := bytes.IndexByte(line, '['), bytes.LastIndexByte(line, ']'); from > 0 && to > from+1 {
		name = g.b.Sym(line[from+1 : to])
	}
	g.b.Process(table.Known(pid), name)
}

// bytes reads the line behind a total: "4450992 bytes, 4.24 MB (170.62 KB is purgeable)".
func (g *gfxinfo) bytes(line []byte) {
	title := g.title
	g.title = ""
	v, n := number(line)
	if n == 0 || !bytes.HasPrefix(line[n:], []byte(" bytes")) {
		g.b.Problems.Add(g.l.Pos(1), "want a size in bytes behind %q, have %q", title, clip(line))
		return
	}
	t := gfxTotals[title]
	g.add(t, v)
}

// allocated reads "Total allocated by GraphicBufferAllocator (estimate): 54000.00 KB".
func (g *gfxinfo) allocated(line []byte) {
	_, size, ok := bytes.Cut(line, []byte("(estimate):"))
	if !ok {
		return
	}
	v, ok := fraction(size)
	if !ok {
		g.b.Problems.Add(g.l.Pos(len(line)-len(size)+1), "want a size with its unit, have %q", clip(trim(size)))
		return
	}
	g.add(gfxTotal{"pool", "GraphicBufferAllocator", "gpu_allocated"}, v)
}

func (g *gfxinfo) add(t gfxTotal, v int64) {
	g.touched = true
	g.b.Add(table.Sample{Scope: g.b.Text(t.scope), Name: g.b.Text(t.name), Metric: g.b.Text(t.metric), Value: v, Line: g.l.Line()})
}
