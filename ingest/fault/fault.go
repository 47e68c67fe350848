// Package fault reads what is left when a process died of memory: Android tombstones, and the lines that the Linux
// kernel, Android's low memory killer daemon and the memory status of iOS write into their logs. It stands at the
// start of the flow: foreign text in, rows of the tables faults, frames and samples out.
//
// Formats, in the order in which they are to be asked (name · title · the command that takes such a capture):
//
//	android-tombstone  Android tombstone                  adb bugreport, or adb pull /data/tombstones
//	kernel-oom         Linux OOM killer, in a kernel log  dmesg > FILE, or journalctl -k > FILE
//	lmkd               Android low memory killer          adb logcat -d -b all > FILE
//	memorystatus       iOS jetsam, in a console log       idevicesyslog > FILE, or log collect
//
// The last three are lines in a log: whichever of them a log is taken for, the kills of the others are read too.
package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// eachLine visits the lines of a head until visit says stop.
func eachLine(head []byte, visit func(line []byte) (stop bool)) {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if visit(bytes.TrimRight(line, "\r")) {
			return
		}
		head = rest
	}
}

// number reads the digits at the start of s; n is how many there are, 0 if there is none or the value is beyond
// int64.
func number(s []byte) (v int64, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		if v > (1<<63-1-9)/10 {
			return 0, 0
		}
		v = v*10 + int64(s[n]-'0')
		n++
	}
	return v, n
}

// whole reads a number that ends with the word it stands in: at the end of s, or before a blank or a closing mark. n is 0
// for one that goes on in another way: its digits alone are another number.
func whole(s []byte) (v int64, n int) {
	v, n = number(s)
	if n < len(s) && bytes.IndexByte([]byte(" \t,:;)]'\\"), s[n]) < 0 || n+1 < len(s) && s[n] == ',' && s[n+1]-'0' <= 9 {
		return 0, 0
	}
	return v, n
}

// times multiplies where the result fits.
func times(v, unit int64) table.Int {
	if v > (1<<63-1)/unit {
		return table.Int{}
	}
	return table.Known(v * unit)
}

// after gives what stands behind the first key in s; nil if it is not there.
func after(s []byte, key string) []byte {
	i := bytes.Index(s, []byte(key))
	if i < 0 {
		return nil
	}
	return s[i+len(key):]
}

// kilobytes reads the figure "key123kB" or "key123 kB" anywhere in s, to bytes. found says that the key is there.
func kilobytes(s []byte, key string) (v table.Int, found bool) {
	rest := after(s, key)
	if rest == nil {
		return table.Int{}, false
	}
	n, digits := number(rest)
	unit := bytes.TrimLeft(rest[digits:], " ")
	if digits == 0 || len(unit) < 2 || unit[0]|0x20 != 'k' || unit[1] != 'B' {
		return table.Int{}, true
	}
	return times(n, 1024), true
}

// upTo gives s before the first of any of the ends.
func upTo(s []byte, ends ...string) []byte {
	for _, e := range ends {
		if i := bytes.Index(s, []byte(e)); i >= 0 {
			s = s[:i]
		}
	}
	return s
}

// clip shortens what a message quotes.
func clip(s []byte) string {
	const most = 80
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}

// columnOf is the position of a part of a line, from 1.
func columnOf(line, part []byte) int { return cap(line) - cap(part) + 1 }

// nothing is the error of a file that holds none of the records of its format.
func nothing(in *source.Input, line int, want string) error {
	return source.Errorf(in.At(line, 0), "held nothing: want %s", want)
}

// wordsOf splits a line at blanks. Unlike those of bytes.Fields the words keep their place in the line.
func wordsOf(line []byte) [][]byte {
	var out [][]byte
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' || line[i] == '\t' {
			continue
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		out = append(out, line[from:i])
	}
	return out
}
