package computesanitizer

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const (
	siteColumns  = "class stack live_bytes live_count total_bytes line"
	faultColumns = "kind address size detail stack alloc_stack line"
	frameColumns = "id parent function source_file source_line module address line"
)

// fixtures gives the texts by the names of their files.
func fixtures(t testing.TB) map[string]string {
	paths, _ := filepath.Glob("../../fixtures/compute-sanitizer/*.txt")
	out := map[string]string{}
	for _, p := range paths {
		out[filepath.Base(p)] = read(t, p)
	}
	if len(out) == 0 {
		t.Fatal("no fixtures")
	}
	return out
}

func TestLeaks(t *testing.T) {
	r := decode(t, Decode, "x", fixtures(t)["leaks.txt"])
	if r.err != nil || len(r.problems) > 0 {
		t.Error(r.err, r.problems)
	}
	if r.facts["tool"] != "compute-sanitizer" || r.facts["leak_report"] != "true" || r.facts["unit"] != "requested" {
		t.Error(r.facts)
	}
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), []string{"0 | - | - | process | - | leaked_bytes | 3088 | 38", "0 | - | - | process | - | leaked_count | 3 | 38"})
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{"gpu-memory | 6 | 3072 | 2 | - | 18", "pinned-host | 8 | 16 | 1 | - | 32"})
	same(t, "faults", r.dump(t, table.Faults, faultColumns), []string{
		"invalid-access | 139637976728576 | 4 | Invalid __global__ write of size 4 bytes | 2 | - | 3",
		`api-error | - | - | Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaMemcpy. | 4 | - | 11`,
		"leak-definite | 139637976727552 | 1024 | Leaked 1,024 bytes at 0x7f0000000000 | - | 6 | 18",
		"leak-definite | 139637976731648 | 2048 | Leaked 2,048 bytes at 0x7f0000001000 | - | 6 | 25",
		"leak-definite | 139637976735744 | 16 | Leaked 16 bytes at 0x7f0000002000 called weights | - | 8 | 32",
	})
	same(t, "frames", r.dump(t, table.Frames, frameColumns), []string{
		"1 | - | main | app.cu | 30 | app | 39467 | 3",
		"2 | 1 | fill(int *, int) | fill.cu | 12 | - | - | 3",
		"3 | - | main | /src/app.cu | 44 | run | 12563 | 11",
		"4 | 3 | libcuda.so.1+0x2da4eb | - | - | libcuda.so.1 | 2991339 | 11",
		"5 | - | Cache::grow(int) | /src/cache.cu | 12 | libmodel.so | 425099 | 18",
		"6 | 5 | cudaMalloc | - | - | libcudart.so.12 | 267151 | 18",
		"7 | - | cuMemHostAlloc | - | - | libcuda.so.1 | 18 | 32",
		"8 | 7 | [weights] | - | - | - | - | 32",
	})
}

// TestNoLeak: 0 bytes leaked is a measured 0.
func TestNoLeak(t *testing.T) {
	r := decode(t, Decode, "x", fixtures(t)["old.txt"])
	if r.err != nil || len(r.problems) > 0 || r.facts["tool"] != "cuda-memcheck" {
		t.Error(r.err, r.problems, r.facts)
	}
	same(t, "samples", r.dump(t, table.Samples, sampleColumns), []string{"0 | - | - | process | - | leaked_bytes | 0 | 11", "0 | - | - | process | - | leaked_count | 0 | 11"})
	same(t, "faults", r.dump(t, table.Faults, faultColumns), []string{"misaligned-access | 1028 | 8 | Invalid __shared__ read of size 8 | 3 | - | 2"})
	same(t, "frames", r.dump(t, table.Frames, frameColumns), []string{
		"1 | - | k+0x5d2c | - | - | k | 23852 | 2", "2 | 1 | cuLaunchKernel | - | - | libcuda.so.1 | 2239880 | 2", "3 | 2 | sum(double*) | /src/k.cu | 9 | - | - | 2",
	})
}

// TestOff: without a leak check there is no 0.
func TestOff(t *testing.T) {
	r := decode(t, Decode, "x", fixtures(t)["off.txt"])
	if r.err == nil || !strings.Contains(r.err.Error(), "--leak-check full") || r.set.Files[0].Rows > 0 {
		t.Error(r.err)
	}
	r = decode(t, Decode, "x", "========= COMPUTE-SANITIZER\n========= Double free\n========= ERROR SUMMARY: 1 error\n")
	if r.err != nil || r.set.Len(table.Samples) > 0 || r.facts["note"] == "" || r.facts["leak_report"] != "" {
		t.Error(r.err, r.facts)
	}
	r = decode(t, Decode, "x", "<?xml version=\"1.0\"?>\n<ComputeSanitizerOutput>\n")
	if r.err == nil || r.err.Error() != "x:2:1: held nothing: want the text of compute-sanitizer, have XML: take it without --xml" {
		t.Error(r.err)
	}
}

func TestBad(t *testing.T) {
	r := decode(t, Decode, "x", fixtures(t)["bad-cut.txt"])
	same(t, "problems", r.problems, []string{
		"x:13:27: want a call such as main [0x3113], have another line",
		`x:25:11: want Leaked N bytes at 0xADDRESS, have "Leaked many bytes at 0x7f0000001000"`,
		"x:37:1: want leaks that add up to the summary, 3088 bytes in 3 allocations, have 1040 in 2: the report is cut, or --print-limit was reached",
		"x:38: want an ERROR SUMMARY at the end of a report, have none: it is cut (2 times)",
		`x:39:11: want a program that ran to its end, have the tool's words "Error: process didn't terminate successfully"`,
		"x:41:36: want the end of the line, have that of the file: this call may be cut and is left out",
	})
	same(t, "sites", r.dump(t, table.Sites, siteColumns), []string{"gpu-memory | 6 | 1024 | 1 | - | 18", "pinned-host | 8 | 16 | 1 | - | 32", "gpu-memory | - | 8 | 1 | - | 40"})
}

// TestKinds: what each head line is.
func TestKinds(t *testing.T) {
	for head, want := range map[string]string{
		"Invalid __global__ read of size 16 bytes":                                    "invalid-access",
		"Misaligned Shared or Local Address":                                          "misaligned-access",
		"Malloc/Free Error encountered : Double free":                                 "double-free",
		"Malloc/Free Error encountered : Invalid pointer to free":                     "invalid-free",
		"Uninitialized __global__ memory read of size 4 bytes":                        "uninitialised",
		"Error: Race reported between Write access at 0x70 in k and Read access":      "race",
		"Warning: (Warp Level Programming) Potential RAW hazard detected at 0x0 in k": "race",
		"Barrier error detected. Divergent thread(s) in block":                        "race",
		"Stack overflow": "overflow",
		"Program hit error 11 on CUDA API call to cudaMalloc": "api-error",
		"Target application returned an error":                "",
		"No leak":                                             "",
	} {
		if got := kindOf(head); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		file, sites, sample string
		frames              int
	}{
		{"sanitizer-memcheck-leak-constructed.txt", "gpu-memory | 4 | 1048576 | 1 | - | 3, pinned-host | 6 | 512 | 1 | - | 14, gpu-memory | 8 | 1 | 1 | - | 23", "leaked_bytes | 1049089", 8},
		{"sanitizer-memcheck-leak-cuda-memcheck-excerpt.txt", "gpu-memory | 7 | 10 | 1 | - | 2", "leaked_bytes | 10", 7},
	} {
		for _, path := range corpus(t, "nvidia/"+c.file) {
			text := read(t, path)
			r := decode(t, Decode, c.file, text)
			if r.err != nil || len(r.problems) > 0 || !Sniff([]byte(text)) {
				t.Errorf("%s: %v %q", c.file, r.err, r.problems)
			}
			same(t, c.file, r.dump(t, table.Sites, siteColumns), strings.Split(c.sites, ", "))
			if got := r.dump(t, table.Samples, "metric value"); got[0] != c.sample {
				t.Errorf("%s: %s, want %s", c.file, got[0], c.sample)
			}
			if n := r.set.Len(table.Frames); n != c.frames || r.set.Len(table.Faults) != r.set.Len(table.Sites) {
				t.Errorf("%s: %d frames, want %d; %d faults", c.file, n, c.frames, r.set.Len(table.Faults))
			}
		}
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	for _, pattern := range []string{"nvidia/*.*", "heap/*.*", "linux/*.*", "android/*.*"} {
		for _, path := range corpus(t, pattern) {
			if ours := strings.HasPrefix(filepath.Base(path), "sanitizer-memcheck-leak"); Sniff([]byte(read(t, path))) != ours {
				t.Errorf("%s is claimed: %v", path, !ours)
			}
		}
	}
}

// TestCut cuts each capture at each byte: no size comes out that the whole does not have at its line.
func TestCut(t *testing.T) {
	const columns = "size line"
	for name, text := range fixtures(t) {
		whole := decode(t, Decode, name, text).dump(t, table.Faults, columns)
		for n := range text {
			for _, row := range decode(t, Decode, name, text[:n]).dump(t, table.Faults, columns) {
				if !slices.Contains(whole, row) && !strings.HasPrefix(row, "- | ") {
					t.Fatalf("%s cut behind %d bytes: %s", name, n, row)
				}
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range fixtures(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Sniff([]byte(text))
		r := decode(t, Decode, "x", text)
		rows := r.set.Files[0].Rows
		if (r.err == nil) != (rows > 0) || rows > 4+len(text)/5 {
			t.Fatalf("%d rows of %d bytes, %v", rows, len(text), r.err)
		}
		lines := 1 + strings.Count(text, "\n")
		for _, p := range r.set.Problems() {
			if p.Line > lines {
				t.Fatalf("%v, the text has %d lines", p, lines)
			}
		}
		for _, v := range r.dump(t, table.Sites, "live_bytes") {
			if v[0] == '-' {
				t.Fatalf("a leak of %s", v)
			}
		}
	})
}
