package android

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffProcrank claims the header "PID … Vss … cmdline", or the line that says there is no procrank.
func SniffProcrank(head []byte) bool {
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if line = trim(line); isRankHeader(line) || bytes.Contains(line, []byte("procrank: not found")) {
			return true
		}
		head = rest
	}
	return false
}

func isRankHeader(line []byte) bool {
	return bytes.HasPrefix(line, []byte("PID ")) && bytes.HasSuffix(line, []byte(" cmdline")) && bytes.Contains(line, []byte(" Vss "))
}

// rankMetrics are the columns; those of -w count the working set since the last reset and are not stored.
var rankMetrics = map[string]string{"Vss": "vss", "Rss": "rss", "Pss": "pss", "Uss": "uss", "Swap": "swap", "PSwap": "swap_pss", "USwap": "swap_uss", "ZSwap": "zswap",
	"oom": "", "WRss": "", "WPss": "", "WUss": "", "WSwap": ""}

const maxRankColumns = 16

// procrank reads the rows below a header.
type procrank struct {
	log
	process, system, empty table.Sym
	columns                []rankColumn
	total                  bool // the row TOTAL of this snapshot was there
	totals                 bool // an earlier snapshot has one
	vss, rss, pss          table.Sym
}

type rankColumn struct {
	name   string
	metric table.Sym
}

// DecodeProcrank reads processes and the sums of RAM. The error is that of the reading, or says why the file held
// nothing.
func DecodeProcrank(in *source.Input, b *table.Builder) error {
	p := &procrank{log: newLog(in, b), process: b.Text("process"), system: b.Text("system"), empty: b.Text("")}
	p.vss, p.rss, p.pss = b.Text("vss"), b.Text("rss"), b.Text("pss")
	b.Fact("platform", "Android")
	for p.l.Scan() {
		p.line(trim(p.l.Bytes()))
	}
	if p.totals && !p.total && b.HasData() {
		b.Problems.Add(p.l.Pos(0), "want the row TOTAL that the samples before have, have the end of the file: the last sample is dropped")
		b.Drop()
	}
	return p.close(in, "rows of processes below \"PID Vss Rss Pss Uss cmdline\"")
}

func (p *procrank) line(line []byte) {
	switch {
	case len(line) == 0:
	case isRankHeader(line):
		p.header(line)
	case p.columns != nil && isDigit(line[0]) && p.row(line):
	case bytes.HasPrefix(line, []byte("RAM: ")):
		p.sums(line, rankRAM)
	case bytes.HasPrefix(line, []byte("ZRAM: ")):
		p.sums(line, rankZRAM)
	case p.columns != nil && p.damaged(line):
	default:
		p.between(line)
	}
}

// header begins a snapshot; the columns differ by version and option.
func (p *procrank) header(line []byte) {
	p.open()
	p.totals, p.total = p.totals || p.total, false
	p.columns = p.columns[:0]
	words := bytes.Fields(line)
	if len(words) > maxRankColumns {
		p.b.Problems.Add(p.l.Pos(1), "want up to %d columns, have %d", maxRankColumns, len(words))
		return
	}
	for _, w := range words[1 : len(words)-1] {
		c := rankColumn{name: string(w)}
		metric, ok := rankMetrics[c.name]
		if !ok {
			p.b.Problems.Count(p.l.Pos(0), "unknown column %q", w)
		}
		if metric != "" {
			c.metric = p.b.Text(metric)
		}
		p.columns = append(p.columns, c)
	}
}

// damaged says whether a line has the sizes of a row behind what is no process ID.
func (p *procrank) damaged(line []byte) bool {
	_, _, i := word(line, 0)
	for range min(len(p.columns), 3) {
		w, _, end := word(line, i)
		if _, ok := kilo(w); !ok {
			return false
		}
		i = end
	}
	if len(p.columns) == 0 || !p.l.Ended() {
		return false
	}
	p.b.Problems.Add(p.l.Pos(1), "want a process ID and sizes in K, have %q: the row is dropped", clip(line))
	return true
}

// row reads the row of a process, or that of TOTAL, which has fewer figures and no pid. It is false for another line.
func (p *procrank) row(line []byte) bool {
	first, _, i := word(line, 0)
	if first[len(first)-1] == 'K' {
		p.total = bytes.HasSuffix(line, []byte(" TOTAL"))
		return p.total
	}
	pid, n := number(first)
	if n != len(first) {
		return false
	}
	if !p.l.Ended() {
		p.b.Problems.Add(p.l.Pos(1), "want the end of the line, have the end of the file: a row whose name may be cut is dropped")
		return true
	}
	var values [maxRankColumns]int64
	for k, c := range p.columns {
		w, at, end := word(line, i)
		v, ok := kilo(w)
		if !ok && c.name != "oom" {
			p.b.Problems.Add(p.l.Pos(p.column(line, at)), "want %s in K, have %q: the row is dropped", c.name, clip(w))
			return true
		}
		values[k], i = v, end
	}
	p.write(pid, trim(line[i:]), values[:len(p.columns)])
	return true
}

// column gives the column of a character of the trimmed line in the line as it stands.
func (p *procrank) column(line []byte, at int) int {
	return bytes.Index(p.l.Bytes(), line) + at + 1
}

func (p *procrank) write(pid int64, name []byte, values []int64) {
	process := table.Null
	if len(name) > 0 {
		process = p.b.Sym(name)
	}
	p.b.Process(table.Known(pid), process)
	var vss, rss, pss table.Int
	for k, c := range p.columns {
		if c.metric == table.Null {
			continue
		}
		p.b.Add(table.Sample{Scope: p.process, Name: p.empty, Metric: c.metric, Value: values[k], Line: p.l.Line()})
		switch c.metric {
		case p.vss:
			vss = table.Known(values[k])
		case p.rss:
			rss = table.Known(values[k])
		case p.pss:
			pss = table.Known(values[k])
		}
	}
	p.b.Process(table.Int{}, table.Null)
	if vss.OK && rss.OK && rss.V > vss.V {
		p.b.Problems.Count(p.l.Pos(1), "Rss is larger than Vss, which cannot be; the row is kept as printed")
	}
	if rss.OK && pss.OK && pss.V > rss.V {
		p.b.Problems.Count(p.l.Pos(1), "Pss is larger than Rss, which cannot be; the row is kept as printed")
	}
}

// The words behind the figures of the last two lines.
var (
	rankRAM  = map[string]string{"total": "mem_total", "free": "mem_free", "buffers": "buffers", "cached": "cached", "shmem": "shmem", "slab": "slab"}
	rankZRAM = map[string]string{"physical used for": "zram_physical", "in swap": "swap_used", "total swap": "swap_total"}
)

// sums reads "RAM: 3843972K total, 281424K free, …".
func (p *procrank) sums(line []byte, names map[string]string) {
	p.touched = true
	for i := bytes.IndexByte(line, ':') + 1; i < len(line); {
		at := bytes.IndexAny(line[i:], "0123456789")
		if at < 0 {
			return
		}
		for at += i; at > i && line[at-1] != ' ' && line[at-1] != '('; at-- { // to the start of its word
		}
		w, at, end := word(line, at)
		i = end
		v, ok := kilo(w)
		if !ok {
			p.b.Problems.Add(p.l.Pos(p.column(line, at)), "want a size in K, have %q", clip(w))
		}
		stop := bytes.IndexAny(line[i:], ",()0123456789")
		if stop < 0 {
			stop = len(line) - i
		}
		name := line[i : i+stop]
		if stop < len(line)-i && isDigit(line[i+stop]) { // up to the word that this digit stands in
			name = name[:bytes.LastIndexByte(name, ' ')+1]
		}
		metric := names[string(trim(name))]
		switch {
		case metric == "":
			p.b.Problems.Count(p.l.Pos(p.column(line, i)), "unknown figure %q", clip(trim(name)))
		case ok:
			p.b.Add(table.Sample{Scope: p.system, Name: p.empty, Metric: p.b.Text(metric), Value: v, Line: p.l.Line()})
		}
	}
}
