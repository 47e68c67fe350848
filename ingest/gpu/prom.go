package gpu

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// dcgmBlank is where the values begin by which DCGM says that it has none (dcgm_fields.h: blanks of 32 and 64 bits and of
// floating point); a frame buffer in MiB never comes near.
const dcgmBlank = 2147483632

// family is a metric that is read: its level, and the unit of its value.
type family struct {
	metric metric
	unit   uint64
	kind   familyKind
}

type familyKind int

const (
	dcgmLevel familyKind = iota
	smiLevel
	smiProcess
	smiInfo
)

var families = map[string]family{
	"DCGM_FI_DEV_FB_USED":                      {used, mebibyte, dcgmLevel},
	"DCGM_FI_DEV_FB_FREE":                      {free, mebibyte, dcgmLevel},
	"DCGM_FI_DEV_FB_TOTAL":                     {total, mebibyte, dcgmLevel},
	"DCGM_FI_DEV_FB_RESERVED":                  {driverReserved, mebibyte, dcgmLevel},
	"nvidia_smi_memory_used_bytes":             {used, 1, smiLevel},
	"nvidia_smi_memory_free_bytes":             {free, 1, smiLevel},
	"nvidia_smi_memory_total_bytes":            {total, 1, smiLevel},
	"nvidia_smi_memory_reserved_bytes":         {driverReserved, 1, smiLevel},
	"nvidia_smi_compute_app_used_memory_bytes": {used, 1, smiProcess},
	"nvidia_smi_gpu_info":                      {0, 1, smiInfo},
}

// SniffProm claims the Prometheus text of dcgm-exporter and of nvidia_gpu_exporter by the names of its metrics.
func SniffProm(head []byte) bool {
	return eachLine(head, func(line []byte) bool {
		for _, prefix := range [...]string{"# HELP ", "# TYPE "} {
			line = bytes.TrimPrefix(line, []byte(prefix))
		}
		if !bytes.HasPrefix(line, []byte("DCGM_FI_")) && !bytes.HasPrefix(line, []byte("nvidia_smi_")) {
			return false
		}
		end := bytes.IndexAny(line, "{ ")
		return end > 0 && bytes.IndexFunc(line[:end], notName) < 0
	})
}

func notName(c rune) bool {
	return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// DecodeProm reads one scrape, or several behind each other: each is a moment, and begins where a # HELP comes again, or,
// where there are none, a series does. A date on a line of its own is the time of the scrape below it.
func DecodeProm(in *source.Input, b *table.Builder) error {
	r := &scrape{ledger: newLedger(b), l: source.NewLines(in), helped: map[string]int{}}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	r.clock()
	return r.finish(in, r.l.Err(), "want DCGM_FI_DEV_FB_USED, DCGM_FI_DEV_FB_FREE or nvidia_smi_memory_used_bytes with a value")
}

type scrape struct {
	*ledger
	l      *source.Lines
	helped map[string]int // moments in which # HELP of a metric stood last
	labels labels
	key    []byte
	fresh  bool      // nothing was read in the moment yet
	wall   table.Int // of the moment
}

// labels are those that are read.
type labels struct {
	gpu, uuid, model, instance, host, index, name, bus, driver, pid, process []byte
}

func (r *scrape) line(line []byte) {
	if len(line) == 0 {
		return
	}
	if rest, ok := bytes.CutPrefix(line, []byte("# HELP ")); ok {
		r.help(rest)
		return
	}
	end := bytes.IndexAny(line, "{ ")
	if end < 0 {
		end = len(line)
	}
	f, ok := families[string(line[:end])]
	switch {
	case ok:
		r.sample(line, end, f)
	case line[0] != 'D' && line[0] != 'n':
		if m, ok := source.ParseMark(line); ok {
			r.begin(table.Int{V: m.Wall, OK: m.HasWall})
		}
	}
}

// help tells a scrape from the one before.
func (r *scrape) help(rest []byte) {
	name, _, _ := bytes.Cut(rest, []byte{' '})
	if _, ok := families[string(name)]; !ok {
		return
	}
	if r.now() == 0 || r.helped[string(name)] == r.now() {
		r.begin(table.Int{})
	}
	r.helped[string(name)] = r.now()
}

func (r *scrape) begin(at table.Int) {
	if r.fresh && !at.OK {
		return
	}
	r.moment(at, r.l.Line())
	r.fresh, r.wall = true, at
}

func (r *scrape) sample(line []byte, end int, f family) {
	i, ok := r.labelled(line, end)
	if !ok || i >= len(line) || line[i] != ' ' {
		r.b.Problems.Add(r.l.Pos(i+1), "want labels in braces and a value behind them, have %q", clip(line[min(i, len(line)):]))
		return
	}
	value, stamp, _ := bytes.Cut(bytes.TrimSpace(line[i:]), []byte{' '})
	column := offsetOf(line, value) + 1
	if !r.l.Ended() {
		r.b.Problems.Add(r.l.Pos(len(line)+1), "want the end of the line, have that of the file: the value in front of it may be cut")
		return
	}
	if r.now() == 0 {
		r.begin(table.Int{})
	}
	dev := r.find(f.kind)
	if f.kind == smiInfo {
		return
	}
	if missing(value) || f.kind == dcgmLevel && blank(value) {
		return
	}
	v, ok := scaled(value, f.unit)
	if !ok {
		r.b.Problems.Add(r.l.Pos(column), "want a number that is not negative, have %q", clip(value))
		return
	}
	r.note(dev, f, v, column, stamp, string(line[:end]))
}

// blank says whether a value is one of those by which DCGM says that it has none.
func blank(value []byte) bool {
	v, ok := scaled(value, 1)
	return ok && v >= dcgmBlank || !ok && decimal(value)
}

// note puts a value into the moment that it belongs to.
func (r *scrape) note(dev int, f family, v int64, column int, stamp []byte, name string) {
	id, isPID := pid(r.labels.pid)
	if f.kind == smiProcess && !isPID {
		r.b.Problems.Add(r.l.Pos(1), "want a label pid, have %q", clip(r.labels.pid))
		return
	}
	again := r.devices[dev].last[f.metric] == r.now()
	if f.kind == smiProcess {
		again = r.shows(id, dev)
	}
	if again {
		if r.helped[name] == r.now() {
			return // exporters repeat a device for every pod that shares it
		}
		r.begin(table.Int{})
	}
	at := r.stamp(bytes.TrimSpace(stamp))
	r.fresh = false
	if f.kind == smiProcess {
		y := table.Null
		if !missing(r.labels.process) {
			y = r.b.Sym(r.labels.process)
		}
		r.used(id, y, dev, v, r.l.Pos(column), at)
		return
	}
	r.level(dev, f.metric, v, r.l.Line(), at)
}

// stamp reads the milliseconds since 1970 that may stand behind a value: the first is the time of the moment.
func (r *scrape) stamp(s []byte) int64 {
	if len(s) == 0 {
		return 0
	}
	ns, ok := scaled(s, 1e6)
	if !ok {
		return 0
	}
	if r.fresh && !r.wall.OK {
		r.wall = table.Known(ns)
		r.moments[r.now()-1].wall = r.wall
	}
	if !r.wall.OK {
		return 0
	}
	return ns - r.wall.V
}

// find is the device of the labels. What tells of it may stand behind its figures.
func (r *scrape) find(kind familyKind) int {
	l := &r.labels
	if kind == dcgmLevel {
		k := append(append(append(append(append(append(r.key[:0], l.gpu...), 0), l.uuid...), 0), l.instance...), 0)
		r.key = append(k, l.host...)
		if len(l.driver) > 0 {
			r.b.Fact("tool", "nvidia-smi "+string(l.driver))
		}
		return r.device(r.key, func() device {
			return device{index: known(l.gpu), product: known(l.model), mig: known(l.instance), uuid: known(l.uuid)}
		})
	}
	r.key = append(r.key[:0], l.uuid...)
	i := r.device(r.key, func() device { return device{uuid: known(l.uuid)} })
	if kind == smiInfo {
		d := &r.devices[i]
		d.index, d.product, d.bus = known(l.index), known(l.name), known(l.bus)
		if len(l.driver) > 0 {
			r.b.Fact("tool", "nvidia-smi "+string(l.driver))
		}
	}
	return i
}

// labelled reads {a="b",…} from i on, and gives the place behind it.
func (r *scrape) labelled(line []byte, i int) (int, bool) {
	r.labels = labels{}
	if i == len(line) || line[i] != '{' {
		return i, true
	}
	for i++; i < len(line) && line[i] != '}'; {
		eq := bytes.IndexByte(line[i:], '=')
		if eq < 0 || i+eq+1 >= len(line) || line[i+eq+1] != '"' {
			return i, false
		}
		name, from := bytes.TrimSpace(line[i:i+eq]), i+eq+2
		to, escaped := from, false
		for ; to < len(line) && line[to] != '"'; to++ {
			if line[to] == '\\' {
				escaped = true
				to++
			}
		}
		if to >= len(line) {
			return i, false
		}
		value := line[from:to]
		if escaped {
			value = []byte(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(string(value)))
		}
		r.label(string(name), value)
		if i = to + 1; i < len(line) && line[i] == ',' {
			i++
		}
	}
	return i + 1, i < len(line)
}

func (r *scrape) label(name string, value []byte) {
	l := &r.labels
	switch name {
	case "gpu":
		l.gpu = value
	case "UUID", "uuid":
		l.uuid = value
	case "modelName":
		l.model = value
	case "GPU_I_ID":
		l.instance = value
	case "Hostname":
		l.host = value
	case "index":
		l.index = value
	case "name":
		l.name = value
	case "pci_bus_id":
		l.bus = value
	case "driver_version", "DCGM_FI_DRIVER_VERSION":
		l.driver = value
	case "pid":
		l.pid = value
	case "process_name":
		l.process = value
	}
}
