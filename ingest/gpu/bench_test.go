package gpu

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// longRun is what nvidia-smi writes of two cards in so many seconds.
func longRun(seconds int) string {
	var s strings.Builder
	s.WriteString("timestamp, index, name, utilization.gpu [%], memory.total [MiB], memory.used [MiB], memory.free [MiB]\n")
	from := time.Date(2025, 3, 9, 10, 0, 0, 0, time.UTC)
	for i := range seconds {
		at := from.Add(time.Duration(i) * time.Second).Format("2006/01/02 15:04:05.000")
		for card := range 2 {
			s.WriteString(at + ", " + strconv.Itoa(card) + ", NVIDIA L4, 7 %, 23034 MiB, " + strconv.Itoa(1000+i%9) + " MiB, " + strconv.Itoa(20000-i%9) + " MiB\n")
		}
	}
	return s.String()
}

func decodeAll(b *testing.B, f decoderFunc, text string) {
	in, _ := source.NewInput("x", strings.NewReader(text))
	rows := table.NewBuilder("x", "test")
	if err := f(in, rows); err != nil {
		b.Fatal(err)
	}
	rows.Done()
}

func BenchmarkDecode(b *testing.B) {
	texts := map[string]string{"nvidia-smi-csv": longRun(50000)}
	for format, file := range map[string]string{"nvidia-smi-xml": "series.xml", "nvidia-smi-q": "series.txt", "nvidia-smi-table": "old-series.txt", "nvidia-smi-mon": "dmon-date.txt",
		"gpu-prom": "dcgm.prom", "rocm-smi-json": "series.json"} {
		texts[format] = strings.Repeat(fixtures(b, format)[file], 2000)
	}
	for format, text := range texts {
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				decodeAll(b, decoderOf(format), text)
			}
		})
	}
}

// BenchmarkRatios runs the decoder of nvidia-smi's CSV, a bare search for line ends, and what a script does, over the same
// bytes in turn.
func BenchmarkRatios(b *testing.B) {
	text := longRun(50000)
	var d, n, f time.Duration
	timed := func(sum *time.Duration, f func()) {
		from := time.Now()
		f()
		*sum += time.Since(from)
	}
	for b.Loop() {
		timed(&d, func() { decodeAll(b, DecodeCSV, text) })
		timed(&n, func() {
			for rest := []byte(text); len(rest) > 0; {
				rest = rest[bytes.IndexByte(rest, '\n')+1:]
			}
		})
		timed(&f, func() { naive(text) })
	}
	b.ReportMetric(float64(len(text))/1e6*float64(b.N)/d.Seconds(), "decode-MB/s")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-script")
}

// row is what a script keeps of one.
type row struct {
	at                time.Time
	card, name        string
	total, used, free float64
}

// naive reads the same figures with the standard library.
func naive(text string) (rows []row) {
	r := csv.NewReader(strings.NewReader(text))
	r.TrimLeadingSpace = true
	records, _ := r.ReadAll()
	for _, rec := range records[1:] {
		at, err := time.Parse("2006/01/02 15:04:05.000", rec[0])
		if err != nil {
			continue
		}
		x := row{at: at, card: rec[1], name: rec[2]}
		for i, v := range []*float64{&x.total, &x.used, &x.free} {
			*v, _ = strconv.ParseFloat(strings.TrimSuffix(rec[4+i], " MiB"), 64)
		}
		rows = append(rows, x)
	}
	return rows
}
