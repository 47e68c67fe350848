package gpu

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// role is what a column says of its row.
type role int

const (
	timeColumn role = iota
	indexColumn
	productColumn
	uuidColumn
	busColumn
	pidColumn
	processColumn
	countColumn
	driverColumn
	numRoles
)

// dialect is a family of CSV files: nvidia-smi's own, or those of home-made loggers.
type dialect struct {
	roles  map[string]role
	sizes  map[string]metric
	united bool   // a size has its unit in the header
	near   int64  // rows of one product that are no farther apart than so many ns are of two devices
	want   string // what a file without figures should have had
}

var smiDialect = dialect{
	roles: map[string]role{"timestamp": timeColumn, "index": indexColumn, "name": productColumn, "gpu_name": productColumn, "uuid": uuidColumn, "gpu_uuid": uuidColumn,
		"pci.bus_id": busColumn, "gpu_bus_id": busColumn, "pid": pidColumn, "process_name": processColumn, "count": countColumn, "driver_version": driverColumn},
	sizes: map[string]metric{"memory.total": total, "memory.used": used, "memory.free": free, "memory.reserved": driverReserved,
		"used_gpu_memory": used, "used_memory": used},
	united: true, near: 100e6,
	want: "want rows with memory.used, memory.free or used_gpu_memory: nvidia-smi --query-gpu=timestamp,index,name,memory.total,memory.used --format=csv -l 1",
}

var loggerDialect = dialect{
	roles: map[string]role{"timestamp": timeColumn, "time": timeColumn, "datetime": timeColumn, "index": indexColumn, "gpu": indexColumn, "gpu_index": indexColumn,
		"gpu_id": indexColumn, "device": indexColumn, "name": productColumn, "gpu_name": productColumn, "uuid": uuidColumn},
	sizes: map[string]metric{"memory_used": used, "gpu_memory_used": used, "memory_total": total, "gpu_memory_total": total},
	want:  "want rows with a figure in memory_used",
}

// columns is a header that was understood.
type columns struct {
	text  []byte
	width int
	at    [numRoles]int // -1 where there is none
	sizes []sizeColumn
}

type sizeColumn struct {
	at     int
	metric metric
	unit   uint64
}

// parse understands a header; it is false for any other line.
func (d *dialect) parse(line []byte) (*columns, bool) {
	if bytes.Contains(line, []byte("memory")) {
		return d.header(line)
	}
	return nil, false
}

func (d *dialect) header(line []byte) (*columns, bool) {
	c := &columns{text: bytes.Clone(line)}
	for i := range c.at {
		c.at[i] = -1
	}
	for cell := range bytes.SplitSeq(line, []byte{','}) {
		name, unit := string(bytes.TrimSpace(cell)), uint64(mebibyte)
		bare, bracket, has := strings.Cut(name, " [")
		if has {
			unit, name = units[strings.TrimSuffix(bracket, "]")], bare
		}
		if r, ok := d.roles[name]; ok && c.at[r] < 0 {
			c.at[r] = c.width
		}
		if m, ok := d.sizes[name]; ok && has == d.united && unit > 0 {
			c.sizes = append(c.sizes, sizeColumn{c.width, m, unit})
		}
		c.width++
	}
	return c, len(c.sizes) > 0
}

// SniffCSV claims the CSV of nvidia-smi: a header with a memory column that has a unit, such as memory.used [MiB].
func SniffCSV(head []byte) bool {
	return eachLine(head, func(line []byte) bool {
		c, ok := smiDialect.parse(line)
		return ok && (c.width == 1 || bytes.Contains(line, []byte(", ")))
	})
}

// SniffLogger claims a CSV whose header has memory_used or gpu_memory_used without a unit, and memory_total or a time.
func SniffLogger(head []byte) bool {
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	c, ok := loggerDialect.parse(bytes.TrimRight(first, "\r"))
	if !ok {
		return false
	}
	var has [numMetrics]bool
	for _, s := range c.sizes {
		has[s.metric] = true
	}
	return has[used] && (has[total] || c.at[timeColumn] >= 0)
}

// DecodeCSV reads the output of nvidia-smi --query-gpu or --query-compute-apps with --format=csv, nounits or not. Rows that
// nothing but an equal time can tell from those of another device are refused.
func DecodeCSV(in *source.Input, b *table.Builder) error { return decodeRows(in, b, &smiDialect) }

// DecodeLogger reads the CSV of home-made loggers, whose figures are taken to be MiB.
func DecodeLogger(in *source.Input, b *table.Builder) error {
	b.Fact("note", "the unit of memory_used is not told: MiB is assumed")
	return decodeRows(in, b, &loggerDialect)
}

func decodeRows(in *source.Input, b *table.Builder, d *dialect) error {
	r := &rows{dialect: d, ledger: newLedger(b), l: source.NewLines(in)}
	for r.l.Scan() {
		if err := r.line(r.l.Bytes()); err != nil {
			return err
		}
	}
	r.clock()
	if r.columns == nil && r.l.Err() == nil {
		return source.Errorf(in.At(in.Skip+1, 1), "held nothing: want a header such as timestamp, index, memory.used [MiB]: take it without noheader")
	}
	return r.finish(in, r.l.Err(), d.want)
}
