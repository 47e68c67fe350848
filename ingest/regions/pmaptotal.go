package regions

import (
	"bytes"

	"github.com/memtide/memtide/ingest/category"
	"github.com/memtide/memtide/ingest/table"
)

// note looks whether a name is one of Android's.
func (d *pmap) note(name []byte) { d.android = d.android || category.Android(name) }

// total takes the line of totals, which ends the table: "total kB  2924  1740  108" of -x, " total  2924K", "mapped:
// 2924K …" of -d and busybox, and "2924 1740 … KB" of -X. The figures stand in the order of the columns of numbers.
func (d *pmap) total(line []byte) bool {
	t := tokens{line: line}
	switch w := t.next(); {
	case string(w) == "total" || string(w) == "mapped:":
		if mark := t; string(t.next()) != "kB" {
			t = mark
		}
	case bytes.HasSuffix(trim(line), []byte(" KB")) && isNumber(w):
		t.end = 0
	default:
		return false
	}
	if d.l.Ended() { // else its last figure may be cut; the mappings above are whole
		d.check(t)
	}
	d.finish()
	return true
}

func isNumber(w []byte) bool { _, ok := decimal(w); return ok }

// check holds the totals against the sums of the rows. pmap adds up the same rounded figures, but tools differ by a kB
// a mapping.
func (d *pmap) check(t tokens) {
	for _, f := range d.columns {
		if f < skipped {
			continue
		}
		stated, ok := kilobytes(t.next())
		if !ok {
			return
		}
		if f == skipped {
			continue
		}
		var sum int64
		for i := range d.rows {
			var fits bool
			if sum, fits = table.Sum(sum, d.rows[i].Sizes[f]); !fits {
				return // told where the sum is derived
			}
		}
		if slack := int64(len(d.rows)) << 10; sum-stated > slack || stated-sum > slack {
			d.b.Problems.Add(d.l.Pos(t.at+1), "the table prints a total %s of %d bytes, but its %d rows add up to %d", sizeMetric(table.Size(f)), stated, len(d.rows), sum)
		}
	}
}

// finish writes the table of a process.
func (d *pmap) finish() {
	if len(d.rows) > 0 {
		d.log.Record(d.owner.pid, d.owner.name, d.first)
		d.write()
	}
	d.open, d.owner = false, owner{}
}

// close ends a table that has no line of totals.
func (d *pmap) close(why string) {
	if d.open {
		d.drop(d.first, why)
	}
	d.open, d.owner = false, owner{}
}
