// Package proc reads the text files of Linux's /proc that hold "Key: value" lines or bare integers: smaps_rollup and
// status and statm of a process, and /proc/meminfo. One file of one moment, or a log of many. They are specified in the
// kernel's Documentation/filesystems/proc.rst; the code is fs/proc/{task_mmu,array,meminfo}.c.
//
//	name          how to take it
//	smaps-rollup  while sleep 1; do date; cat /proc/$PID/smaps_rollup; done > rollup.log
//	proc-status   while sleep 1; do date; cat /proc/$PID/status; done > status.log
//	proc-statm    while sleep 1; do date; cat /proc/$PID/statm; done > statm.log   (a smaps or status beside it tells the page size)
//	proc-meminfo  while sleep 1; do date; cat /proc/meminfo; done > meminfo.log
package proc

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
)

// SniffRollup claims text with the header line of a smaps_rollup.
func SniffRollup(head []byte) bool { return holds(head, isRollup) }

// SniffStatus claims text with a memory line of /proc/PID/status, or with its first lines where it has none, as for a
// kernel thread.
func SniffStatus(head []byte) bool {
	return holds(head, isStatus) || holds(head, func(l []byte) bool { return bytes.HasPrefix(l, []byte("Name:\t")) }) &&
		holds(head, func(l []byte) bool { return bytes.HasPrefix(l, []byte("State:\t")) })
}

// SniffMeminfo claims text with one of the totals of /proc/meminfo, of the machine or of a node.
func SniffMeminfo(head []byte) bool { return holds(head, isMeminfo) }

// SniffStatm claims text of lines of integers, at least half of them seven, and nothing else but separators, the two
// figures of /proc/uptime, prompts and messages.
func SniffStatm(head []byte) bool {
	sevens, others := 0, 0
	clean := !holds(head, func(l []byte) bool {
		_, n, _ := integers(l)
		switch {
		case len(l) == 0:
		case n == statmFields:
			sevens++
		case n > 1:
			others++
		default:
			_, mark := source.ParseMark(l)
			return !mark && !source.NoData(l) && !bytes.Contains(l, []byte("statm")) && !isUptime(l)
		}
		return false
	})
	return clean && sevens > 0 && sevens >= others
}

// isUptime says whether a line is "1302.79 787.84".
func isUptime(line []byte) bool {
	points := 0
	for _, c := range line {
		if c == '.' {
			points++
		} else if c != ' ' && (c < '0' || c > '9') {
			return false
		}
	}
	return points == 2
}

// holds says whether a line of head fits. The last one is left out if it may be cut, and so is all of a bug report,
// which holds these files as parts.
func holds(head []byte, fits func(line []byte) bool) bool {
	full := len(head) >= source.HeadSize
	if bytes.Contains(head, []byte("== dumpstate: ")) {
		return false
	}
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if !ended && full {
			return false
		}
		if fits(bytes.TrimRight(line, "\r")) {
			return true
		}
		head = rest
	}
	return false
}

func isRollup(line []byte) bool { return isRange(line) && bytes.HasSuffix(line, []byte("[rollup]")) }

// isRange says whether a line begins with a range of addresses, as the header lines of maps do.
func isRange(line []byte) bool {
	i := 0
	for i < len(line) && isHex(line[i]) {
		i++
	}
	return i >= 8 && i+1 < len(line) && line[i] == '-' && isHex(line[i+1])
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

func isStatus(line []byte) bool {
	key, rest, ok := cutKey(line)
	if !ok || statusMetrics[string(key)] == "" {
		return false
	}
	_, _, kb, ok := value(rest)
	return ok && kb
}

func isMeminfo(line []byte) bool {
	key, rest, ok := cutKey(line)
	if !ok {
		return false
	}
	_, key, _ = cutNode(key)
	switch string(key) {
	case "MemTotal", "MemFree", "MemAvailable":
		_, _, kb, ok := value(rest)
		return ok && kb
	}
	return false
}
