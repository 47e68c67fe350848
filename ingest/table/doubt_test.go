package table

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
)

// TestDoubt: a file that lacks the end which most files of its run have is dropped, unless its process never has it.
func TestDoubt(t *testing.T) {
	file := func(n int, pid int64, whole bool) builder {
		b := newTest(fmt.Sprintf("f%d", n), "smaps").process(pid, "").mapping("/a", "file", 1, map[Size]int64{MapRSS: int64(n)})
		if b.Whole = whole; !whole {
			b.Doubt = &Doubt{Pos: source.Pos{File: b.File, Line: 3}, Found: "no [stack]"}
		}
		return b
	}
	for name, c := range map[string]struct {
		files   []builder
		rows    int
		problem string
	}{
		"one of three":      {[]builder{file(1, 7, true), file(2, 7, true), file(3, 7, false)}, 2, "f3:3: snapshot dropped: no [stack], as 2 of 3 files of the run do\n"},
		"two of three":      {[]builder{file(1, 7, true), file(2, 7, false), file(3, 7, false)}, 3, "f2:3: no [stack]: the capture may be cut\nf3:3: no [stack]: the capture may be cut\n"},
		"all":               {[]builder{file(1, 7, false)}, 1, "f1:3: no [stack]: the capture may be cut\n"},
		"a process of none": {[]builder{file(1, 7, true), file(2, 7, true), file(3, 7, true), file(4, 8, false), file(5, 8, false)}, 5, "f4:3: no [stack]: the capture may be cut\nf5:3: no [stack]: the capture may be cut\n"},
	} {
		s := sets(c.files...)
		if got := problemsOf(s); s.Len(Mappings) != c.rows || got != c.problem {
			t.Errorf("%s: %d mappings, want %d; %swant %s", name, s.Len(Mappings), c.rows, got, c.problem)
		}
	}
}

func TestSum(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		ok   bool
	}{{1, 2, true}, {math.MaxInt64, 0, true}, {math.MaxInt64, 1, false}, {1, math.MaxInt64, false}, {math.MinInt64, -1, false}, {math.MinInt64, math.MaxInt64, true}} {
		if v, ok := Sum(c.a, c.b); ok != c.ok || ok && v != c.a+c.b {
			t.Errorf("%d + %d: %d, %v", c.a, c.b, v, ok)
		}
	}
}

// TestLargeSums: no sum goes round or is left out in silence.
func TestLargeSums(t *testing.T) {
	const most = math.MaxInt64 >> 10
	b := newTest("x", "smaps")
	b.Parts(b.Text("category"), b.Text("c"), Known(math.MaxInt64), Known(1), Known(2), 9)
	b.mapping("/a", "file", 2, map[Size]int64{MapRSS: most, MapPrivateClean: most, MapPrivateDirty: 9})
	b.mapping("/a", "file", 3, map[Size]int64{MapRSS: most})
	s := sets(b)
	for _, row := range strings.Split(rows(t, s, Samples, "metric", "value"), "\n") {
		if metric, value, _ := strings.Cut(row, " "); metric == "rss" || metric == "uss" || strings.HasPrefix(value, "-") {
			t.Errorf("a row %s", row)
		}
	}
	for _, metric := range []string{"rss", "uss"} {
		if p := problemsOf(s); strings.Count(p, "want a sum of "+metric+" below 2^63 bytes, have a larger one: it is left out") != 1 {
			t.Errorf("%s: problems %s", metric, p)
		}
	}
	for _, one := range MappingSeriesOf(s) {
		if one.Subject.Metric == "rss" {
			t.Error("a series of sums that went round")
		}
	}
}
