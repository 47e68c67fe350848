// Package regions reads the tables of mappings that tools print from smaps: Android's showmap (a row a name) and librank
// (a row a library and process), and pmap of procps, busybox and toybox (a row a mapping). Sources: AOSP's
// system/memory/libmeminfo/tools/{showmap,librank}.cpp, procps-ng's pmap.c, busybox's and toybox's pmap.c.
//
//	name     how to take it
//	showmap  adb shell su 0 showmap $PID > showmap.txt      (also in a bug report)
//	librank  adb shell su 0 librank > librank.txt
//	pmap     while sleep 10; do date; pmap -X $PID; done > pmap.log    (or -XX, -x, -d, or none of them: sizes only)
package regions

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
)

// SniffShowmap claims text with the two header lines of showmap over each other.
func SniffShowmap(head []byte) bool {
	if !bytes.Contains(head, []byte("virtual")) {
		return false
	}
	var before []byte
	return holds(head, func(line []byte) bool {
		found := hasWords(before, "virtual", "shared", "private") && hasWords(line, "size", "RSS", "PSS", "object")
		before = line
		return found
	})
}

// SniffLibrank claims text with the header line of librank.
func SniffLibrank(head []byte) bool {
	return bytes.Contains(head, []byte("RSStot")) && holds(head, func(line []byte) bool {
		return hasWords(line, "RSStot", "VSS", "PSS", "Name/PID")
	})
}

// SniffPmap claims text with a header line of pmap -x, -X, -XX or -d, or a row of a bare pmap below the line of a process.
func SniffPmap(head []byte) bool {
	var before []byte
	return holds(head, func(line []byte) bool {
		if isPmapHeader(line) {
			return true
		}
		_, _, named := pmapProcess(before)
		before = line
		return named && isBareRow(line)
	})
}

// holds says whether a line of head fits. A bug report, which holds these tables as parts, has none.
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

// hasWords says whether all words stand in the line, each by itself.
func hasWords(line []byte, words ...string) bool {
	if len(line) == 0 || len(line) > 1024 {
		return false
	}
	have := bytes.Fields(line)
	for _, w := range words {
		found := false
		for _, h := range have {
			found = found || string(h) == w
		}
		if !found {
			return false
		}
	}
	return true
}
