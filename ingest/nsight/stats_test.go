package nsight

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

var siteColumns = []string{"time_ns", "pid", "class", "stack", "live_bytes", "live_count", "total_count", "line"}

func TestStats(t *testing.T) {
	for _, c := range []struct {
		file  string
		sites []string
	}{
		{"summary.txt", []string{"0 ? pinned-host ? ? 2 2 14", "0 ? gpu-memory ? ? 7 52 14", "0 ? cuda-event ? ? 700 1000 14", "0 ? cuda-graph-exec ? ? ? 0 14"}},
		{"calls-crlf.csv", []string{"0 ? cuda-stream ? ? 1000 1204 1"}},
		{"two-reports.txt", []string{"0 ? gpu-memory ? ? 1 10 3", "1000000000 ? gpu-memory ? ? 8 20 10"}},
	} {
		r := decodeBytes(t, DecodeStats, "x", fixture(t, "nsys-stats/"+c.file))
		same(t, c.file, lines(r.tables[table.Sites], siteColumns...), c.sites...)
		if r.err != nil || len(r.problems) > 0 {
			t.Errorf("%s: %v %q", c.file, r.err, r.problems)
		}
	}
}

func TestStatsBad(t *testing.T) {
	r := decodeBytes(t, DecodeStats, "x", fixture(t, "nsys-stats/bad-cut.txt"))
	same(t, "sites", lines(r.tables[table.Sites], siteColumns...), "0 ? gpu-memory ? ? 40 40 8")
	same(t, "problems", r.problems, `x:10: want a number of calls, have "??"`,
		`x:12:44: want a row with a name in its last column, have "     10.0           120000         45   "`)
}

func TestCorpusStats(t *testing.T) {
	r := decodeBytes(t, DecodeStats, "x", corpus(t, "nsys-stats-2023.3-text.txt"))
	same(t, "sites", lines(r.tables[table.Sites], "class", "live_count", "total_count"), "gpu-memory 0 5")
	for file, want := range map[string]string{"nsys-stats-2025.6-all-skipped.txt": "reports were skipped", "nsys-stats-cuda_gpu_trace.csv": "want the report of CUDA calls"} {
		r := decodeBytes(t, DecodeStats, "x", corpus(t, file))
		if r.err == nil || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%s: want %q, have %v", file, want, r.err)
		}
	}
}

func TestNCU(t *testing.T) {
	columns := []string{"time_ns", "iteration", "pid", "process", "scope", "name", "metric", "value", "line"}
	r := decodeBytes(t, DecodeNCU, "x", fixture(t, "ncu-csv/details.csv"))
	const reduce = `kernel void reduce<float, 128>(const float *, "tag") `
	same(t, "details", lines(r.tables[table.Samples], columns...),
		"0 0 4100 bench "+reduce+"dram_throughput 605500 6",
		"0 0 4100 bench "+reduce+"kernel_duration 1234568 7",
		"0 0 4100 bench "+reduce+"l2_throughput 70000 8",
		"0 0 4100 bench "+reduce+"l2_hit_rate 334100 10",
		"0 0 4100 bench "+reduce+"registers 32 11",
		"1 1 4100 bench kernel copy(int *, int) kernel_duration 2500000 13",
		"1 1 4100 bench kernel copy(int *, int) l2_hit_rate 0 15")
	if r.err != nil || len(r.problems) > 0 {
		t.Error(r.err, r.problems)
	}
	r = decodeBytes(t, DecodeNCU, "x", fixture(t, "ncu-csv/raw.csv"))
	same(t, "raw", lines(r.tables[table.Samples], "time_ns", "pid", "metric", "value"),
		"0 512 l2_hit_rate 500000", "0 512 achieved_occupancy 860150", "0 512 kernel_duration 12160", "0 512 registers 16", "0 512 dram_read 4200000", "0 512 dram_written 1024500",
		"1 512 achieved_occupancy 860200", "1 512 kernel_duration 24320", "1 512 registers 16", "1 512 dram_read 8400000", "1 512 dram_written 0")
}

func TestNCUBad(t *testing.T) {
	r := decodeBytes(t, DecodeNCU, "x", fixture(t, "ncu-csv/bad-rows.csv"))
	same(t, "samples", lines(r.tables[table.Samples], "iteration", "pid", "value"), "2 ? 125000")
	same(t, "problems", r.problems,
		`x:3: l2_hit_rate: want a number, have "high"`,
		`x:4:2: want the number of a launch, have "x"`,
		"x:5:1: want 11 cells, have 10: the row is cut or no row",
		`x:6: want the ID of a process, have "?"`,
		"x:7:1: want 11 cells, have 8: the row is cut or no row")
}

func TestCorpusNCU(t *testing.T) {
	r := decodeBytes(t, DecodeNCU, "x", corpus(t, "ncu-details-page-constructed.csv"))
	if got := figure(t, r.where(table.Samples, "metric=l2_hit_rate"), "all", "value", "334100"); got != "334100" {
		t.Error(got)
	}
	same(t, "duration", lines(r.where(table.Samples, "metric=kernel_duration;iteration=0"), "value"), "1234560")
	r = decodeBytes(t, DecodeNCU, "x", corpus(t, "ncu-raw-page-vectoradd.csv"))
	same(t, "raw", lines(r.tables[table.Samples], "iteration", "name", "metric", "value"), "0 vecAdd registers 8", "1 vecAdd registers 8", "2 vecAdd registers 8")
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text  string
		shift int
		want  int64
		ok    bool
	}{
		{"33.41", 4, 334100, true}, {"1,234.5678", 3, 1234568, true}, {"0", 9, 0, true}, {"0.00004", 4, 0, true}, {"0.00005", 4, 1, true}, {"12", 0, 12, true}, {"12.5", 0, 13, true},
		{"-1.5", 0, -2, true}, {".5", 0, 1, true}, {"99.99995", 4, 1000000, true}, {"", 0, 0, false}, {"-", 0, 0, false}, {".", 0, 0, false}, {"1.2.3", 0, 0, false}, {",1", 0, 0, false},
		{"1e9", 0, 0, false}, {"9999999999999999999", 0, 0, false}, {"9223372036854775807", 0, 0, false}, {"0.5", -40, 0, true},
	} {
		if got, ok := decimal([]byte(c.text), c.shift); ok != c.ok || ok && got != c.want {
			t.Errorf("%q times 10^%d: %d %v, want %d %v", c.text, c.shift, got, ok, c.want, c.ok)
		}
	}
}

// TestSniff: each capture is claimed by its own format alone.
func TestSniff(t *testing.T) {
	sniffs := map[string]func([]byte) bool{"nsys-sqlite": SniffSQLite, "nsys-stats": SniffStats, "ncu-csv": SniffNCU, "nsys-jsonlines": SniffJSONLines}
	for _, name := range []string{"nsys-sqlite/memory.sqlite", "nsys-sqlite/bad-cut.sqlite", "nsys-stats/summary.txt", "nsys-stats/calls-crlf.csv", "nsys-stats/two-reports.txt", "nsys-stats/bad-cut.txt",
		"ncu-csv/details.csv", "ncu-csv/raw.csv", "ncu-csv/bad-rows.csv", "nsys-jsonlines/strings-first.jsonl", "nsys-jsonlines/strings-last.json", "nsys-jsonlines/bad-lines.jsonl"} {
		data := fixture(t, name)
		for format, sniff := range sniffs {
			if sniff(data) != strings.HasPrefix(name, format+"/") {
				t.Errorf("%s: claimed by %s, or not by its own", name, format)
			}
		}
	}
}

func FuzzStats(f *testing.F) {
	for _, name := range []string{"summary.txt", "calls-crlf.csv", "two-reports.txt", "bad-cut.txt"} {
		f.Add(fixture(f, "nsys-stats/"+name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { SniffStats(data); bounded(t, DecodeStats, data) })
}

func FuzzNCU(f *testing.F) {
	for _, name := range []string{"details.csv", "raw.csv", "bad-rows.csv"} {
		f.Add(fixture(f, "ncu-csv/"+name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { SniffNCU(data); bounded(t, DecodeNCU, data) })
}
