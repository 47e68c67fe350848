// Package series reads text that holds a figure a line: CSV as scripts and loggers write it, the logs of psrecord
// and pidstat, and ps in a loop. It stands at the start of the flow: foreign text in, rows of table samples out.
//
// Formats, in the order in which they are to be asked (name · title · the command that takes such a capture):
//
//	psrecord    psrecord log                psrecord PID --log FILE
//	pidstat     sysstat's pidstat -r        LC_ALL=C pidstat -rhH -p PID 1 > FILE
//	ps          ps in a loop                while date +%s; do ps -o pid,rss,vsz,comm -p PID; sleep 1; done > FILE
//	series-csv  CSV, one sample a line      a header such as time_s,rss_kb and a line a sample
//
// Every file of this package is a run of its own.
package series

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// words are the strings that every decoder of this package needs, numbered once for each input.
type words struct {
	process, handle   table.Sym // scopes
	empty             table.Sym // the name in scope process
	rss, vss, pss     table.Sym
	uss, count, thing table.Sym
}

func newWords(b *table.Builder) words {
	return words{
		process: b.Text("process"), handle: b.Text("handle"), empty: b.Text(""), thing: b.Text("threads"),
		rss: b.Text("rss"), vss: b.Text("vss"), pss: b.Text("pss"), uss: b.Text("uss"), count: b.Text("count"),
	}
}

// subject is whose figures a line holds.
type subject struct {
	pid     table.Int
	process table.Sym
}

// grouping tells where a sample ends in formats that print a line for each process: at another time, or when the
// first process of the sample comes again.
type grouping struct {
	first   subject
	started bool
}

// begins says whether a line of subject s begins a sample; moved says that its time differs from the line before.
func (g *grouping) begins(s subject, moved bool) bool {
	if g.started && !moved && s != g.first {
		return false
	}
	g.first, g.started = s, true
	return true
}

// eachLine visits the lines of a head until visit says stop or limit lines are through.
func eachLine(head []byte, limit int, visit func(line []byte) (stop bool)) {
	for n := 0; len(head) > 0 && n < limit; n++ {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if visit(bytes.TrimRight(line, "\r")) {
			return
		}
		head = rest
	}
}

// fields splits a line at blanks into the cells of dst, which is used again for every line.
func fields(line []byte, dst [][]byte) [][]byte {
	dst = dst[:0]
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		dst = append(dst, line[from:i])
	}
	return dst
}

// columnOf is the position of a cell in its line, from 1. The cell must be a part of the line.
func columnOf(line, cell []byte) int {
	return cap(line) - cap(cell) + 1
}

// mayGoOn says whether the last cell of a file that ends without a line end may be half: only a quote that is closed ends
// one. A number that lost digits cannot be told from one that fell.
func mayGoOn(last []byte) bool {
	return len(last) < 2 || last[0] != '"' || last[len(last)-1] != '"'
}
