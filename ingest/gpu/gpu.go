// Package gpu reads what tells of the memory of graphics cards: nvidia-smi in all its outputs, exporters for Prometheus,
// home-made loggers and rocm-smi. Levels of devices and of processes on them become samples. It is one of the formats that
// ingest lists.
//
// The outputs are those of nvidia-smi of the drivers 418 to 590 and its device DTDs v9 to v13, of dcgm-exporter 2 to 4, of
// nvidia_gpu_exporter 1, and of rocm-smi of ROCm 4 to 6.
package gpu

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
)

// metric is a level of a device; the numbers are places in metricNames.
type metric uint8

const (
	total metric = iota
	used
	free
	driverReserved
	numMetrics
)

var metricNames = [numMetrics]string{"gpu_total", "gpu_used", "gpu_free", "gpu_driver_reserved"}

// device is a card, or a MIG slice of one, as the capture tells it; what it does not tell is empty.
type device struct {
	index, product, mig, bus, uuid string
	last                           [numMetrics]int // the moment in which each metric was read last, from 1
	seen                           int             // the moment in which the device was met last
	at                             int64           // the wall clock of its last row
}

// name is "GPU 0 NVIDIA A100-SXM4-40GB MIG 1" of the parts that are known.
func (d *device) name() string {
	s := "GPU"
	if d.index != "" {
		s += " " + d.index
	}
	if d.product != "" {
		s += " " + d.product
	}
	if d.mig != "" {
		s += " MIG " + d.mig
	}
	return s
}

// own is what tells a device from another one of the same name.
func (d *device) own() string {
	if d.bus != "" {
		return " " + d.bus
	}
	if d.uuid != "" {
		return " " + d.uuid
	}
	return ""
}

// missing says whether a cell holds one of the words that stand for a figure which the driver does not give.
func missing(s []byte) bool {
	if len(s) == 0 || s[0] == '[' && s[len(s)-1] == ']' {
		return true
	}
	switch string(s) {
	case "N/A", "n/a", "-", "ERR!", "Not Supported", "Unknown Error", "Insufficient Permissions", "GPU is lost", "NaN":
		return true
	}
	return false
}

// known gives the text of a cell, empty for a word that stands for nothing.
func known(s []byte) string {
	if missing(s) {
		return ""
	}
	return string(s)
}

// pid reads the number of a process.
func pid(s []byte) (int64, bool) {
	v, ok := scaled(s, 1)
	return v, ok && v < 1<<31
}

// clip shortens what a message quotes.
func clip(s []byte) []byte { return s[:min(len(s), 40)] }

// eachLine calls f with the lines of a head until it is true.
func eachLine(head []byte, f func(line []byte) bool) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		if f(bytes.TrimRight(line, "\r")) {
			return true
		}
	}
	return false
}

// size reads a figure of a device and notes it; a word for nothing is no problem.
func (l *ledger) size(in *source.Lines, column int, dev int, m metric, cell []byte, unit uint64, at int64) {
	if missing(cell) {
		return
	}
	v, ok := size(cell, unit)
	if !ok {
		l.b.Problems.Add(in.Pos(column), "want a size such as 841 MiB, have %q", clip(cell))
		return
	}
	l.level(dev, m, v, in.Line(), at)
}
