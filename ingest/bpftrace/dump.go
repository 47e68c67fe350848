package bpftrace

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// printed is the print of a map in text: "@name[key]: value". closed is false where the key goes on in the next line.
type printed struct {
	name, key, value []byte
	keyed, closed    bool
}

// parsePrint reads a line that begins with the name of a map.
func parsePrint(line []byte) (p printed, ok bool) {
	if len(line) < 2 || line[0] != '@' {
		return p, false
	}
	i := 1
	for i < len(line) && (line[i] == '_' || line[i] >= '0' && line[i] <= '9' || line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z') {
		i++
	}
	p.name = line[:i]
	switch rest := line[i:]; {
	case len(rest) > 0 && rest[0] == '[':
		p.keyed = true
		end := bytes.LastIndex(rest, []byte("]:"))
		if end < 0 {
			return p, true
		}
		p.key, p.value, p.closed = rest[1:end], trim(rest[end+2:]), true
		return p, true
	case len(rest) > 0 && rest[0] == ':':
		p.value, p.closed = trim(rest[1:]), true
		return p, true
	}
	return p, false
}

// countsBytes says whether the values of a map are bytes.
func countsBytes(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "byte") || strings.Contains(name, "size")
}

// extreme says by the name whether a map holds the least, the greatest or the mean of something: bpftrace prints them
// like counts.
func extreme(name string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '@' || r == '_' }) {
		switch word {
		case "min", "max", "avg", "mean", "average", "mn", "mx", "av", "minimum", "maximum":
			return true
		}
	}
	return false
}

// dump reads a map in JSON. A key may stand twice, so that it is read token by token.
func (d *maps) dump(kind string, data []byte) {
	dec := json.NewDecoder(bytes.NewReader(data))
	at := d.l.Line()
	dec.UseNumber()
	if !opens(dec) {
		d.b.Problems.Add(d.pos(at), "want a map in the data of the record, have %q", clip(data))
		return
	}
	for dec.More() {
		name, _ := dec.Token()
		text, ok := name.(string)
		if ok = ok && strings.HasPrefix(text, "@"); ok {
			d.begin(text, true)
			if kind != "map" {
				return
			}
			ok = d.values(dec, text, at)
		}
		if !ok {
			d.b.Problems.Add(d.pos(at), "want a map by its name, with its values, have %q", clip(data))
			return
		}
	}
}

func opens(dec *json.Decoder) bool {
	t, err := dec.Token()
	return err == nil && t == json.Delim('{')
}

// values reads the one value of a map without keys, or those of all its keys.
func (d *maps) values(dec *json.Decoder, name string, at int) bool {
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return false
	}
	if raw[0] != '{' {
		d.sample(name, name, raw, at)
		return true
	}
	keys := json.NewDecoder(bytes.NewReader(raw))
	opens(keys)
	for keys.More() {
		t, err := keys.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || keys.Decode(&value) != nil {
			return false
		}
		if frames, ok := framesOf(key); ok {
			d.site(name, frames, value, at)
		} else {
			d.sample(name, name+"["+key+"]", value, at)
		}
	}
	return true
}

// framesOf gives the lines of a key that are frames; false for a key without a stack.
func framesOf(key string) (frames []byte, ok bool) {
	if !strings.Contains(key, "\n") {
		return nil, false
	}
	for line := range strings.Lines(key) {
		if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
			frames = append(frames, strings.TrimSuffix(line, "\n")...)
			frames = append(frames, '\n')
		}
	}
	return frames, true
}

// isClock says whether a line is a time of day alone.
func isClock(line []byte) bool {
	_, ok := clockOf(line)
	return ok
}

// clockOf reads "HH:MM:SS", which time() prints, in ns of the day.
func clockOf(line []byte) (int64, bool) {
	s := trim(line)
	if len(s) != 8 || s[2] != ':' || s[5] != ':' {
		return 0, false
	}
	var n [3]int64
	for i := range n {
		v, ok := integer(s[3*i : 3*i+2])
		if !ok || v < 0 || v > 60 {
			return 0, false
		}
		n[i] = v
	}
	return (n[0]*3600 + n[1]*60 + n[2]) * second, n[0] < 24 && n[1] < 60
}

const (
	second = int64(1e9)
	day    = 24 * 3600 * second
)

// time begins the dump of a time. A time that falls by more than half a day is of the next one.
func (d *maps) time(ns int64) {
	d.close()
	before := d.last
	if ns += d.days; d.timed && before-ns > day/2 {
		d.days, ns = d.days+day, ns+day
	}
	d.spread(before, ns)
	d.last, d.timed = ns, true
	d.cur = newDump(ns, d.l.Line())
}

// spread writes the dumps between two times, of which nothing tells when they were taken.
func (d *maps) spread(from, to int64) {
	for i, w := range d.waiting {
		if !d.timed {
			w.time = to - int64(len(d.waiting)-i)*second
		} else if n := int64(len(d.waiting)) + 1; to > from {
			w.time = from + (to-from)/n*int64(i+1)
		}
	}
	d.writeWaiting(true)
}

// end writes the dumps behind the last time: the one at exit comes a second after it.
func (d *maps) end() {
	d.close()
	for i, w := range d.waiting {
		w.time = d.last + int64(i+1)*second
	}
	d.writeWaiting(d.timed)
}

func (d *maps) writeWaiting(timed bool) {
	for _, w := range d.waiting {
		d.write(w, timed)
	}
	d.waiting = d.waiting[:0]
}

// close ends the current dump. One that began with a time is written at once.
func (d *maps) close() {
	c := d.cur
	d.open = false
	if n := len(d.waiting); n > 0 && d.waiting[n-1] == c {
		return
	}
	if !d.timed {
		d.waiting = append(d.waiting, c)
		return
	}
	d.write(c, true)
}

// write adds the rows of a dump.
func (d *maps) write(c *dump, timed bool) {
	if len(c.sites)+len(c.samples) == 0 {
		return
	}
	stamp := table.Stamp{Line: c.line}
	if timed {
		stamp.Trace = table.Known(c.time)
	}
	d.b.Snapshot(stamp)
	for _, s := range c.sites {
		row := table.Site{Class: s.class, Stack: s.stack, Line: s.line}
		if v := table.Known(s.value); s.bytes {
			row.TotalBytes = v
		} else {
			row.TotalCount = v
		}
		d.b.Site(row)
	}
	for _, s := range c.samples {
		d.b.Add(s)
	}
	d.rows += len(c.sites) + len(c.samples)
	*c = dump{}
}
