package series

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// formats are the formats of this package with the number of samples, rows and problems of each fixture.
var formats = []struct {
	name     string
	sniff    func([]byte) bool
	decode   decoderFunc
	fixtures map[string][3]int
}{
	{"series-csv", SniffCSV, DecodeCSV, map[string][3]int{"seconds.csv": {4, 7, 0}, "semicolon.csv": {2, 7, 0}, "iterations.tsv": {3, 9, 0},
		"dump.csv": {2, 4, 0}, "bad-cells.txt": {4, 5, 6}, "bad-header-only.txt": {}}},
	{"psrecord", SniffPsrecord, DecodePsrecord, map[string][3]int{"log.txt": {3, 6, 0}, "io.txt": {2, 4, 0}, "bad-cut.txt": {3, 4, 3}}},
	{"pidstat", SniffPidstat, DecodePidstat, map[string][3]int{"table.txt": {2, 4, 0}, "epoch.txt": {2, 4, 0}, "human.txt": {2, 4, 0}, "bad-cut.txt": {2, 3, 4}}},
	{"ps", SniffPS, DecodePS, map[string][3]int{"loop.txt": {3, 6, 0}, "args.txt": {2, 8, 0}, "bad-gone.txt": {}, "bad-cut.txt": {2, 3, 3}}},
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
			got := [3]int{r.set.Files[0].Snapshots, r.set.Len(table.Samples), len(r.problems)}
			if got != want || (r.err != nil) != (want[1] == 0) {
				t.Errorf("%s/%s: samples, rows, problems %v, want %v; %v %q", f.name, file, got, want, r.err, r.problems)
			}
		}
	}
}

func fixture(t testing.TB, format, file string) string {
	return read(t, filepath.Join(root(t), "fixtures", format, file))
}

// TestCRLF: line ends make no difference.
func TestCRLF(t *testing.T) {
	for _, f := range formats {
		for file := range f.fixtures {
			text := fixture(t, f.name, file)
			same(t, file, decode(t, f.decode, "x", strings.ReplaceAll(text, "\n", "\r\n")).rows(t), decode(t, f.decode, "x", text).rows(t))
		}
	}
}

// TestTruncation: a capture that ends anywhere behind its first line of data has no row that the whole one has not.
func TestTruncation(t *testing.T) {
	for _, f := range formats {
		for file := range f.fixtures {
			if strings.HasPrefix(file, "bad-") {
				continue
			}
			text := fixture(t, f.name, file)
			whole := map[string]bool{}
			for _, row := range decode(t, f.decode, "x", text).rows(t) {
				whole[row] = true
			}
			for cut := range text {
				r := decode(t, f.decode, "x", text[:cut])
				if len(r.set.Restarts) > 0 {
					continue
				}
				for _, row := range r.rows(t) {
					if !whole[row] {
						t.Fatalf("%s/%s cut at %d has the row %s", f.name, file, cut, row)
					}
				}
			}
		}
	}
}

func fuzz(f *testing.F, format string, decode decoderFunc) {
	dir := filepath.Join(root(f), "fixtures", format)
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		f.Add(read(f, filepath.Join(dir, e.Name())))
	}
	f.Fuzz(func(t *testing.T, text string) {
		SniffCSV([]byte(text))
		SniffPS([]byte(text))
		SniffPidstat([]byte(text))
		SniffPsrecord([]byte(text))
		check(t, decode, text)
	})
}

// check holds what is true of every text: no row without a line of its own, no size below 0, the same rows twice.
func check(t *testing.T, f decoderFunc, text string) {
	r := decode(t, f, "x", text)
	if r.err == nil && r.set.Len(table.Samples) == 0 {
		t.Error("no row and no error")
	}
	same(t, "second time", decode(t, f, "x", text).rows(t), r.rows(t))
}

func FuzzDecodeCSV(f *testing.F)      { fuzz(f, "series-csv", DecodeCSV) }
func FuzzDecodePsrecord(f *testing.F) { fuzz(f, "psrecord", DecodePsrecord) }
func FuzzDecodePidstat(f *testing.F)  { fuzz(f, "pidstat", DecodePidstat) }
func FuzzDecodePS(f *testing.F)       { fuzz(f, "ps", DecodePS) }
