package nsight

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

var ncuHeader = []byte(`"ID","Process ID",`)

// SniffNCU claims the CSV of Nsight Compute, whatever the program and ncu print before it.
func SniffNCU(head []byte) bool {
	i := bytes.Index(head, ncuHeader)
	return i == 0 || i > 0 && head[i-1] == '\n'
}

// ncuMetric is how a figure of ncu becomes a metric: the label of the details page, the id on the raw page, and the
// decimal power that makes an integer of each unit.
type ncuMetric struct {
	metric, label, id string
	units             map[string]int
}

// Units as ncu prints them, on the details page and, longer, on the raw page; its Kbyte is 1000 bytes.
var (
	percent = map[string]int{"%": 4} // to ppm
	seconds = map[string]int{"s": 9, "second": 9, "ms": 6, "msecond": 6, "us": 3, "usecond": 3, "ns": 0, "nsecond": 0}
	volume  = map[string]int{"byte": 0, "Kbyte": 3, "Mbyte": 6, "Gbyte": 9, "Tbyte": 12}
	perUnit = map[string]int{"register/thread": 0, "": 0}
)

const numNCU = 9

var ncuMetrics = [numNCU]ncuMetric{
	{"l2_hit_rate", "L2 Hit Rate", "lts__t_sector_hit_rate.pct", percent},
	{"l2_throughput", "L2 Cache Throughput", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", percent},
	{"dram_throughput", "DRAM Throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed", percent},
	{"achieved_occupancy", "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", percent},
	{"compute_throughput", "Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed", percent},
	{"kernel_duration", "Duration", "gpu__time_duration.sum", seconds},
	{"registers", "Registers Per Thread", "launch__registers_per_thread", perUnit},
	{"dram_read", "", "dram__bytes_read.sum", volume},
	{"dram_written", "", "dram__bytes_write.sum", volume},
}

// ncuReader reads pages of ncu's CSV: on the details page a row is one metric of a launch, on the raw page a launch, its
// metrics in columns whose units stand in the second row.
type ncuReader struct {
	in      *source.Input
	b       *table.Builder
	l       *source.Lines
	columns map[string]int
	width   int
	raw     []int // columns of ncuMetrics, -1 if there is none; nil on the details page
	units   []string
	row     [][]byte
	id      int64
	done    [numNCU]bool // metrics of the launch that were read: sections repeat them
	rows    int
	scope   table.Sym
	names   [numNCU]table.Sym
}

// DecodeNCU reads `ncu --csv`, details or raw page. It fails if no launch has a figure that memtide knows.
func DecodeNCU(in *source.Input, b *table.Builder) error {
	r := &ncuReader{in: in, b: b, l: source.NewLines(in), id: -1, scope: b.Text("kernel")}
	for i := range ncuMetrics {
		r.names[i] = b.Text(ncuMetrics[i].metric)
	}
	b.Fact("tool", "ncu")
	b.Fact("clock", "order")
	b.Snapshot(table.Stamp{Line: 1})
	for r.l.Scan() {
		line := r.l.Bytes()
		switch {
		case bytes.HasPrefix(line, ncuHeader):
			r.header(line)
		case r.columns != nil && len(line) > 0 && line[0] == '"':
			r.launch(line)
		}
	}
	if r.l.Err() == nil && r.rows == 0 {
		return source.Errorf(in.At(0, 0), "held nothing: want the details or raw page of `ncu --csv` with L2, DRAM, occupancy or duration of a kernel; take it with --set full")
	}
	return r.l.Err()
}

func (r *ncuReader) header(line []byte) {
	row, ok := cells(line, nil)
	if !ok {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want a header in quotes, have the end of the line in one")
		return
	}
	r.columns, r.width, r.raw, r.units, r.id = map[string]int{}, len(row), nil, nil, -1
	for i, c := range row {
		if _, twice := r.columns[string(c)]; !twice {
			r.columns[string(c)] = i
		}
	}
	if _, details := r.columns["Metric Name"]; details {
		return
	}
	for i := range ncuMetrics {
		c, ok := r.columns[ncuMetrics[i].id]
		if !ok {
			c = -1
		}
		r.raw = append(r.raw, c)
	}
}

// cell is a column of the current row; nil if the page has none.
func (r *ncuReader) cell(name string) []byte {
	if i, ok := r.columns[name]; ok {
		return r.row[i]
	}
	return nil
}

func (r *ncuReader) launch(line []byte) {
	var ok bool
	if r.row, ok = cells(line, r.row[:0]); !ok || len(r.row) != r.width {
		r.b.Problems.Add(r.l.Pos(1), "want %d cells, have %d: the row is cut or no row", r.width, len(r.row))
		return
	}
	if id := r.cell("ID"); len(id) == 0 {
		if r.raw != nil && r.units == nil {
			r.unitsRow()
		}
		return
	}
	id, ok := decimal(r.cell("ID"), 0)
	if !ok || id < 0 {
		r.b.Problems.Add(r.l.Pos(2), "want the number of a launch, have %q", clip(r.cell("ID")))
		return
	}
	if id != r.id {
		r.id, r.done = id, [len(r.done)]bool{}
	}
	if r.raw == nil {
		r.detail()
		return
	}
	for i, c := range r.raw {
		if c >= 0 && c < len(r.units) {
			r.figure(i, r.row[c], r.units[c])
		}
	}
}

func (r *ncuReader) unitsRow() {
	for _, c := range r.row {
		r.units = append(r.units, string(c))
	}
}

// detail reads a row of the details page. A name stands for several figures of different units: only those of the unit
// that is wanted are taken.
func (r *ncuReader) detail() {
	name, unit := r.cell("Metric Name"), r.cell("Metric Unit")
	for i := range ncuMetrics {
		if m := &ncuMetrics[i]; m.label != "" && string(name) == m.label {
			if _, ok := m.units[string(unit)]; ok {
				r.figure(i, r.cell("Metric Value"), string(unit))
			}
			return
		}
	}
}

// figure writes a value of the current launch.
func (r *ncuReader) figure(i int, value []byte, unit string) {
	if s := string(value); r.done[i] || s == "" || s == "n/a" || s == "N/A" || s == "nan" {
		return
	}
	shift, ok := ncuMetrics[i].units[unit]
	if !ok {
		r.b.Problems.Count(r.l.Pos(0), "%s: unknown unit %q", ncuMetrics[i].id, clip([]byte(unit)))
		return
	}
	v, ok := decimal(value, shift)
	if !ok || v < 0 {
		r.b.Problems.Add(r.l.Pos(0), "%s: want a number, have %q", ncuMetrics[i].metric, clip(value))
		return
	}
	pid, known := decimal(r.cell("Process ID"), 0)
	if id := r.cell("Process ID"); !known && len(id) > 0 {
		r.b.Problems.Add(r.l.Pos(0), "want the ID of a process, have %q", clip(id))
	}
	r.b.Process(table.Int{V: pid, OK: known}, r.b.Sym(r.cell("Process Name")))
	r.done[i] = true
	r.rows++
	r.b.Add(table.Sample{Scope: r.scope, Name: r.b.Sym(r.cell("Kernel Name")), Metric: r.names[i], Value: v, Line: r.l.Line(), Iteration: table.Known(r.id), At: r.id})
}

// clip shortens what a message quotes.
func clip(s []byte) []byte { return s[:min(len(s), 40)] }
