package meminfo

import (
	"bytes"
)

// rssColumn is how far behind the colon of a line of the App Summary the only figure stands if it is in the second
// column: the first ends 9 behind it, the second 40.
const rssColumn = 20

// openSummary begins the App Summary, in which "Pss(KB)" is made of private memory; it stays as titled. A second
// one without a header between is the next dump.
func (d *decoder) openSummary() {
	if !d.block.open || d.block.summary.begun {
		d.bareBlock()
	}
	k := &d.block
	k.summary = span{from: len(k.records), to: len(k.records), begun: true}
	d.enter(summaryRows)
}

// summaryRow reads "Java Heap:  69716   84804", or the TOTAL line.
func (d *decoder) summaryRow(line []byte) {
	start := blanks(line, 0)
	if bytes.HasPrefix(line[start:], []byte("TOTAL")) {
		d.summaryTotal(line)
		return
	}
	if isTitle(line[start:]) {
		return
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		d.b.Problems.Add(d.l.Pos(start+1), "want a line of the App Summary, have %q", clip(line[start:]))
		return
	}
	r := record{scope: d.words.summary, name: d.b.Sym(trim(line[start:colon])), line: d.l.Line()}
	figures := [2]figure{pss, rss}
	n := 0
	for i := blanks(line, colon+1); i < len(line); n++ {
		v, end, ok := cell(line, i)
		if !ok || n == len(figures) {
			d.b.Problems.Add(d.l.Pos(i+1), "want a figure in kB, have %q", clip(line[i:]))
			return
		}
		f := figures[n]
		if n == 0 && end == len(line) && (end-colon > rssColumn || d.b.String(r.name) == "Unknown") {
			f = rss
		}
		if v, ok = kib(v); !ok {
			d.b.Problems.Add(d.l.Pos(i+1), "want a figure in kB, have %q", clip(line[i:]))
			return
		}
		r.set(f, v)
		i = blanks(line, end)
	}
	if n == 0 {
		d.b.Problems.Add(d.l.Pos(colon+1), "want a figure in kB, have none")
		return
	}
	d.block.records = append(d.block.records, r)
	d.block.summary.to = len(d.block.records)
}

// isTitle says whether a line is the headings of the App Summary.
func isTitle(s []byte) bool {
	return bytes.HasPrefix(s, []byte("Pss(KB)")) || bytes.HasPrefix(s, []byte("Rss(KB)"))
}

// stated are the names of the TOTAL line: up to Android 10 the pss is called TOTAL.
var stated = map[string]figure{"TOTAL": pss, "TOTAL PSS": pss, "TOTAL RSS": rss, "TOTAL SWAP PSS": swapPSS, "TOTAL SWAP (KB)": swap}

// summaryTotal reads "TOTAL PSS: 337790  TOTAL RSS: 421296  TOTAL SWAP PSS: 162".
func (d *decoder) summaryTotal(line []byte) {
	k := &d.block
	k.stated = record{scope: d.words.process, name: d.words.empty, line: d.l.Line()}
	d.eachPair(line, func(name []byte, v int64, at int) {
		f, ok := stated[string(name)]
		if !ok {
			d.b.Problems.Count(d.l.Pos(at), "unknown total %q in an App Summary", name)
			return
		}
		if v, ok = kib(v); !ok || v < 0 {
			d.b.Problems.Add(d.l.Pos(at), "want a size in kB behind %q", name)
			return
		}
		k.stated.set(f, v)
	})
	k.summary.whole = k.stated.has&(1<<pss|1<<rss) != 0
	d.mode = junk
}

// pairs reads "Views:  779   ViewRootImpl:  1" below Objects or SQL: counts, and sizes of heaps.
func (d *decoder) pairs(line []byte) {
	d.eachPair(line, func(name []byte, v int64, at int) {
		r := record{scope: d.words.class, line: d.l.Line()}
		f := count
		switch {
		case d.mode == sqlRows:
			r.scope, r.name, f = d.words.pool, d.b.Text("SQL "+string(name)), liveBytes
		case string(name) == "Parcel memory":
			r.scope, r.name, f = d.words.pool, d.b.Sym(name), liveBytes
		default:
			r.name = d.b.Sym(name)
		}
		if f == liveBytes {
			var ok bool
			if v, ok = kib(v); !ok {
				d.b.Problems.Add(d.l.Pos(at), "want a size in kB behind %q", name)
				return
			}
		}
		if v < 0 {
			d.b.Problems.Add(d.l.Pos(at), "want a number that is not negative behind %q", name)
			return
		}
		r.set(f, v)
		d.block.records = append(d.block.records, r)
	})
}

// eachPair visits the "name: figure" pairs of a line, with the column of the name.
func (d *decoder) eachPair(line []byte, visit func(name []byte, v int64, at int)) {
	i := blanks(line, 0)
	for i < len(line) {
		n := bytes.IndexByte(line[i:], ':')
		if n <= 0 {
			d.b.Problems.Add(d.l.Pos(i+1), "want a name, a colon and a figure, have %q", clip(line[i:]))
			return
		}
		colon := i + n
		v, end, ok := cell(line, blanks(line, colon+1))
		if !ok {
			d.b.Problems.Add(d.l.Pos(min(blanks(line, colon+1), len(line))+1), "want a figure behind %q, have %q", line[i:colon], clip(line[colon+1:]))
			return
		}
		visit(trim(line[i:colon]), v, i+1)
		i = blanks(line, end)
	}
}
