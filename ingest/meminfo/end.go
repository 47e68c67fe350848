package meminfo

import (
	"bytes"
	"strings"
)

// finish closes the last snapshot, in which the end of the file may have cut something.
func (d *decoder) finish() {
	d.atEnd = true
	if d.half && !d.block.open {
		d.b.Problems.Add(d.l.Pos(1), "want the rest of the line, have the end of the file: it is dropped")
	}
	d.closeBlock()
	if d.lists != 0 && !d.footer && d.footers {
		d.b.Problems.Add(d.l.Pos(0), "want the sums of RAM that the dumps before have, have the end of the file: the last dump is dropped")
		d.b.Drop()
	}
	d.settle()
}

// whole says whether the last line of a file, which has no line end, is a whole one: its last figure must end where
// the layout ends a figure, its bracket must be closed, its label must be one that is no part of another. What stands
// at the left edge is a prompt or begins a part, which then has no data.
func (d *decoder) whole(line []byte, indent int) bool {
	if indent == 0 && line[0] != 'D' {
		return d.mode != tableRows && d.mode != detailRows && d.mode != summaryRows
	}
	switch d.mode {
	case junk:
		return !d.block.open
	case tableRows, detailRows:
		c := &d.block.columns
		return c.edge > 0 && (len(line) >= c.edge || len(line) == c.short1 && !bytes.Contains(line, []byte("TOTAL")))
	case summaryRows, objectRows, sqlRows:
		return wholePair(line)
	case oldRows:
		colon := bytes.IndexByte(line, ':')
		return colon >= 0 && len(line)-colon >= 1+4*9
	case processList, oomList, categoryList:
		return bytes.HasSuffix(line, []byte(")")) || wholeLabel(line)
	case footerRows:
		return bytes.HasSuffix(line, []byte(")")) || bytes.HasSuffix(line, []byte("K")) || bytes.HasSuffix(line, []byte("kB"))
	}
	return true
}

// wholePair checks the printf format of the summary and of the objects: a figure ends 9 behind its colon, and 40 if
// it is in the second column of the summary.
func wholePair(line []byte) bool {
	colon := bytes.LastIndexByte(line, ':')
	if colon < 0 || !isDigit(line[len(line)-1]) {
		return false
	}
	width := len(line) - colon - 1
	second := len(bytes.Fields(line[colon+1:])) > 1 || width > rssColumn
	return !second && width >= 9 || second && width >= 40
}

// labels are those of the OOM levels and categories of the system that are not the beginning of another.
var labels = strings.Split("Native|System|Persistent Service|Foreground|Visible|Perceptible Low|Perceptible Medium|Backup|Heavy Weight|A Services|Home|Previous|B Services|Cached|"+
	"Dalvik Other|Stack|Cursor|Ashmem|Gfx dev|Other dev|.so mmap|.jar mmap|.apk mmap|.ttf mmap|.dex mmap|.oat mmap|.art mmap|Other mmap|EGL mtrack|GL mtrack|Other mtrack|Unknown", "|")

func wholeLabel(line []byte) bool {
	_, label, _ := bytes.Cut(line, []byte(": "))
	for _, l := range labels {
		if l == string(label) {
			return true
		}
	}
	return false
}
