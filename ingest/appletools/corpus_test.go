package appletools

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// check is one thing that is known of a capture: over the rows of a table whose columns have these values ("-" for not
// known), an aggregate of a column.
type check struct {
	file  string
	table table.ID
	where string // column=value;…
	op    string // count, sum, max
	of    string
	want  int64
}

var checks = []check{
	{"vmmap-summary-a-100mb-macos13.txt", table.Samples, "scope=process;metric=footprint", "sum", "value", 105172173},
	{"vmmap-summary-a-100mb-macos13.txt", table.Samples, "scope=process;metric=rss", "sum", "value", 157496115},
	{"vmmap-summary-a-100mb-macos13.txt", table.Samples, "scope=category;metric=dirty", "count", "", 20},
	{"vmmap-summary-a-100mb-macos13.txt", table.Samples, "scope=category;name=__OBJC_RW;metric=dirty", "sum", "value", 1520},
	{"vmmap-summary-a-100mb-macos13.txt", table.Samples, "pid=40755;process=memory-user;scope=process", "count", "", 10},
	{"vmmap-summary-b-32000mb-macos13.txt", table.Samples, "scope=category;name=MALLOC_LARGE (reserved);metric=vss", "sum", "value", 31245887078},
	{"vmmap-summary-b-32000mb-macos13.txt", table.Samples, "scope=zone;name=DefaultMallocZone;metric=live_bytes", "sum", "value", 33608119091},
	{"vmmap-summary-ferryx-macos26.txt", table.Samples, "scope=process;metric=vss", "sum", "value", 4294967296},
	{"vmmap-summary-ferryx-macos26.txt", table.Samples, "scope=category;metric=vss", "count", "", 49},
	{"vmmap-summary-ferryx-macos26.txt", table.Samples, "scope=zone;name=AttributeGraph graph data;metric=live_bytes", "sum", "value", 2496},
	{"vmmap-summary-ferryx-macos26.txt", table.Samples, "scope=zone;metric=live_count", "sum", "value", 150732},
	{"vmmap-summary-ferryx-macos26.txt", table.Samples, "scope=category;name=Memory Tag 240;metric=vss", "sum", "value", 40055603},
	{"vmmap-full-arm64-macos14-cut.txt", table.Mappings, "", "count", "", 31},
	{"vmmap-full-arm64-macos14-cut.txt", table.Mappings, "category=__LINKEDIT;path=dyld shared cache combined __LINKEDIT", "sum", "size", 929497088},
	{"vmmap-full-arm64-macos14-cut.txt", table.Mappings, "", "sum", "dirty", 245760},
	{"vmmap-full-arm64-macos14-cut.txt", table.Samples, "scope=process;metric=dirty", "sum", "value", 409600},
	{"vmmap-interleaved-kernel-rows-constructed.txt", table.Mappings, "start=-", "count", "", 1},
	{"vmmap-interleaved-kernel-rows-constructed.txt", table.Samples, "scope=process;metric=dirty", "sum", "value", 272472474},
	{"vmmap-interleaved-kernel-rows-constructed.txt", table.Samples, "scope=process;metric=footprint", "count", "", 0},
	{"vmmap-interleaved-kernel-rows-constructed.txt", table.Samples, "scope=process;metric=count", "sum", "value", 3},
	{"footprint-rube-before-114mb.txt", table.Samples, "scope=process;metric=footprint", "sum", "value", 119537664},
	{"footprint-rube-before-114mb.txt", table.Samples, "scope=process;metric=reclaimable", "sum", "value", 87031808},
	{"footprint-rube-before-114mb.txt", table.Samples, "scope=process;metric=count", "sum", "value", 6945},
	{"footprint-rube-before-114mb.txt", table.Samples, "scope=category;metric=dirty", "count", "", 36},
	{"footprint-rube-after-97mb.txt", table.Samples, "scope=process;metric=footprint_peak", "sum", "value", 103809024},
	{"footprint-ferryx-922mb-macos26.txt", table.Samples, "scope=category;name=Owned physical footprint (unmapped) (graphics);metric=dirty", "sum", "value", 430964736},
	{"leaks-nostacks-two-roots-ios15sim.txt", table.Samples, "scope=process;metric=leaked_bytes", "sum", "value", 64},
	{"leaks-multiline-stacks-cycles-ios15sim.txt", table.Samples, "scope=process;metric=cycle_count", "sum", "value", 3},
	{"leaks-multiline-stacks-cycles-ios15sim.txt", table.Sites, "", "sum", "live_bytes", 384},
	{"leaks-multiline-stacks-cycles-ios15sim.txt", table.Sites, "class=malloc<176>", "sum", "live_bytes", 176},
	{"leaks-multiline-stacks-cycles-ios15sim.txt", table.Sites, "class=LeakySwiftObject", "sum", "live_count", 6},
	{"leaks-multiline-stacks-cycles-ios15sim.txt", table.Frames, "function=leakCMalloc", "sum", "source_line", 29},
	{"leaks-multiline-stacks-cycles-ios15sim.txt", table.Faults, "kind=leak-cycle;detail=LeakySwiftObject.cycle --> LeakySwiftObject", "sum", "size", 192},
	{"leaks-multiline-stacks-unsymbolicated-ios15sim.txt", table.Sites, "", "sum", "live_count", 3},
	{"leaks-multiline-stacks-unsymbolicated-ios15sim.txt", table.Frames, "module=dev.mobile.MemoryLeakingApp;function=-", "count", "", 2},
	{"leaks-ios17sim-cycle-and-tree.txt", table.Samples, "scope=process;metric=leaked_bytes", "sum", "value", 64},
	{"leaks-ios17sim-cycle-and-tree.txt", table.Sites, "class=NSURL", "sum", "live_count", 15},
	{"leaks-ios17sim-cycle-and-tree.txt", table.Faults, "detail=B.a --> A", "sum", "size", 64},
	{"leaks-ios17sim-zero.txt", table.Samples, "scope=process;metric=leaked_count", "sum", "value", 0},
	{"leaks-ios17sim-zero.txt", table.Samples, "scope=process;metric=leaked_count", "count", "", 1},
	{"leaks-zero-headerless-2019.txt", table.Samples, "pid=26089;metric=live_count", "sum", "value", 749},
	{"heap-ferryx-macos26-cut.txt", table.Samples, "scope=process;metric=live_bytes", "sum", "value", 48774664},
	{"heap-ferryx-macos26-cut.txt", table.Sites, "class=NSArray", "sum", "live_count", 1353},
	{"heap-ferryx-macos26-cut.txt", table.Sites, "class=NSMethodSignature._frameDescriptor (struct NSMethodFrameDescriptor)", "sum", "live_bytes", 5568},
	{"heap-ios17sim-classes.txt", table.Sites, "", "count", "", 16},
	{"heap-ios17sim-duplicate-class-rows.txt", table.Sites, "class=ViewController", "sum", "live_bytes", 2832},
	{"malloc-history-address-constructed.txt", table.Events, "op=alloc", "sum", "size", 617},
	{"malloc-history-address-constructed.txt", table.Events, "tid=76700200", "count", "", 2},
}

// flawed are the captures that are known to have problems, with their number: lists that were cut, a body that the header
// does not count, a tool that was ended.
var flawed = map[string]int{
	"vmmap-interleaved-kernel-rows-constructed.txt": 1, "leaks-ios17sim-cycle-and-tree.txt": 2, "heap-ferryx-macos26-cut.txt": 1,
	"heap-ios17sim-classes.txt": 1, "heap-ios17sim-duplicate-class-rows.txt": 1,
}

// TestCorpus holds real captures against what is known of them.
func TestCorpus(t *testing.T) {
	for _, c := range checks {
		r := read(t, corpus(t, c.file))
		if r.err != nil || len(r.problems) != flawed[c.file] {
			t.Fatalf("%s: %v, problems %q", c.file, r.err, r.problems)
		}
		if got := c.value(t, r); got != c.want {
			t.Errorf("%s: %s of %q where %q is %d, want %d", c.file, c.op, c.of, c.where, got, c.want)
		}
	}
}

// value is the aggregate that the check asks for.
func (c *check) value(t *testing.T, r result) (got int64) {
	var columns, want []string
	for cond := range strings.SplitSeq(c.where, ";") {
		if k, v, ok := strings.Cut(cond, "="); ok {
			columns, want = append(columns, k), append(want, v)
		}
	}
	rows := r.dump(t, c.table, strings.Join(append(columns, c.of, "line"), " "))
	for _, row := range rows {
		cells := strings.Split(row, " | ")
		if strings.Join(cells[:len(want)], ";") != strings.Join(want, ";") {
			continue
		}
		v := int64(1)
		if c.of != "" && cells[len(want)] != "-" {
			v, _ = strconv.ParseInt(cells[len(want)], 0, 64)
		}
		if c.op == "max" {
			got = max(got, v)
		} else {
			got += v
		}
	}
	return got
}

// TestOthersUnclaimed sniffs all the rest of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "SOURCES.md")
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "*", "*.*"))
	for _, file := range files {
		name := filepath.Base(file)
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		in, err := source.NewInput(name, f)
		f.Close()
		if err != nil {
			continue // a folder
		}
		for _, format := range formats {
			own := strings.Contains(file, "apple/"+strings.TrimPrefix(format.name, "apple-")) && !strings.HasSuffix(name, ".json")
			if format.sniff(in.Head) != own {
				t.Errorf("%s: claimed by %s: %v", file, format.name, !own)
			}
		}
		for _, k := range Refused() {
			if k.Sniff(in.Head) {
				t.Errorf("%s is refused as %s", file, k.Name)
			}
		}
	}
}
