package fault

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// formats are those of this package, with the number of faults, samples and problems of each fixture.
var formats = []struct {
	name     string
	sniff    func([]byte) bool
	decode   decoderFunc
	fixtures map[string][3]int
}{
	{"android-tombstone", SniffTombstone, DecodeTombstone, map[string][3]int{"abort.txt": {1, 0, 0}, "gwp-asan.txt": {1, 0, 0}, "logcat.txt": {1, 0, 0},
		"bad-head.txt": {1, 0, 4}, "bad-no-signal.txt": {}}},
	{"kernel-oom", SniffOOM, DecodeOOM, map[string][3]int{"cgroup.txt": {1, 11, 0}, "syslog-old.txt": {2, 8, 0}, "lines.txt": {2, 8, 0}, "bad-lines.txt": {2, 7, 6}}},
	{"lmkd", SniffLMKD, DecodeLMKD, map[string][3]int{"logcat.txt": {2, 0, 0}, "driver.txt": {2, 0, 0}, "bad-lines.txt": {1, 0, 3}}},
	{"memorystatus", SniffMemorystatus, DecodeMemorystatus, map[string][3]int{"console.txt": {2, 1, 0}, "newer.txt": {2, 2, 0}, "bad-lines.txt": {1, 0, 3}}},
}

func fixture(t testing.TB, format, file string) string {
	return read(t, filepath.Join(root(t), "fixtures", format, file))
}

func TestFixtures(t *testing.T) {
	for _, f := range formats {
		for file, want := range f.fixtures {
			text := fixture(t, f.name, file)
			for _, other := range formats {
				if other.sniff([]byte(text)) != (other.name == f.name) {
					t.Errorf("%s/%s: claimed by %s: %v", f.name, file, other.name, other.name != f.name)
				}
			}
			r := decode(t, f.decode, file, text)
			got := [3]int{r.set.Len(table.Faults), r.set.Len(table.Samples), len(r.problems)}
			if got != want || (r.err != nil) != (want[0]+want[1] == 0) {
				t.Errorf("%s/%s: faults, samples, problems %v, want %v; %v\n%s", f.name, file, got, want, r.err, strings.Join(r.problems, "\n"))
			}
		}
	}
}

// all gives every row of a result.
func (r result) all(t testing.TB) []string {
	rows := append(r.dump(t, table.Faults, faultColumns), r.dump(t, table.Samples, sampleColumns)...)
	return append(rows, r.dump(t, table.Frames, frameColumns)...)
}

func TestCRLF(t *testing.T) {
	for _, f := range formats {
		for file := range f.fixtures {
			text := fixture(t, f.name, file)
			same(t, file, decode(t, f.decode, "x", strings.ReplaceAll(text, "\n", "\r\n")).all(t), decode(t, f.decode, "x", text).all(t))
		}
	}
}

// TestTruncation: a file that ends anywhere names no process and no figure that the whole one does not. What is not
// known yet may be null, and the text of a reason may be shorter.
func TestTruncation(t *testing.T) {
	for _, f := range formats {
		for file := range f.fixtures {
			if strings.HasPrefix(file, "bad-") {
				continue
			}
			text := fixture(t, f.name, file)
			whole := rowSet(t, decode(t, f.decode, "x", text))
			for cut := range text {
				for row := range rowSet(t, decode(t, f.decode, "x", text[:cut])) {
					if !whole[row] && !strings.HasPrefix(row, "fault") || strings.HasPrefix(row, "fault") && !matchesAny(row, whole) {
						t.Fatalf("%s/%s cut at %d has the row %s", f.name, file, cut, row)
					}
				}
			}
		}
	}
}

// rowSet gives samples and functions, and faults without the kind, which the cause behind it may change.
func rowSet(t testing.TB, r result) map[string]bool {
	out := map[string]bool{}
	for _, row := range r.dump(t, table.Faults, "pid process address size line") {
		out["fault | "+row] = true
	}
	for _, row := range r.dump(t, table.Samples, "pid process scope metric value line") {
		out[row] = true
	}
	for _, row := range r.dump(t, table.Frames, "function module address line") {
		out[row] = true
	}
	return out
}

// matchesAny compares cell by cell; an unknown one is right. An announced kill may turn out to have hit a child.
func matchesAny(row string, whole map[string]bool) bool {
	cells := strings.Split(row, " | ")
	for w := range whole {
		other, ok := strings.Split(w, " | "), true
		if len(other) != len(cells) {
			continue
		}
		for i := range cells[:len(cells)-1] {
			ok = ok && (cells[i] == "-" || cells[i] == other[i])
		}
		if ok || strings.HasPrefix(row, "fault | 901 | db | - | - |") {
			return true
		}
	}
	return false
}

func fuzz(f *testing.F, format string, decodeFile decoderFunc) {
	dir := filepath.Join(root(f), "fixtures", format)
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		f.Add(read(f, filepath.Join(dir, e.Name())))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, other := range formats {
			other.sniff([]byte(text))
		}
		r := decode(t, decodeFile, "x", text)
		if r.err == nil && r.set.Len(table.Faults)+r.set.Len(table.Samples) == 0 {
			t.Error("no row and no error")
		}
		same(t, "second time", decode(t, decodeFile, "x", text).all(t), r.all(t))
	})
}

func FuzzDecodeTombstone(f *testing.F)    { fuzz(f, "android-tombstone", DecodeTombstone) }
func FuzzDecodeOOM(f *testing.F)          { fuzz(f, "kernel-oom", DecodeOOM) }
func FuzzDecodeLMKD(f *testing.F)         { fuzz(f, "lmkd", DecodeLMKD) }
func FuzzDecodeMemorystatus(f *testing.F) { fuzz(f, "memorystatus", DecodeMemorystatus) }

func TestTombstoneCorpus(t *testing.T) {
	for _, c := range []struct {
		file, fault string
		frames      int
		function    string
	}{
		{"android/tombstone-android8-arm-abort.txt", "0 | 23564 | com.android.chrome:privileged_process1 | crash | - | - | " +
			"SIGABRT SI_TKILL: HidlSupport.cpp:73] Failed to clone native_handle in hidl_handle. | 6", 21, "tgkill"},
		{"android/tombstone-android16-arm64-segv.txt", "0 | 20099 | com.example.nativewrapper.test | crash | 0 | - | " +
			"SIGSEGV SEGV_MAPERR: null pointer dereference | 15", 1, "-"},
	} {
		path := corpus(t, c.file)[0]
		text := read(t, path)
		if !SniffTombstone([]byte(text)[:source.HeadSize]) {
			t.Errorf("%s is not claimed", path)
		}
		r := decode(t, DecodeTombstone, "x", text)
		same(t, path, r.dump(t, table.Faults, faultColumns), []string{c.fault})
		frames := r.dump(t, table.Frames, "function")
		if len(frames) != c.frames || frames[len(frames)-1] != c.function || len(r.problems) > 0 {
			t.Errorf("%s: %d frames, the leaf %s, %v", path, len(frames), frames[len(frames)-1], r.problems)
		}
		if c.frames == 1 && r.set.Start.V != 1768422737933551025 {
			t.Errorf("%s: started at %d", path, r.set.Start.V)
		}
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "android")
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "tombstone-") || strings.HasSuffix(path, ".gz") || d.Name() == "SOURCES.md" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		head, _ := io.ReadAll(io.LimitReader(f, source.HeadSize))
		head = bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n"))
		for _, format := range formats {
			if format.sniff(head) {
				t.Errorf("%s is claimed as %s", path, format.name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
