package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memtide/memtide/analyze/stat"
	"github.com/memtide/memtide/ingest/table"
)

// program is a process to compare with itself: 200 mappings in 12 categories, of which some are not there in every run.
// Runs differ by a share of the total that is common to all mappings, and by twice that in each; within a run the load moves
// all of them together, and each by itself, both with memory (autoregression of the first order).
type program struct {
	*rand.Rand
	size     [200]float64 // bytes
	optional [200]bool
	runSD    float64 // share, from run to run
	phi      float64 // correlation of a sample with the one before it
	load     float64 // share, standard deviation within a run of all mappings together
	own      float64 // the same of each mapping by itself
	n        int     // samples of a run
	total    float64
}

const parts = 12

// newProgram draws a program with a spread between runs of 1 to 3 %.
func newProgram(seed, k uint64) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, k))}
	p.total = mib * math.Exp(p.between(math.Log(60), math.Log(3000)))
	p.runSD, p.phi, p.n = p.between(0.01, 0.03), p.between(0.3, 0.9), 40+p.IntN(80)
	p.load, p.own = p.between(0.001, 0.01), p.between(0.002, 0.02)
	sum := 0.0
	for i := range p.size {
		p.size[i] = math.Exp(1.2 * p.NormFloat64())
		sum += p.size[i]
	}
	for i := range p.size {
		p.optional[i] = p.size[i] < sum/200 && p.Float64() < 0.15
		p.size[i] *= p.total / sum
	}
	return p
}

func (p *program) between(a, b float64) float64 { return a + (b-a)*p.Float64() }

// ar draws a series of unit variance with memory.
func (p *program) ar() []float64 {
	out, v, s := make([]float64, p.n), p.NormFloat64(), math.Sqrt(1-p.phi*p.phi)
	for i := range out {
		out[i] = v
		v = p.phi*v + s*p.NormFloat64()
	}
	return out
}

// run is one run of the program, of which more(i) bytes are added to mapping i.
func (p *program) run(name string, more func(i int) float64) Capture {
	common, load := 1+p.runSD*p.NormFloat64(), p.ar()
	values := make([][]float64, len(p.size))
	for i, size := range p.size {
		if p.optional[i] && p.Float64() < 0.4 {
			continue
		}
		own, level := p.ar(), size*(1+2*p.runSD*p.NormFloat64())+more(i)
		values[i] = make([]float64, p.n)
		for k := range own {
			values[i][k] = max(level*common*(1+p.load*load[k]+p.own*own[k]), 0)
		}
	}
	return mapped(name, p.n, values)
}

// mapped makes a capture of mappings over time, one sample a second; nil stands for one that is not there.
func mapped(name string, n int, values [][]float64) Capture {
	b := table.NewBuilder(name, "test")
	for k := range n {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(k) * 1e9), Line: k + 1})
		b.Process(table.Known(1), b.Text("app"))
		for i, v := range values {
			if v == nil {
				continue
			}
			pages := int64(v[k]) >> 12 << 12
			m := table.Mapping{Path: b.Text(fmt.Sprint("/m/", i)), Perms: b.Text("rw-p"), Category: b.Text(fmt.Sprint("c", i%parts)), Line: k + 1}
			m.Set(table.MapRSS, pages+pages/4)
			m.Set(table.MapPSS, pages)
			m.Set(table.MapPrivateDirty, pages/2>>12<<12)
			b.Map(&m)
		}
	}
	return Capture{Name: name, Set: table.Assemble([]*table.Part{b.Done()}), Inputs: []Input{{Run: name, Path: name, Format: "test"}}}
}

func (p *program) side(name string, more func(i int) float64) []Capture {
	out := make([]Capture, 5)
	for i := range out {
		out[i] = p.run(fmt.Sprint(name, i), more)
	}
	return out
}

func nothing(int) float64 { return 0 }

// alarms lists what a comparison of a program with itself must not say: a finding above a note, or a total or category that
// got worse.
func alarms(r *Result) (out []string) {
	for _, f := range r.Findings {
		if f.Severity != "note" && f.Status != StatusFixed {
			out = append(out, fmt.Sprintf("%s of a %s, %s: %s", f.Rule, f.Subject.Scope, f.Status, f.Message))
		}
	}
	for _, d := range r.Deltas {
		if d.Verdict == Regression && d.Subject.Scope != "mapping" {
			out = append(out, fmt.Sprintf("regression of a %s: %s, %s", d.Subject.Scope, title(d.Subject), d.change()))
		}
	}
	return out
}

// each calls f with 0 … n-1, on all cores.
func each(n int, f func(k int)) {
	var wait sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				f(k)
			}
		})
	}
	wait.Wait()
}

// acceptance reads how many cases of each kind are asked for, and the seed. A comparison takes half a second, so that there are
// none without MEMTIDE_STATISTICS.
func acceptance(t *testing.T) (cases int, seed uint64, enough bool) {
	t.Helper()
	cases = number("MEMTIDE_STATISTICS", 0)
	if cases == 0 {
		t.Skip("MEMTIDE_STATISTICS is not set: make check-statistics")
	}
	return cases, uint64(number("MEMTIDE_SEED", 1)), cases >= 50
}

// TestSameProgramRaisesNoAlarm is the statistical acceptance of comparisons: of a program with itself, five runs a side, at most
// one in a hundred raises an alarm. MEMTIDE_STATISTICS sets how many: five times as many comparisons (70 make 350),
// MEMTIDE_SEED the seed; with MEMTIDE_VERBOSE every alarm is printed.
func TestSameProgramRaisesNoAlarm(t *testing.T) {
	cases, seed, enough := acceptance(t)
	cases *= 5
	heard := make([][]string, cases)
	each(cases, func(k int) {
		p := newProgram(seed, uint64(k))
		heard[k] = alarms(Compare(p.side("b", nothing), p.side("a", nothing), Defaults()))
	})
	loud, kinds := 0, map[string]int{}
	for k, list := range heard {
		if len(list) == 0 {
			continue
		}
		loud++
		what, _, _ := strings.Cut(list[0], ":")
		kinds[what]++
		if os.Getenv("MEMTIDE_VERBOSE") != "" {
			p := newProgram(seed, uint64(k))
			t.Logf("seed %d #%d: run to run %.1f %%, phi %.2f, %d samples, load %.2f %%, own %.2f %%: %q", seed, k, 100*p.runSD, p.phi, p.n, 100*p.load, 100*p.own, list)
		}
	}
	line := fmt.Sprintf("seed %d: %d of %d comparisons of a program with itself raise an alarm (%.2f %%) %v", seed, loud, cases, 100*float64(loud)/float64(cases), kinds)
	t.Log(line)
	if enough && 100*loud > cases {
		t.Errorf("%s: want at most 1 %%", line)
	}
}

// TestWhatGrewIsFound is the power of comparisons of five runs a side, by the spread between runs: a mapping that grew by a fifth
// of the total is found, as a regression of the total, of its category, and as the first of the mappings; a category that
// grew by 5 % of the total is found by itself, also where the spread of the total hides it. No other category is blamed.
func TestWhatGrewIsFound(t *testing.T) {
	cases, seed, enough := acceptance(t)
	for _, c := range []struct {
		name  string
		more  func(p *program) func(i int) float64
		least [3]found // per cent, at a spread of 1, 2 and 3 %
	}{
		{"mapping +20 % of the total", func(p *program) func(int) float64 {
			return func(i int) float64 { return float64(b2i(i == 7)) * 0.2 * p.total }
		}, [3]found{{100, 100, 100}, {99, 99, 99}, {95, 95, 95}}},
		{"category +5 % of the total", func(p *program) func(int) float64 {
			return func(i int) float64 { return float64(b2i(i%parts == 7)) * 0.05 * p.total / 17 }
		}, [3]found{{70, 98, 0}, {30, 95, 0}, {10, 90, 0}}},
	} {
		for s, least := range c.least {
			list, blamed := make([]found, cases), make([]int, cases)
			each(cases, func(k int) {
				p := newProgram(seed, uint64(1_000_000+k))
				p.runSD = 0.01 * float64(s+1)
				for i := 7; i < len(p.optional); i += parts {
					p.optional[i] = false
				}
				list[k], blamed[k] = finds(Compare(p.side("b", nothing), p.side("a", c.more(p)), Defaults()))
			})
			var rate found
			others := 0
			for k, f := range list {
				for i := range f {
					rate[i] += 100 * f[i] / float64(cases)
				}
				others += b2i(blamed[k] > 0)
			}
			t.Logf("seed %d: %s, run to run %d %%: of %d found by the total %.1f %%, by the category %.1f %%, as first mapping %.1f %%; others blamed in %d", seed, c.name, s+1, cases, rate[0], rate[1], rate[2], others)
			if enough && (rate[0] < least[0] || rate[1] < least[1] || rate[2] < least[2] || 50*others > cases) {
				t.Errorf("want at least %g %%, and others blamed in at most 2 %%", least)
			}
		}
	}
}

// found says, 1 or 0, whether a comparison names what grew: the total, category c7, mapping 7 as the first.
type found [3]float64

// finds also counts the other categories that are said to have changed.
func finds(r *Result) (f found, blamed int) {
	first := ""
	for _, d := range r.Deltas {
		changed := d.Verdict == Regression || d.Verdict == Improvement
		switch {
		case d.Subject.Metric != "pss":
		case d.Subject.Scope == "process" && r.Verdict == Fail:
			f[0] = float64(b2i(d.Verdict == Regression))
		case d.Subject.Scope == "category" && d.Subject.Name == "c7":
			f[1] = float64(b2i(d.Verdict == Regression))
		case d.Subject.Scope == "category":
			blamed += b2i(changed)
		case d.Subject.Scope == "mapping" && first == "":
			first = d.Subject.Name
			f[2] = float64(b2i(first == "/m/7 rw-p" && d.Verdict == Regression))
		}
	}
	return f, blamed
}

// ratedShapes are the shapes of a leak whose rate the generator states: its growth over the whole capture.
var ratedShapes = []string{"linear", "linear ar.9", "linear heavy tails", "warm-up then leak", "saw rising floor", "saw fast rising floor", "stairs 6-14",
	"sine few periods + leak", "day and night + leak", "fast period + leak", "load comes and goes + leak", "pool + leak", "bursts + leak", "irregular sampling",
	"gaps and spikes", "huge pages", "full and young collections", "compacting log + leak", "step then leak", "leak only under load", "hump then leak",
	"leak, noise grows", "lower limit of a falling cache"}

// TestRatesAreRight: where a leak is found, the rate that is stated is within a tenth of the true one in the median, for each shape
// within a fifth; and nine in ten of the 95 % intervals hold the true one.
func TestRatesAreRight(t *testing.T) {
	cases, seed := number("MEMTIDE_STATISTICS", 10), uint64(number("MEMTIDE_SEED", 1))
	var all []float64
	held, found := 0, 0
	for _, s := range leakShapes {
		if !slices.Contains(ratedShapes, s.name) {
			continue
		}
		var off []float64
		within := 0
		for k := range cases {
			in := s.series(seed, k)
			j := JudgeGrowth(in, DefaultGrowth)
			if j.Verdict != Leak {
				continue
			}
			truth := s.rate(seed, k)
			off = append(off, math.Abs(*j.SlopePerS-truth)/truth)
			found++
			within += b2i(*j.SlopeLo <= truth && truth <= *j.SlopeHi)
		}
		all, held = append(all, off...), held+within
		slices.Sort(off)
		t.Logf("%-32s off by %5.1f %% in the median, %5.1f %% at the ninth decile, of %d; in the interval %5.1f %%", s.name, 100*stat.Median(off), 100*stat.Quantile(off, 0.9), len(off), 100*float64(within)/float64(len(off)))
		if cases >= 50 && stat.Median(off) > 0.2 {
			t.Errorf("%s: the median is over 20 %%", s.name)
		}
	}
	t.Logf("seed %d: rates of %d leaks are off by %.1f %% in the median, %.1f %% at the ninth decile; %.1f %% of the intervals hold the true one", seed, found, 100*stat.Median(all), 100*stat.Quantile(all, 0.9), 100*float64(held)/float64(found))
	if stat.Median(all) > 0.1 {
		t.Error("want at most 10 % in the median")
	}
	if held*10 < found*9 {
		t.Error("want 90 % of the intervals to hold the true rate")
	}
}

// rate is what the generator adds a second to the series of a shape.
func (s shape) rate(seed uint64, k int) float64 {
	g := s.generator(seed, k)
	s.draw(g)
	return g.growth / g.dt
}

// generator is that of series.
func (s shape) generator(seed uint64, k int) *generator {
	h := uint64(14695981039346656037)
	for _, b := range []byte(s.name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return newGenerator(seed, h+uint64(k)*7919)
}
