package gpu

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// ledger collects the readings of a capture. They are written at its end, since the name of a device may stand behind its
// figures, and needs a bus id only where the capture has another device of that name.
type ledger struct {
	b        *table.Builder
	devices  []device
	keys     map[string]int
	procs    []process
	procKeys map[process]int
	moments  []moment
	readings pages
	ofPID    map[int64]int    // readings of the moment, by pid
	shown    map[[2]int64]int // moments in which a pid on a device was met last
	measured bool             // something other than a total was read
}

// process is a pid with the name that was printed for it.
type process struct {
	pid  int64
	name table.Sym
}

// moment is a time at which all devices were read, and its first reading.
type moment struct {
	wall table.Int
	line int32
	from int
}

// reading is one figure; device is -1 for that of a process.
type reading struct {
	at, value             int64
	device, process, line int32
	metric                metric
}

// pageSize is how many readings a page holds: a run of days would be copied again and again in one growing slice.
const pageSize = 1 << 13

// pages is a list of readings.
type pages struct {
	full [][]reading
	n    int
}

func (p *pages) add(r reading) {
	if p.n%pageSize == 0 {
		p.full = append(p.full, make([]reading, 0, min(pageSize, p.n+64)))
	}
	last := &p.full[len(p.full)-1]
	*last = append(*last, r)
	p.n++
}

func (p *pages) at(i int) *reading { return &p.full[i/pageSize][i%pageSize] }

// cut drops all from i on.
func (p *pages) cut(i int) {
	p.n = i
	p.full = p.full[:(i+pageSize-1)/pageSize]
	if i%pageSize > 0 {
		last := &p.full[len(p.full)-1]
		*last = (*last)[:i%pageSize]
	}
}

func newLedger(b *table.Builder) *ledger {
	return &ledger{b: b, keys: map[string]int{}, procKeys: map[process]int{}, ofPID: map[int64]int{}, shown: map[[2]int64]int{}}
}

// moment begins a new one.
func (l *ledger) moment(wall table.Int, line int) {
	l.moments = append(l.moments, moment{wall, int32(line), l.readings.n})
	clear(l.ofPID)
}

// now is the number of the moment, from 1; 0 before the first.
func (l *ledger) now() int { return len(l.moments) }

// device finds or makes the device of a key, which is whatever tells devices apart in the capture.
func (l *ledger) device(key []byte, make func() device) int {
	if i, ok := l.keys[string(key)]; ok {
		return i
	}
	l.devices = append(l.devices, make())
	l.keys[string(key)] = len(l.devices) - 1
	return len(l.devices) - 1
}

// level notes a figure of a device. Of several in one moment the first counts: MIG's compute instances repeat the figures
// of their GPU instance. A total of 0 is not known.
func (l *ledger) level(dev int, m metric, value int64, line int, at int64) {
	d := &l.devices[dev]
	if m == total && value == 0 || d.last[m] == l.now() {
		return
	}
	d.last[m] = l.now()
	l.measured = l.measured || m != total
	l.readings.add(reading{at, value, int32(dev), 0, int32(line), m})
}

// used notes what a process has on a device. What it has on several at one moment is added up.
func (l *ledger) used(pid int64, name table.Sym, dev int, value int64, pos source.Pos, at int64) {
	l.show(pid, dev)
	l.measured = true
	if i, ok := l.ofPID[pid]; ok {
		r := l.readings.at(i)
		sum, fits := table.Sum(r.value, value)
		if !fits {
			l.b.Problems.Add(pos, "want sizes whose sum fits in 63 bits, have larger ones")
			return
		}
		r.value = sum
		return
	}
	p := process{pid, name}
	i, ok := l.procKeys[p]
	if !ok {
		i = len(l.procs)
		l.procs = append(l.procs, p)
		l.procKeys[p] = i
	}
	l.ofPID[pid] = l.readings.n
	l.readings.add(reading{at, value, -1, int32(i), int32(pos.Line), used})
}

// show notes that a process was listed on a device in this moment.
func (l *ledger) show(pid int64, dev int) { l.shown[[2]int64{pid, int64(dev)}] = l.now() }

// shows says whether it was.
func (l *ledger) shows(pid int64, dev int) bool {
	return l.now() > 0 && l.shown[[2]int64{pid, int64(dev)}] == l.now()
}

// forgetProcesses drops the figures of processes of the last moment: the capture ends inside it, so that what a process
// has on further devices is missing.
func (l *ledger) forgetProcesses() {
	if l.now() == 0 {
		return
	}
	kept := l.moments[l.now()-1].from
	for i := kept; i < l.readings.n; i++ {
		if r := *l.readings.at(i); r.device >= 0 {
			*l.readings.at(kept) = r
			kept++
		}
	}
	l.readings.cut(kept)
}

// finish writes all rows. Its error is that of the reading, or says what a capture without figures should have had.
func (l *ledger) finish(in *source.Input, err error, want string) error {
	if !l.measured || l.readings.n == 0 {
		if err != nil {
			return err
		}
		return source.Errorf(in.At(in.Skip+1, 0), "held nothing: %s", want)
	}
	l.write()
	return err
}

// write makes the rows.
func (l *ledger) write() {
	names := l.names()
	var metrics [numMetrics]table.Sym
	for i, m := range metricNames {
		metrics[i] = l.b.Text(m)
	}
	onDevice, ofProcess, empty := l.b.Text("device"), l.b.Text("process"), l.b.Text("")
	l.b.Reserve(table.Samples, min(l.readings.n, 1<<16))
	for i, m := range l.moments {
		to := l.readings.n
		if i+1 < len(l.moments) {
			to = l.moments[i+1].from
		}
		l.b.Snapshot(table.Stamp{Wall: m.wall, Line: int(m.line)})
		for k := m.from; k < to; k++ {
			r := l.readings.at(k)
			s := table.Sample{Scope: onDevice, Metric: metrics[r.metric], Value: r.value, Line: int(r.line), At: r.at}
			if r.device < 0 {
				p := l.procs[r.process]
				l.b.Process(table.Known(p.pid), p.name)
				s.Scope, s.Name = ofProcess, empty
			} else {
				l.b.Process(table.Int{}, table.Null)
				s.Name = names[r.device]
			}
			l.b.Add(s)
		}
	}
}

// names gives each device its name; where two would have one, bus id or uuid is appended.
func (l *ledger) names() []table.Sym {
	count := map[string]int{}
	for i := range l.devices {
		count[l.devices[i].name()]++
	}
	out := make([]table.Sym, len(l.devices))
	for i := range l.devices {
		d := &l.devices[i]
		name := d.name()
		if count[name] > 1 {
			name += d.own()
		}
		out[i] = l.b.Text(name)
	}
	return out
}

// clock is the fact that tells where times come from.
func (l *ledger) clock() {
	for _, m := range l.moments {
		if !m.wall.OK {
			l.b.Fact("clock", "order")
			return
		}
	}
	l.b.Fact("clock", "wall")
}
