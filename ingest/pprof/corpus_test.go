package pprof_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/pprof"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// TestCorpus holds real captures against what is known of them: the sum of a column over the sites of a class.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		file, class, column string
		sum, tolerance      float64
		heap                string // heap_alloc of the file; empty: it has none
		process             string
	}{
		{"heap/je.leak.4.heap", "jeseries+0x11b4", "live_bytes", 1024000, 0, "1630208", "jeseries"},
		{"heap/je.leak.4.heap", "jeseries+0x120b", "live_count", 64, 0, "1630208", "jeseries"},
		{"heap/je.sampled.4.heap", "jeseries+0x11b4", "live_bytes", 1149300, 2, "", "jeseries"},
		{"heap/je.sampled.4.heap", "jeseries+0x120b", "live_count", 70, 0, "", "jeseries"},
		{"heap/gp.leak.0003.heap", "gpseries+0x1194", "live_count", 600, 0, "1124288", "gpseries"},
		{"heap/gp.leak.0003.heap", "gpseries+0x1259", "total_bytes", 90000, 0, "1124288", "gpseries"},
		{"heap/gp.leak.0003.heap", "gpseries+0x1259", "live_bytes", 0, 0, "1124288", "gpseries"},
		{"heap/go.leak.3.pb.gz", "main.leak", "live_bytes", 4210688, 0, "7512520", "gopprof"},
		{"heap/go.leak.3.debug1.txt", "main.plateau", "live_count", 100, 0, "7512520", "-"},
		{"heap/go.leak.3.debug1.txt", "main.leak", "live_bytes", 4210688, 0, "7512520", "-"},
		{"heap/public/pprof.cppbench.growth", "", "total_bytes", 178257920, 0, "", "cppbench_server_main"},
		{"heap/public/pprof.gobench.heap", "0x420cef", "live_count", 0, math.Inf(1), "", "-"},
		{"heap/public/pprof.java.heap", "com.example.function003", "live_count", 1, 1e6, "", "-"},
		{"nvidia/jax-device-memory.pb.gz", "", "live_bytes", 4771980, 0, "", "-"},
		{"nvidia/jax-device-memory.pb.gz", "buffer", "live_bytes", 4000000, 0, "", "-"},
	} {
		data := corpus(t, c.file)
		r := decodeSniffed(t, c.file, data)
		if r.err != nil || len(r.problems) > 0 {
			t.Errorf("%s: %v %v", c.file, r.err, r.problems)
			continue
		}
		sum, rows := 0.0, 0
		for _, row := range r.dump(t, table.Sites, "class process "+c.column) {
			cells := strings.Split(row, " | ")
			if c.class != "" && cells[0] != c.class {
				continue
			}
			v, err := strconv.ParseFloat(cells[2], 64)
			if err != nil || cells[1] != c.process {
				t.Errorf("%s: row %s", c.file, row)
			}
			sum, rows = sum+v, rows+1
		}
		if rows == 0 || math.Abs(sum-c.sum) > c.tolerance {
			t.Errorf("%s: %d rows of %s with %s %v, want %v", c.file, rows, c.class, c.column, sum, c.sum)
		}
		if c.heap != "" {
			if got := r.dump(t, table.Samples, "metric value"); len(got) != 1 || got[0] != "heap_alloc | "+c.heap {
				t.Errorf("%s: samples %q, want heap_alloc %s", c.file, got, c.heap)
			}
		}
	}
}

// decodeSniffed decodes by the format that claims the data, which must be one alone.
func decodeSniffed(t testing.TB, name string, data []byte) (r result) {
	claims := 0
	for _, f := range formats {
		if f.sniff(data[:min(len(data), source.HeadSize)]) {
			claims++
			r = decode(t, f.decode, data)
		}
	}
	if claims != 1 {
		t.Fatalf("%s: claimed by %d formats", name, claims)
	}
	return r
}

// TestJAX: the class is the kind of object, the device is its number, and nothing is told of totals or time.
func TestJAX(t *testing.T) {
	r := decode(t, pprof.Decode, corpus(t, "nvidia/jax-device-memory.pb.gz"))
	devices := map[string]int{}
	for _, row := range r.dump(t, table.Sites, "class device total_bytes total_count") {
		devices[row]++
	}
	if devices["buffer | 0 | - | -"] != 1 || devices["executable | - | - | -"] == 0 || len(devices) != 2 || r.set.Len(table.Samples) != 0 || r.set.Clock != "order" {
		t.Errorf("%v, %d samples, clock %s", devices, r.set.Len(table.Samples), r.set.Clock)
	}
}

// TestGoTwice: Go's protobuf and its text of the same moment tell the same of every function.
func TestGoTwice(t *testing.T) {
	sums := func(r result) map[string]int64 {
		out := map[string]int64{}
		for _, row := range r.dump(t, table.Sites, "class live_bytes") {
			class, v, _ := strings.Cut(row, " | ")
			n, _ := strconv.ParseInt(v, 10, 64)
			if n > 0 && strings.HasPrefix(class, "main.") {
				out[class] += n
			}
		}
		return out
	}
	for _, n := range []string{"0", "1", "2", "3"} {
		p := sums(decode(t, pprof.Decode, corpus(t, "heap/go.leak."+n+".pb.gz")))
		x := sums(decode(t, pprof.DecodeLegacy, corpus(t, "heap/go.leak."+n+".debug1.txt")))
		if len(p) == 0 || len(p) != len(x) {
			t.Errorf("dump %s: %v and %v", n, p, x)
		}
		for class, v := range p {
			if x[class] != v {
				t.Errorf("dump %s: %s has %d in the protobuf and %d in the text", n, class, v, x[class])
			}
		}
	}
}

// TestOthersUnclaimed: no other file of the corpus is taken for one of this package's.
func TestOthersUnclaimed(t *testing.T) {
	corpus(t, "heap/je.leak.4.heap")
	dir := filepath.Join(root, "..", "shared", "corpus")
	ours := []string{"je.leak", "je.sampled", "gp.leak.0", "go.leak", "pprof.", "jax-device"}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		own := false
		for _, o := range ours {
			own = own || strings.HasPrefix(d.Name(), o) && !strings.HasSuffix(p, "prof.txt") && !strings.Contains(p, ".raw.") && !strings.Contains(p, ".text.") && !strings.Contains(p, ".metrics.")
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if strings.HasSuffix(p, ".gz") {
			data = unpacked(t, data)
		}
		for _, f := range formats {
			if claimed := f.sniff(data[:min(len(data), source.HeadSize)]); claimed && !own {
				t.Errorf("%s is claimed as %s", p, f.name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
