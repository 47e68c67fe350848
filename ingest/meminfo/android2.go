package meminfo

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// oldColumns are the columns of the table of Android 2, in their order, and what they are called today.
var oldColumns = []struct{ heading, category string }{{"native", "Native Heap"}, {"dalvik", "Dalvik Heap"}, {"other", "Other"}, {"total", ""}}

// oldFigures are its rows.
var oldFigures = map[string]figure{"size": heapSize, "allocated": heapAlloc, "free": heapFree, "(Pss)": pss,
	"(shared dirty)": sharedDirty, "(priv dirty)": privateDirty}

// oldTable is what is needed from row to row.
type oldTable struct {
	shared [4]table.Int // for the dirty that the last row completes
}

// opensOldTable reads the line of headings.
func (d *decoder) opensOldTable(s []byte) bool {
	if s[0] != 'n' {
		return false
	}
	words := bytes.Fields(s)
	if len(words) != len(oldColumns) {
		return false
	}
	for i := range words {
		if string(words[i]) != oldColumns[i].heading {
			return false
		}
	}
	if !d.block.open || d.block.table {
		d.bareBlock()
	}
	d.block.table = true
	d.enter(oldRows)
	return true
}

// oldRow reads "(Pss):  483  224  1181  1888"; N/A is no row.
func (d *decoder) oldRow(line []byte) {
	label, rest, _ := bytes.Cut(line, []byte{':'})
	f, known := oldFigures[string(trim(label))]
	if !known {
		d.b.Problems.Add(d.l.Pos(blanks(line, 0)+1), "want a row of the table of Android 2, have %q", clip(trim(line)))
		return
	}
	i := len(label) + 1
	for k := range oldColumns {
		i = blanks(line, i)
		if bytes.HasPrefix(line[i:], []byte("N/A")) {
			i += 3
			continue
		}
		v, end, ok := cell(line, i)
		if !ok || v < 0 {
			d.b.Problems.Add(d.l.Pos(i+1), "want a size in kB or N/A, have %q", clip(line[i:]))
			return
		}
		d.oldCell(k, f, v, i)
		i = end
	}
	if blanks(rest, i-len(label)-1) < len(rest) {
		d.b.Problems.Add(d.l.Pos(i+1), "want the end of the row, have %q", clip(line[i:]))
	}
	if f == privateDirty {
		d.block.total = true
		d.mode = junk
	}
}

// oldCell stores one figure as a record of its own, with the line of its row.
func (d *decoder) oldCell(column int, f figure, n int64, at int) {
	v, ok := kib(n)
	if !ok {
		d.b.Problems.Add(d.l.Pos(at+1), "want a size in kB, have %d", n)
		return
	}
	r := record{scope: d.words.category, line: d.l.Line()}
	if name := oldColumns[column].category; name != "" {
		r.name = d.b.Text(name)
	} else {
		r.scope, r.name = d.words.process, d.words.empty
	}
	r.set(f, v)
	shared := &d.block.old.shared[column]
	switch {
	case f == sharedDirty:
		*shared = table.Known(v)
	case f == privateDirty && shared.OK:
		r.v[sharedDirty], r.quiet = shared.V, 1<<sharedDirty
	}
	d.block.records = append(d.block.records, r)
}
