package heaptrack

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// capture builds a data file of 1,000 stacks and n stamps with 2,000 allocations and nearly as many frees each.
func capture(n int) []byte {
	var w bytes.Buffer
	w.WriteString("v 10400 3\nX /opt/app/server\nI 1000 1000\ns f /opt/app/server\n")
	for i := 1; i <= 1000; i++ {
		name := fmt.Sprintf("function_%d", i)
		fmt.Fprintf(&w, "s %x %s\ni %x 1 %x\nt %x %x\na %x %x\n", len(name), name, 0x400000+16*i, i+1, i, i/4, 16+i%64*8, i)
	}
	for c := 1; c <= n; c++ {
		for i := range 2000 {
			fmt.Fprintf(&w, "+ %x\n", i*7919%1000)
			if i%50 > 0 {
				fmt.Fprintf(&w, "- %x\n", i*7919%1000)
			}
		}
		fmt.Fprintf(&w, "c %x\nR %x\n", 10*c, 1000+c)
	}
	w.WriteString("# strings: 1001\n# ips: 1000\n")
	return w.Bytes()
}

// manyStacks builds a data file in which each of n traces, in a tree of many depths, allocates once: what a program does that starts.
func manyStacks(n int) []byte {
	var w bytes.Buffer
	w.WriteString("v 10400 3\nX /opt/app/server\nI 1000 1000\ns f /opt/app/server\n")
	for i := 1; i <= 2000; i++ {
		name := fmt.Sprintf("function_%d", i)
		fmt.Fprintf(&w, "s %x %s\ni %x 1 %x\n", len(name), name, 0x400000+16*i, i+1)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&w, "t %x %x\na %x %x\n+ %x\n", i*7919%2000+1, i/4, 16+i%64*8, i, i-1)
		if i%(n/100) == 0 {
			fmt.Fprintf(&w, "- %x\nc %x\n", i-1, i)
		}
	}
	w.WriteString("# strings: 2001\n# ips: 2000\n")
	return w.Bytes()
}

// TestMemoryOfStacks: what is taken from the machine for each stack is little more than its rows, of which there are up to twenty.
func TestMemoryOfStacks(t *testing.T) {
	const n, each = 100_000, 1500 // a row of sites has 80 bytes, and half of the stacks have ten; the rest are frames, traces and their indices
	text := manyStacks(n)
	got := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			decodeText(b, text)
		}
	}).AllocedBytesPerOp() / n
	if got > each {
		t.Errorf("%d bytes for each stack, want at most %d", got, each)
	}
	t.Logf("%d bytes for each stack", got)
}

// BenchmarkStacks is a file of stacks that are seen once or twice each.
func BenchmarkStacks(b *testing.B) {
	text := manyStacks(300_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		decodeText(b, text)
	}
}

// BenchmarkHeaptrackPrint holds the processor time of reading the corpus's file of heaptrack_gui against that of heaptrack_print,
// which writes all it has to nowhere. Unpacking is in both.
func BenchmarkHeaptrackPrint(b *testing.B) {
	tool, err := exec.LookPath("heaptrack_print")
	if err != nil {
		b.Skip("heaptrack_print is not installed")
	}
	path := corpus(b, "heap/public/heaptrack.heaptrack_gui.*")[0]
	var own, theirs time.Duration
	for b.Loop() {
		own += tabletest.CPUOf(func() { decodeText(b, []byte(unpacked(b, path))) })
		c := exec.Command(tool, path)
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
		theirs += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	b.ReportMetric(own.Seconds()*1e3/float64(b.N), "cpu-ms")
	b.ReportMetric(theirs.Seconds()/own.Seconds(), "x-heaptrack_print")
}

func decodeText(b *testing.B, text []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(text))
	rows := table.NewBuilder("x", "heaptrack")
	if err := Decode(in, rows); err != nil {
		b.Fatal(err)
	}
	table.Assemble([]*table.Part{rows.Done()})
}

// newlines is the floor: every line end found, nothing read.
func newlines(text []byte) {
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return
		}
		text = text[i+1:]
	}
}

// fields is what a script does: fields, numbers and maps.
func fieldsOf(text []byte) {
	sizes, live := []int64{}, map[uint64]int64{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for s.Scan() {
		f := strings.Fields(s.Text())
		if len(f) < 2 {
			continue
		}
		v, _ := strconv.ParseUint(f[1], 16, 64)
		switch f[0] {
		case "a":
			sizes = append(sizes, int64(v))
		case "+":
			live[v] += sizes[v]
		case "-":
			live[v] -= sizes[v]
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{50, 200, 800} {
		text := capture(n)
		b.Run(fmt.Sprintf("%dMB", len(text)>>20), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				decodeText(b, text)
			}
		})
	}
}

// BenchmarkRatios runs the three ways over the same bytes in turn: what else runs on the machine moves all three alike.
func BenchmarkRatios(b *testing.B) {
	text := capture(800)
	var d, n, f time.Duration
	timed := func(sum *time.Duration, f func()) {
		from := time.Now()
		f()
		*sum += time.Since(from)
	}
	for b.Loop() {
		timed(&d, func() { decodeText(b, text) })
		timed(&n, func() { newlines(text) })
		timed(&f, func() { fieldsOf(text) })
	}
	b.ReportMetric(float64(len(text))/1e6*float64(b.N)/d.Seconds(), "decode-MB/s")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-fields")
}
