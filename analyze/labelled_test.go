package analyze

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest"
	"github.com/memtide/memtide/ingest/table"
)

// expected is something that a labelled program does wrong. Names are alternatives, joined by |; one that begins with … is the
// end of a name, for captures that have only addresses.
type expected struct {
	rules, names   string
	objects, bytes float64 // -1 where it is not known
}

// labelled is a capture of a program whose faults are known.
type labelled struct {
	captures string // files below the corpus: alternatives of one content, or snapshots of one run
	together bool   // they are snapshots of one run
	wrong    []expected
	innocent string            // functions that keep nothing
	untold   map[string]string // what this capture cannot tell, and why: neither found nor missed
	quick    bool
}

const (
	fewPrints = "fewer than 5 prints: that all of them rise is chance in 1 of 24"
	notFull   = "the cache had not filled by the end: it only took, like a leak"
	noCounts  = "no counts: a buffer that is enlarged looks like blocks that are added"
	noTime    = "no clock: no growth can be told"
	oneTime   = "one time only: alive is not yet kept"
	mixed     = "cache_plateau pool_sawtooth churn realloc_grow"
	kept      = "leaked"
	linear    = "leak_linear|…1bc|…1bb"
	batch     = "leak_batch|…1f1|…1f0"
)

func mixLeaks(linearObjects, batchObjects float64) []expected {
	return []expected{{kept, linear, linearObjects, 100 * linearObjects}, {kept, batch, batchObjects, 4096 * batchObjects}}
}

func grows(names string, bytes float64) expected { return expected{"leaked|growth", names, -1, bytes} }

func refcounts(textures float64) []expected {
	return []expected{{"over-retain", "leaky_binding", textures, 256 * textures}, {"over-release", "over_release", 1, -1}, {"use-after-free", "obj_use|…1f3", 1, -1}}
}

func misuse1(rule, names string) []expected { return []expected{{rule, names, 1, -1}} }

var cacheNotFull = map[string]string{"cache_plateau": notFull}

// labels are what ../shared/corpus/ebpf/SOURCES.md and heap/SOURCES.md say of their captures.
var labels = []labelled{
	{captures: "ebpf/events.leakmix.ndjson ebpf/events.leakmix.csv", wrong: mixLeaks(600, 60), innocent: mixed, quick: true},
	{captures: "ebpf/bt.alloc_events.leakmix.txt", wrong: mixLeaks(600, 60), innocent: mixed},
	{captures: "ebpf/bt.alloc_events.leakmix.jsonl", wrong: mixLeaks(120, 12), innocent: "pool_sawtooth churn realloc_grow", untold: cacheNotFull},
	{captures: "ebpf/bt.alloc_events.lossy.leakmix.txt", wrong: []expected{{kept, linear, 533, 53300}, {kept, batch, 53, 217088}}, innocent: mixed},
	{captures: "ebpf/bt.alloc_events.lossy.leakmix.jsonl", wrong: []expected{{kept, linear, -1, -1}, {kept, batch, -1, -1}}, innocent: mixed},
	{captures: "ebpf/bt.alloc_events.twopids.leakmix.txt", wrong: append(mixLeaks(600, 60), mixLeaks(556, 55)...), innocent: mixed + " " + mixed},
	{captures: "ebpf/events.refcnt.ndjson ebpf/events.refcnt.csv ebpf/bt.refcnt.txt", wrong: refcounts(25), innocent: "balanced use_after", quick: true},
	{captures: "ebpf/bt.refcnt.jsonl", wrong: refcounts(10), innocent: "balanced use_after"},
	{captures: "ebpf/events.uafrace.ndjson ebpf/events.uafrace.csv ebpf/bt.uafrace.txt", wrong: []expected{{"use-after-free", "conn_use", 3, -1}}, innocent: "conn_open conn_close", quick: true},
	{captures: "ebpf/perf.script.uprobe.leakmix.txt ebpf/perf.script.uprobe.full.leakmix.txt.gz", wrong: mixLeaks(150, 15), innocent: "pool_sawtooth churn", untold: cacheNotFull},
	{captures: "ebpf/perf.script.uprobe.nostack.leakmix.txt", wrong: []expected{{kept, "heap", -1, -1}}},
	{captures: "ebpf/memleak.leakmix.txt", wrong: []expected{{kept, linear, 5227, 522700}, {kept, batch, 524, 2146304}}, innocent: "sysmalloc_mmap " + mixed, quick: true},
	{captures: "ebpf/memleak.combined.leakmix.txt ebpf/memleak.o0.top3.leakmix.txt ebpf/memleak.a.leakmix.txt ebpf/memleak.s10.leakmix.txt ebpf/memleak.z1000-5000.leakmix.txt",
		innocent: "sysmalloc_mmap " + mixed, untold: map[string]string{"leak_linear": fewPrints, "leak_batch": fewPrints}},
	{captures: "ebpf/bt.maps.leakmix.txt ebpf/bt.maps.leakmix.jsonl", innocent: mixed, untold: map[string]string{"leak_linear": "what was allocated, not what is alive"}},
	{captures: "ebpf/memleak.kernel.txt ebpf/perf.script.kmem.slab.txt.gz", innocent: "the_kernel"},

	{captures: "heap/je.leak.0.heap heap/je.leak.1.heap heap/je.leak.2.heap heap/je.leak.3.heap heap/je.leak.4.heap", together: true, quick: true,
		wrong: []expected{{kept, "step_leak|…11b4", 1000, 1024000}}, innocent: "step_cache step_churn libstdc++"},
	{captures: "heap/je.sampled.0.heap heap/je.sampled.1.heap heap/je.sampled.2.heap heap/je.sampled.3.heap heap/je.sampled.4.heap", together: true,
		wrong: []expected{{kept, "step_leak|…11b4", 1122, 1149300}}, innocent: "step_cache step_churn libstdc++"},
	{captures: "heap/gp.leak.0001.heap heap/gp.leak.0002.heap heap/gp.leak.0003.heap heap/gp.leak.0004.heap heap/gp.leak.0005.heap heap/gp.leak.0006.heap", together: true,
		wrong: []expected{{kept, "step_leak|…1194", 1000, 1e6}}, innocent: "step_cache step_churn"},
	{captures: "heap/go.leak.0.pb.gz heap/go.leak.1.pb.gz heap/go.leak.2.pb.gz heap/go.leak.3.pb.gz", together: true, innocent: "main.plateau main.churn", untold: map[string]string{"main.leak": fewPrints}},
	{captures: "heap/go.leak.0.debug1.txt heap/go.leak.1.debug1.txt heap/go.leak.2.debug1.txt heap/go.leak.3.debug1.txt", together: true, innocent: "main.plateau main.churn", untold: map[string]string{"main.leak": fewPrints}},
	{captures: "heap/py.leak.0.txt heap/py.leak.1.txt heap/py.leak.2.txt heap/py.leak.3.txt", together: true, innocent: "pyleak.py:7", untold: map[string]string{"pyleak.py:5": fewPrints}},
	{captures: "heap/heaptrack.leakmix.zst heap/heaptrack.raw.leakmix.raw.zst", wrong: mixLeaks(1000, 100), innocent: mixed + " libstdc++"},
	{captures: "heap/memcheck.leakmix.txt heap/memcheck.leakmix.xml heap/lsan.leakmix.txt heap/asan.leak.leakmix.txt", wrong: mixLeaks(500, 50), innocent: mixed, quick: true},
	{captures: "heap/lsan.objects.leakmix.txt", wrong: mixLeaks(20, 2), innocent: mixed},
	{captures: "heap/massif.leakmix.out", wrong: []expected{grows(linear, -1), grows(batch, 204800)}, innocent: "cache_plateau pool_sawtooth churn", untold: map[string]string{"realloc_grow": noCounts}},
	{captures: "heap/massif.timeB.stacks.leakmix.out", wrong: []expected{grows(linear, 10000), grows(batch, 40960)}, innocent: "pool_sawtooth churn",
		untold: map[string]string{"realloc_grow": noCounts, "cache_plateau": notFull}},
	{captures: "heap/massif.pages.leakmix.out", innocent: "cache_plateau pool_sawtooth churn", untold: map[string]string{"leak_linear": "pages of the process, not its blocks", "leak_batch": "pages of the process, not its blocks"}},
	{captures: "heap/dhat.leakmix.json", innocent: mixed, untold: map[string]string{"leak_linear": oneTime, "leak_batch": oneTime}},
	{captures: "heap/mtrace.log", innocent: "mgrow mfree", untold: map[string]string{"mleak": noTime}},
	{captures: "heap/memcheck.uaf.txt heap/memcheck.uaf.xml heap/asan.uaf.txt", wrong: misuse1("use-after-free", "read_node"), innocent: "make_node drop_node", quick: true},
	{captures: "heap/asan.doublefree.txt", wrong: misuse1("double-free", "drop_second"), innocent: "grab drop_first", quick: true},
	{captures: "heap/asan.uafrace.txt heap/tsan.uafrace.txt", wrong: misuse1("use-after-free", "conn_use"), innocent: "conn_open conn_close", quick: true},
}

func fitsName(alternatives, name string) bool {
	return slices.ContainsFunc(strings.Split(alternatives, "|"), func(a string) bool {
		if end, ok := strings.CutPrefix(a, "…"); ok {
			return strings.HasSuffix(name, end)
		}
		return a == name
	})
}

// tally counts what was said of labelled captures in one way of gathering.
type tally struct{ wrong, found, innocents, accused int }

func (n *tally) add(o tally) {
	n.wrong, n.found, n.innocents, n.accused = n.wrong+o.wrong, n.found+o.found, n.innocents+o.innocents, n.accused+o.accused
}

func (n tally) String() string {
	if n.wrong == 0 {
		return fmt.Sprintf("nothing to find, %d of %d innocent accused", n.accused, n.innocents)
	}
	return fmt.Sprintf("%d of %d found (%.1f %%), %d of %d innocent accused (precision %.1f %%)", n.found, n.wrong, 100*float64(n.found)/float64(n.wrong),
		n.accused, n.innocents, 100*float64(n.found)/float64(max(n.found+n.accused, 1)))
}

// read loads captures as the commands do, or keeps their events as rows.
func read(t *testing.T, rows bool, paths ...string) Capture {
	t.Helper()
	var o ingest.Options
	if !rows {
		o.Events = func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) }
	}
	runs, err := ingest.Load(paths, o)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v: %d runs, %v", paths, len(runs), err)
	}
	return Capture{Name: runs[0].Name, Set: runs[0].Set}
}

// TestLabelledCaptures holds what is said of the captures of programs with known faults against what they do: at least 97.3 % of
// what is wrong is found, nothing else is accused, and a leaking stack comes first. MEMTIDE_LIFETIMES=1 takes all captures and
// prints the table; without it those that are read in no time.
func TestLabelledCaptures(t *testing.T) {
	all := os.Getenv("MEMTIDE_LIFETIMES") != ""
	corpus(t, "ebpf")
	base := filepath.Dir(corpus(t, "heap"))
	var grains [3]tally
	for _, l := range labels {
		if !all && !l.quick {
			continue
		}
		runs := [][]string{strings.Fields(l.captures)}
		if !l.together {
			runs = nil
			for _, f := range strings.Fields(l.captures) {
				runs = append(runs, []string{f})
			}
		}
		for _, files := range runs {
			for i := range files {
				files[i] = filepath.Join(base, files[i])
			}
			n := l.hold(t, One([]Capture{read(t, false, files...)}, Defaults()), files[0])
			grains[0].add(n)
			line := fmt.Sprintf("%-44s %v", strings.TrimPrefix(files[0], base+"/"), n)
			if c := read(t, true, files...); all {
				chain, thread := l.otherGrains(c)
				grains[1].add(chain)
				grains[2].add(thread)
			}
			for _, name := range sortedKeys(l.untold) {
				line += fmt.Sprintf("; %s cannot be told: %s", name, l.untold[name])
			}
			t.Log(line)
		}
	}
	for i, name := range []string{"function", "chain", "thread"} {
		if all || i == 0 {
			t.Logf("by %-8s %v", name, grains[i])
		}
	}
	if n := grains[0]; float64(n.found) < 0.973*float64(n.wrong) || n.accused > 0 {
		t.Error("want 97.3 % found and nothing accused")
	}
}

// hold holds the findings of a capture against what is known of its program.
func (l *labelled) hold(t *testing.T, r *Result, file string) tally {
	t.Helper()
	n := tally{wrong: len(l.wrong), innocents: len(strings.Fields(l.innocent))}
	taken := make([]bool, len(r.Findings))
	for _, x := range l.wrong {
		found := false
		for i := range r.Findings {
			if f := &r.Findings[i]; !taken[i] && x.is(f) && x.figures(f) {
				taken[i], found = true, true
				break
			}
		}
		if found {
			n.found++
			continue
		}
		t.Logf("%s: not found: %+v", filepath.Base(file), x)
	}
	first := true
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == "note" || f.Subject.Scope == "process" && len(l.wrong)+len(l.untold) > 0 && f.Rule == "growth" { // the process grows because of it
			continue
		}
		_, untold := l.untold[f.Subject.Name]
		if first && !taken[i] && !untold {
			t.Errorf("%s: the first finding is %s of %s", filepath.Base(file), f.Rule, f.Subject.Name)
		}
		first = false
		if !taken[i] && !untold {
			n.accused++
			t.Errorf("%s: accused: %s %s", filepath.Base(file), f.Rule, f.Message)
		}
	}
	return n
}

func (x expected) is(f *Finding) bool {
	return f.Severity != "note" && slices.Contains(strings.Split(x.rules, "|"), f.Rule) && fitsName(x.names, f.Subject.Name)
}

// figures says whether a finding has the objects and the bytes that are known.
func (x expected) figures(f *Finding) bool {
	same := func(want, have float64) bool { return want < 0 || want == have }
	return same(x.objects, f.Stats["objects"]) && same(x.bytes, f.Stats["bytes"])
}

// otherGrains judges each call chain, and each thread that makes objects, in place of each function: what grows there names
// all functions in it.
func (l *labelled) otherGrains(c Capture) (chains, threads tally) {
	leaks := func(t, y []float64) bool {
		return JudgeGrowth(GrowthInput{T: t, Y: y, Kind: Site}, DefaultGrowth).Verdict == Leak
	}
	byChain, byThread := map[string]bool{}, map[string]bool{}
	type thread struct {
		process string
		number  int64
	}
	sums := map[thread]*site{}
	members := map[thread][]string{}
	all := map[string]bool{}
	for _, s := range c.account().sites {
		all[s.name] = true
		for i := range s.chains {
			if k := &s.chains[i]; k.levels() != nil && leaks(s.t, k.levels()) {
				byChain[s.name] = true
			}
		}
		if s.thread < 0 && s.thread != -2 || s.bytes == nil || s.chains[0].levels() == nil {
			continue
		}
		k := thread{s.process, s.thread}
		if sums[k] == nil {
			sums[k] = &site{t: s.t, bytes: make([]float64, len(s.t))}
		}
		members[k] = append(members[k], s.name)
		for i := range s.bytes {
			sums[k].bytes[i] += s.bytes[i]
		}
	}
	for k, s := range sums {
		if leaks(s.t, s.bytes) {
			for _, name := range members[k] {
				byThread[name] = true
			}
		}
	}
	if len(members) == 0 {
		return
	}
	return l.named(byChain, all), l.named(byThread, all)
}

// named counts what is wrong, and the functions that are not, of those that were named.
func (l *labelled) named(names, all map[string]bool) (n tally) {
	for _, x := range l.wrong {
		if x.rules != kept {
			continue
		}
		n.wrong++
		if slices.ContainsFunc(sortedKeys(names), func(name string) bool { return fitsName(x.names, name) }) {
			n.found++
		}
	}
	for name := range all {
		_, untold := l.untold[name]
		if untold || slices.ContainsFunc(l.wrong, func(x expected) bool { return fitsName(x.names, name) }) {
			continue
		}
		n.innocents++
		if names[name] {
			n.accused++
		}
	}
	return n
}
