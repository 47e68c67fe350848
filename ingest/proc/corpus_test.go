package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// corpus reads a capture of the corpus beside the checkout, which is not part of it.
func corpus(t testing.TB, name string) string {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", name))
	if err != nil {
		t.Skip("no corpus of real captures beside the checkout")
	}
	return string(data)
}

// TestCorpus holds real captures against what is known of them.
func TestCorpus(t *testing.T) {
	type expect struct {
		decode              int
		file                string
		rows, noData        int
		problems            int
		first, some, latest string
	}
	for _, c := range []expect{
		{0, "linux/smaps_rollup-special-6.18.txt", 24, 0, 0, "rss 21381120 2", "pss 12888064 3|uss 5644288 11|locked 524288 23", "locked 524288 23"},
		{0, "linux/loop-date-rollup.log", 480, 0, 0, "0 ? ? process ? rss 1486848 3", "5000000000 ? ? process ? rss 5681152", "locked 0 480"},
		{0, "linux/loop-date-rollup-crlf.log", 480, 0, 0, "0 ? ? process ? rss 1486848 3", "5000000000 ? ? process ? rss 5681152", "locked 0 480"},
		{0, "linux/loop-iso-process-dies.log", 144, 2, 0, "rss 14073856 3", "1000000000 ? ? process ? rss 15384576", "locked 0 144"},
		{1, "linux/loop-iso-status-statm.log", 320, 0, 0, "vm_peak 10104832 2", "0 ? ? process ? rss 8826880 7|5785000000 ? ? process ? rss 13811712", "count 1 359"},
		{1, "android/libmeminfo-status.txt", 16, 0, 0, "0 1791 system_server process ? vm_peak 22380957696 13", "vm_hwm 879812608|rss_anon 235094016|rss 748302336", "handle threads count 218 29"},
		{1, "linux/procfs-26231-status.txt", 18, 0, 0, "26231 prometheus process ? vm_peak", "rss 6877184|swap 675840|hugetlb 0", "count 1 35"},
		{1, "linux/status-special-6.18.txt", 17, 0, 0, "vm_peak", "rss 21381120", "threads count"},
		{2, "linux/statm-special-6.18.txt", 3, 0, 0, "vss 26107904 1", "rss 21381120 1", "rss_shared 6885376 1"},
		{2, "linux/procfs-26231-statm.txt", 2, 0, 1, "vss 614068224 1", "", "rss 51392512 1"},
		{3, "linux/loop-epoch-procmeminfo.log", 795, 0, 0, "0 ? ? system ? mem_total 25276026880 3", "4000000000 ? ? system ? mem_free 20528197632", "direct_map2m"},
		{3, "linux/meminfo-6.18.txt", 53, 0, 0, "mem_total 25276026880 1", "mem_available 24600776704", "direct_map2m"},
		{3, "linux/procfs-meminfo.txt", 45, 0, 0, "mem_total 16042172416 1", "huge_pages_total 0|committed_as", "direct_map2m"},
		{3, "linux/catapult-proc_meminfo-kernel3.txt", 43, 0, 0, "mem_total 67479191552 1", "", "direct_map1g 2147483648"},
		{3, "linux/gopsutil-meminfo-anonhugepages.txt", 4, 0, 0, "mem_total", "", "anon_huge_pages 51619299328 4"},
		{3, "linux/gopsutil-meminfo-intelcorei5.txt", 47, 0, 0, "mem_total 16502300672", "mem_available 11495358464", "direct_map1g 10737418240"},
		{3, "android/tcl-tv-arm32-proc-meminfo.txt", 37, 0, 0, "mem_total 530882560 2", "high_total 289406976|active_anon 104468480", "vmalloc_chunk"},
		{3, "android/nexusone-android2.3-proc-meminfo-crlf.txt", 33, 0, 0, "mem_total 425213952 2", "mem_free 205205504", "vmalloc_chunk"},
		{3, "android/sailfish-android10-proc-meminfo.txt", 34, 0, 0, "mem_total 3948359680 2", "mem_available 2700533760|vmalloc_used 219054080", ""},
		{3, "android/tf201-android3-proc-meminfo.txt", 39, 0, 0, "mem_total 1032732672", "high_total 248512512", ""},
		{3, "android/goadb-android-proc-meminfo.txt", 34, 0, 0, "mem_total 3769987072", "committed_as 74911182848", ""},
	} {
		text := corpus(t, c.file)
		r := read(t, formats[c.decode].decode, text)
		if r.err != nil || len(r.rows) != c.rows || r.noData != c.noData || len(r.problems) != c.problems {
			t.Errorf("%s: want %d rows, %d without data, %d problems, have %d, %d, %q, error %v", c.file, c.rows, c.noData, c.problems, len(r.rows), r.noData, r.problems, r.err)
			continue
		}
		if all := strings.Join(r.rows, "\n"); !strings.Contains(r.rows[0], c.first) || !strings.Contains(r.rows[len(r.rows)-1], c.latest) || !containsAll(all, c.some) {
			t.Errorf("%s: want %q, %q and at last %q, have\n%s", c.file, c.first, c.some, c.latest, all)
		}
		for i, f := range formats {
			if f.sniff([]byte(text[:min(len(text), 64<<10)])) != (i == c.decode) {
				t.Errorf("%s: claimed by %s, or not by its own", c.file, f.name)
			}
		}
	}
}

func containsAll(s, words string) bool {
	for _, w := range strings.Split(words, "|") {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

// TestOthersUnclaimed sniffs all the rest of the corpus.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "linux/meminfo-6.18.txt")
	for _, dir := range []string{"linux", "android", "apple", "nvidia", "ebpf-heap", "ebpf", "heap"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", dir, "*.*"))
		for _, path := range files {
			base := filepath.Base(path)
			data, err := os.ReadFile(path)
			own := strings.Contains(base, "rollup") || strings.Contains(base, "status") || strings.Contains(base, "statm") || strings.Contains(base, "proc") && strings.Contains(base, "meminfo") ||
				strings.HasPrefix(base, "meminfo") || strings.HasPrefix(base, "gopsutil") || strings.Contains(base, "process-dies")
			if err != nil || own {
				continue
			}
			for _, f := range formats {
				if f.sniff(data[:min(len(data), source.HeadSize)]) {
					t.Errorf("%s claims %s/%s", f.name, dir, base)
				}
			}
		}
	}
}

func fuzz(f *testing.F, format int) {
	for _, x := range fixtures(f, formats[format].name) {
		f.Add([]byte(x.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		formats[format].sniff(data)
		r := read(t, formats[format].decode, string(data))
		if r.err == nil && len(r.rows) == 0 && len(r.problems) == 0 {
			t.Error("no row, no problem and no error")
		}
		if again := read(t, formats[format].decode, string(data)); strings.Join(again.rows, "\n") != strings.Join(r.rows, "\n") {
			t.Error("the second time gives other rows")
		}
	})
}

func FuzzDecodeRollup(f *testing.F)  { fuzz(f, 0) }
func FuzzDecodeStatus(f *testing.F)  { fuzz(f, 1) }
func FuzzDecodeStatm(f *testing.F)   { fuzz(f, 2) }
func FuzzDecodeMeminfo(f *testing.F) { fuzz(f, 3) }

// BenchmarkDecode reads a log of each format; BenchmarkLines is the bare scan of the lines of the same text.
func BenchmarkDecode(b *testing.B) {
	for _, f := range formats {
		text := log(b, f.name)
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for i := 0; i < b.N; i++ {
				in, _ := source.NewInput("x", strings.NewReader(text))
				if err := f.decode(in, table.NewBuilder("x", f.name)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	for _, f := range formats {
		text := log(b, f.name)
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for i := 0; i < b.N; i++ {
				in, _ := source.NewInput("x", strings.NewReader(text))
				for l := source.NewLines(in); l.Scan(); {
				}
			}
		})
	}
}

// log is a megabyte of a fixture of many samples.
func log(b *testing.B, format string) string {
	for _, x := range fixtures(b, format) {
		if strings.HasSuffix(x.path, "-loop.log") {
			return strings.Repeat(x.text, 1<<20/len(x.text))
		}
	}
	b.Fatal("no log")
	return ""
}
