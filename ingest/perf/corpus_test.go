package perf_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/perf"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// capture reads a file of the corpus, unpacked.
func capture(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(corpus(t), "ebpf", name)
	text := read(t, path)
	if !strings.HasSuffix(name, ".gz") {
		return text
	}
	z, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// tally counts rows by the cells of some columns.
func (r result) tally(t testing.TB, id table.ID, columns string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, row := range r.dump(t, id, columns) {
		out[row]++
	}
	return out
}

func (r result) sum(t testing.TB, id table.ID, column string) (sum int64) {
	t.Helper()
	for _, cell := range r.dump(t, id, column) {
		if n, err := strconv.ParseInt(cell, 10, 64); err == nil {
			sum += n
		}
	}
	return sum
}

func script(t testing.TB, name string) result {
	t.Helper()
	text := capture(t, name)
	head := []byte(text)[:min(len(text), source.HeadSize)]
	if !perf.SniffScript(head) || perf.SniffFtrace(head) {
		t.Errorf("%s is not claimed as perf-script alone", name)
	}
	r := decode(t, perf.DecodeScript, text)
	if r.err != nil || len(r.problems()) > 0 {
		t.Errorf("%s: %v %v", name, r.err, r.problems())
	}
	return r
}

func TestCorpusRSS(t *testing.T) {
	r := script(t, "perf.script.rss_stat.leakmix.txt")
	n := r.tally(t, table.Samples, "metric process pid name scope")
	if n["rss_anon leakmix 16485 - process"] != 486 || n["rss_file leakmix 16485 - process"] != 41 || len(n) != 2 {
		t.Errorf("samples %v", n)
	}
	last := map[string]string{}
	for _, row := range r.dump(t, table.Samples, "metric value time_ns") {
		f := strings.Fields(row)
		last[f[0]] = f[1]
	}
	if last["rss_anon"] != "1994752" || last["rss_file"] != "1503232" {
		t.Errorf("last values %v", last)
	}
	if f := r.facts(); f["change_only"] != "true" || f["clock"] != "boot" || f["partial"] != "" || f["lossy"] != "" {
		t.Errorf("facts %v", f)
	}
}

func TestCorpusProbes(t *testing.T) {
	r := script(t, "perf.script.uprobe.leakmix.txt")
	n := r.tally(t, table.Events, "op class pid tid")
	if n["alloc heap 16066 16066"] != 616 || n["free heap 16066 16066"] != 250 || len(n) != 2 {
		t.Errorf("events %v", n)
	}
	leaves := leavesOf(t, r)
	if leaves["leak_linear leakmix"] != 150 || leaves["leak_batch leakmix"] != 15 {
		t.Errorf("allocations by the leaf of the return: %v", leaves)
	}
	bare := script(t, "perf.script.uprobe.nostack.leakmix.txt")
	if n := bare.tally(t, table.Events, "op tid"); n["alloc 16066"] != 616 || n["free 16066"] != 250 || bare.sum(t, table.Events, "size") != 345304 || bare.set.Len(table.Frames) != 0 {
		t.Errorf("without stacks: %v, %d bytes, %d frames", n, bare.sum(t, table.Events, "size"), bare.set.Len(table.Frames))
	}
	full := script(t, "perf.script.uprobe.full.leakmix.txt.gz")
	if got := leavesOf(t, full); got["leak_linear leakmix"] != 150 || full.set.Len(table.Events) != 866 {
		t.Errorf("with maps: %v", got)
	}
}

// leavesOf counts the allocations by function and module of their leaf.
func leavesOf(t testing.TB, r result) map[string]int {
	t.Helper()
	frames, out := map[string]string{}, map[string]int{}
	for _, row := range r.dump(t, table.Frames, "id function module") {
		id, name, _ := strings.Cut(row, " ")
		frames[id] = name
	}
	for _, row := range r.dump(t, table.Events, "op stack") {
		if op, leaf, _ := strings.Cut(row, " "); op == "alloc" {
			out[frames[leaf]]++
		}
	}
	return out
}

func TestCorpusKmem(t *testing.T) {
	r := script(t, "perf.script.kmem.pages.leakmix.txt.gz")
	n := r.tally(t, table.Events, "op class")
	if n["alloc page"] != 498 || n["free page"] != 14 || r.set.Len(table.Samples) != 525 || r.facts()["partial"] != "true" {
		t.Errorf("%v, %d samples, facts %v", n, r.set.Len(table.Samples), r.facts())
	}
	r = script(t, "perf.script.kmem.slab.txt.gz")
	n = r.tally(t, table.Events, "op")
	nils := strings.Count(capture(t, "perf.script.kmem.slab.txt.gz"), "ptr=(nil)")
	if n["alloc"] != 333+3441 || n["free"] != 1405+2991-nils || r.facts()["unit"] != "usable" {
		t.Errorf("%v, %d frees of nothing, facts %v", n, nils, r.facts())
	}
}

func TestCorpusFtrace(t *testing.T) {
	text := capture(t, "ftrace.trace.rss_stat.txt")
	if !perf.SniffFtrace([]byte(text)) || perf.SniffScript([]byte(text)) {
		t.Error("not claimed as ftrace alone")
	}
	r := decode(t, perf.DecodeFtrace, text)
	want := strings.Count(text, "rss_stat: mm_id")
	if r.err != nil || r.set.Len(table.Samples) != want || len(r.problems()) > 0 || r.facts()["lossy"] != "" {
		t.Errorf("%d samples, want %d; %v %v %v", r.set.Len(table.Samples), want, r.err, r.problems(), r.facts())
	}
	t.Log(r.tally(t, table.Samples, "pid process metric"))
}

// TestCorpusOther: profiles of other events are claimed and hold nothing; what is refused says why.
func TestCorpusOther(t *testing.T) {
	for _, name := range []string{"public/flamegraph.perf-dd-stacks-01.txt", "public/flamegraph.perf-java-faults-01.txt", "public/flamegraph.perf-js-stacks-01.txt"} {
		if r := decode(t, perf.DecodeScript, capture(t, name)); r.err == nil || !strings.Contains(r.err.Error(), "held nothing: want memory events") {
			t.Errorf("%s: %v", name, r.err)
		}
	}
}

var refused = map[string]string{
	"ebpf/perf.buildid-list.txt": "buildid-list", "ebpf/perf.kmem.stat.txt": "perf-kmem-stat", "ebpf/perf.probe.list.txt": "perf-probe-list",
	"heap/perf-7767.map": "perf-map", "heap/jit.node.dump.gz": "jitdump", "heap/heaptrack.leakmix.print.txt": "heaptrack-print",
	"heap/massif.leakmix.ms_print.txt": "ms-print", "heap/je.leak.4.jeprof.txt": "pprof-text", "heap/je.leak.4-0.jeprof.txt": "pprof-text",
	"heap/gp.leak.0005.pprof.txt": "pprof-text", "heap/go.leak.3.text.txt": "pprof-text",
}

// TestCorpusClaims: of all captures, each of those that are refused is claimed by its kind alone, and the traces by theirs.
func TestCorpusClaims(t *testing.T) {
	root, found := corpus(t), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SOURCES.md" {
			return err
		}
		name, _ := filepath.Rel(root, path)
		head := headOf(t, path)
		var claims []string
		for _, k := range perf.Refused() {
			if k.Sniff(head) {
				claims = append(claims, k.Name)
			}
		}
		if perf.SniffScript(head) || perf.SniffFtrace(head) {
			claims = append(claims, "trace")
		}
		want := refused[filepath.ToSlash(name)]
		if strings.HasPrefix(d.Name(), "perf.script") || strings.HasPrefix(d.Name(), "ftrace.") || strings.HasPrefix(d.Name(), "flamegraph.perf-dd") || strings.HasPrefix(d.Name(), "flamegraph.perf-java") {
			want = "trace"
		}
		if strings.Join(claims, " ") != want {
			t.Errorf("%s is claimed by %q, want %q", name, claims, want)
		}
		if want != "" {
			found++
		}
		return nil
	})
	if err != nil || found < len(refused) {
		t.Errorf("%d found, %v", found, err)
	}
}

func headOf(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if magic := make([]byte, 2); strings.HasSuffix(path, ".gz") {
		_, _ = f.Read(magic)
		_, _ = f.Seek(0, io.SeekStart)
		if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	head, _ := io.ReadAll(io.LimitReader(r, source.HeadSize))
	return slices.Clone(head)
}
