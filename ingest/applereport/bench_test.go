package applereport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// captures are long ones of the formats that get long.
var captures = []struct {
	name   string
	text   func() []byte
	decode func(*source.Input, *table.Builder) error
}{
	{"jetsam", manyProcesses, DecodeJetsam},
	{"footprint-json", manySamples, DecodeFootprint},
}

func manyProcesses() []byte {
	var w bytes.Buffer
	w.WriteString("{\n  \"date\" : \"2026-01-02 03:04:05.67 +0100\",\n  \"memoryStatus\" : { \"pageSize\" : 16384, \"memoryPages\" : { \"free\" : 3870 } },\n  \"processes\" : [\n")
	for i := range 20000 {
		if i > 0 {
			w.WriteString(",\n")
		}
		fmt.Fprintf(&w, "  {\n    \"uuid\" : \"81f979f9-c7ee-3fbb-9ff8-%012x\",\n    \"states\" : [\n      \"daemon\",\n      \"idle\"\n    ],\n    \"csFlags\" : 570434305,\n    \"age\" : 79372329207,\n    \"rpages\" : %d,\n"+
			"    \"physicalPages\" : {\n      \"internal\" : [\n        %d,\n        45\n      ]\n    },\n    \"pid\" : %d,\n    \"cpuTime\" : 0.034783,\n    \"name\" : \"daemon%d\",\n    \"lifetimeMax\" : %d\n  }", i, i%5000, i%300, i, i%500, i%6000)
	}
	w.WriteString("\n]\n}\n")
	return w.Bytes()
}

func manySamples() []byte {
	var w bytes.Buffer
	w.WriteString(`{ "unit" : "byte", "bytes per unit" : 1, "samples" : [`)
	for i := range 1000 {
		if i > 0 {
			w.WriteString(",\n")
		}
		fmt.Fprintf(&w, `{ "start_time" : { "wall_time_s" : %d.5 }, "processes" : [ { "name" : "Sketch", "pid" : 501, "footprint" : %d, "categories" : {`, 1767319445+i, i<<20)
		for k := range 40 {
			if k > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(&w, "\n  \"MALLOC_%d\" : { \"dirty\" : %d, \"swapped\" : 0, \"clean\" : 0, \"reclaimable\" : 65536, \"wired\" : 0, \"regions\" : 7 }", k, i<<14+k)
		}
		w.WriteString("} } ] }")
	}
	w.WriteString("] }\n")
	return w.Bytes()
}

func decodeText(b testing.TB, s []byte, f func(*source.Input, *table.Builder) error) {
	in, _ := source.NewInput("x", bytes.NewReader(s))
	if err := f(in, table.NewBuilder("x", "x")); err != nil {
		b.Fatal(err)
	}
}

// newlines is the limit: every line end found, nothing read.
func newlines(s []byte) {
	for {
		i := bytes.IndexByte(s, '\n')
		if i < 0 {
			return
		}
		s = s[i+1:]
	}
}

// maps is what a script does: encoding/json into maps.
func maps(b testing.TB, s []byte) {
	var v any
	if err := json.Unmarshal(s, &v); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRatios runs the ways over the same bytes in turn and reports how they compare, by the CPU time of the whole
// process: what else runs on the machine moves all alike.
func BenchmarkRatios(b *testing.B) {
	for _, c := range captures {
		s := c.text()
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var d, n, m time.Duration
			for b.Loop() {
				d += tabletest.CPUOf(func() { decodeText(b, s, c.decode) })
				n += tabletest.CPUOf(func() { newlines(s) })
				m += tabletest.CPUOf(func() { maps(b, s) })
			}
			mb := float64(len(s)) / 1e6 * float64(b.N)
			b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
			b.ReportMetric(mb/n.Seconds(), "newlines-MB/CPUs")
			b.ReportMetric(mb/m.Seconds(), "encoding/json-MB/CPUs")
			b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
			b.ReportMetric(m.Seconds()/d.Seconds(), "x-encoding/json")
		})
	}
}
