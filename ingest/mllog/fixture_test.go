package mllog

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

var decoders = map[string]decoderFunc{"vllm-log": DecodeVLLM, "deepspeed-log": DecodeDeepSpeed}

// fixtures gives the texts of a format by the names of their files.
func fixtures(t testing.TB, format string) map[string]string {
	paths, _ := filepath.Glob("../../fixtures/" + format + "/*.log")
	out := map[string]string{}
	for _, p := range paths {
		out[filepath.Base(p)] = read(t, p)
	}
	if len(out) == 0 {
		t.Fatalf("no fixtures of %s", format)
	}
	return out
}

var wanted = map[string]struct{ problems, rows []string }{
	"vllm-log/server.log": {rows: []string{
		"0 | 500 | EngineCore_DP0 | category | model | gpu_allocated | 15569256448 | 2 | -",
		"1000000000 | 500 | EngineCore_DP0 | pool | KV cache | gpu_reserved | 5100273664 | 3 | -",
		"1000000000 | 500 | EngineCore_DP0 | pool | KV cache | kv_tokens | 1038944 | 4 | -",
		"3000000000 | 501 | VllmWorker rank=1 | category | CUDA graphs | gpu_allocated | 268435456 | 5 | -",
		"12000000000 | 400 | APIServer | pool | KV cache 001 | kv_usage | 0 | 7 | -",
		"12000000000 | 400 | APIServer | pool | KV cache 001 | requests_running | 0 | 7 | -",
		"12000000000 | 400 | APIServer | pool | KV cache 001 | requests_waiting | 0 | 7 | -",
		"13000000000 | 400 | APIServer | pool | KV cache 000 | kv_usage | 125000 | 6 | -",
		"13000000000 | 400 | APIServer | pool | KV cache 000 | requests_running | 2 | 6 | -",
		"13000000000 | 400 | APIServer | pool | KV cache 000 | requests_waiting | 1 | 6 | -",
	}},
	"vllm-log/old.log": {rows: []string{
		"0 | - | - | pool | KV cache | kv_usage | 1000 | 1 | -",
		"0 | - | - | pool | KV cache | requests_running | 3 | 1 | -",
		"0 | - | - | pool | KV cache | requests_waiting | 4 | 1 | -",
		"10000000000 | - | - | pool | KV cache | kv_usage | 0 | 2 | -",
		"10000000000 | - | - | pool | KV cache | requests_running | 0 | 2 | -",
		"10000000000 | - | - | pool | KV cache | requests_waiting | 0 | 2 | -",
	}},
	"vllm-log/bad-cut.log": {
		problems: []string{
			`bad-cut.log:1:78: want a figure in GiB, have "much GiB"`,
			"bad-cut.log:2:1: want a time such as INFO 08-16 01:51:33 in front of the figure, have none",
			`bad-cut.log:4:104: want a share such as 36.7%, have "31"`,
		},
		rows: []string{"0 | 1 | W | pool | KV cache | gpu_reserved | 2147483648 | 3 | -"},
	},
	"deepspeed-log/steps.log": {rows: []string{
		"0 | - | - | device | GPU (before step) | gpu_allocated | 1073741824 | 2 | 7",
		"0 | - | - | device | GPU (before step) | gpu_allocated_peak | 1610612736 | 2 | 7",
		"0 | - | - | device | GPU (before step) | gpu_reserved | 2147483648 | 2 | 7",
		"0 | - | - | device | GPU (before step) | gpu_reserved_peak | 2147483648 | 2 | 7",
		"0 | - | - | system | - | mem_used | 11274289152 | 3 | 7",
		"1000000000 | - | - | device | GPU (after init) | gpu_allocated | 1342177280 | 6 | -",
		"1000000000 | - | - | device | GPU (after init) | gpu_allocated_peak | 1610612736 | 6 | -",
		"1000000000 | - | - | device | GPU (after init) | gpu_reserved | 2147483648 | 6 | -",
		"1000000000 | - | - | device | GPU (after init) | gpu_reserved_peak | 2147483648 | 6 | -",
		"1000000000 | - | - | system | - | mem_used | 11274289152 | 7 | -",
	}},
	"deepspeed-log/no-time.log": {rows: []string{
		"0 | - | - | device | GPU (phase) | gpu_allocated | 536870912 | 2 | -",
		"0 | - | - | device | GPU (phase) | gpu_allocated_peak | 536870912 | 2 | -",
		"0 | - | - | device | GPU (phase) | gpu_reserved | 1073741824 | 2 | -",
		"0 | - | - | device | GPU (phase) | gpu_reserved_peak | 1073741824 | 2 | -",
		"1000000000 | - | - | device | GPU (phase) | gpu_allocated | 644245094 | 3 | -",
		"1000000000 | - | - | device | GPU (phase) | gpu_allocated_peak | 644245094 | 3 | -",
		"1000000000 | - | - | device | GPU (phase) | gpu_reserved | 1073741824 | 3 | -",
		"1000000000 | - | - | device | GPU (phase) | gpu_reserved_peak | 1073741824 | 3 | -",
	}},
	"deepspeed-log/bad-cut.log": {
		problems: []string{
			`bad-cut.log:2:91: want a size in GB, have "lots GB         CA 2.0 GB         Max_CA"`,
			`bad-cut.log:6:94: want a size in GB, have "10."`,
		},
		rows: []string{
			"0 | - | - | device | GPU (before step) | gpu_allocated | 1073741824 | 2 | 7",
			"0 | - | - | device | GPU (before step) | gpu_reserved | 2147483648 | 2 | 7",
			"0 | - | - | device | GPU (before step) | gpu_reserved_peak | 2147483648 | 2 | 7",
			"0 | - | - | system | - | mem_used | 11274289152 | 3 | 7",
			"1000000000 | - | - | device | GPU (after init) | gpu_allocated | 1342177280 | 5 | -",
			"1000000000 | - | - | device | GPU (after init) | gpu_allocated_peak | 1610612736 | 5 | -",
			"1000000000 | - | - | device | GPU (after init) | gpu_reserved | 2147483648 | 5 | -",
			"1000000000 | - | - | device | GPU (after init) | gpu_reserved_peak | 2147483648 | 5 | -",
		},
	},
}

// TestFixtures: what each capture gives, where its problems point, and that CR LF changes nothing.
func TestFixtures(t *testing.T) {
	seen := 0
	for format, f := range decoders {
		for name, text := range fixtures(t, format) {
			seen++
			w := wanted[format+"/"+name]
			if SniffVLLM([]byte(text)) != (format == "vllm-log") || SniffDeepSpeed([]byte(text)) != (format == "deepspeed-log") {
				t.Errorf("%s is not claimed by its format alone", name)
			}
			for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
				r := decode(t, f, name, text)
				if r.err != nil {
					t.Errorf("%s: %v", name, r.err)
				}
				same(t, name+" problems", r.problems, w.problems)
				same(t, name, r.dump(t, table.Samples, sampleColumns), w.rows)
			}
		}
	}
	if seen != len(wanted) {
		t.Errorf("%d captures, want %d", seen, len(wanted))
	}
}

func TestFacts(t *testing.T) {
	r := decode(t, DecodeVLLM, "x", fixtures(t, "vllm-log")["old.log"])
	if r.facts["clock"] != "wall" || r.facts["year"] != "unknown" || r.set.Clock != "trace" || r.set.Start.OK {
		t.Errorf("%v, clock %s: a year that is not told is not made up", r.facts, r.set.Clock)
	}
	for file, clock := range map[string]string{"steps.log": "wall", "no-time.log": "order"} {
		if r := decode(t, DecodeDeepSpeed, "x", fixtures(t, "deepspeed-log")[file]); r.facts["clock"] != clock || r.set.Clock != clock {
			t.Errorf("%s: clock %s, %v", file, r.set.Clock, r.facts)
		}
	}
}

// TestNothing: a log without a figure is no measurement.
func TestNothing(t *testing.T) {
	if r := decode(t, DecodeVLLM, "x", "INFO 08-16 01:45:03 [gpu_worker.py:1] Starting\n"); r.err == nil || r.err.Error() != "x:1: held nothing: want a line with GPU KV cache usage, Available KV cache memory, Model loading took, or Graph capturing finished" {
		t.Error(r.err)
	}
	if r := decode(t, DecodeDeepSpeed, "x", "[utils.py:785:see_memory_usage] phase 1\n"); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") {
		t.Error(r.err)
	}
}

// TestLastUnreadable: a call at the end that cannot be read leaves the ones before it.
func TestLastUnreadable(t *testing.T) {
	r := decode(t, DecodeDeepSpeed, "x", fixtures(t, "deepspeed-log")["no-time.log"]+"[utils.py:786:see_memory_usage] MA x GB Max_MA x GB CA x GB Max_CA x GB\n")
	if r.err != nil || r.set.Len(table.Samples) != 8 || len(r.problems) != 4 {
		t.Error(r.err, r.set.Len(table.Samples), r.problems)
	}
}

// TestProse: words about such logs are none.
func TestProse(t *testing.T) {
	text := []byte("look for GPU KV cache usage: in the log of [gpu_worker.py: and MA with Max_MA in see_memory_usage] lines")
	if SniffVLLM(text) || SniffDeepSpeed(text) {
		t.Error("claimed")
	}
}

// TestCut cuts each capture at each byte: nothing comes out that the whole does not have.
func TestCut(t *testing.T) {
	for format, f := range decoders {
		for name, text := range fixtures(t, format) {
			whole := decode(t, f, name, text).dump(t, table.Samples, sampleColumns)
			for n := range text {
				for _, row := range decode(t, f, name, text[:n]).dump(t, table.Samples, sampleColumns) {
					if !slices.Contains(whole, row) {
						t.Fatalf("%s cut behind %d bytes: %s", name, n, row)
					}
				}
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for s, want := range map[string]int64{"4.75 GiB": 475, "1,001,532 tokens": 100153200, "1,00": 100, "12.": 1200, "": -1, ".5": -1, "9999999999999999": -1, "0.005": 1, "999999999999999": 99999999999999900} {
		got, _, ok := number([]byte(s), 100)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
	if _, _, ok := number([]byte("999999999999999"), gibibyte); ok {
		t.Error("more than 63 bits are taken")
	}
}

func fuzz(f *testing.F, format string) {
	for _, text := range fixtures(f, format) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		SniffVLLM([]byte(text))
		SniffDeepSpeed([]byte(text))
		r := decode(t, decoders[format], "x", text)
		rows := r.set.Files[0].Rows
		if (r.err == nil) != (rows > 0) || rows > len(text)/10 {
			t.Fatalf("%d rows of %d bytes, %v", rows, len(text), r.err)
		}
		lines := 1 + strings.Count(text, "\n")
		for _, p := range r.set.Problems() {
			if p.Line > lines {
				t.Fatalf("%v, the text has %d lines", p, lines)
			}
		}
		for _, v := range r.dump(t, table.Samples, "value") {
			if v[0] == '-' {
				t.Fatalf("a figure of %s", v)
			}
		}
	})
}

func FuzzVLLM(f *testing.F)      { fuzz(f, "vllm-log") }
func FuzzDeepSpeed(f *testing.F) { fuzz(f, "deepspeed-log") }
