package table

import (
	"fmt"
	"strings"
	"testing"
)

// list shows series, a line each.
func list(series []*Series) string {
	var out strings.Builder
	for _, s := range series {
		fmt.Fprintf(&out, "%s|%s|%s|%s pid %d part %d:", s.Process, s.Scope, s.Name, s.Metric, s.PID.V, s.Part)
		for i := range s.Value {
			fmt.Fprintf(&out, " %d@%d", s.Value[i], s.TimeNS[i]/sec)
		}
		if s.Iteration != nil {
			fmt.Fprintf(&out, " iterations %v", s.Iteration)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func TestSeries(t *testing.T) {
	b := newTest("a", "f")
	for k := range int64(3) {
		b.at(k*sec, int(1+10*k)).process(7, "app")
		b.sample("process", "", "rss", 10+k, int(2+10*k)).sample("process", "", "pss", 5+k, int(3+10*k))
		if k != 1 {
			b.sample("category", "heap", "pss", 100+k, int(4+10*k))
		}
		b.sample("category", "file", "pss", 1, int(5+10*k))
	}
	s := sets(b)
	series := SeriesOf(s)
	want(t, "series", list(series), `
app|category|file|pss pid 7 part 0: 1@0 1@1 1@2
app|category|heap|pss pid 7 part 0: 100@0 0@1 102@2
app|process||pss pid 7 part 0: 5@0 6@1 7@2
app|process||rss pid 7 part 0: 10@0 11@1 12@2
`)
	if p := series[1].At(1); p != (Place{"a", 13}) {
		t.Errorf("the missing category is shown at %v", p)
	}
	if p := series[1].At(2); p != (Place{"a", 24}) {
		t.Errorf("the category is shown at %v", p)
	}
}

// TestGapsStay: only a category whose process total is there is 0; anything else that is missing is unknown.
func TestGapsStay(t *testing.T) {
	b := newTest("a", "f")
	b.at(0, 1).process(7, "app").sample("process", "", "pss", 1, 1).sample("category", "heap", "pss", 1, 2).sample("category", "heap", "rss", 1, 2).sample("pool", "p", "live_bytes", 1, 3)
	b.at(sec, 11).sample("process", "", "pss", 2, 11)
	b.at(2*sec, 21).sample("category", "heap", "pss", 3, 22).sample("pool", "p", "live_bytes", 3, 23)
	b.at(3*sec, 31).sample("process", "", "pss", 4, 31).sample("category", "file", "pss", 4, 32)
	want(t, "series", list(SeriesOf(sets(b))), `
app|category|file|pss pid 7 part 0: 0@0 4@3
app|category|heap|pss pid 7 part 0: 1@0 3@2 0@3
app|category|heap|rss pid 7 part 0: 1@0
app|pool|p|live_bytes pid 7 part 0: 1@0 3@2
app|process||pss pid 7 part 0: 1@0 2@1 4@3
`)
}

// TestSourcePreference: where several formats measure the same, the one of the lowest rank is taken, metric by metric.
func TestSourcePreference(t *testing.T) {
	smaps := newTest("smaps", "smaps").at(0, 1).process(7, "app").sample("process", "", "rss", 1, 1).sample("process", "", "pss", 2, 2)
	status := newTest("status", "status").at(0, 1).process(7, "app").sample("process", "", "rss", 3, 1).sample("process", "", "vm_hwm", 4, 2)
	rollup := newTest("rollup", "rollup").at(0, 1).process(7, "app").sample("process", "", "rss", 5, 1)
	var parts []*Part
	for i, b := range []builder{rollup, smaps, status} {
		p := b.Done()
		p.Rank = i
		parts = append(parts, p)
	}
	want(t, "series", list(SeriesOf(Assemble(parts))), `
app|process||pss pid 7 part 0: 2@0
app|process||rss pid 7 part 0: 5@0
app|process||vm_hwm pid 7 part 0: 4@0
`)
}

func TestRestartByPID(t *testing.T) {
	b := newTest("a", "f")
	for k, pid := range []int64{9, 9, 4} {
		rss(b.at(int64(k)*sec, 1+k).process(pid, "app"), int64(k), 1+k)
	}
	want(t, "series", list(SeriesOf(sets(b))), "app|process||rss pid 9 part 0: 0@0 1@1\napp|process||rss pid 4 part 1: 2@2\n")
}

func TestIterations(t *testing.T) {
	b := newTest("a", "f")
	for k := range int64(3) {
		b.bare(int(1+k)).process(7, "app")
		add := func(scope, name string, iteration Int) {
			b.Add(Sample{Scope: b.Text(scope), Name: b.Text(name), Metric: b.Text("pss"), Value: k, Iteration: iteration, Line: int(1 + k)})
		}
		add("process", "", Known(10*k))
		if k != 1 {
			add("category", "heap", Known(10*k))
		} else {
			add("category", "file", Known(10*k))
		}
		add("pool", "x", Int{k, k != 2})
	}
	want(t, "series", list(SeriesOf(sets(b))), `
app|category|file|pss pid 7 part 0: 0@0 1@1 0@2 iterations [0 10 20]
app|category|heap|pss pid 7 part 0: 0@0 0@1 2@2 iterations [0 10 20]
app|pool|x|pss pid 7 part 0: 0@0 1@1 2@2
app|process||pss pid 7 part 0: 0@0 1@1 2@2 iterations [0 10 20]
`)
}

func TestMappingSeries(t *testing.T) {
	b := newTest("a", "smaps")
	b.at(0, 1).process(7, "app")
	b.mapping("/lib/a.so", "file", 2, map[Size]int64{MapRSS: 1, MapPSS: 1}).mapping("/lib/a.so", "file", 3, map[Size]int64{MapRSS: 2})
	b.mapping("[stack:12]", "stack", 4, map[Size]int64{MapRSS: 4})
	b.at(sec, 11).mapping("[stack:13]", "stack", 12, map[Size]int64{MapRSS: 8}).mapping("", "anon", 13, map[Size]int64{MapRSS: 16})
	b.at(2*sec, 21).mapping("/lib/a.so (deleted)", "file", 22, map[Size]int64{MapRSS: 32, MapPrivateDirty: 1})
	s := sets(b)
	series := MappingSeriesOf(s)
	want(t, "series", list(series), `
app|mapping|/lib/a.so rw-p|private_dirty pid 7 part 0: 0@0 0@1 1024@2
app|mapping|/lib/a.so rw-p|pss pid 7 part 0: 1024@0 0@1 0@2
app|mapping|/lib/a.so rw-p|rss pid 7 part 0: 3072@0 0@1 32768@2
app|mapping|[anonymous] rw-p|rss pid 7 part 0: 0@0 16384@1 0@2
app|mapping|[stack:tid] rw-p|rss pid 7 part 0: 4096@0 8192@1 0@2
`)
	for i, line := range []int64{2, 12} {
		if p := series[2].At(i); p.Line != line {
			t.Errorf("rss %d is shown at line %d, want %d", i, p.Line, line)
		}
	}
}

// TestMappingsOfOneTime: two snapshots of one second are two points, not one of double size.
func TestMappingsOfOneTime(t *testing.T) {
	b := newTest("a", "smaps")
	for k := range 3 {
		b.at(5*sec, 1+10*k).process(7, "app").mapping("/m", "file", 2+10*k, map[Size]int64{MapRSS: 1}).mapping("/m", "file", 3+10*k, map[Size]int64{MapRSS: 2})
	}
	c := newTest("b", "smaps").at(5*sec, 1).process(7, "app").mapping("/m", "file", 2, map[Size]int64{MapRSS: 5})
	want(t, "series", list(MappingSeriesOf(sets(b, c))), "app|mapping|/m rw-p|rss pid 7 part 0: 3072@0 3072@0 3072@0 5120@0\n")
}

// TestMappingsOfSeveralSources: the mappings of a process are those of one format; without a pid, names tell apart.
func TestMappingsOfSeveralSources(t *testing.T) {
	low := newTest("smaps", "smaps").at(sec, 1).process(7, "app").mapping("/m", "file", 2, map[Size]int64{MapRSS: 1})
	high := newTest("showmap", "showmap").at(0, 1).process(7, "app").mapping("/m", "file", 2, map[Size]int64{MapRSS: 9})
	high.process(0, "x").mapping("/x", "file", 3, map[Size]int64{MapRSS: 2}).process(0, "y").mapping("/y", "file", 4, map[Size]int64{MapRSS: 3})
	p, q := low.Done(), high.Done()
	p.Rank, q.Rank = 1, 2
	want(t, "series", list(MappingSeriesOf(Assemble([]*Part{q, p}))), `
app|mapping|/m rw-p|rss pid 7 part 0: 1024@1
x|mapping|/x rw-p|rss pid 0 part 0: 2048@0
y|mapping|/y rw-p|rss pid 0 part 0: 3072@0
`)
}

func TestMappingNames(t *testing.T) {
	for path, name := range map[string]string{
		"": "[anonymous] rw-p", "[heap]": "[heap] rw-p", "/memfd:jit-cache (deleted)": "/memfd:jit-cache rw-p", "/a (deleted) (deleted)": "/a (deleted) rw-p",
		"[stack:4711]": "[stack:tid] rw-p", "[anon:stack_and_tls:4711]": "[anon:stack_and_tls:tid] rw-p", "[anon:stack_and_tls:main]": "[anon:stack_and_tls:main] rw-p",
		"/SYSV0052e2c1 (deleted)": "/SYSV rw-p", "socket:[12345]": "socket:[inode] rw-p", "pipe:[1]": "pipe:[inode] rw-p", "anon_inode:[perf_event]": "anon_inode:[perf_event] rw-p",
		"/data/app/com.example-1/base.apk":                                                   "/data/app/com.example/base.apk rw-p",
		"/data/app/~~AbCdEfGhIjKlMnOpQrStUv==/com.example-zYxWvUtSrQpOnMlKjIhGfE==/base.apk": "/data/app/com.example/base.apk rw-p",
		"/data/app/com.my-app-2/lib/arm64/libx.so":                                           "/data/app/com.my-app/lib/arm64/libx.so rw-p",
	} {
		if got := mappingName(path, "rw-p"); got != name {
			t.Errorf("%q is %q, want %q", path, got, name)
		}
	}
	if got := mappingName("/system/lib/libc.so", ""); got != "/system/lib/libc.so" {
		t.Errorf("without permissions: %q", got)
	}
}

// TestSourceWithFewValuesGivesWay: the format that ranks first is no source if it has next to nothing.
func TestSourceWithFewValuesGivesWay(t *testing.T) {
	few, many := newTest("rollup", "a"), newTest("status", "b")
	few.Rank, many.Rank = 0, 1
	few.at(0, 1).sample("process", "", "rss", 1, 1)
	for i := range 100 {
		many.at(int64(i)*sec, i+1).sample("process", "", "rss", 2, i+1)
	}
	s := SeriesOf(sets(few, many))
	if len(s) != 1 || len(s[0].Value) != 100 {
		t.Errorf("%d series, the first of %d values", len(s), len(s[0].Value))
	}
}
