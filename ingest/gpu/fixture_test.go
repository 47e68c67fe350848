package gpu

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

const rowColumns = "time_ns pid process name metric value line"

// fixtures gives the texts of a format by the names of their files.
func fixtures(t testing.TB, format string) map[string]string {
	paths, _ := filepath.Glob("../../fixtures/" + format + "/*")
	out := map[string]string{}
	for _, p := range paths {
		if filepath.Base(p) != "SOURCE.md" {
			out[filepath.Base(p)] = read(t, p)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no fixtures of %s", format)
	}
	return out
}

// TestFixtures: what each capture gives, and where its problems point.
func TestFixtures(t *testing.T) {
	seen := 0
	for _, f := range formats {
		for name, text := range fixtures(t, f.name) {
			seen++
			w, ok := wanted[f.name+"/"+name]
			if !ok {
				t.Errorf("%s/%s: nothing is said of it", f.name, name)
				continue
			}
			r := decode(t, f.decode, name, text)
			if got := claims([]byte(text)); got != f.name {
				t.Errorf("%s/%s is claimed by %q", f.name, name, got)
			}
			if got := fmt.Sprint(r.err); w.err == "" && r.err != nil || !strings.Contains(got, w.err) {
				t.Errorf("%s/%s: %v, want %q", f.name, name, got, w.err)
			}
			same(t, f.name+"/"+name+" problems", r.problems, w.problems)
			same(t, f.name+"/"+name, r.dump(t, table.Samples, rowColumns), w.rows)
		}
	}
	if seen != len(wanted) {
		t.Errorf("%d captures, want %d", seen, len(wanted))
	}
}

func TestFacts(t *testing.T) {
	for _, c := range []struct{ format, file, fact, value string }{
		{"nvidia-smi-xml", "series.xml", "tool", "nvidia-smi 550.54.14"},
		{"nvidia-smi-xml", "series.xml", "clock", "wall"},
		{"nvidia-smi-table", "old-series.txt", "tool", "nvidia-smi 418.87.00"},
		{"nvidia-smi-q", "series.txt", "tool", "nvidia-smi 535.104.05"},
		{"nvidia-smi-mon", "pmon.txt", "clock", "order"},
		{"gpu-csv", "iso.csv", "note", "the unit of memory_used is not told: MiB is assumed"},
		{"gpu-prom", "dcgm.prom", "tool", "nvidia-smi 550.54.14"},
	} {
		if r := decode(t, decoderOf(c.format), "x", fixtures(t, c.format)[c.file]); r.facts[c.fact] != c.value {
			t.Errorf("%s: %s is %q, want %q", c.file, c.fact, r.facts[c.fact], c.value)
		}
	}
}

// TestOnlyTotals: the size of a card is no measurement.
func TestOnlyTotals(t *testing.T) {
	for format, text := range map[string]string{
		"nvidia-smi-csv": "index, memory.total [MiB]\n0, 23034 MiB\n",
		"nvidia-smi-xml": "<nvidia_smi_log>\n<gpu id=\"1\">\n<fb_memory_usage>\n<total>5 MiB</total>\n<used>N/A</used>\n</fb_memory_usage>\n</gpu>\n</nvidia_smi_log>\n",
		"gpu-prom":       "DCGM_FI_DEV_FB_TOTAL{gpu=\"0\"} 15109\n",
		"rocm-smi-json":  `{"card0": {"VRAM Total Memory (B)": "5"}}`,
	} {
		if r := decode(t, decoderOf(format), "x", text); r.err == nil || !strings.Contains(r.err.Error(), "held nothing") || r.set.Files[0].Rows > 0 {
			t.Errorf("%s: %v, %d rows", format, r.err, r.set.Files[0].Rows)
		}
	}
}

// TestOneCardQuickly: a column count of 1 says that rows close to each other are of one card.
func TestOneCardQuickly(t *testing.T) {
	text := "timestamp, count, memory.used [MiB]\n2025/03/09 10:00:00.100, 1, 5 MiB\n2025/03/09 10:00:00.120, 1, 6 MiB\n"
	r := decode(t, DecodeCSV, "x", text)
	same(t, "rows", r.dump(t, table.Samples, rowColumns), []string{"0 | - | - | GPU | gpu_used | 5242880 | 2", "20000000 | - | - | GPU | gpu_used | 6291456 | 3"})
}

// TestDateLines: without a column of time, the dates that a loop prints are the times; without those, the order is.
func TestDateLines(t *testing.T) {
	rows := "memory.used [MiB]\n5 MiB\n"
	text := "Sun Mar  9 10:00:00 UTC 2025\n" + rows + "Sun Mar  9 10:00:07 UTC 2025\n" + rows
	r := decode(t, DecodeCSV, "x", text)
	same(t, "rows", r.dump(t, table.Samples, rowColumns), []string{"0 | - | - | GPU | gpu_used | 5242880 | 3", "7000000000 | - | - | GPU | gpu_used | 5242880 | 6"})
	if r.set.Clock != "wall" || !SniffCSV([]byte(text)) {
		t.Errorf("clock %s", r.set.Clock)
	}
	r = decode(t, DecodeCSV, "x", rows+rows)
	same(t, "problems", r.problems, []string{"x:4: want a column index or uuid, have none and no time: all rows are taken for one device, one after the other"})
	same(t, "rows", r.dump(t, table.Samples, "time_ns line"), []string{"0 | 2", "1000000000 | 4"})
}

// TestSameNameOfTwoHosts: figures of two cards are never one series.
func TestSameNameOfTwoHosts(t *testing.T) {
	text := `DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",modelName="L4",Hostname="one"} 1
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-b",modelName="L4",Hostname="two"} 2
`
	r := decode(t, DecodeProm, "x", text)
	same(t, "rows", r.dump(t, table.Samples, "time_ns name value"), []string{"0 | GPU 0 L4 GPU-a | 1048576", "0 | GPU 0 L4 GPU-b | 2097152"})
}

// TestTwoSections: sections of two kinds in one file are claimed by both formats, so that the file is refused with their names.
func TestTwoSections(t *testing.T) {
	text := fixtures(t, "nvidia-smi-table")["mig.txt"] + fixtures(t, "nvidia-smi-q")["series.txt"] + fixtures(t, "nvidia-smi-csv")["two-gpus.csv"] + fixtures(t, "nvidia-smi-mon")["pmon.txt"]
	if got := claims([]byte(text)); got != "nvidia-smi-csv,nvidia-smi-q,nvidia-smi-table,nvidia-smi-mon" {
		t.Errorf("claimed by %s", got)
	}
}

// TestCut cuts each capture at each byte, long ones at every second or third: no figure of a device comes out that the whole does not have.
func TestCut(t *testing.T) {
	for _, f := range formats {
		for name, text := range fixtures(t, f.name) {
			full := decode(t, f.decode, name, text)
			if full.err != nil {
				continue
			}
			whole := full.dump(t, table.Samples, "scope metric value line")
			for n := 0; n < len(text); n += 1 + len(text)/1500 {
				for _, row := range decode(t, f.decode, name, text[:n]).dump(t, table.Samples, "scope metric value line") {
					if strings.HasPrefix(row, "device") && !slices.Contains(whole, row) {
						t.Fatalf("%s/%s cut behind %d bytes: %s", f.name, name, n, row)
					}
				}
			}
		}
	}
}

// TestLineEnds: CR LF changes nothing.
func TestLineEnds(t *testing.T) {
	for _, f := range formats {
		for name, text := range fixtures(t, f.name) {
			r := decode(t, f.decode, name, strings.ReplaceAll(text, "\n", "\r\n"))
			same(t, name, r.dump(t, table.Samples, rowColumns), wanted[f.name+"/"+name].rows)
		}
	}
}

func TestNumbers(t *testing.T) {
	for s, want := range map[string]int64{"841 MiB": 841 << 20, "841MiB": 841 << 20, "0": 0, "1.5 GiB": 3 << 29, "6.4e+10": 64e9 << 20, "2500e-3 KiB": 2560, "0.0000004 MiB": 0,
		"0.0000005 MiB": 1, "": -1, "MiB": -1, "5 lots": -1, "-5": -1, "1e": -1, "1e99": -1, "9223372036854775807 GiB": -1, "1.2.3": -1, "99999999999999999999": -1} {
		got, ok := size([]byte(s), mebibyte)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
	for s, want := range map[string]int64{"2024/02/29 12:23:29.950": 1709209409950000000, "2025-03-01T00:00:00": 1740787200e9, "1746556382.8348258": 1746556382834825800,
		"1746556382": 1746556382e9, "Sun Mar  9 10:00:00 2025": 1741514400e9, "2025/13/01 00:00:00": -1, "2025/03/09 10:00:00.": -1, "noon": -1, "": -1, "0": -1} {
		got, ok := timeOf([]byte(s))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// hold checks what is true of every text.
func hold(t *testing.T, f decoderFunc, text string) {
	r := decode(t, f, "x", text)
	rows := r.set.Files[0].Rows
	if (r.err == nil) != (rows > 0) || rows > 4+len(text)/2 {
		t.Fatalf("%d rows of %d bytes, %v", rows, len(text), r.err)
	}
	lines := 1 + strings.Count(text, "\n")
	for _, p := range r.set.Problems() {
		if p.Line < 0 || p.Line > lines {
			t.Fatalf("%v, the text has %d lines", p, lines)
		}
	}
	for _, v := range r.dump(t, table.Samples, "value") {
		if v[0] == '-' {
			t.Fatalf("a size of %s", v)
		}
	}
}

func fuzz(f *testing.F, i int) {
	for _, text := range fixtures(f, formats[i].name) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		formats[i].sniff([]byte(text))
		hold(t, formats[i].decode, text)
	})
}

func FuzzCSV(f *testing.F)    { fuzz(f, 0) }
func FuzzXML(f *testing.F)    { fuzz(f, 1) }
func FuzzQ(f *testing.F)      { fuzz(f, 2) }
func FuzzTable(f *testing.F)  { fuzz(f, 3) }
func FuzzMon(f *testing.F)    { fuzz(f, 4) }
func FuzzLogger(f *testing.F) { fuzz(f, 5) }
func FuzzProm(f *testing.F)   { fuzz(f, 6) }
func FuzzROCm(f *testing.F)   { fuzz(f, 7) }
