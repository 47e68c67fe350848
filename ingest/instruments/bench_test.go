package instruments

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

const benchBytes = 32 << 20

var exports = []struct {
	name   string
	of     func(int64) *export
	decode func(*source.Input, *table.Builder) error
}{
	{"virtual-memory", faultExport, DecodeTable},
	{"sysmon-process", sysmonExport, DecodeTable},
	{"allocations-list", allocationExport, DecodeDetail},
}

func whole(b testing.TB, e *export) []byte {
	s, err := io.ReadAll(e)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func decodeText(b testing.TB, s []byte, f func(*source.Input, *table.Builder) error) {
	in, _ := source.NewInput("x", bytes.NewReader(s))
	rows := table.NewBuilder("x", "xctrace")
	if err := f(in, rows); err != nil {
		b.Fatal(err)
	}
}

// tags is the limit: every tag taken apart, nothing read from it.
func tags(s []byte) {
	in, _ := source.NewInput("x", bytes.NewReader(s))
	d := &document{}
	d.s = newStream(in)
	for d.next() {
		d.s.pos += d.size
	}
}

// brackets is the bare search for where tags begin.
func brackets(s []byte) {
	for {
		i := bytes.IndexByte(s, '<')
		if i < 0 {
			return
		}
		s = s[i+1:]
	}
}

// tokens is what a script does: encoding/xml, token by token.
func tokens(s []byte) {
	d := xml.NewDecoder(bytes.NewReader(s))
	for {
		if _, err := d.Token(); err != nil {
			return
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, x := range exports {
		s := whole(b, x.of(benchBytes))
		b.Run(x.name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				decodeText(b, s, x.decode)
			}
		})
	}
}

// BenchmarkRatios runs the ways over the same bytes in turn and reports how they compare, by the CPU time of the whole
// process: what else runs on the machine moves all alike.
func BenchmarkRatios(b *testing.B) {
	for _, x := range exports {
		s := whole(b, x.of(benchBytes))
		b.Run(x.name, func(b *testing.B) {
			var d, t, c, o time.Duration
			for b.Loop() {
				d += tabletest.CPUOf(func() { decodeText(b, s, x.decode) })
				t += tabletest.CPUOf(func() { tags(s) })
				c += tabletest.CPUOf(func() { brackets(s) })
				o += tabletest.CPUOf(func() { tokens(s) })
			}
			mb := float64(len(s)) / 1e6 * float64(b.N)
			b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
			b.ReportMetric(mb/t.Seconds(), "tags-MB/CPUs")
			b.ReportMetric(mb/c.Seconds(), "brackets-MB/CPUs")
			b.ReportMetric(mb/o.Seconds(), "encoding/xml-MB/CPUs")
			b.ReportMetric(t.Seconds()/d.Seconds(), "of-tags")
			b.ReportMetric(o.Seconds()/d.Seconds(), "x-encoding/xml")
		})
	}
}
