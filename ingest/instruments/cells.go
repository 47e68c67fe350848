package instruments

import (
	"bytes"
	"math"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// maxDepth bounds the elements that are kept open; real rows nest five deep.
const maxDepth = 64

// cells reads the content of rows into values, one a child. It registers the ids of all elements, nested ones too, and of
// columns that nobody asks for.
type cells struct {
	values
	ids   ids
	s     *stream
	read  int64     // bytes of the document before the row
	line  int       // of the row
	list  []value   // the children of the row
	calls []value   // frames of the backtraces that are open
	open  []element // from the row down to where the text is
	lost  int       // elements that are open below maxDepth
	bad   bool      // its tags do not fit together: what stands where is not known
	loss  string    // what is lost then
	tag   tag
}

// element is an element that is open.
type element struct {
	elementType
	name            []byte
	id              uint64
	hasID           bool
	text, fmt       []byte
	title, addr     []byte // of a frame or binary
	number, subject value  // what its children say: pid, tid or module; process
	first           int    // in cells.calls
}

// elementType says what is taken from an element.
type elementType int8

const (
	scalar elementType = iota
	ignored
	processElement
	threadElement
	pidElement
	tidElement
	frameElement
	binaryElement
	backtraceElement
)

// typeOf tells elements apart by their names, which are Apple's engineering types. What may be a string of its own in
// every row and is never asked for is ignored, so that memory does not follow the rows.
func typeOf(name []byte) elementType {
	switch string(name) {
	case "process":
		return processElement
	case "thread":
		return threadElement
	case "pid":
		return pidElement
	case "tid":
		return tidElement
	case "frame":
		return frameElement
	case "binary":
		return binaryElement
	case "backtrace", "tagged-backtrace", "text-backtrace":
		return backtraceElement
	case "sentinel", "device-session", "system-cpu-percent", "percent", "fixed-decimal", "kperf-bt", "text-addresses", "register-content",
		"os-log-metadata", "narrative", "return-location":
		return ignored
	}
	return scalar
}

// row reads what stands between the tags of a row.
func (c *cells) row(s []byte) {
	c.list, c.calls, c.open, c.lost, c.bad = c.list[:0], c.calls[:0], c.open[:0], 0, false
	for i := 0; ; {
		n := bytes.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		c.content(s[i : i+n])
		i += n
		if i+1 < len(s) && (s[i+1] == '!' || s[i+1] == '?') {
			i += c.markup(s[i:])
			continue
		}
		next := c.tag.parse(s, i)
		if next < 0 {
			c.damaged(s[i:], "the end of a tag", clip(s[i:]))
			break
		}
		if i = next; c.tag.end {
			c.end()
		} else {
			i = c.start(s, i)
		}
	}
	for len(c.open) > 0 {
		c.damaged(c.open[len(c.open)-1].name, "an end tag of each element", []byte("</row>"))
		c.close()
	}
}

// content takes the text of the innermost element.
func (c *cells) content(s []byte) {
	if n := len(c.open); n > 0 && c.lost == 0 && len(s) > 0 && c.open[n-1].text == nil {
		c.open[n-1].text = s
	}
}

func (c *cells) markup(s []byte) int {
	n := markupEnd(s)
	if n < 0 {
		return len(s)
	}
	if in, ok := bytes.CutPrefix(s[:n], []byte("<![CDATA[")); ok {
		c.content(bytes.TrimSuffix(in, []byte("]]>")))
	}
	return n
}

// start takes the start tag before s[i]. An element of text alone is read to its end.
func (c *cells) start(s []byte, i int) int {
	if c.lost > 0 || len(c.open) == maxDepth {
		if !c.tag.empty {
			c.lost++
		}
		return i
	}
	c.open = append(c.open, element{elementType: typeOf(c.tag.name), name: c.tag.name, first: len(c.calls)})
	e := &c.open[len(c.open)-1]
	ref := c.attributes(e)
	switch {
	case c.tag.empty && ref != nil:
		c.refer(ref)
	case c.tag.empty:
		c.close()
	default:
		if end := leafEnd(s, i, e); end > 0 {
			c.close()
			return end
		}
	}
	return i
}

// leafEnd takes text up to the end tag of e and gives the index behind it; 0 if something else stands there.
func leafEnd(s []byte, i int, e *element) int {
	n := bytes.IndexByte(s[i:], '<')
	if n < 0 {
		return 0
	}
	end := i + n + 2 + len(e.name)
	if end >= len(s) || s[i+n+1] != '/' || s[end] != '>' || !bytes.Equal(s[end-len(e.name):end], e.name) {
		return 0
	}
	e.text = s[i : i+n]
	return end + 1
}

// attributes takes those of a start tag and gives ref, which stands for the whole element.
func (c *cells) attributes(e *element) (ref []byte) {
	for i := range c.tag.attrs {
		a := &c.tag.attrs[i]
		switch string(a.name) {
		case "id":
			if e.id, e.hasID = decimal(a.value); !e.hasID {
				c.problem(a.value, "want a number as id, have %q", clip(a.value))
			}
		case "ref":
			ref = a.value
		case "fmt":
			e.fmt = a.value
		case "name":
			e.title = a.value
		case "path":
			if e.title == nil {
				e.title = a.value
			}
		case "addr":
			e.addr = a.value
		}
	}
	return ref
}

// refer gives the innermost element the value of an earlier one.
func (c *cells) refer(ref []byte) {
	id, ok := decimal(ref)
	v := c.ids.get(id)
	if !ok || v == unset {
		c.b.Problems.Count(c.s.at(ref), "want a ref to an element that was met before, have none with its id: the value is left out")
		v = void
	}
	c.give(v)
}

// end takes an end tag.
func (c *cells) end() {
	if c.lost > 0 {
		c.lost--
		return
	}
	n := len(c.open)
	if n == 0 {
		c.damaged(c.tag.name, "a start tag", c.tag.name)
		return
	}
	if e := &c.open[n-1]; !bytes.Equal(c.tag.name, e.name) {
		c.damaged(c.tag.name, "</"+string(clip(e.name))+">", c.tag.name)
	}
	c.close()
}

// close ends the innermost element: its value is kept under its id, and given to what it stands in.
func (c *cells) close() {
	e := &c.open[len(c.open)-1]
	v := c.valueOf(e)
	if e.hasID {
		c.ids.put(e.id, v, c.read)
	}
	c.give(v)
}

// give takes the innermost element off, and gives a value to its parent in its place.
func (c *cells) give(v value) {
	n := len(c.open) - 1
	e := c.open[n].elementType
	c.calls = c.calls[:c.open[n].first]
	c.open = c.open[:n]
	if n == 0 {
		c.list = append(c.list, v)
		return
	}
	switch p := &c.open[n-1]; e {
	case pidElement, tidElement, binaryElement:
		p.number = v
	case processElement:
		p.subject = v
	case backtraceElement:
		p.subject = v
	case frameElement:
		c.calls = append(c.calls, v)
	}
}

// valueOf makes the value of an element from what it holds.
func (c *cells) valueOf(e *element) value {
	switch e.elementType {
	case scalar:
		if len(e.text) == 0 || isSpace(e.text[0]) && len(bytes.TrimSpace(e.text)) == 0 {
			return c.leaf(e.fmt)
		}
		return c.leaf(e.text)
	case pidElement, tidElement:
		if text := bytes.TrimSpace(e.text); len(bytes.Trim(text, "-0123456789")) > 0 {
			c.problem(e.text, "want the number of a process or a thread, have %q", clip(text))
		}
		return c.leaf(e.text)
	case processElement:
		return process | value(c.processes.put(c.processValue(e)))
	case threadElement:
		return thread | value(c.threads.put(c.threadValue(e)))
	case frameElement:
		return frame | value(c.frames.put(c.frameValue(e)))
	case binaryElement:
		if name := base(e.title); len(name) > 0 {
			return module | value(c.sym(name))
		}
	case backtraceElement:
		if calls := c.calls[e.first:]; len(calls) > 0 {
			return c.stack(calls, c.line)
		}
		if e.subject.kind() == stack {
			return e.subject
		}
	}
	return void
}

// processValue is "Name (pid)" of fmt, the pid as its child says.
func (c *cells) processValue(e *element) processOf {
	p := processOf{pid: c.id(e.number)}
	name := e.fmt
	if i := bytes.LastIndex(name, []byte(" (")); i >= 0 && name[len(name)-1] == ')' {
		if n, ok := decimal(name[i+2 : len(name)-1]); ok {
			name = name[:i]
			if !p.pid.OK && n < math.MaxInt32 {
				p.pid = table.Known(int64(n))
			}
		}
	}
	if len(name) > 0 {
		p.name = c.sym(name)
	}
	return p
}

// threadValue is what the children tid and process say, else "Main Thread 0x1e9000 (App, pid: 1001)" of fmt.
func (c *cells) threadValue(e *element) threadOf {
	t := threadOf{tid: c.id(e.number), process: e.subject}
	open := bytes.LastIndex(e.fmt, []byte(" ("))
	if open < 0 || t.tid.OK && t.process != unset {
		return t
	}
	name, pid, _ := bytes.Cut(bytes.TrimSuffix(e.fmt[open+2:], []byte(")")), []byte(", pid: "))
	if n, ok := decimal(pid); ok && t.process == unset && n < math.MaxInt32 {
		t.process = process | value(c.processes.put(processOf{table.Known(int64(n)), c.sym(name)}))
	}
	words := bytes.Fields(e.fmt[:open])
	if len(words) > 0 && !t.tid.OK {
		if n, ok := hexadecimal(bytes.Trim(words[len(words)-1], "()")); ok && n < math.MaxInt32 {
			t.tid = table.Known(int64(n))
		}
	}
	return t
}

// frameValue is a call. A name that is an address is none.
func (c *cells) frameValue(e *element) frameOf {
	var f frameOf
	f.address, f.hasAddress = hexadecimal(e.addr)
	if at, ok := hexadecimal(e.title); ok {
		if !f.hasAddress {
			f.address, f.hasAddress = at, true
		}
	} else if len(e.title) > 0 {
		f.function = c.sym(e.title)
	}
	if e.number.kind() == module {
		f.module = table.Sym(e.number & payload)
	}
	return f
}

func (c *cells) problem(at []byte, format string, args ...any) {
	c.b.Problems.Add(c.s.at(at), format, args...)
}

// damaged says, once a row, that its tags do not fit together.
func (c *cells) damaged(at []byte, want string, have []byte) {
	if !c.bad {
		c.problem(at, "want %s, have %q: %s is left out", want, clip(have), c.loss)
	}
	c.bad = true
}

func (c *cells) at() source.Pos { return c.s.in.At(c.line, 0) }
