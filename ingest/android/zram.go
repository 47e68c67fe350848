package android

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// zramMetrics are the columns of mm_stat that are stored, in their order: orig_data_size, compr_data_size,
// mem_used_total. The others are a limit, a peak and counts of pages.
var zramMetrics = [...]string{"zram_orig", "zram_compr", "zram_physical"}

// SniffZRAM claims lines of 8 or 9 integers that can be those of mm_stat, with little but times and prompts between.
func SniffZRAM(head []byte) bool {
	found, junk := 0, 0
	for len(head) > 0 && found < 8 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		if line = trim(line); len(line) == 0 || isMark(line) {
			continue
		}
		if !isDigit(line[0]) {
			if junk++; junk > 2*(found+1) {
				return false
			}
			continue
		}
		if v, n := integers(line); n != 8 && n != 9 || !isZRAM(v) {
			break // a damaged line behind good ones is a problem for the decoder
		}
		found++
	}
	return found > 0
}

func isMark(line []byte) bool {
	_, ok := source.ParseMark(line)
	return ok
}

// isZRAM holds the figures against what the kernel keeps: whole pages (4 KiB at least) go in and are used, they do not
// grow by compression, and the peak of use is not below the use.
func isZRAM(v [9]int64) bool {
	return v[0]%4096 == 0 && v[2]%4096 == 0 && v[4]%4096 == 0 && v[1] <= v[0] && v[2] <= v[4]
}

// integers reads a line of nothing but integers, up to 9 of them, and says how many; -1 for another line.
func integers(line []byte) (v [9]int64, n int) {
	for i := 0; ; n++ {
		w, _, end := word(line, i)
		if len(w) == 0 {
			return v, n
		}
		x, digits := number(w)
		if digits != len(w) || n == len(v) {
			return v, -1
		}
		v[n], i = x, end
	}
}

// DecodeZRAM reads a line of mm_stat as a snapshot. The error is that of the reading, or says why the file held
// nothing.
func DecodeZRAM(in *source.Input, b *table.Builder) error {
	g := newLog(in, b)
	system, empty := b.Text("system"), b.Text("")
	for g.l.Scan() {
		line := trim(g.l.Bytes())
		if len(line) == 0 {
			continue
		}
		v, n := integers(line)
		switch {
		case n == 8 || n == 9:
			g.open()
			for i, m := range zramMetrics {
				b.Add(table.Sample{Scope: system, Name: empty, Metric: b.Text(m), Value: v[i], Line: g.l.Line()})
			}
		case n > 1 || isDigit(line[0]) && !isMark(line):
			b.Problems.Add(g.l.Pos(1), "want the 8 or 9 integers of mm_stat, have %q", clip(line))
		default:
			g.between(line)
		}
	}
	return g.close(in, "8 or 9 integers of /sys/block/zram0/mm_stat")
}
