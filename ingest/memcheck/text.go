package memcheck

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// own finds "==PID== " in a line, and cuts it off. Words of a test driver may stand before it, and a time before the pid
// (--time-stamp=yes).
func own(line []byte) (pid int64, text []byte, ok bool) {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte("=="))
		if i < 0 {
			return 0, nil, false
		}
		at += i + 2
		if pid, n := pidOf(line[at:]); n > 0 {
			return pid, line[at+n:], true
		}
	}
}

// pidOf reads "5067== " or "00:00:00:01.450 5067== ", and gives its length; 0 if it is none.
func pidOf(s []byte) (pid int64, n int) {
	if n = span(s, "0123456789:."); n >= 12 && n < len(s) && s[n] == ' ' { // the time
		n++
	} else {
		n = 0
	}
	digits := span(s[n:], "0123456789")
	for _, c := range s[n : n+min(digits, 12)] {
		pid = pid*10 + int64(c-'0')
	}
	if n += digits; digits == 0 || digits > 12 || !bytes.HasPrefix(s[n:], []byte("==")) {
		return 0, 0
	}
	if n += 2; n < len(s) && s[n] == ' ' {
		n++
	}
	return pid, n
}

// nearlyOwn finds "==PID== " at the start of a line, behind the number of a test at most, of which the pid is none: one
// word with a digit in it, or of one character.
func nearlyOwn(line []byte) (text []byte, ok bool) {
	if n := span(line, "0123456789"); n > 0 && bytes.HasPrefix(line[n:], []byte(": ")) {
		line = line[n+2:]
	}
	rest, ok := bytes.CutPrefix(line, []byte("=="))
	pid, text, found := bytes.Cut(rest, []byte("=="))
	text, spaced := bytes.CutPrefix(text, []byte(" "))
	return text, ok && found && (spaced || len(text) == 0) && len(pid) < 60 && (len(pid) == 1 || bytes.ContainsAny(pid, "0123456789")) &&
		bytes.Count(pid, []byte(" ")) <= 1
}

// unowned reads a line without a pid that can be read: it is of the process of the log where there is only one.
func (r *reader) unowned(text []byte) {
	if len(r.list) == 1 {
		r.b.Problems.Add(r.l.Pos(1), "want ==PID==, have %q: taken as of process %d, the only one before it", clip(string(r.l.Bytes())), r.list[0].pid)
		r.line(r.list[0], text)
		return
	}
	r.b.Problems.Add(r.l.Pos(1), "want ==PID==, have %q: the line is left out", clip(string(r.l.Bytes())))
}

// span is the length of the part at the start that is made of some characters.
func span(s []byte, of string) int {
	n := 0
	for n < len(s) && strings.IndexByte(of, s[n]) >= 0 {
		n++
	}
	return n
}

// reader reads the text. Several processes may write into one file, so each has its own state.
type reader struct {
	l    *source.Lines
	b    *table.Builder
	pids map[int64]*process
	list []*process
}

// process is one process under valgrind.
type process struct {
	pid     int64
	name    table.Sym
	greeted bool    // it printed its header: an ERROR SUMMARY must follow
	summed  bool    // it did
	open    *record // what is being read: an error only if a stack follows
	total   total
}

// total is what a summary says is lost, definitely and indirectly.
type total struct {
	bytes, blocks int64
	line          int
	known, bad    bool // said in full; a figure of it could not be read
}

func decodeText(in *source.Input, b *table.Builder) error {
	r := &reader{l: source.NewLines(in), b: b, pids: map[int64]*process{}}
	for r.l.Scan() {
		if pid, text, ok := own(r.l.Bytes()); ok {
			r.line(r.process(pid), text)
		} else if text, ok := nearlyOwn(r.l.Bytes()); ok {
			r.unowned(text)
		}
	}
	for _, p := range r.list {
		r.close(p)
		r.write(p, &p.total)
		if p.greeted && !p.summed {
			b.Problems.Add(r.l.Pos(0), "want an ERROR SUMMARY of process %d, have none: it was killed or the log is cut", p.pid)
		}
	}
	if err := r.l.Err(); err != nil {
		return err
	}
	if len(r.list) == 0 {
		return source.Errorf(in.At(in.Skip+1, 1), "held nothing: want lines of memcheck, ==PID== …")
	}
	return nil
}

func (r *reader) process(pid int64) *process {
	p := r.pids[pid]
	if p == nil {
		p = &process{pid: pid}
		r.pids[pid] = p
		r.list = append(r.list, p)
	}
	return p
}

// line reads one line of a process.
func (r *reader) line(p *process, text []byte) {
	s := strings.TrimSpace(string(text))
	if strings.HasPrefix(s, "at 0x") || strings.HasPrefix(s, "by 0x") || bytes.HasPrefix(text, []byte("   at ")) || bytes.HasPrefix(text, []byte("   by ")) {
		r.frame(p, s)
		return
	}
	switch {
	case s == "":
		r.close(p)
	case r.prose(p, s):
	case text[0] != ' ':
		r.begin(p, s)
	case p.open != nil:
		if strings.Contains(s, " a block of size ") && blockOf(s) == nil {
			r.b.Problems.Add(r.l.Pos(1), "want N bytes inside, before or after a block of size N alloc'd or free'd, have %q", clip(s))
		}
		p.open.about(s)
		if len(p.open.stacks) > 0 {
			p.open.stacks = append(p.open.stacks, stack{about: s})
		}
	}
}

// begin opens a record with its first line. What is no loss record is an error only if a stack follows.
func (r *reader) begin(p *process, s string) {
	r.close(p)
	if !strings.Contains(s, " in loss record ") {
		p.open = &record{what: s, line: r.l.Line()}
		return
	}
	if p.open = loss(s); p.open != nil && r.l.Ended() {
		p.open.line = r.l.Line()
		return
	}
	p.open = nil
	r.b.Problems.Count(r.l.Pos(1), "want BYTES bytes in N blocks are definitely, indirectly or possibly lost or still reachable in loss record I of N, have %q", clip(s))
}

// frame puts a call on the last stack of the open record.
func (r *reader) frame(p *process, s string) {
	f, ok := frameOf(s)
	if !ok || !r.l.Ended() {
		r.b.Problems.Count(r.l.Pos(1), "want a call, at 0xADDRESS: FUNCTION (PLACE), have a line that is none or is cut")
	}
	if p.open == nil || !r.l.Ended() {
		return
	}
	o := p.open
	if len(o.stacks) == 0 {
		o.stacks = append(o.stacks, stack{})
	}
	last := &o.stacks[len(o.stacks)-1]
	last.frames = append(last.frames, f)
}

// close writes the open record.
func (r *reader) close(p *process) {
	o := p.open
	p.open = nil
	if o == nil || !o.lost && (len(o.stacks) == 0 || !o.isError()) {
		return
	}
	r.b.Process(table.Known(p.pid), p.name)
	o.write(r.b)
}

// prose reads the lines that stand for themselves.
func (r *reader) prose(p *process, s string) bool {
	switch {
	case strings.HasPrefix(s, "Command: "):
		p.name = r.b.Text(program(s[len("Command: "):]))
		r.b.Fact("command", s[len("Command: "):])
	case strings.HasPrefix(s, "Using Valgrind-"):
		version, _, _ := strings.Cut(s[len("Using Valgrind-"):], " ")
		r.b.Fact("version", version)
	case strings.HasPrefix(s, "Memcheck, a memory error detector"):
		p.greeted = true
	case strings.HasPrefix(s, "ERROR SUMMARY:"):
		p.summed = true
	case strings.HasPrefix(s, "All heap blocks were freed"):
		p.total = total{line: r.l.Line(), known: true}
	case strings.HasPrefix(s, "definitely lost: "):
		p.total = total{}
		r.add(p, s)
	case strings.HasPrefix(s, "indirectly lost: "):
		r.add(p, s)
		p.total.known = p.total.line > 0 && !p.total.bad
	default:
		return false
	}
	r.close(p)
	return true
}

// add reads "definitely lost: 254,800 bytes in 550 blocks"; a leak check that is repeated has "(+N)" behind figures.
func (r *reader) add(p *process, s string) {
	_, figures, _ := strings.Cut(s, ": ")
	size, rest, ok := number(figures, 10)
	_, behind, found := strings.Cut(rest, " in ")
	n, rest, ok2 := number(behind, 10)
	fits := size < 1<<62 && n < 1<<62 && p.total.bytes < 1<<62 && p.total.blocks < 1<<62
	if !ok || !found || !ok2 || !fits || !strings.Contains(rest, " blocks") {
		p.total.bad = true
		r.b.Problems.Count(r.l.Pos(1), "want BYTES bytes in N blocks, have %q", clip(s))
		return
	}
	p.total.bytes += int64(size)
	p.total.blocks += int64(n)
	p.total.line = r.l.Line()
}

// write makes the rows of a total: that nothing is lost is an answer too.
func (r *reader) write(p *process, t *total) {
	if !t.known {
		return
	}
	r.b.Process(table.Known(p.pid), p.name)
	sample(r.b, "leaked_bytes", t.bytes, t.line)
	sample(r.b, "leaked_count", t.blocks, t.line)
}

func sample(b *table.Builder, metric string, value int64, line int) {
	b.Add(table.Sample{Scope: b.Text("process"), Metric: b.Text(metric), Value: value, Line: line})
}

// clip keeps a message short.
func clip(s string) string { return s[:min(len(s), 60)] }
