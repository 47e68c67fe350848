package analyze_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// TestHistoryKeptPerSession: memory follows the rounds of a conversation, not the clock: 24 MiB each, 2.4 GiB over 100.
func TestHistoryKeptPerSession(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := int64(0)
	result := one(capture("run", 200, func(i int) []row {
		if i > 0 && r.IntN(2) == 0 && rounds < 100 {
			rounds++
		}
		return []row{{"", "driver", "rounds", "count", rounds}, {"app", "process", "", "rss", 2000*mib + 24*mib*rounds + int64(r.NormFloat64()*mib)}}
	}))
	if len(result.Couplings) != 1 {
		t.Fatalf("%d couplings", len(result.Couplings))
	}
	c := result.Couplings[0]
	if c.Form != "linear" || c.Driver != "rounds" || c.Follows < 0.99 || *c.SlopeLo > 24.1*mib || *c.SlopeHi < 23.9*mib {
		t.Errorf("%+v", c)
	}
	near(t, "slope", *c.Slope, 24*mib, 0.3*mib)
	near(t, "growth", c.Growth, 24*mib*(c.To-c.From), 40*mib)
	if f := result.Findings[0]; !strings.Contains(f.Message, "goes with rounds: 24 MiB for each") || math.Abs(f.Stats["per_rounds"]-24*mib) > 0.3*mib {
		t.Errorf("%s", f.Message)
	}
	for _, s := range result.Series {
		if s.Subject.Scope == "driver" {
			t.Error("the work given is judged as if it were memory")
		}
	}
}

// TestWorkWithoutGrowth: requests that are served and forgotten are coupled to nothing.
func TestWorkWithoutGrowth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	result := one(capture("run", 200, func(i int) []row {
		return []row{{"", "driver", "requests", "count", int64(10 * i)}, {"app", "process", "", "rss", 300*mib + int64(r.NormFloat64()*mib)}}
	}))
	if len(result.Couplings)+len(result.Findings) != 0 {
		t.Errorf("%+v %+v", result.Couplings, result.Findings)
	}
}

// powered is a run at one batch size: its growth per iteration, or its level, is a power of that size.
func powered(batch, exponent float64, leaks bool) analyze.Capture {
	r := rand.New(rand.NewPCG(uint64(batch), 9))
	return capture(fmt.Sprintf("batch_size=%.0f", batch), 60, func(i int) []row {
		v := 300*mib + r.NormFloat64()*0.1*mib
		if leaks {
			v += 0.01 * mib * math.Pow(batch, exponent) * float64(i)
		} else {
			v += mib * math.Pow(batch, exponent)
		}
		return []row{{"app", "process", "", "rss", int64(v)}}
	})
}

func TestPowerOfTheBatchSize(t *testing.T) {
	for _, c := range []struct {
		exponent float64
		leaks    bool
		class    string // of the finding
		of       string
	}{{2, true, "quadratic", "growth"}, {1, true, "", "growth"}, {1.5, true, "superlinear", "growth"}, {2, false, "quadratic", "peak"}, {1, false, "", "peak"}} {
		var runs []analyze.Capture
		for _, b := range []float64{4, 8, 16, 32, 48} {
			runs = append(runs, powered(b, c.exponent, c.leaks))
		}
		r := one(runs...)
		if len(r.Couplings) != 1 {
			t.Errorf("%+v: couplings %+v", c, r.Couplings)
			continue
		}
		k := r.Couplings[0]
		if k.Of != c.of || k.Driver != "batch_size" || math.Abs(*k.Exponent-c.exponent) > 0.1 || *k.ExponentLo > c.exponent+0.02 || *k.ExponentHi < c.exponent-0.02 {
			t.Errorf("%+v: %s", c, k.Message)
		}
		class := ""
		for _, f := range r.Findings {
			if f.Rule == "coupled-growth" {
				class = f.Class
				if want := map[bool]string{true: "warning", false: "note"}[c.leaks]; f.Severity != want {
					t.Errorf("%+v: severity %s, want %s", c, f.Severity, want)
				}
			}
		}
		if class != c.class {
			t.Errorf("%+v: class %q", c, class)
		}
	}
}

// TestPowerWithinOneRun: a setting that changes inside a run.
func TestPowerWithinOneRun(t *testing.T) {
	sizes := []int64{1, 2, 4, 8, 16, 32}
	r := one(capture("run", 120, func(i int) []row {
		b := sizes[i/10%6]
		return []row{{"", "driver", "batch_size", "count", b}, {"app", "process", "", "rss", 500*mib + b*b*mib/2 + int64(i*7919%4096)}}
	}))
	if len(r.Couplings) != 1 || r.Couplings[0].Form != "power" || math.Abs(*r.Couplings[0].Exponent-2) > 0.02 {
		t.Errorf("%+v", r.Couplings)
	}
}

// TestSwappedOut: what leaves RAM for swap is no growth, and what grows while it is swapped out is.
func TestSwappedOut(t *testing.T) {
	for _, c := range []struct {
		resident, swap int64
		class          string
		severity       string
	}{{-mib, mib, "swapped-out", "note"}, {0, mib, "swapped-out", "warning"}, {mib, -mib / 2, "process", "warning"}} {
		r := one(capture("run", 60, func(i int) []row {
			return []row{{"app", "process", "", "rss", 100*mib + c.resident*int64(i) + int64(i*7919%4096)}, {"app", "process", "", "swap", 40*mib + c.swap*int64(i) + int64(i*31%4096)}}
		}))
		if len(r.Findings) != 1 || r.Findings[0].Class != c.class || r.Findings[0].Severity != c.severity {
			t.Errorf("%+v: %+v", c, r.Findings)
		}
	}
}

// TestKindsOfGrowth: files that are mapped, and an allocator that keeps what it has, are told apart from a leak.
func TestKindsOfGrowth(t *testing.T) {
	for class, rows := range map[string]func(i int) []row{
		"file-backed": func(i int) []row {
			return []row{{"app", "process", "", "rss", 100*mib + int64(i)*mib}, {"app", "process", "", "rss_anon", 50 * mib}, {"app", "process", "", "rss_file", 50*mib + int64(i)*mib}}
		},
		"fragmentation": func(i int) []row {
			return []row{{"app", "process", "", "rss", 100*mib + int64(i)*mib}, {"app", "process", "", "heap_alloc", 40*mib + int64(i*7919%65536)}}
		},
		"process": func(i int) []row {
			return []row{{"app", "process", "", "rss", 100*mib + int64(i)*mib}, {"app", "process", "", "rss_anon", 50*mib + int64(i)*mib}, {"app", "process", "", "rss_file", 50 * mib}}
		},
	} {
		r := one(capture("run", 60, rows))
		if len(r.Findings) != 1 || r.Findings[0].Class != class {
			t.Errorf("%s: %+v", class, r.Findings)
		}
	}
}
