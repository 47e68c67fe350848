package mllog

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Words that only a log of vLLM has.
var (
	usageWords  = []byte("GPU KV cache usage: ")
	statsWords  = []byte("Avg prompt throughput: ") // in front of it
	sourceFiles = [][]byte{[]byte("[gpu_model_runner.py:"), []byte("[gpu_worker.py:")}
)

// SniffVLLM claims a log that has a line of vLLM's statistics or of its workers.
func SniffVLLM(head []byte) bool {
	for _, w := range append([][]byte{usageWords}, sourceFiles...) {
		for rest := head; ; {
			i := bytes.Index(rest, w)
			if i < 0 {
				break
			}
			rest = rest[i+len(w):]
			if len(rest) > 0 && rest[0]-'0' <= 9 {
				return true
			}
		}
	}
	return false
}

// DecodeVLLM reads the log of a vLLM server: use of the key-value cache with the requests of the time, and what model, cache
// and graphs take. The log tells no year: times are in the capture's own clock, from the start of one.
func DecodeVLLM(in *source.Input, b *table.Builder) error {
	r := newServer(in, b)
	for r.l.Scan() {
		if line := r.clean(r.l.Bytes()); mayTell(line) {
			r.line(line)
		}
	}
	if err := r.l.Err(); err != nil {
		return err
	}
	if !b.HasData() {
		return source.Errorf(in.At(in.Skip+1, 0), "held nothing: want a line with GPU KV cache usage, Available KV cache memory, Model loading took, or Graph capturing finished")
	}
	return nil
}

// server reads a log, which is one snapshot: lines of several processes stand in it, not always in the order of their times.
type server struct {
	b       *table.Builder
	l       *source.Lines
	text    []byte // a line without colours
	started bool
	first   int64 // ns of the first line that told something
	last    int64
	year    int64 // days that the years before have
	scopes  struct{ pool, category table.Sym }
	metrics map[string]table.Sym
}

func newServer(in *source.Input, b *table.Builder) *server {
	r := &server{b: b, l: source.NewLines(in), metrics: map[string]table.Sym{}}
	r.scopes.pool, r.scopes.category = b.Text("pool"), b.Text("category")
	for _, m := range []string{"kv_usage", "requests_running", "requests_waiting", "gpu_reserved", "gpu_allocated", "kv_tokens"} {
		r.metrics[m] = b.Text(m)
	}
	b.Fact("tool", "vllm")
	b.Fact("clock", "wall")
	b.Fact("year", "unknown")
	return r
}

// clean takes a progress bar, which ends in a carriage return, and colours off a line.
func (r *server) clean(line []byte) []byte {
	if i := bytes.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if bytes.IndexByte(line, 0x1b) < 0 {
		return line
	}
	r.text = r.text[:0]
	for i := 0; i < len(line); i++ {
		if line[i] != 0x1b || i+1 == len(line) || line[i+1] != '[' {
			r.text = append(r.text, line[i])
			continue
		}
		for i += 2; i < len(line) && (line[i] < 0x40 || line[i] > 0x7e); i++ {
		}
	}
	return r.text
}

// told are the figures that a worker tells once.
var told = []struct {
	words    string
	pool     bool
	name     string
	metric   string
	unit     uint64
	unitWord string
}{
	{"Available KV cache memory: ", true, "KV cache", "gpu_reserved", gibibyte, " GiB"},
	{"GPU KV cache size: ", true, "KV cache", "kv_tokens", 1, " tokens"},
	{"Model loading took ", false, "model", "gpu_allocated", gibibyte, " GiB"},
	{"Graph capturing finished in ", false, "CUDA graphs", "gpu_allocated", gibibyte, " GiB"},
}

// mayTell keeps nearly all lines from being looked at further.
func mayTell(line []byte) bool {
	if bytes.Contains(line, usageWords) || bytes.Contains(line, statsWords) {
		return true
	}
	for i := range told {
		if bytes.Contains(line, []byte(told[i].words)) {
			return true
		}
	}
	return false
}

// line reads a line that has words of a figure and, in front of them, a level and a time: INFO 08-16 01:51:33.
func (r *server) line(line []byte) {
	from, at, ok := r.stamp(line)
	if !ok {
		r.b.Problems.Count(r.l.Pos(1), "want a time such as INFO 08-16 01:51:33 in front of the figure, have none")
		return
	}
	r.process(line[:from])
	if rest := after(line, string(usageWords)); rest != nil {
		r.usage(line, rest, at)
		return
	}
	if bytes.Contains(line, statsWords) {
		r.bad(line, line[len(line):], "GPU KV cache usage: N% behind the throughput")
		return
	}
	for i := range told {
		t := &told[i]
		rest := after(line, t.words)
		if rest == nil {
			continue
		}
		if t.name == "CUDA graphs" {
			rest = after(rest, ", took ")
		}
		v, behind, ok := number(rest, t.unit)
		if !ok || !bytes.HasPrefix(behind, []byte(t.unitWord)) {
			r.bad(line, rest, "a figure in"+t.unitWord)
			return
		}
		scope := r.scopes.category
		if t.pool {
			scope = r.scopes.pool
		}
		r.add(scope, t.name, t.metric, v, at)
		return
	}
}

func (r *server) bad(line, rest []byte, want string) {
	column := len(line) - len(rest) + 1
	if raw := r.l.Bytes(); len(raw) != len(line) {
		column = bytes.LastIndex(raw, rest) + 1 // 0, not known, where colours stand in between
	}
	r.b.Problems.Add(r.l.Pos(column), "want %s, have %q", want, clip(rest))
}

// usage reads the statistics of an engine, which are printed every ten seconds.
func (r *server) usage(line, rest []byte, at int64) {
	v, behind, ok := number(rest, 10000)
	if !ok || len(behind) == 0 || behind[0] != '%' {
		r.bad(line, rest, "a share such as 36.7%")
		return
	}
	name := "KV cache"
	if e := after(line, "Engine "); len(e) > 0 {
		if end := bytes.IndexByte(e, ':'); end > 0 && end < 8 {
			name += " " + string(e[:end])
		}
		if _, behind, ok := number(e, 1); !ok || len(behind) == 0 || behind[0] != ':' {
			r.bad(line, e, "the number of an engine and a colon")
		}
	}
	r.add(r.scopes.pool, name, "kv_usage", v, at)
	for _, c := range [...][2]string{{"Running: ", "requests_running"}, {"Waiting: ", "requests_waiting"}, {"Pending: ", "requests_waiting"}} {
		text := after(line, c[0])
		if n, behind, ok := number(text, 1); ok && bytes.HasPrefix(behind, []byte(" req")) {
			r.add(r.scopes.pool, name, c[1], n, at)
		} else if text != nil {
			r.bad(line, text, "a number of requests")
		}
	}
}

func (r *server) add(scope table.Sym, name, metric string, v, at int64) {
	if !r.started {
		r.started, r.first = true, at
		r.b.Snapshot(table.Stamp{Trace: table.Known(at), Line: r.l.Line()})
	}
	r.b.Add(table.Sample{Scope: scope, Name: r.b.Text(name), Metric: r.metrics[metric], Value: v, Line: r.l.Line(), At: at - r.first})
}

// process reads "(EngineCore_DP0 pid=4671) " or "(VllmWorker rank=6 pid=771999) " in front of the level.
func (r *server) process(front []byte) {
	r.b.Process(table.Int{}, table.Null)
	open := bytes.LastIndexByte(front, '(')
	if open < 0 {
		return
	}
	name, rest, ok := bytes.Cut(front[open+1:], []byte(" pid="))
	if pid, behind, is := number(rest, 1); ok && is && pid < 1<<31 && len(behind) > 0 && behind[0] == ')' {
		r.b.Process(table.Known(pid), r.b.Sym(name))
	} else if ok && bytes.IndexByte(rest, ')') >= 0 {
		r.b.Problems.Add(r.l.Pos(1), "want the name and the pid of a process in brackets, have %q", clip(front[open:]))
	}
}

// levels are the words in front of a time.
var levelWords = [][]byte{[]byte("INFO "), []byte("WARNING "), []byte("DEBUG "), []byte("ERROR ")}

// stamp finds level and time, and gives where they begin and ns since the start of the first year. Lines of several
// processes may be some seconds out of order; a date that falls back by more is that of a new year.
func (r *server) stamp(line []byte) (from int, at int64, ok bool) {
	for _, w := range levelWords {
		i := bytes.Index(line, w)
		if i < 0 {
			continue
		}
		if at, ok = yearless(line[i+len(w):]); !ok {
			continue
		}
		if at += r.year; r.started && at < r.last-day && r.year < 100*366*day {
			r.year += 366 * day
			at += 366 * day
		}
		r.last = at
		return i, at, true
	}
	return 0, 0, false
}

const day = 24 * 3600 * int64(1e9)

// beforeMonth are the days of a leap year in front of each month.
var beforeMonth = [...]int64{0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335}

// yearless reads 08-16 01:51:33.
func yearless(s []byte) (int64, bool) {
	if len(s) < 14 || s[2] != '-' || s[5] != ' ' || s[8] != ':' || s[11] != ':' {
		return 0, false
	}
	mo, d, h, mi, sec := digits(s, 0, 2), digits(s, 3, 2), digits(s, 6, 2), digits(s, 9, 2), digits(s, 12, 2)
	if mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 || mi < 0 || mi > 59 || sec < 0 || sec > 60 {
		return 0, false
	}
	return ((beforeMonth[mo-1]+d-1)*24+h)*3600e9 + (mi*60+sec)*1e9, true
}
