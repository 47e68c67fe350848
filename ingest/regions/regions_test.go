package regions

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// formats are those of this package.
var formats = []struct {
	name   string
	sniff  func([]byte) bool
	decode func(*source.Input, *table.Builder) error
}{
	{"showmap", SniffShowmap, DecodeShowmap},
	{"librank", SniffLibrank, DecodeLibrank},
	{"pmap", SniffPmap, DecodePmap},
}

// result is what a text was decoded to; rows are cells joined by '|', null and empty are both empty.
type result struct {
	samples  []string // time|pid|process|scope|name|metric|value|line
	mappings []string // time|pid|process|start|end|perms|path|category|name=kB …|line
	problems []string
	noData   int
	err      error
}

func read(t testing.TB, decode func(*source.Input, *table.Builder) error, text string) (r result) {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	r.err = decode(in, b)
	for _, p := range b.Problems.List() {
		r.problems = append(r.problems, p.String())
	}
	part := b.Done()
	r.noData = part.NoData
	set := table.Assemble([]*table.Part{part})
	for _, c := range dump(t, set, table.Samples) {
		r.samples = append(r.samples, strings.Join([]string{c[0], c[2], c[3], c[4], c[5], c[6], c[7], c[9]}, "|"))
	}
	for _, c := range dump(t, set, table.Mappings) {
		r.mappings = append(r.mappings, strings.Join([]string{c[0], c[1], c[2], hexCell(c[3]), hexCell(c[4]), c[5], c[8], c[9], sizes(c), c[len(c)-1]}, "|"))
	}
	return r
}

func hexCell(s string) string {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n, 16)
}

// sizes are the columns of a mapping that are known, in kB.
func sizes(c []string) string {
	var out []string
	for i, size := range c[10 : 10+int(table.NumSizes)] {
		if v, err := strconv.ParseInt(size, 10, 64); err == nil {
			out = append(out, fmt.Sprintf("%s=%d", table.Schemas[table.Mappings].Columns[10+i].Name, v>>10))
		}
	}
	return strings.Join(out, " ")
}

func dump(t testing.TB, set *table.Set, id table.ID) [][]string {
	t.Helper()
	var out bytes.Buffer
	if err := set.DumpCSV(&out, id); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return cells[1:]
}

// check compares lines; want is trimmed of the indent that the source has.
func check(t *testing.T, what string, have []string, want string) {
	t.Helper()
	var lines []string
	for _, l := range strings.Split(want, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	if h, w := strings.Join(have, "\n"), strings.Join(lines, "\n"); h != w {
		t.Errorf("%s\nwant:\n%s\nhave:\n%s", what, w, h)
	}
}

// fixture is a file of fixtures/<format>/.
type fixture struct{ format, path, text string }

func fixtures(t testing.TB, folders ...string) (out []fixture) {
	t.Helper()
	for _, folder := range folders {
		paths, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", folder, "*"))
		sort.Strings(paths)
		for _, p := range paths {
			if data, err := os.ReadFile(p); err == nil && (strings.HasSuffix(p, ".log") || strings.HasSuffix(p, ".txt")) {
				out = append(out, fixture{filepath.Base(filepath.Dir(p)), p, string(data)})
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("no fixtures")
	}
	return out
}

func fixtureNamed(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSniff(t *testing.T) {
	for _, x := range fixtures(t, "smaps-rollup", "proc-status", "proc-statm", "proc-meminfo", "showmap", "librank", "pmap") {
		for _, f := range formats {
			if have := f.sniff([]byte(x.text)); have != (f.name == x.format) {
				t.Errorf("%s: %s says %v", x.path, f.name, have)
			}
		}
	}
	for _, text := range []string{"", "\n", "1017: /bin/app\n", "Address Mapping\n", "== dumpstate: x\n" + fixtureNamed(t, "showmap/android10.txt")} {
		for _, f := range formats {
			if f.sniff([]byte(text)) {
				t.Errorf("%s claims %q", f.name, text)
			}
		}
	}
}

// TestCRLF holds a text with CR LF against the same with LF.
func TestCRLF(t *testing.T) {
	for _, f := range formats {
		for _, x := range fixtures(t, f.name) {
			unix, dos := read(t, f.decode, x.text), read(t, f.decode, strings.ReplaceAll(x.text, "\n", "\r\n"))
			check(t, x.path, dos.samples, strings.Join(unix.samples, "\n"))
			check(t, x.path, dos.mappings, strings.Join(unix.mappings, "\n"))
			check(t, x.path, dos.problems, strings.Join(unix.problems, "\n"))
		}
	}
}

// TestTruncation cuts captures at every byte: no mapping may come out that the whole has not. librank has no last line
// by which a cut between two rows could be seen, so sums are held only for the others.
func TestTruncation(t *testing.T) {
	for _, f := range formats {
		for _, x := range fixtures(t, f.name) {
			if len(x.text) > 4000 || f.name == "librank" && strings.Contains(x.path, "bad-cut") {
				continue // too slow; or the whole is dropped, and what is cut between its rows is not
			}
			whole := map[string]bool{}
			r := read(t, f.decode, x.text)
			for _, row := range append(r.mappings, r.samples...) {
				whole[row] = true
			}
			for n := range x.text {
				r := read(t, f.decode, x.text[:n])
				rows := r.mappings
				if f.name != "librank" {
					rows = append(rows, r.samples...)
				}
				for _, row := range rows {
					if !whole[row] {
						t.Fatalf("%s cut to %d bytes gives a row that the whole has not: %s", x.path, n, row)
					}
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
		if r.err == nil && len(r.mappings) == 0 {
			t.Error("no row and no error")
		}
	})
}

func FuzzDecodeShowmap(f *testing.F) { fuzz(f, 0) }
func FuzzDecodeLibrank(f *testing.F) { fuzz(f, 1) }
func FuzzDecodePmap(f *testing.F)    { fuzz(f, 2) }

// BenchmarkDecode reads a table of each format; BenchmarkLines is the bare scan of the lines of the same text.
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
	text := log(b, "pmap")
	b.SetBytes(int64(len(text)))
	for i := 0; i < b.N; i++ {
		in, _ := source.NewInput("x", strings.NewReader(text))
		for l := source.NewLines(in); l.Scan(); {
		}
	}
}

// log is a megabyte of a fixture.
func log(b *testing.B, format string) string {
	text := fixtureNamed(b, map[string]string{"showmap": "showmap/android10.txt", "librank": "librank/small.txt", "pmap": "pmap/X-loop.log"}[format])
	return strings.Repeat(text, 1<<20/len(text))
}
