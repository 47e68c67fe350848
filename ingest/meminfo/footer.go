package meminfo

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// footerLine is a line of the sums of RAM: what its first size is, and those that a word follows.
type footerLine struct {
	first string // "" is not stored
	words map[string]string
}

// footer gives the lines by what stands before their colon. Android's own sums: free_ram contains cached memory, and
// lost_ram may be negative.
var footer = map[string]footerLine{
	"Total RAM": {"mem_total", nil},
	"Free RAM":  {"free_ram", map[string]string{"cached pss": "cached_pss", "cached kernel": "cached_kernel", "cached": "cached_kernel", "free": "mem_free"}},
	"Used RAM":  {"used_ram", map[string]string{"used pss": "used_pss", "kernel": "used_kernel", "buffers": "buffers", "shmem": "shmem", "slab": "slab"}},
	"Lost RAM":  {"lost_ram", nil},
	"ZRAM":      {"zram_physical", map[string]string{"in swap": "swap_used", "total swap": "swap_total"}},
	"KSM":       {"ksm", nil},
	"ION":       {"ion", nil},
	"DMA-BUF":   {"dmabuf", nil},
	"GPU":       {"gpu_used", nil},

	"DMA-BUF Heaps": {}, "DMA-BUF Heap": {}, "DMA-BUF Heaps pool": {}, "Kernel CMA": {},
}

// footerKey says whether a line begins as one of the sums.
func footerKey(s []byte) bool {
	key, _, _ := bytes.Cut(s, []byte{':'})
	_, ok := footer[string(key)]
	return ok || string(key) == "Tuning"
}

// openFooter begins the sums of RAM, which end a dump of the whole system.
func (d *decoder) openFooter() {
	d.closeBlock()
	if d.footer {
		d.endSample()
		d.beginHere()
	}
	d.touched, d.footer, d.mode = true, true, footerRows
}

// footerRow reads a line of the sums.
func (d *decoder) footerRow(line []byte) {
	start := blanks(line, 0)
	key, _, found := bytes.Cut(line[start:], []byte{':'})
	if !found {
		if !bytes.Contains(line, []byte(" unshared")) { // the second line of KSM
			d.b.Problems.Count(d.l.Pos(start+1), "unknown line in the sums of RAM: %q", clip(line[start:]))
		}
		return
	}
	if string(key) == "Tuning" {
		d.b.Fact("tuning", strings.Join(strings.Fields(string(line[start+len(key)+1:])), " "))
		return
	}
	f, ok := footer[string(key)]
	if !ok {
		d.b.Problems.Count(d.l.Pos(start+1), "unknown line in the sums of RAM: %q", key)
		return
	}
	d.footerSizes(f, line, start+len(key)+1)
}

// footerSizes writes the sizes of a line. The first has a unit in all versions; without it the line is cut.
func (d *decoder) footerSizes(f footerLine, line []byte, i int) {
	n, end, unit, ok := size(line, i)
	if !ok || !unit {
		d.b.Problems.Add(d.l.Pos(blanks(line, i)+1), "want a size in kB, have %q", clip(line[min(blanks(line, i), len(line)):]))
		return
	}
	d.systemRow(f.first, n, i)
	for i = end; f.words != nil; {
		at := bytes.IndexAny(line[i:], "-0123456789")
		if at < 0 {
			return
		}
		if n, end, _, ok = size(line, i+at); !ok || n < 0 || !isBetween(line[i:i+at]) {
			d.b.Problems.Add(d.l.Pos(blanks(line, i)+1), "want a size in kB, have %q", clip(line[blanks(line, i):]))
			return
		}
		stop := bytes.IndexAny(line[end:], "+)(")
		if stop < 0 {
			d.b.Problems.Add(d.l.Pos(end+1), "want words and a bracket behind a size, have %q", clip(line[end:]))
			return
		}
		word := trim(line[end : end+stop])
		if f.words[string(word)] == "" {
			d.b.Problems.Count(d.l.Pos(end+1), "unknown part %q of the sums of RAM", word)
		}
		d.systemRow(f.words[string(word)], n, i+at)
		i = end + stop
	}
}

// isBetween says whether nothing but what belongs there stands between two sizes.
func isBetween(s []byte) bool {
	s = bytes.Trim(s, " (+)")
	return len(s) == 0 || string(s) == "physical used for"
}

func (d *decoder) systemRow(metric string, kb int64, at int) {
	if metric == "" {
		return
	}
	v, ok := kib(kb)
	if !ok {
		d.b.Problems.Add(d.l.Pos(at+1), "want a size in kB, have %d", kb)
		return
	}
	d.b.Process(table.Int{}, table.Null)
	d.b.Add(table.Sample{Scope: d.words.system, Name: d.words.empty, Metric: d.b.Text(metric), Value: v, Line: d.l.Line()})
}
