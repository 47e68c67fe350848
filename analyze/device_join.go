package analyze

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// DeviceJoin holds one capture of the device's side against the logs of the CPU's side of the same run, for one device: which
// allocations both name, by their addresses. Alive is at the end of each capture; where they share a clock at the earlier of both ends.
type DeviceJoin struct {
	Device string   `json:"device"`
	GPU    string   `json:"gpu"`             // the capture of the device's side
	CPU    []string `json:"cpu"`             // the logs of the CPU's side
	Clock  string   `json:"clock,omitempty"` // that all of them share; empty if there is none

	Joined   int64       `json:"joined"`    // allocations of the CPU's side that the device's side names too, alive or not
	Both     DevicePart  `json:"both"`      // alive to both
	CPUOnly  DevicePart  `json:"cpu_only"`  // not named by the device's side
	GPUOnly  DevicePart  `json:"gpu_only"`  // not named by the CPU's side
	CPUAlive DevicePart  `json:"cpu_alive"` // named by both, alive to the CPU's side only
	GPUAlive DevicePart  `json:"gpu_alive"`
	Inside   *DevicePart `json:"inside,omitempty"` // blocks alive inside what is alive to both; nil if none are known
	Refused  []Refusal   `json:"refused"`          // named by address on both sides, and not joined
}

// DevicePart is some allocations of a device.
type DevicePart struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// Refusal counts what is not joined for one reason.
type Refusal struct {
	Reason  string `json:"reason"`
	Objects int64  `json:"objects"` // of the device's side, alive or not
	Alive   int64  `json:"alive"`
	Bytes   int64  `json:"bytes"` // of those alive
}

func (p *DevicePart) add(size int64) {
	p.Objects++
	p.Bytes = addSizes(p.Bytes, size)
}

// addSizes adds a size, if it is known; beyond int64 the sum stays at its greatest value.
func addSizes(sum, size int64) int64 {
	if sum, ok := table.Sum(sum, max(size, 0)); ok {
		return sum
	}
	return math.MaxInt64
}

// joinDevices joins what both sides of one run name by its address in device memory. Without lives on both sides it does nothing.
func (r *Result) joinDevices(all []deviceLog) {
	j := &deviceJoiner{}
	cpu, gpu := 0, 0
	for i := range all {
		l := &all[i]
		l.settle()
		j.logs = append(j.logs, l)
		cpu += b2i(!l.file.OnDevice)
		gpu += b2i(l.file.OnDevice)
	}
	if cpu == 0 || gpu == 0 {
		return
	}
	j.match()
	for i, l := range j.logs {
		if l.file.OnDevice {
			r.DeviceJoins = append(r.DeviceJoins, j.accounts(i)...)
		}
	}
	r.bind(j)
}

// accounts holds one capture of the device's side against all logs of the other, device by device.
func (j *deviceJoiner) accounts(i int) []DeviceJoin {
	l := j.logs[i]
	out, at := []DeviceJoin{}, map[string]int{}
	ends, clock := j.ends(i)
	of := func(device string) *DeviceJoin {
		if n, ok := at[device]; ok {
			return &out[n]
		}
		at[device] = len(out)
		out = append(out, DeviceJoin{Device: device, GPU: l.file.Name, CPU: j.cpuFiles(), Clock: clock, Refused: []Refusal{}})
		return &out[len(out)-1]
	}
	seen, only := map[lifeRef]bool{}, j.onlyDevice()
	for k := range l.lives {
		j.count(of(cmp.Or(l.device(&l.lives[k]), only)), i, k, ends, seen)
	}
	for n, c := range j.logs {
		for k := range c.lives {
			x := &c.lives[k]
			device := cmp.Or(c.device(x), only)
			if _, here := at[device]; !c.file.OnDevice && (here || i == j.first && !j.onGPU[device]) {
				j.countCPU(of(device), i, lifeRef{n, k}, ends)
			}
		}
	}
	slices.SortFunc(out, func(a, b DeviceJoin) int {
		return cmp.Or(cmp.Compare(len(a.Device), len(b.Device)), cmp.Compare(a.Device, b.Device))
	})
	for n := range out {
		slices.SortFunc(out[n].Refused, func(a, b Refusal) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Reason, b.Reason)) })
	}
	return out
}

// onlyDevice is the device of those that name none, where no more than one is named.
func (j *deviceJoiner) onlyDevice() string {
	if len(j.devices) == 1 {
		for d := range j.devices {
			return d
		}
	}
	return ""
}

func (j *deviceJoiner) cpuFiles() (out []string) {
	for _, l := range j.logs {
		if !l.file.OnDevice {
			out = append(out, l.file.Name)
		}
	}
	return out
}

// ends are the times at which each log is asked what is alive: its end, or the earliest of all where they share a clock with it.
func (j *deviceJoiner) ends(i int) (ends []int64, clock string) {
	least, shared := j.logs[i].end+j.logs[i].offset, true
	for _, l := range j.logs {
		if !l.file.OnDevice {
			shared = shared && l.shares(j.logs[i])
			least = min(least, l.end+l.offset)
		}
	}
	for _, l := range j.logs {
		if shared {
			ends = append(ends, least-l.offset)
		} else {
			ends = append(ends, l.end)
		}
	}
	if shared {
		clock = j.logs[i].clock
	}
	return ends, clock
}

// count enters a life of the device's side. What is joined counts with the size of the allocation that it is, or lies in, once.
func (j *deviceJoiner) count(d *DeviceJoin, i, k int, ends []int64, seen map[lifeRef]bool) {
	l, x, is := j.logs[i], &j.logs[i].lives[k], j.links[i][k]
	alive := l.aliveAt(x, ends[i])
	if is.to.log < 0 {
		switch {
		case is.nested:
		case is.why != "":
			d.refuse(is.why, alive, x.Size)
		case alive:
			d.GPUOnly.add(x.Size)
		}
		return
	}
	c := j.life(is.to)
	both := alive && j.logs[is.to.log].aliveAt(c, ends[is.to.log])
	if is.inside && both {
		if d.Inside == nil {
			d.Inside = &DevicePart{}
		}
		d.Inside.add(x.Size)
	}
	if is.nested || !alive || seen[is.to] {
		return
	}
	seen[is.to] = true
	if both {
		d.Both.add(sizeOf(c, x))
	} else {
		d.GPUAlive.add(sizeOf(c, x))
	}
}

func sizeOf(c, x *lifetime.Life) int64 {
	if c.Size >= 0 {
		return c.Size
	}
	return x.Size
}

func (d *DeviceJoin) refuse(why string, alive bool, size int64) {
	n := slices.IndexFunc(d.Refused, func(r Refusal) bool { return r.Reason == why })
	if n < 0 {
		n = len(d.Refused)
		d.Refused = append(d.Refused, Refusal{Reason: why})
	}
	r := &d.Refused[n]
	r.Objects++
	if alive {
		r.Alive++
		r.Bytes = addSizes(r.Bytes, size)
	}
}

// countCPU enters a life of the CPU's side that the capture does not name, or to which it is not alive.
func (j *deviceJoiner) countCPU(d *DeviceJoin, i int, ref lifeRef, ends []int64) {
	named, held := false, false
	for _, g := range j.known[ref] {
		if g.log == i && !j.links[i][g.life].nested {
			named = true
			held = held || j.logs[i].aliveAt(j.life(g), ends[i])
		}
	}
	x := j.life(ref)
	d.Joined += int64(b2i(named))
	switch {
	case held || !j.logs[ref.log].aliveAt(x, ends[ref.log]) || !named && j.claimed[ref]:
	case named:
		d.CPUAlive.add(x.Size)
	default:
		d.CPUOnly.add(x.Size)
	}
}
