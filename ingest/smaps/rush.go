package smaps

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// rush reads the fields that follow a header as long as they are the expected ones in the kernel's own form,
// "Key:    digits kB\n". It needs no search for the end of a line, which is a third of the cost of reading one; at
// the first line that is anything else it stops, and that line is read with all care.
func (d *decoder) rush() {
	b := d.l.Ahead()
	m := &d.rows[len(d.rows)-1]
	k := &d.keys
	at, lines := 0, 0
	for k.next < len(k.order) {
		e := &k.order[k.next]
		if e.size < pageSize || e.size >= 0 && m.Has&(1<<e.size) != 0 {
			break
		}
		v, n := plain(b[at:], &e.label)
		if n == 0 || e.size == pageSize && v<<10 != d.page {
			break
		}
		if e.size >= 0 {
			m.Sizes[e.size] = v << 10
			m.Has |= 1 << e.size
		}
		at, lines = at+n, lines+1
		k.next++
	}
	d.fields += lines
	d.l.Skip(at, lines)
}

// The kernel writes a field as a label padded to 16 bytes, a number of 8 places and the unit (seq_put_decimal_ull_width
// in fs/proc/task_mmu.c). A number of more places makes a longer line, which is read with care.
const (
	labelWidth = 16
	lineWidth  = labelWidth + 8 + 4 // " kB" and the line end
)

// label is the beginning of a line of the kernel's form, as two words that are compared at once.
type label [2]uint64

func labelOf(key []byte) label {
	padded := fmt.Appendf(nil, "%-*s", labelWidth, string(key)+":")
	return label{binary.LittleEndian.Uint64(padded), binary.LittleEndian.Uint64(padded[8:])}
}

// unitEnd is " kB" and the end of the line.
const unitEnd = ' ' | 'k'<<8 | 'B'<<16 | '\n'<<24

// plain reads one line of the kernel's form that begins with a label; n is its length, 0 if it is of another form.
func plain(b []byte, l *label) (v int64, n int) {
	if len(b) < lineWidth {
		return 0, 0
	}
	b = b[:lineWidth]
	if binary.LittleEndian.Uint64(b) != l[0] || binary.LittleEndian.Uint64(b[8:]) != l[1] || binary.LittleEndian.Uint32(b[labelWidth+8:]) != unitEnd {
		return 0, 0
	}
	v, ok := places(binary.LittleEndian.Uint64(b[labelWidth:]))
	if !ok {
		return 0, 0
	}
	return v, lineWidth
}

// places reads eight places, blanks and then digits, the first in the lowest byte. All of them at once: neighbours
// are joined to numbers of two, four and eight digits by one multiplication each.
func places(x uint64) (int64, bool) {
	const each = 0x0101010101010101
	blank := (x ^ each*0x20) // 0 in the bytes that are blank
	lead := bits.TrailingZeros64(blank) / 8
	if lead == 8 {
		return 0, false
	}
	x ^= each * 0x30
	x &^= 1<<(8*lead) - 1 // leading blanks count as 0
	if (x|(x+each*0x76))&(each*0x80) != 0 {
		return 0, false // a byte beyond 9
	}
	x = x * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
	x = x * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	x = x * (10000<<32 + 1) >> 32
	return int64(x), true
}
