package proc

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"sort"
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
	{"smaps-rollup", SniffRollup, DecodeRollup},
	{"proc-status", SniffStatus, DecodeStatus},
	{"proc-statm", SniffStatm, DecodeStatm(4096)},
	{"proc-meminfo", SniffMeminfo, DecodeMeminfo},
}

// result is what a text was decoded to.
type result struct {
	rows     []string // time pid process scope name metric value line, null as ?
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
	var out bytes.Buffer
	if err := table.Assemble([]*table.Part{part}).DumpCSV(&out, table.Samples); err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells[1:] {
		for i := range c {
			if c[i] == "" {
				c[i] = "?"
			}
		}
		r.rows = append(r.rows, strings.Join([]string{c[0], c[2], c[3], c[4], c[5], c[6], c[7], c[9]}, " "))
	}
	return r
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

// marked takes the marks ∑ out of a text and gives their places as x:line:column.
func marked(text string) (string, []string) {
	var at []string
	for i, line := range strings.Split(text, "\n") {
		if j := strings.Index(line, "∑"); j >= 0 {
			at = append(at, fmt.Sprintf("x:%d:%d", i+1, j+1))
		}
	}
	return strings.ReplaceAll(text, "∑", ""), at
}

// positions are the places of problems, without their messages.
func positions(problems []string) (at []string) {
	for _, p := range problems {
		at = append(at, p[:strings.Index(p, ": ")])
	}
	return at
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

func TestSniff(t *testing.T) {
	for _, x := range fixtures(t, "smaps-rollup", "proc-status", "proc-statm", "proc-meminfo", "showmap", "librank", "pmap") {
		for _, f := range formats {
			if have := f.sniff([]byte(x.text)); have != (f.name == x.format) {
				t.Errorf("%s: %s says %v", x.path, f.name, have)
			}
		}
	}
	for _, text := range []string{"", "\n", "Name:\tx\n", "1 2 3 4 5 6\n", "1 2 3 4 5 6 7 8\n", "x\n1 2 3 4 5 6 7\n",
		"== dumpstate: 2020\nMemTotal:  12 kB\nVmRSS:  1 kB\n", "MemTotal: lots\n", "cat: /proc/1/status: No such file or directory\n",
		"560d5b60f000-7ffdf673b000 rw-p 00000000 00:00 0  [heap]\nRss:  4 kB\n"} {
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
			check(t, x.path, dos.rows, strings.Join(unix.rows, "\n"))
			check(t, x.path, dos.problems, strings.Join(unix.problems, "\n"))
		}
	}
}

// TestTruncation cuts captures at every byte: no row may come out that the whole has not.
func TestTruncation(t *testing.T) {
	for _, f := range formats {
		for _, x := range fixtures(t, f.name) {
			whole := map[string]bool{}
			for _, r := range read(t, f.decode, x.text).rows {
				whole[r[strings.Index(r, " "):]] = true
			}
			for n := range x.text {
				if n > 3000 {
					break
				}
				for _, r := range read(t, f.decode, x.text[:n]).rows {
					if !whole[r[strings.Index(r, " "):]] {
						t.Fatalf("%s cut to %d bytes gives a row that the whole has not: %s", x.path, n, r)
					}
				}
			}
		}
	}
}

// TestConcatenation reads two captures behind each other: the rows are those of both, one sample after the other.
func TestConcatenation(t *testing.T) {
	for _, f := range formats[:3] {
		x := fixtures(t, f.name)
		one := x[len(x)-1] // the single sample
		lines := strings.Count(one.text, "\n")
		var want []string
		for k := 0; k < 2; k++ {
			for _, r := range read(t, f.decode, one.text).rows {
				c := strings.Split(r, " ")
				var line int
				fmt.Sscan(c[len(c)-1], &line)
				c[0], c[len(c)-1] = fmt.Sprint(int64(k)*1e9), fmt.Sprint(line+k*lines)
				want = append(want, strings.Join(c, " "))
			}
		}
		check(t, one.path, read(t, f.decode, one.text+one.text).rows, strings.Join(want, "\n"))
	}
}
