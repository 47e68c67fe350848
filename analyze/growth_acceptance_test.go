package analyze

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// series draws one series of a shape; the shape's place in the list is part of the stream, so that adding shapes at
// the end leaves the others as they were.
func (s shape) series(seed uint64, k int) GrowthInput { return s.sized(seed, k, 0) }

// sized is series with a number of samples of its own; 0 leaves it to the generator.
func (s shape) sized(seed uint64, k, n int) GrowthInput {
	h := uint64(14695981039346656037)
	for _, b := range []byte(s.name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	g := newGenerator(seed, h+uint64(k)*7919)
	if n > 0 {
		g.n = n
		g.even()
	}
	y := s.draw(g)
	t := make([]float64, len(y))
	for i := range t {
		t[i] = g.u[i] * g.dt
		y[i] = max(float64(int64(y[i]/4096))*4096, 0)
	}
	return GrowthInput{T: t, Y: y, Kind: Bytes}
}

type score struct{ leak, n int }

func (s score) rate() float64 { return 100 * float64(s.leak) / float64(s.n) }

func judgeShapes(t *testing.T, shapes []shape, seed uint64, each int) (all score) {
	for _, s := range shapes {
		var sc score
		other := map[Verdict]int{}
		for k := range each {
			j := JudgeGrowth(s.series(seed, k), DefaultGrowth)
			sc.n++
			if j.Verdict == Leak {
				sc.leak++
			} else {
				other[j.Verdict]++
			}
			if (j.Verdict == Leak) != s.leak && os.Getenv("MEMTIDE_VERBOSE") != "" {
				t.Logf("seed %d, %s #%d: %s: %s", seed, s.name, k, j.Verdict, j.Reason)
			}
		}
		all.leak, all.n = all.leak+sc.leak, all.n+sc.n
		t.Logf("%-32s %5.1f %% leak  %v", s.name, sc.rate(), other)
	}
	return all
}

// TestGrowthStatistics is the statistical acceptance: how many leaks are found and how many false alarms raised over
// generated series. MEMTIDE_STATISTICS sets the number of series of each shape (70 make more than 6,000), MEMTIDE_SEED the
// seed, and with MEMTIDE_VERBOSE every wrong verdict is printed.
func TestGrowthStatistics(t *testing.T) {
	each, seed := number("MEMTIDE_STATISTICS", 10), uint64(number("MEMTIDE_SEED", 1))
	found := judgeShapes(t, leakShapes, seed, each)
	alarms := judgeShapes(t, steadyShapes, seed, each)
	unseen := func(leak bool) (out []shape) {
		for _, s := range unseenShapes {
			if s.leak == leak {
				out = append(out, s)
			}
		}
		return out
	}
	t.Log("shapes that the thresholds were not fitted to:")
	newFound := judgeShapes(t, unseen(true), seed, each)
	newAlarms := judgeShapes(t, unseen(false), seed, each)
	t.Logf("of these: found %.2f %% of %d leaks, %.2f %% false alarms in %d steady series", newFound.rate(), newFound.n, newAlarms.rate(), newAlarms.n)
	line := fmt.Sprintf("seed %d: found %.2f %% of %d leaks, %.2f %% false alarms in %d steady series", seed, found.rate(), found.n, alarms.rate(), alarms.n)
	t.Log(line)
	least, most := 98.0, 1.0
	if each < 50 { // a few series of each shape scatter
		least, most = 97, 1.5
	} else if newFound.rate() < 95 || newAlarms.rate() > 1 {
		t.Error("below what was measured on the shapes that the thresholds were not fitted to")
	}
	if found.rate() < least || alarms.rate() > most {
		t.Errorf("%s: want at least %g and at most %g", line, least, most)
	}
}

func number(name string, otherwise int) int {
	if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return v
	}
	return otherwise
}

// TestGrowthShort: in 5 to 19 samples only clear growth can be told, and of 5 to 7 nothing is said with high confidence.
func TestGrowthShort(t *testing.T) {
	named := func(list []shape, names ...string) (out []shape) {
		for _, s := range list {
			for _, n := range names {
				if s.name == n {
					out = append(out, s)
				}
			}
		}
		return out
	}
	var found, alarms score
	leaks := named(leakShapes, "linear", "late start", "huge pages", "accelerating")
	steady := named(steadyShapes, "iid", "ar.5", "warm-up", "step", "step at the end", "hump", "falling", "constant", "page jitter", "fill then flat", "spike at the end", "saw, few teeth", "on and off")
	for _, s := range append(leaks, steady...) {
		for k := range 40 {
			in := s.sized(1, k, 5+k%15)
			j := JudgeGrowth(in, DefaultGrowth)
			if len(in.Y) <= 7 && j.Confidence == "high" {
				t.Errorf("%s: high confidence of %d samples", s.name, len(in.Y))
			}
			sc := &alarms
			if s.leak {
				sc = &found
			}
			sc.n++
			if j.Verdict == Leak {
				sc.leak++
			}
		}
	}
	t.Logf("5 to 19 samples: found %.1f %% of %d, false alarms %.1f %% of %d", found.rate(), found.n, alarms.rate(), alarms.n)
	if found.rate() < 50 || alarms.rate() > 2 {
		t.Error("below what was asked for")
	}
}
