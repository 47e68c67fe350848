package instruments

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// heapReader notes the largest heap while it is read from.
type heapReader struct {
	r          io.Reader
	peak, read uint64
	next       uint64
}

func (h *heapReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if h.read += uint64(n); h.read >= h.next {
		h.next += 64 << 20
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.peak = max(h.peak, m.HeapAlloc)
	}
	return n, err
}

// TestLong reads exports of so many MB as MEMTIDE_LONG says, which are made while they are read: memory follows what is
// distinct in them, with the rows of the tables, and eight bytes an id.
//
//	MEMTIDE_LONG=2048 go test -run Long -v ./ingest/instruments
func TestLong(t *testing.T) {
	mb, _ := strconv.ParseInt(os.Getenv("MEMTIDE_LONG"), 10, 64)
	if mb == 0 {
		t.Skip("set MEMTIDE_LONG to the MB to read")
	}
	for _, c := range []struct {
		name        string
		of          func(int64) *export
		decode      func(*source.Input, *table.Builder) error
		bytesPerRow int64 // of memory, for each row of the export that makes rows of a table
	}{
		{"allocations-list", allocationExport, DecodeDetail, 0},
		{"virtual-memory", faultExport, DecodeTable, 400},
	} {
		t.Run(c.name, func(t *testing.T) { long(t, c.of(mb<<20), c.of(mb<<20), c.decode, c.bytesPerRow) })
	}
}

func long(t *testing.T, twin, e *export, decode func(*source.Input, *table.Builder) error, bytesPerRow int64) {
	generate := tabletest.CPUOf(func() { _, _ = io.Copy(io.Discard, twin) })
	runtime.GC()
	h := &heapReader{r: e}
	in, err := source.NewInput("x", h)
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "xctrace")
	from := time.Now()
	cpu := tabletest.CPUOf(func() { err = decode(in, b) }) - generate
	if err != nil || len(b.Problems.List()) > 0 {
		t.Fatal(err, b.Problems.List())
	}
	rate := float64(h.read) / 1e6 / cpu.Seconds()
	fmt.Printf("%d MB, %d rows, %d ids: %s, %.0f MB a CPU second without making them, largest heap %d MB\n", h.read>>20, e.rows, e.id, time.Since(from).Round(time.Second), rate, h.peak>>20)
	if limit := uint64(64<<20 + int64(e.rows)*bytesPerRow + 16*int64(e.id)); h.peak > limit {
		t.Errorf("the heap grew to %d MB, want at most %d", h.peak>>20, limit>>20)
	}
	if rate < 100 {
		t.Errorf("%.0f MB a CPU second, want 250 and, on a machine with other work, 100 at least", rate)
	}
}
