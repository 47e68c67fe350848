package smaps

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
		v, n := plain(b[at:], e.text)
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

// plain reads one line of the kernel's form; n is its length, 0 if it is of another. Ten digits of kB are 9 TiB,
// beyond which the careful way takes over.
func plain(b, key []byte) (v int64, n int) {
	i := len(key)
	if len(b) < i+32 || b[i] != ':' || string(b[:i]) != string(key) {
		return 0, 0
	}
	for i++; b[i] == ' '; i++ {
		if i >= len(key)+20 {
			return 0, 0
		}
	}
	start := i
	for c := b[i] - '0'; c <= 9; c = b[i] - '0' {
		v = v*10 + int64(c)
		if i++; i > start+10 || i+4 > len(b) {
			return 0, 0
		}
	}
	if i == start || b[i] != ' ' || b[i+1] != 'k' || b[i+2] != 'B' || b[i+3] != '\n' {
		return 0, 0
	}
	return v, i + 4
}
