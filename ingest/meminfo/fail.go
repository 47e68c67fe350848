package meminfo

import (
	"bytes"
	"strconv"
)

// failure is how a line begins that stands in place of data. block: the process gave no answer, the dump goes on.
// ours: the line alone shows that dumpsys meminfo was asked.
type failure struct {
	prefix      string
	block, ours bool
}

var failures = []failure{
	{"No process found for: ", false, true},
	{"Got RemoteException!", true, true},
	{"Got IoException!", true, true},
	{"Failure while dumping the app", true, true},
	{"*** SERVICE 'meminfo' DUMP TIMEOUT", false, true},
	{"Can't find service: meminfo", false, true},
	{"Permission Denial: can't dump meminfo", false, true},
	{"Permission Denial", false, false},
	{"Error dumping service", false, false},
	{"error: device", false, false},
	{"error: no devices", false, false},
	{"error: closed", false, false},
	{"adb: ", false, false},
	{"/system/bin/sh: ", false, false},
}

// fail takes a line that says why there is no data.
func (d *decoder) fail(s []byte, block bool) {
	if d.failure == nil {
		d.failure, d.failedAt = bytes.Clone(clip(s)), d.l.Line()
	}
	if block {
		d.b.Problems.Count(d.l.Pos(1), "no data of a process: %q", clip(s))
		d.closeBlock()
	} else if d.closeBlock(); d.b.HasData() {
		d.endSample()
		d.beginHere()
	}
	d.touched = true
	d.mode = junk
}

// clip shortens a line for a message.
func clip(s []byte) []byte { return s[:min(len(s), 80)] }

func formatMillis(ms int64) string { return strconv.FormatInt(ms, 10) + " ms" }
