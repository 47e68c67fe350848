package nsight

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func TestMemoryEvents(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", fixture(t, "nsys-sqlite/memory.sqlite"))
	if r.err != nil || len(r.problems) > 0 {
		t.Fatal(r.err, r.problems)
	}
	same(t, "events", lines(r.tables[table.Events], "time_ns", "seq", "pid", "tid", "op", "class", "size", "device", "stack", "line"),
		"0 0 700 ? alloc gpu-memory 4096 0 3 1",
		"10 1 700 ? alloc gpu-static 512 0 ? 2",
		"450 2 701 ? alloc gpu-memory 1000 0 ? 3",
		"550 3 700 ? alloc pinned-host 64 ? ? 4", // its device means nothing
		"650 4 700 ? alloc gpu-managed 256 1 ? 5",
		"1050 5 700 71 create cuda-event ? ? 4 2", // once: the driver's call lies inside
		"3050 6 700 71 create cuda-graph-exec ? ? ? 7",
		"4050 7 701 81 create cuda-event ? ? ? 8",
		"5050 8 700 71 destroy cuda-event ? ? ? 9",
		"6000 9 700 ? free gpu-memory 4096 0 ? 6",
		"6010 10 700 ? free gpu-memory 300 0 ? 7",
		"6250 11 700 71 destroy cuda-graph-exec ? ? ? 11",
		"6850 12 700 ? create cuda-mempool ? 1 ? 1",
		"6950 13 700 ? alloc gpu-memory 128 1 ? 8",
		"7050 14 700 ? free gpu-memory 128 1 ? 9",
		"7950 15 700 ? mark cuda-mempool ? 1 ? 2")
	same(t, "objects", lines(r.where(table.Events, "class=cuda-graph-exec;op=create"), "object"), "56")
	same(t, "stack", lines(r.tables[table.Frames], "id", "parent", "function", "module", "address"),
		"1 ? main server 768", "2 1 grow_cache(int) server 512", "3 2 cudaMalloc libcudart.so.12 256", "4 1 ? server 139641712656111")
	same(t, "faults", lines(r.tables[table.Faults], "time_ns", "pid", "process", "kind", "size", "detail", "stack"), "2050 700 /opt/server/bin/server gpu-oom ? cudaMalloc returned 2 3")
}

// TestLevels: what was freed unseen was there from the start; two processes on one device have a sum; GPUs have the
// numbers that CUDA gives them.
func TestLevels(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", fixture(t, "nsys-sqlite/memory.sqlite"))
	columns := []string{"time_ns", "iteration", "pid", "process", "name", "value"}
	same(t, "totals", lines(r.where(table.Samples, "metric=gpu_total"), columns...), "0 ? ? ? GPU 0 NVIDIA Example 2G 2000000", "0 ? ? ? GPU 1 NVIDIA Example 1G 1000000")
	same(t, "700 on GPU 0", lines(r.where(table.Samples, "scope=device;metric=gpu_used;pid=700;name~GPU 0"), columns...),
		"0 1 700 /opt/server/bin/server GPU 0 NVIDIA Example 2G 4396",
		"10 1 700 /opt/server/bin/server GPU 0 NVIDIA Example 2G 4908",
		"6000 3 700 /opt/server/bin/server GPU 0 NVIDIA Example 2G 812",
		"6010 3 700 /opt/server/bin/server GPU 0 NVIDIA Example 2G 512")
	same(t, "701", lines(r.where(table.Samples, "scope=device;pid=701"), columns...), "450 ? 701 worker GPU 0 NVIDIA Example 2G 1000")
	same(t, "sum", lines(r.where(table.Samples, "scope=device;metric=gpu_used;pid="), "time_ns", "value"), "0 4396", "10 4908", "450 5908", "6000 1812", "6010 1512")
	same(t, "classes", lines(r.where(table.Samples, "scope=class"), "time_ns", "iteration", "name", "metric", "value"), "550 2 pinned-host live_bytes 64", "650 2 gpu-managed live_bytes 256")
	same(t, "handles", lines(r.where(table.Samples, "scope=handle;pid=700"), "time_ns", "name", "metric", "value"),
		"1050 cuda-event count 1", "3050 cuda-graph-exec count 1", "5050 cuda-event count 0", "6250 cuda-graph-exec count 0", "6850 cuda-mempool count 1")
	same(t, "pool", lines(r.where(table.Samples, "scope=pool"), "time_ns", "name", "metric", "value"),
		"6850 GPU 1 pool 1 gpu_reserved 0", "6850 GPU 1 pool 1 gpu_used 0", "6950 GPU 1 pool 1 gpu_reserved 2048", "6950 GPU 1 pool 1 gpu_used 128", "7950 GPU 1 pool 1 gpu_reserved 1024", "7950 GPU 1 pool 1 gpu_used 0")
}

func TestFacts(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", fixture(t, "nsys-sqlite/memory.sqlite"))
	for name, want := range map[string]string{"tool": "nsys 2025.1.3.140", "schema": "3.17.2", "start": "2025-06-15T15:06:40Z", "device_memory_tracing": "yes", "calls_left_out": "true",
		"preexisting_frees": "1", "preexisting_bytes": "300", "clock": "trace", "note": ""} {
		if r.facts[name] != want {
			t.Errorf("fact %s is %q, want %q", name, r.facts[name], want)
		}
	}
	if all := printout(r); strings.Contains(all, "TOKEN") || strings.Contains(all, "not to be shown") {
		t.Error("the environment of the program is shown")
	}
}

// TestCalls: without memory events the calls are counted.
func TestCalls(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", fixture(t, "nsys-sqlite/calls-2022.sqlite"))
	same(t, "events", lines(r.tables[table.Events], "time_ns", "pid", "tid", "op", "class", "size", "object", "device", "line"),
		"0 42 43 free gpu-memory ? ? ? 2",
		"200 42 43 alloc gpu-memory ? ? ? 1",
		"400 42 44 alloc gpu-memory ? ? ? 3",
		"600 42 43 alloc pinned-host ? ? ? 4",
		"800 42 43 create cuda-stream ? ? ? 5",
		"1000 42 43 destroy cuda-stream ? ? ? 6",
		"1200 42 43 create cuda-mempool ? ? ? 7",
		"1400 42 43 create cuda-graph ? ? ? 8",
		"1800 ? ? alloc gpu-array ? ? ? 10")
	same(t, "levels", lines(r.where(table.Samples, "name=gpu-memory"), "scope", "metric", "value"), "class live_count 0", "class live_count 1", "class live_count 2")
	same(t, "faults", lines(r.tables[table.Faults], "detail"), "cuMemCreate returned 2")
	same(t, "totals", lines(r.where(table.Samples, "metric=gpu_total"), "name"), "GPU 0 Example", "GPU 1 Example")
	if r.err != nil || len(r.problems) > 0 || !strings.Contains(r.facts["note"], "--cuda-memory-usage=true") || r.facts["device_memory_tracing"] != "unknown" {
		t.Error(r.err, r.problems, r.facts)
	}
}

func TestBadValues(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", fixture(t, "nsys-sqlite/bad-values.sqlite"))
	same(t, "problems", r.problems,
		"x: want a column globalPid in CUDA_GPU_MEMORY_POOL_EVENTS: the table is not read",
		"x: want a column symbol in CUDA_CALLCHAINS: the table is not read",
		"x:2: CUDA_GPU_MEMORY_USAGE_EVENTS: want a size in bytes, have -1",
		"x:2: CUPTI_ACTIVITY_KIND_RUNTIME: want a time in ns, have none",
		"x:3: CUDA_GPU_MEMORY_USAGE_EVENTS: want 0 (allocation) or 1 (deallocation), have 7",
		"x:3: CUPTI_ACTIVITY_KIND_RUNTIME: want a time in ns, have 9223372036854775807")
	same(t, "levels", lines(r.tables[table.Samples], "scope", "name", "value"), "handle cuda-event 1", "device GPU 0 512", "class gpu-unknown 8", "device GPU 0", "device GPU 16")
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"cut", "cut: the header tells of 23 pages of 512 bytes, have 5888 of 11776 bytes", fixture(t, "nsys-sqlite/bad-cut.sqlite")},
		{"no CUDA", "no CUDA data", fixture(t, "nsys-sqlite/bad-no-cuda.sqlite")},
		{"header alone", "cut: want a header of 100 bytes, have 16", []byte(sqliteMagic)},
		{"encrypted", "want a SQLite database", []byte(sqliteMagic + strings.Repeat("\x9c", 1100))},
		{"text", "want a SQLite database, have", []byte("version https://git-lfs.github.com/spec/v1")},
		{"other", "no export of Nsight Systems", build(t, "CREATE TABLE moz_places (id INTEGER)")},
		{"dlprof", "a database of DLProf", build(t, "CREATE TABLE read_only_gpu_infos (id INTEGER)")},
		{"kernels alone", "held nothing: no call that allocates", build(t, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)")},
	} {
		r := decodeBytes(t, DecodeSQLite, "x", c.data)
		if r.err == nil || !strings.Contains(r.err.Error(), c.want) || !strings.HasPrefix(r.err.Error(), "x:") {
			t.Errorf("%s: want %q, have %v", c.name, c.want, r.err)
		}
		if len(r.tables[table.Samples])+len(r.tables[table.Events]) > 0 {
			t.Errorf("%s: has rows", c.name)
		}
	}
}

// TestHostileSchema: a view in the place of a table is not looked at, and one of its columns costs nothing.
func TestHostileSchema(t *testing.T) {
	r := decodeBytes(t, DecodeSQLite, "x", build(t, `CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER);
		CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS start, i AS end, 1 AS nameId FROM n`))
	if r.err == nil || !strings.Contains(r.err.Error(), "held nothing") {
		t.Error(r.err)
	}
}

// TestDamagedPages: a page that is overwritten ends its table with a problem; the others are read.
func TestDamagedPages(t *testing.T) {
	whole := fixture(t, "nsys-sqlite/memory.sqlite")
	told := 0
	for page := 1; page < len(whole)/512; page++ {
		data := bytes.Clone(whole)
		copy(data[page*512:], bytes.Repeat([]byte{0xff}, 512))
		r := decodeBytes(t, DecodeSQLite, "x", data)
		if r.err != nil || strings.Contains(strings.Join(r.problems, "\n"), "what stands behind that in the table is not read") {
			told++
		} else if len(r.tables[table.Events]) != 16 {
			t.Errorf("page %d is damaged, and nothing is told", page+1)
		}
	}
	if told < 10 {
		t.Errorf("%d of %d damaged pages are told", told, len(whole)/512)
	}
}

func TestSpool(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), (inMemory+3*chunkSize/2)/16)
	for _, n := range []int{0, 100, chunkSize, chunkSize + 1, inMemory - 1, inMemory, len(text)} {
		in, err := source.NewInput("x", bytes.NewReader(text[:n]))
		if err != nil {
			t.Fatal(err)
		}
		s, err := spool(in)
		if err != nil || s.err != nil {
			t.Fatal(err, s.err)
		}
		if size, _ := s.Size(); size != int64(n) || (s.file != nil) != (n >= inMemory) {
			t.Errorf("%d bytes: %d, in a file: %v", n, size, s.file != nil)
		}
		for _, at := range []int{0, chunkSize - 5, inMemory - 5, n - 5} {
			if buf := make([]byte, 10); at >= 0 && at+5 <= n {
				k, _ := s.ReadAt(buf, int64(at))
				if want := text[at:min(at+10, n)]; !bytes.Equal(buf[:k], want) {
					t.Errorf("%d bytes: at %d %q, want %q", n, at, buf[:k], want)
				}
			}
		}
		s.Close()
	}
}

func TestPlainName(t *testing.T) {
	for in, want := range map[string]string{"cudaMalloc_v3020": "cudaMalloc", "cuMemAlloc_v2": "cuMemAlloc", "cuMemAllocAsync_ptsz": "cuMemAllocAsync", "cudaMallocAsync_ptsz_v11020": "cudaMallocAsync",
		"cuEventCreate": "cuEventCreate", "cudaStreamGetCaptureInfo_v2_ptsz_v11030": "cudaStreamGetCaptureInfo", "cu_v": "cu_v", "": "", "_v2": "_v2", "my_value": "my_value"} {
		if got := plainName(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestIterationNames(t *testing.T) {
	for name, want := range map[string]string{"step 7": "0 7", "Step_12": "0 12", "ITER-3": "1 3", "iteration=4": "1 4", "batch 0012": "3 12", "Epoch#1": "4 1",
		"step": "", "steps 7": "", "train step 7": "", "step 7 of 9": "", "step 99999999999999999999": "", "12": ""} {
		it, ok := iterationOf([]byte(name))
		got := ""
		if ok {
			got = fmt.Sprint(it.word, " ", it.number)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestAxis: the most numerous kind of range is taken; numbers that begin again are counted on.
func TestAxis(t *testing.T) {
	list := axis([]iteration{{0, 100, 1, 4}, {0, 10, 0, 3}, {10, 20, 1, 3}, {100, 200, 2, 4}, {100, 110, 0, 3}})
	if got := fmt.Sprint(list); got != "[{0 10 0 3} {10 20 1 3} {100 110 2 3}]" {
		t.Error(got)
	}
}

func FuzzSQLite(f *testing.F) {
	for _, name := range []string{"memory", "calls-2022", "bad-values", "bad-no-cuda", "bad-cut"} {
		f.Add(fixture(f, "nsys-sqlite/"+name+".sqlite"))
	}
	f.Fuzz(func(t *testing.T, data []byte) { bounded(t, DecodeSQLite, data) })
}

// bounded decodes anything: it ends, gives rows in proportion, and says so where it gives none.
func bounded(t *testing.T, f decoderFunc, data []byte) {
	in, err := source.NewInput("x", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	err = f(in, b)
	set := table.Assemble([]*table.Part{b.Done()})
	rows := 0
	for id := range table.NumTables {
		rows += set.Len(id)
	}
	if rows > 8*len(data)+100 {
		t.Errorf("%d rows of %d bytes", rows, len(data))
	}
	if rows == 0 && err == nil && len(set.Problems()) == 0 {
		t.Error("no row, no problem and no error")
	}
}
