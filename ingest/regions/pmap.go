package regions

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// The further kinds of columns that pmap has.
const (
	mode field = -100 - iota
	offset
	inode
	address
	vmFlags // two-letter words, right-aligned under the title
)

// pmapColumns are the titles of procps (-x, -d; -X and -XX, whose words are the fields of smaps), busybox and toybox.
var pmapColumns = map[string]field{
	"Address": address, "Perm": mode, "Mode": mode, "Offset": offset, "Device": word, "Inode": inode, "Mapping": object, "VmFlags": vmFlags,
	"Kbytes": field(table.MapSize), "Size": field(table.MapSize), "RSS": field(table.MapRSS), "Rss": field(table.MapRSS),
	"PSS": field(table.MapPSS), "Pss": field(table.MapPSS), "Pss_Dirty": field(table.MapPSSDirty), "Dirty": field(table.MapDirty),
	"Shared_Clean": field(table.MapSharedClean), "Shared_Dirty": field(table.MapSharedDirty),
	"Private_Clean": field(table.MapPrivateClean), "Private_Dirty": field(table.MapPrivateDirty),
	"Referenced": field(table.MapReferenced), "Anonymous": field(table.MapAnonymous), "Anon": field(table.MapAnonymous),
	"Swap": field(table.MapSwap), "SwapPss": field(table.MapSwapPSS),
	"KernelPageSize": skipped, "MMUPageSize": skipped, "Locked": skipped, "LazyFree": skipped, "AnonHugePages": skipped, "KSM": skipped,
	"ShmemPmdMapped": skipped, "FilePmdMapped": skipped, "Shared_Hugetlb": skipped, "Private_Hugetlb": skipped,
	"THPeligible": skipped, "THPeligible:": skipped, "ProtectionKey": skipped,
}

// bareColumns are those of pmap without options, which prints no header.
var bareColumns = []field{address, field(table.MapSize), mode, object}

// pmap is the state of the decoder.
type pmap struct {
	*book
	columns  []field
	flagsEnd int // where the title VmFlags ends, counted from the end of the title Address
	open     bool
	owner    owner
}

// DecodePmap reads the output of pmap for one or more processes, each a list of mappings that a line of totals ends.
func DecodePmap(in *source.Input, b *table.Builder) error {
	d := &pmap{book: newBook(in, b)}
	for d.l.Scan() {
		d.line(d.l.Bytes())
	}
	d.close("the file ends before its line of totals")
	return d.log.End("a table of pmap")
}

func (d *pmap) line(line []byte) {
	if len(line) == 0 || isRuler(line) {
		return
	}
	if pid, name, ok := pmapProcess(line); ok {
		if !pid.OK {
			d.b.Problems.Add(d.l.Pos(1), "want PID: COMMAND, have %q", clip(line))
		}
		d.close("another process begins before its line of totals")
		d.begin()
		d.columns, d.owner = bareColumns, owner{pid, d.b.Sym(name)}
		return
	}
	switch {
	case isPmapHeader(line):
		if len(d.rows) > 0 {
			d.close("another begins before its line of totals")
		}
		d.begin()
		d.header(line)
	case d.open && (d.total(line) || d.row(line)):
	default:
		d.log.Other(line, func() { d.close("another sample begins before its line of totals") })
	}
}

func (d *pmap) begin() {
	if !d.open {
		d.open, d.android, d.first = true, false, d.l.Line()
	}
}

// isPmapHeader says whether a line is one of titles.
func isPmapHeader(line []byte) bool {
	return bytes.Contains(line, []byte("Address")) && hasWords(line, "Address", "Mapping") && (hasWords(line, "Kbytes") || hasWords(line, "Perm", "Size"))
}

// isRuler says whether a line is one of '-' or '=' above the totals.
func isRuler(line []byte) bool {
	return len(bytes.Trim(line, "-= \t")) == 0 && (bytes.Contains(line, []byte("---")) || bytes.Contains(line, []byte("===")) || len(trim(line)) == 0)
}

// pmapProcess reads "1234:   command". The pid of a line that begins with a digit and is damaged is not known.
func pmapProcess(line []byte) (table.Int, []byte, bool) {
	i := bytes.IndexByte(line, ':')
	if i < 1 || i > 9 || i+1 == len(line) || !isBlank(line[i+1]) {
		return table.Int{}, nil, false
	}
	n, ok := decimal(line[:i])
	name := trim(line[i+1:])
	return table.Int{V: n, OK: ok}, name, line[0]-'0' <= 9 && len(name) > 0 && bytes.IndexByte(line[:i], ' ') < 0
}

// isBareRow says whether a line is "0000561545300000      8K r---- sleep".
func isBareRow(line []byte) bool {
	t := tokens{line: line}
	_, ok := hex(t.next())
	return ok && t.at == 0 && isKilobytes(t.next()) && isMode(t.next())
}

func (d *pmap) header(line []byte) {
	d.columns = nil
	addressEnd, pss := 0, false
	for t := (tokens{line: line}); len(t.next()) > 0; {
		w := string(line[t.at:t.end])
		f, known := pmapColumns[w]
		switch {
		case !known:
			d.b.Problems.Count(d.l.Pos(t.at+1), "unknown column %q", w)
			f = skipped
		case f == address:
			addressEnd = t.end
		case f == vmFlags:
			d.flagsEnd = t.end - addressEnd
		case w == "PSS":
			pss = true
		case w == "Dirty" && pss: // busybox and toybox, whose figure is that of Private_Dirty
			f = field(table.MapPrivateDirty)
		}
		d.columns = append(d.columns, f)
	}
}

// row takes a mapping. It is false if the line is none.
func (d *pmap) row(line []byte) bool {
	m := table.Mapping{Line: d.l.Line()}
	t := tokens{line: line}
	base, files := 0, 0
	for _, f := range d.columns {
		if f == object {
			break
		}
		if f == vmFlags {
			t.end = d.skipFlags(line, t.end, base)
			continue
		}
		w := t.next()
		ok := true
		switch f {
		case address:
			m.Start, ok = hex(w)
			if !ok || len(w) < 8 {
				return d.damaged(line, t.at)
			}
			base = t.end
		case mode:
			if ok = isMode(w); ok {
				m.Perms = d.b.Sym(perms(w))
			}
		case offset:
			var n uint64
			n, ok = hex(w)
			m.Offset = int64(n)
			files++
		case inode:
			m.Inode, ok = decimal(w)
			files++
		case word:
			ok = len(w) > 0
		default:
			ok = setSize(&m, f, w)
		}
		if !ok {
			d.badRow(line, t.at, f)
			return true
		}
	}
	m.HasFile = files == 2
	d.keep(&m, t.rest())
	return true
}

// damaged says of a line without an address whether it is a row all the same: permissions stand in their place.
func (d *pmap) damaged(line []byte, at int) bool {
	t := tokens{line: line}
	for _, f := range d.columns {
		w := t.next()
		if f == mode && isMode(w) {
			d.badRow(line, at, address)
			return true
		}
	}
	return false
}

// setSize stores a figure; "-" stands where the kernel gives none.
func setSize(m *table.Mapping, f field, w []byte) bool {
	if string(w) == "-" {
		return true
	}
	v, ok := kilobytes(w)
	if ok && f >= 0 {
		m.Set(table.Size(f), v)
	}
	return ok
}

func (d *pmap) keep(m *table.Mapping, name []byte) {
	if !d.l.Ended() {
		return // a cut name cannot be told from a whole one, and the totals are missing anyway
	}
	m.End = m.Start + uint64(m.Sizes[table.MapSize])
	m.HasRange = m.Has&(1<<table.MapSize) != 0 && m.End >= m.Start
	switch string(name) {
	case "[ anon ]", "[anon]":
		name = nil
	case "[ stack ]":
		name = []byte("[stack]")
	}
	m.Path = d.b.Sym(name)
	d.note(name)
	d.rows = append(d.rows, *m)
}

func (d *pmap) badRow(line []byte, at int, f field) {
	want := "a number of kB"
	switch f {
	case address:
		want = "an address"
	case mode:
		want = "permissions like r-x--"
	case offset, inode, word:
		want = "offset, device and inode"
	}
	if d.l.Ended() {
		d.b.Problems.Add(d.l.Pos(at+1), "want %s, have %q", want, clip(line))
	}
}

// skipFlags gives the end of the VmFlags of a row. They are right-aligned under their title, at the same distance from
// the address; in a text whose blanks were lost they are the words of two letters.
func (d *pmap) skipFlags(line []byte, at, base int) int {
	end := base + d.flagsEnd
	if end >= at && end <= len(line) && (end == len(line) || isBlank(line[end])) && !bytes.Contains(line[at:end], []byte("/")) {
		return end
	}
	t := tokens{line: line, end: at}
	for {
		if w := t.next(); len(w) != 2 {
			return t.at
		}
	}
}

// isMode takes "r-x--" of procps and toybox and "r-xp" of busybox and -X.
func isMode(w []byte) bool {
	return (len(w) == 4 || len(w) == 5) && (w[0] == 'r' || w[0] == '-') && (w[1] == 'w' || w[1] == '-') && (w[2] == 'x' || w[2] == '-')
}

// perms are a mode as the kernel prints it: r-xp.
func perms(w []byte) []byte {
	last := byte('p')
	if w[3] == 's' {
		last = 's'
	}
	return []byte{w[0], w[1], w[2], last}
}
