//go:build unix

package analyze

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/table"
)

// speed skips a test unless MEMTIDE_SPEED is set: what it measures depends on the machine. It keeps the program to a number
// of cores meanwhile.
func speed(t *testing.T, cores int) {
	t.Helper()
	if os.Getenv("MEMTIDE_SPEED") == "" {
		t.Skip("MEMTIDE_SPEED is not set: make bench-verdicts")
	}
	before := runtime.GOMAXPROCS(cores)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// timed are series of any length, each a different way through the gates.
var timed = []struct {
	name string
	y    func(i, n float64) float64
}{
	{"leak", func(i, n float64) float64 { return 4096 * math.Floor(30_000+8_000*i/n+40*noise(i)) }},
	{"level", func(i, _ float64) float64 { return 4096 * math.Floor(30_000+40*noise(i)) }},
	{"constant", func(i, _ float64) float64 { return 4096 * 30_000 }},
	{"warm-up", func(i, n float64) float64 {
		return 4096 * math.Floor(30_000*(1-math.Exp(-20*i/n)/2)+40*noise(i))
	}},
	{"saw", func(i, n float64) float64 { return 4096 * math.Floor(30_000+9_000*math.Mod(17*i/n, 1)+40*noise(i)) }},
	{"fast saw", func(i, n float64) float64 { return 4096 * math.Floor(30_000+3_000*i/n+900*math.Mod(i, 11)) }},
	{"step", func(i, n float64) float64 {
		return 4096 * math.Floor(30_000+9_000*math.Floor(2*i/n)+40*noise(i))
	}},
	{"day and night", func(i, n float64) float64 {
		return 4096 * math.Floor(30_000+4_000*math.Sin(40*i/n)+40*noise(i))
	}},
}

// noise is a number about 0 with a standard deviation of about 1 that follows from i alone.
func noise(i float64) float64 {
	h := uint64(i)*0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 32
	return (float64(h>>11)/(1<<53) - 0.5) * math.Sqrt(12)
}

// quickest is the least time of a few tries; the machine may be busy in some of them.
func quickest(tries int, f func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range tries {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// TestSpeedOfVerdicts: a verdict on a million samples takes less than a second of one core, and from a thousand samples to a million
// the cost grows no faster than n log n.
func TestSpeedOfVerdicts(t *testing.T) {
	speed(t, 1)
	sizes := []int{1_000, 10_000, 100_000, 1_000_000}
	for _, s := range timed {
		for _, order := range []string{"", ", clock goes back"} {
			var line string
			cost := map[int]time.Duration{}
			for _, n := range sizes {
				in := GrowthInput{T: make([]float64, n), Y: make([]float64, n), Kind: Bytes}
				for i := range n {
					in.T[i], in.Y[i] = float64(i), s.y(float64(i), float64(n))
					if order != "" && i%2 == 1 {
						in.T[i], in.T[i-1] = in.T[i-1], in.T[i]
					}
				}
				cost[n] = quickest(max(2, min(20, 200_000/n)), func() { JudgeGrowth(in, DefaultGrowth) })
				line += fmt.Sprintf("  %9d: %9s %6.0f ns", n, cost[n].Round(10*time.Microsecond), float64(cost[n])/float64(n))
			}
			t.Logf("%-32s%s", s.name+order, line)
			if cost[1_000_000] > time.Second {
				t.Errorf("%s%s: a million samples take %s", s.name, order, cost[1_000_000])
			}
			for k := 1; k < len(sizes); k++ {
				a, b := sizes[k-1], sizes[k]
				most := 1.5 * float64(b) * math.Log2(float64(b)) / (float64(a) * math.Log2(float64(a)))
				if ratio := float64(cost[b]) / float64(cost[a]); ratio > most {
					t.Errorf("%s%s: from %d to %d samples the cost grows %.1f times, want at most %.1f", s.name, order, a, b, ratio, most)
				}
			}
		}
	}
}

// worked is the time that this process has had of all cores.
func worked() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestSpeedOfOne: 10,000 series of 1,000 samples, from tables that are built, are judged in less than 20 s on two cores. Where other
// programs have the cores, the time that this one had of them is what counts.
func TestSpeedOfOne(t *testing.T) {
	speed(t, 2)
	const series, samples = 10_000, 1_000
	start := time.Now()
	b := table.NewBuilder("many", "test")
	names := make([]table.Sym, series)
	for i := range names {
		names[i] = b.Text(fmt.Sprint("process-", i))
	}
	scope, empty, metric := b.Text("process"), b.Text(""), b.Text("rss")
	for k := range samples {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(k) * 1e9), Line: k + 1})
		for i, name := range names {
			b.Process(table.Known(int64(i+1)), name)
			v := timed[i%len(timed)].y(float64(k+7*i), samples)
			b.Add(table.Sample{Scope: scope, Name: empty, Metric: metric, Value: int64(v), Line: k + 1})
		}
	}
	c := []Capture{{Name: "many", Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []Input{{Run: "many", Path: "many", Format: "test"}}}}
	b = nil
	runtime.GC()
	t.Logf("%d rows built in %s", series*samples, time.Since(start).Round(time.Millisecond))
	start, had := time.Now(), worked()
	o := Defaults()
	o.Each = onBoth
	r := One(c, o)
	took, cpu := time.Since(start), worked()-had
	verdicts := map[Verdict]int{}
	for i := range r.Series {
		verdicts[r.Series[i].Verdict]++
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d series of %d samples judged in %s, %s of CPU, %s of it a series; %d findings; verdicts %v; %d MiB from the system", len(r.Series), samples, took.Round(time.Millisecond), cpu.Round(time.Millisecond), (cpu / series).Round(time.Microsecond), len(r.Findings), verdicts, memory.Sys>>20)
	if len(r.Series) != series || min(took, cpu) > 20*time.Second {
		t.Errorf("%d series in %s, %s of CPU; want %d in less than 20 s", len(r.Series), took, cpu, series)
	}
}

// onBoth calls a function for each number below n on two processors, as the program does on all.
func onBoth(n int, f func(int)) {
	var all sync.WaitGroup
	for part := range 2 {
		all.Go(func() {
			for i := part; i < n; i += 2 {
				f(i)
			}
		})
	}
	all.Wait()
}
