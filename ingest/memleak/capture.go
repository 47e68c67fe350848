package memleak

import (
	"bytes"
	"path"

	"github.com/memtide/memtide/ingest/table"
)

// capture is what one run of memleak says of itself, and its clock.
type capture struct {
	pid     table.Int
	process table.Sym
	command table.Sym // of the process that memleak starts, which a line before its pid tells
	period  []byte    // of -s, in the command line if the log shows it
	days    int64     // ns that midnights added
	last    int64     // time of day of the interval before
	inside  bool      // an interval has begun
}

const day = 24 * 3600e9

// interval begins a snapshot at "[H:M:S] Top N stacks with outstanding allocations:".
func (d *decoder) interval(text []byte) bool {
	ns, ok := interval(text)
	if !ok {
		return false
	}
	d.flush()
	if ns < d.last-day/2 {
		d.days += day
	}
	d.last, d.inside = ns, true
	d.headers++
	if len(d.period) > 0 {
		d.b.Fact("sampled", "true")
		d.b.Fact("period", string(d.period))
	}
	d.b.Snapshot(table.Stamp{Trace: table.Known(d.days + ns), Line: d.l.Line()})
	d.b.Process(d.pid, d.process)
	return true
}

// interval reads the header of an interval: ns since midnight. The C tool does not pad the numbers.
func interval(text []byte) (ns int64, ok bool) {
	if len(text) == 0 || text[0] != '[' {
		return 0, false
	}
	text = text[1:]
	for _, part := range [...]struct {
		below int64
		end   byte
	}{{24, ':'}, {60, ':'}, {61, ']'}} {
		v, n := digits(text)
		if n < 1 || n > 2 || v >= part.below || n == len(text) || text[n] != part.end {
			return 0, false
		}
		ns, text = ns*60+v, text[n+1:]
	}
	rest, ok := bytes.CutPrefix(text, []byte(" Top "))
	_, n := digits(rest)
	return ns * 1e9, ok && n > 0 && bytes.HasPrefix(rest[n:], []byte(" stacks with outstanding allocations:"))
}

func digits(s []byte) (v int64, n int) {
	for n < len(s) && s[n]-'0' <= 9 {
		if v > (1<<63-1-9)/10 {
			return 0, -1
		}
		v = v*10 + int64(s[n]-'0')
		n++
	}
	return v, n
}

func isAttaching(text []byte) bool {
	return bytes.HasPrefix(text, []byte("Attaching to ")) && bytes.HasSuffix(text, []byte(", Ctrl+C to quit."))
}

// other reads the lines that stand before the intervals, and the warning of the C tool behind them.
func (d *decoder) other(text []byte) {
	switch {
	case isAttaching(text):
		d.attach(text[len("Attaching to "):])
	case bytes.HasPrefix(text, []byte("Executing '")) && bytes.HasSuffix(text, []byte("and tracing the resulting process.")):
		d.command = program(d.b, text[len("Executing '"):])
	case bytes.HasPrefix(text, []byte("tracing kernel: ")):
		d.begin(table.Int{}, table.Null)
		if bytes.HasSuffix(text, []byte("true")) {
			d.process = d.b.Text("kernel")
		}
	case bytes.HasPrefix(text, []byte("using page size: ")), bytes.HasPrefix(text, []byte("Using pages size ")):
		d.pageSize(text[len("Using pages size "):])
	case bytes.Contains(text, []byte("stack traces could not be displayed")):
		d.lossy = true
	case bytes.Contains(text, []byte("memleak")) && bytes.ContainsAny(text, "#$+"):
		d.prompt(text)
	}
}

func (d *decoder) pageSize(text []byte) {
	text = bytes.TrimSpace(text)
	if _, n := digits(text); n > 0 && n == len(text) {
		d.b.Fact("page_size", string(text))
	}
}

// attach begins another capture: what follows is of no interval until one begins.
func (d *decoder) attach(text []byte) {
	pid, ok := bytes.CutPrefix(text, []byte("pid "))
	v, n := digits(pid)
	switch {
	case ok && n > 0 && (n == len(pid) || pid[n] == ','):
		d.begin(table.Known(v), d.command)
	case ok:
		d.b.Problems.Add(d.l.Pos(1), "want the pid that memleak attaches to, have %q", pid[:min(len(pid), 60)])
		d.begin(table.Int{}, d.command)
	case bytes.HasPrefix(text, []byte("kernel allocators")):
		d.begin(table.Int{}, d.b.Text("kernel"))
	}
}

func (d *decoder) begin(pid table.Int, process table.Sym) {
	d.flush()
	d.inside = false
	d.pid, d.process, d.command = pid, process, table.Null
}

// program is the base name of the first word of a command, which stands in quotes.
func program(b *table.Builder, text []byte) table.Sym {
	text, _, _ = bytes.Cut(text, []byte("' and tracing"))
	word, _, _ := bytes.Cut(bytes.TrimLeft(text, " "), []byte{' '})
	if len(word) == 0 {
		return table.Null
	}
	return b.Text(path.Base(string(word)))
}

// prompt takes the sampling rate from a command line that stands in the log.
func (d *decoder) prompt(text []byte) {
	words := bytes.Fields(text)
	called := false
	for i, w := range words {
		name := w[bytes.LastIndexByte(w, '/')+1:]
		if !called && (bytes.HasPrefix(name, []byte("memleak")) || bytes.HasSuffix(name, []byte("memleak"))) {
			called, d.period = true, nil
		}
		if called && i+1 < len(words) && (string(w) == "-s" || string(w) == "--sample-rate") {
			if _, n := digits(words[i+1]); n == len(words[i+1]) && string(words[i+1]) != "1" {
				d.period = bytes.Clone(words[i+1])
			}
		}
	}
}
