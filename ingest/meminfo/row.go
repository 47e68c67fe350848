package meminfo

import "github.com/memtide/memtide/ingest/table"

// cells are the figures of one row with the columns where they begin, for messages.
type cells struct {
	label []byte
	v     [maxColumns]int64
	at    [maxColumns]int
	n     int
	bad   int // index of the character that is none of a figure; -1 if there is none
}

// split takes a row apart: a label, which may have blanks, points and digits in it, and figures.
func (c *cells) split(line []byte) {
	start := blanks(line, 0)
	i := start
	for i < len(line) && !((i == start || isBlank(line[i-1])) && (isDigit(line[i]) || line[i] == '-')) {
		i++
	}
	end := i
	for end > start && isBlank(line[end-1]) {
		end--
	}
	c.label, c.n, c.bad = line[start:end], 0, -1
	for i < len(line) {
		v, next, ok := cell(line, i)
		if !ok || c.n == maxColumns {
			c.bad = i
			return
		}
		c.v[c.n], c.at[c.n] = v, i
		c.n++
		i = blanks(line, next)
	}
}

// row reads a row of the table or of the Dalvik Details.
func (d *decoder) row(line []byte) {
	k := &d.block
	var c cells
	c.split(line)
	if !d.checkRow(&c, line) {
		k.bad = true
		return
	}
	r := record{scope: d.words.category, line: d.l.Line()}
	total := d.mode == tableRows && string(c.label) == "TOTAL"
	switch {
	case total:
		r.scope, r.name = d.words.process, d.words.empty
	case d.mode == detailRows:
		r.scope = d.words.subcategory
		fallthrough
	default:
		r.name = d.b.Sym(c.label)
	}
	d.fill(&r, &c)
	if total {
		d.closeTable(&r)
	} else if d.mode == tableRows {
		if !k.sums.add(&r) {
			d.b.Problems.Count(d.l.Pos(0), "want sums of the rows below 2^63 bytes, have larger ones: they are left out")
			k.bad = true
		}
	}
	k.records = append(k.records, r)
}

// checkRow says whether the figures of a row can be given to the columns: all of them, or all but those of the heap.
func (d *decoder) checkRow(c *cells, line []byte) bool {
	cols := &d.block.columns
	switch {
	case c.bad >= 0:
		d.b.Problems.Add(d.l.Pos(c.bad+1), "want a figure in kB, have %q", clip(line[c.bad:]))
	case len(c.label) == 0 || c.n == 0:
		d.b.Problems.Add(d.l.Pos(blanks(line, 0)+1), "want a label and %d figures, have %q", cols.n, clip(line[blanks(line, 0):]))
	case c.n != cols.n && c.n != cols.short:
		d.b.Problems.Add(d.l.Pos(c.at[0]+1), "want %d or %d figures behind %q, have %d", cols.short, cols.n, c.label, c.n)
	default:
		return true
	}
	return false
}

// fill stores the figures by their columns, as bytes. Only Unknown, which is what is left of a total, may be negative.
func (d *decoder) fill(r *record, c *cells) {
	cols := &d.block.columns
	for i := 0; i < c.n; i++ {
		f := cols.figures[i]
		if f == none {
			continue
		}
		v, ok := kib(c.v[i])
		if !ok || v < 0 && string(c.label) != "Unknown" {
			d.b.Problems.Add(d.l.Pos(c.at[i]+1), "want a size in kB, have %d", c.v[i])
			d.block.bad = true
			continue
		}
		r.set(f, v)
	}
}

// add is false where a sum leaves 64 bits.
func (s *sums) add(r *record) bool {
	s.rows++
	var okPSS, okRSS bool
	s.pss, okPSS = table.Sum(s.pss, r.v[pss])
	s.rss, okRSS = table.Sum(s.rss, r.v[rss]) // 0 where it is not known
	s.hasRSS = s.hasRSS || r.has&(1<<rss) != 0
	return okPSS && okRSS
}

// closeTable takes the TOTAL row. Its pss contains the swap_pss, so the column and that must add up to it; each row
// is cut to a whole kB.
func (d *decoder) closeTable(r *record) {
	k := &d.block
	k.total, k.totalAt = true, d.l.Line()
	d.mode = junk
	r.has &^= 1 << rss
	stated := r.get(pss)
	if !stated.OK {
		k.total = false
		return
	}
	sum, ok := table.Sum(k.sums.pss, r.v[swapPSS])
	diff, fits := table.Sum(sum, -stated.V)
	if near := k.sums.rows << 10; !k.bad && (!ok || !fits || diff > near || diff < -near) {
		d.b.Problems.Add(d.l.Pos(0), "the TOTAL row has a pss of %d kB, but the rows and its swap add up to %d kB", stated.V>>10, k.sums.pss>>10+r.v[swapPSS]>>10)
	}
}
