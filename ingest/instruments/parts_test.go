package instruments

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

func TestTag(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`<row a="1" b='2"'>`, `row [a=1 b=2"] 18`}, {`<row resident-%="5.0"/>x`, "row/ [resident-%=5.0] 23"}, {`</row >`, "/row [] 7"},
		{`<a b="x>y" c = "z">`, "a [b=x>y c=z] 19"}, {`<a b><c`, "a [] 5"}, {`<a b="1"<c>`, "a [b=1] 8"}, {"<a\n b=\"1\"\n/>", "a/ [b=1] 12"},
		{`<a/b="1">`, "a [b=1] 9"}, {`<a`, "cut"}, {`<a b="1`, "cut"}, {`<a b="1"`, "cut"}, {`<`, "cut"}, {`<>`, " [] 2"},
	} {
		var g tag
		n := g.parse([]byte(c.text), 0)
		got := "cut"
		if n >= 0 {
			var attrs []string
			for _, a := range g.attrs {
				attrs = append(attrs, string(a.name)+"="+string(a.value))
			}
			name := string(g.name)
			if g.end {
				name = "/" + name
			}
			if g.empty {
				name += "/"
			}
			got = fmt.Sprintf("%s %v %d", name, attrs, n)
		}
		if got != c.want {
			t.Errorf("%s: have %s, want %s", c.text, got, c.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		"a&amp;b&lt;&gt;&quot;&apos;": `a&b<>"'`, "&#65;&#x1F600;": "A😀", "&foo;&;&": "&foo;&;&", "&#0;&#xD800;&#99999999;": "&#0;&#xD800;&#99999999;", "&amp;lt;": "&lt;", "": "",
	} {
		if got := string(unescape([]byte(text))); got != want {
			t.Errorf("%s: have %s, want %s", text, got, want)
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		text string
		mark byte
		unit string
		want int64
	}{
		{" 429.93 MB     100.0%", '.', "MB", 450814280}, {"7.17 MiB", '.', "MiB", 7518290}, {"122,702", '.', "", 122702}, {"1,234.5 KB", '.', "KB", 1264128},
		{"1.234,5 KB", ',', "KB", 1264128}, {"64,00\u00a0KiB", ',', "KiB", 65536}, {"1\u202f234\u202f567 octets", ',', "octets", 1234567}, {"0 Bytes", '.', "Bytes", 0},
		{"846.00 ms", '.', "ms", -1}, {"4.93 s \u2007100.0%", '.', "s", -1}, {"MB", '.', "MB", -1}, {"", '.', "", -1}, {"9999999999999999999 MB", '.', "", -1}, {"99999999 TB", '.', "TB", -1},
		{"12 50.0%", '.', "", 12}, {"3 Mo", '.', "Mo", 3 << 20},
	} {
		q := quantityOf([]byte(c.text), c.mark)
		v := q.times(factors[q.unit])
		if _, known := factors[q.unit]; !q.ok || !known {
			v = table.Int{}
		}
		if q.unit != c.unit || v.OK != (c.want >= 0) || v.OK && v.V != c.want {
			t.Errorf("%q: have %v %q, want %d %q", c.text, v, q.unit, c.want, c.unit)
		}
	}
	for text, want := range map[string]byte{"1,234 5,678": '.', "1,50 MiB 100,0%": ',', "52.88 MiB 122,702": '.', "1.234,50": ',', "": '.'} {
		if got := decimalMark([]byte(text)); got != want {
			t.Errorf("%q: decimals behind %c, want %c", text, got, want)
		}
	}
}

// TestAcrossBuffers reads a document larger than the window: nothing is lost where a row or tag lies over its end.
func TestAcrossBuffers(t *testing.T) {
	e := faultExport(3 << 20)
	r := decodeAs(t, formats[0], iotest.HalfReader(e))
	if r.err != nil || len(r.problems) > 0 || r.set.Len(table.Events) != e.rows {
		t.Fatalf("%d events, want %d, %v %q", r.set.Len(table.Events), e.rows, r.err, r.problems)
	}
	rows := r.dump(t, table.Events, "line size time_ns")
	if last := rows[len(rows)-1]; last != fmt.Sprintf("%d | 16384 | %d", e.rows+2, (e.rows-1)*2500) {
		t.Error(last)
	}
	small := fixture(t, "xctrace-detail/allocations-list.xml")
	if got, want := dumpAll(t, decodeAs(t, formats[1], iotest.OneByteReader(strings.NewReader(small)))), dumpAll(t, read(t, small)); got != want {
		t.Errorf("byte by byte: have\n%s\nwant\n%s", got, want)
	}
}

func dumpAll(t testing.TB, r result) string {
	var w bytes.Buffer
	for id := table.ID(0); id < table.NumTables; id++ {
		if err := r.set.DumpCSV(&w, id); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprint(w.String(), r.problems, r.facts, r.err)
}

// TestLineEnds: CR LF gives the same rows as LF.
func TestLineEnds(t *testing.T) {
	for _, name := range []string{"xctrace-table/sysmon.xml", "xctrace-detail/statistics.xml", "instruments-copy/tree.txt", "instruments-copy/summary.txt"} {
		text := fixture(t, name)
		if got, want := dumpAll(t, read(t, strings.ReplaceAll(text, "\n", "\r\n"))), dumpAll(t, read(t, text)); got != want {
			t.Errorf("%s: have\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestCutAnywhere: a document that ends too early says so, wherever it was cut, and gives no row that the whole one does not
// give, but for sums over what is there.
func TestCutAnywhere(t *testing.T) {
	for _, name := range []string{"xctrace-table/sysmon.xml", "xctrace-table/virtual-memory-one-line.xml", "xctrace-detail/regions-map.xml", "xctrace-detail/leaks.xml"} {
		text, f := fixture(t, name), formats[0]
		if strings.HasPrefix(name, "xctrace-detail") {
			f = formats[1]
		}
		whole := "\n" + strings.Join(read(t, text).dump(t, table.Samples, sampleColumns), "\n") + "\n"
		for n := range len(strings.TrimRight(text, "\n")) {
			r := decodeAs(t, f, strings.NewReader(text[:n]))
			if !strings.Contains(strings.Join(r.problems, "\n"), "truncated") {
				t.Fatalf("%s: cut at %d of %d, and nothing is said: %q", name, n, len(text), r.problems)
			}
			for _, row := range r.dump(t, table.Samples, sampleColumns) {
				if !strings.Contains(whole, "\n"+row+"\n") {
					t.Fatalf("%s: cut at %d, row %s is not one of the whole", name, n, row)
				}
			}
		}
	}
}

// TestBoundedMemory: ids far ahead, elements without end and attributes without end take no more than the text does.
func TestBoundedMemory(t *testing.T) {
	head := exportHead + schemaOf("sysmon-process", sysmonColumns)
	for name, text := range map[string]string{
		"ids":        head + "<row>" + strings.Repeat(`<a id="9000000000000000000"/><b id="99999999"/>`, 1000) + "</row>" + exportFoot,
		"depth":      head + "<row>" + strings.Repeat("<a>", 300_000) + "</row>" + exportFoot,
		"attributes": head + "<row " + strings.Repeat(`a="b" `, 200_000) + "></row>" + exportFoot,
		"entities":   `<!DOCTYPE a [<!ENTITY a "` + strings.Repeat("&a;", 100_000) + `">]>` + head + "<row><start-time>&a;</start-time></row>" + exportFoot,
		"no end":     head + "<row>" + strings.Repeat("<pid>7", 100_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := decodeAs(t, formats[0], strings.NewReader(text))
		runtime.ReadMemStats(&after)
		if r.err == nil {
			t.Errorf("%s: rows came of it: %s", name, dumpAll(t, r))
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(20*len(text)+4<<20) {
			t.Errorf("%s: %d bytes taken for %d of text", name, took, len(text))
		}
	}
}

// FuzzDecode: no input makes a decoder panic or give rows beyond what it can hold.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "fixtures", "*", "*.*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if dir := filepath.Base(filepath.Dir(file)); strings.HasPrefix(dir, "xctrace-") || dir == "instruments-copy" {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, x := range formats {
			x.sniff(text[:min(len(text), source.HeadSize)])
			r := decodeAs(t, x, bytes.NewReader(text))
			rows := 0
			for id := table.ID(0); id < table.NumTables; id++ {
				rows += r.set.Len(id)
			}
			if rows > 2*len(text) {
				t.Errorf("%s: %d rows of %d bytes", x.name, rows, len(text))
			}
		}
	})
}
