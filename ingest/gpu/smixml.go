package gpu

import (
	"bytes"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffXML claims the output of nvidia-smi -q -x by its root.
func SniffXML(head []byte) bool {
	return bytes.Contains(head, []byte("<nvidia_smi_log>"))
}

// DecodeXML reads nvidia-smi -q -x, one document or several behind each other, each a moment. It reads the text tag by tag,
// so that a document that is cut or damaged gives what stands before.
func DecodeXML(in *source.Input, b *table.Builder) error {
	r := &document{ledger: newLedger(b), l: source.NewLines(in)}
	for r.l.Scan() {
		r.line(r.l.Bytes())
	}
	if r.open && r.l.Err() == nil {
		b.Problems.Add(r.l.Pos(0), "want </nvidia_smi_log>, have the end of the file: it is cut")
		r.cut()
	}
	r.clock()
	return r.finish(in, r.l.Err(), "want nvidia_smi_log with an fb_memory_usage that tells used or free")
}

// survey is where the reading of a list of cards stands; nvidia-smi -q and its XML go through them in one order.
type survey struct {
	open, fb, slice bool // inside a document, a block of frame buffer figures, a MIG device
	attached        int  // cards that the document says it has, 0 if it does not
	cards           int
	card            int // the device at hand, -1 before the first
	part            int // the MIG device at hand, -1 before its GPU instance is known
	run             listed
}

// listed is a process as it is being read; what is not known yet is nil.
type listed struct {
	pid  int64
	ok   bool
	name table.Sym
}

// begin starts a document.
func (s *survey) begin(l *ledger, line int) {
	if s.open {
		s.cutBy(l)
	}
	*s = survey{open: true, card: -1, part: -1}
	l.moment(table.Int{}, line)
}

// cutBy drops sums over cards of a document that did not come to its end.
func (s *survey) cutBy(l *ledger) {
	if s.attached != 1 {
		l.forgetProcesses()
	}
}

// next starts a card. It is told from others by its place and its bus id.
func (s *survey) next(l *ledger, bus string) {
	index := strconv.Itoa(s.cards)
	s.card = l.device([]byte(index+" "+bus), func() device { return device{index: index, bus: bus} })
	s.cards++
	s.slice, s.part, s.fb = false, -1, false
}

// instance sets the GPU instance of the MIG device at hand.
func (s *survey) instance(l *ledger, id string) {
	if !s.slice || s.card < 0 || id == "" {
		return
	}
	d := device{index: l.devices[s.card].index, product: l.devices[s.card].product, bus: l.devices[s.card].bus, mig: id}
	s.part = l.device([]byte(d.index+" "+d.bus+" MIG "+id), func() device { return d })
}

// owner is whose figures follow, -1 if it is not known.
func (s *survey) owner() int {
	if s.slice {
		return s.part
	}
	return s.card
}

// document reads the tags of XML.
type document struct {
	*ledger
	survey
	l    *source.Lines
	text []byte
	at   int // column of the text, from 1
}

func (r *document) cut() { r.cutBy(r.ledger) }

// line goes through the tags of a line.
func (r *document) line(line []byte) {
	for i := 0; i < len(line); {
		open := bytes.IndexByte(line[i:], '<')
		if open < 0 {
			if rest := bytes.TrimSpace(line[i:]); r.fb && i > 0 && len(rest) > 0 {
				r.b.Problems.Count(r.l.Pos(i+1), "want an end tag behind %q, have the end of the line", clip(rest))
			}
			return
		}
		r.text, r.at = bytes.TrimSpace(line[i:i+open]), i+1
		i += open + 1
		end := bytes.IndexByte(line[i:], '>')
		if end < 0 {
			r.b.Problems.Add(r.l.Pos(i), "want a tag that ends in its line, have %q", clip(line[i-1:]))
			return
		}
		if tag := line[i : i+end]; len(tag) > 0 && tag[0] == '/' {
			r.end(string(tag[1:]))
		} else {
			r.start(tag)
		}
		i += end + 1
	}
}

func (r *document) start(tag []byte) {
	name, rest, _ := bytes.Cut(tag, []byte{' '})
	switch string(name) {
	case "nvidia_smi_log":
		r.begin(r.ledger, r.l.Line())
	case "gpu":
		if r.open {
			r.next(r.ledger, attribute(rest))
		}
	case "mig_device":
		r.slice, r.part = true, -1
	case "fb_memory_usage":
		r.fb = true
	case "process_info":
		r.run = listed{}
	}
}

// attribute is the value of the only attribute that the format has.
func attribute(s []byte) string {
	_, s, _ = bytes.Cut(s, []byte{'"'})
	s, _, _ = bytes.Cut(s, []byte{'"'})
	return string(s)
}

// xmlFigures are the elements of a block of frame buffer figures.
var xmlFigures = map[string]metric{"total": total, "reserved": driverReserved, "used": used, "free": free}

func (r *document) end(name string) {
	if !r.open {
		return
	}
	if m, ok := xmlFigures[name]; ok && r.fb {
		if dev := r.owner(); dev >= 0 {
			r.size(r.l, r.at, dev, m, r.text, mebibyte, 0)
		}
		return
	}
	switch name {
	case "nvidia_smi_log":
		r.open = false
	case "fb_memory_usage":
		r.fb = false
	case "mig_device":
		r.slice, r.part = false, -1
	case "gpu_instance_id":
		r.instance(r.ledger, known(r.text))
	case "timestamp":
		r.stamp()
	case "driver_version":
		r.b.Fact("tool", "nvidia-smi "+string(r.text))
	case "attached_gpus":
		n, _ := pid(r.text)
		r.attached = int(n)
	case "product_name", "uuid":
		r.describe(name)
	case "pid", "process_name", "used_memory":
		r.ofProcess(name)
	}
}

func (r *document) stamp() {
	ns, ok := timeOf(r.text)
	if !ok {
		r.b.Problems.Add(r.l.Pos(r.at), "want a time such as Mon Aug  7 11:10:06 2023, have %q", clip(r.text))
		return
	}
	r.moments[r.now()-1].wall = table.Known(ns)
}

func (r *document) describe(name string) {
	if r.card < 0 || r.slice {
		return
	}
	d := &r.devices[r.card]
	if name == "uuid" {
		d.uuid = known(r.text)
	} else if d.product == "" {
		d.product = string(unescape(r.text))
	}
}

// ofProcess reads a part of process_info; used_memory is the last.
func (r *document) ofProcess(name string) {
	switch name {
	case "pid":
		if r.run.pid, r.run.ok = pid(r.text); !r.run.ok {
			r.b.Problems.Add(r.l.Pos(r.at), "want a pid, have %q", clip(r.text))
		}
	case "process_name":
		if r.run.name = table.Null; !missing(r.text) {
			r.run.name = r.b.Sym(unescape(r.text))
		}
	default:
		r.ran(r.ledger, r.l, r.at, r.text)
	}
}

// ran notes a process whose memory was read last.
func (s *survey) ran(l *ledger, in *source.Lines, column int, cell []byte) {
	if !s.run.ok || s.card < 0 || missing(cell) {
		return
	}
	v, ok := size(cell, mebibyte)
	if !ok {
		l.b.Problems.Add(in.Pos(column), "want a size such as 841 MiB, have %q", clip(cell))
		return
	}
	l.used(s.run.pid, s.run.name, s.card, v, in.Pos(column), 0)
	s.run = listed{}
}

// unescape resolves the five entities of XML.
func unescape(s []byte) []byte {
	if bytes.IndexByte(s, '&') < 0 {
		return s
	}
	for _, e := range [...][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&amp;", "&"}} {
		s = bytes.ReplaceAll(s, []byte(e[0]), []byte(e[1]))
	}
	return s
}
