package applereport

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// crashText reads the older text of a crash report, line by line.
type crashText struct {
	*report
	ending
	summary   vmSummary
	pid       table.Int
	process   table.Sym
	wallTime  table.Int
	thread    string // that crashed
	frames    []callstack.Frame
	inThread  bool // the lines are frames of it
	threads   bool // there are lines of threads
	frameLine int
	line      int // of the exception
	number    int
}

// textCrash reads what stands behind the line of metadata, if there is one.
func (r *report) textCrash(metadata value) {
	t := &crashText{report: r, summary: vmSummary{r: r}}
	t.number = r.doc.pos(r.in, r.doc.at).Line - 1
	for line := range bytes.Lines(r.doc.text[r.doc.at:]) {
		t.number++
		if text := bytes.TrimSpace(line); len(text) > 0 && line[len(line)-1] != '\n' && string(text) != "EOF" {
			t.b.Problems.Add(t.in.At(t.number, len(line)+1), "want the end of the line, have that of the file: the line may be cut and is left out")
			break
		}
		t.read(bytes.TrimRight(line, "\r\n"))
	}
	t.summary.close()
	if t.thread != "" && isDigit(t.thread[0]) && t.threads && len(t.frames) == 0 {
		t.b.Problems.Add(t.in.At(t.number, 0), "want the frames of thread %s, which crashed, have none", clip([]byte(t.thread)))
	}
	if t.ending.kind == "" && t.space == "" {
		return
	}
	r.fact("OS", metadata.get("os_version"))
	r.writeFault(&t.ending, callstack.Add(r.b, t.frames, t.frameLine).Leaf, t.line)
}

func (t *crashText) read(line []byte) {
	switch {
	case t.inThread:
		t.frame(line)
	case t.threadHead(line), t.key(line):
	default:
		t.begun()
		t.summary.read(line, t.number)
	}
}

// begun writes whose the rows are, before the first of them.
func (t *crashText) begun() { t.b.Process(t.pid, t.process) }

// key reads "Key:   value".
func (t *crashText) key(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 32)], ':')
	if i <= 0 || line[0] == ' ' {
		return false
	}
	value := strings.ToValidUTF8(string(bytes.TrimSpace(line[i+1:])), "\uFFFD")
	switch string(line[:i]) {
	case "Process":
		t.subject(value)
	case "Date/Time":
		t.date(value)
	case "OS Version":
		t.b.Fact("OS", value)
	case "Hardware Model":
		t.b.Fact("device", value)
	case "Code Type":
		t.b.Fact("arch", value)
	case "Crashed Thread", "Triggered by Thread":
		t.thread, _, _ = strings.Cut(value, " ")
	case "Exception Type":
		t.kind, t.line = value, t.number
	case "Exception Codes":
		t.what = firstOf(t.what, value)
	case "Exception Subtype", "Exception Message":
		if t.more = value; !strings.Contains(t.what, " at 0x") {
			t.what = value
		}
	case "Termination Reason":
		t.termination(value)
	default:
		return false
	}
	return true
}

// subject reads "name [pid]".
func (t *crashText) subject(s string) {
	name, rest := s, ""
	if open := strings.LastIndexByte(s, '['); open >= 0 {
		name, rest = strings.TrimSpace(s[:open]), s[open+1:]
	}
	digits, _ := strings.CutSuffix(rest, "]")
	pid, err := strconv.ParseInt(digits, 10, 64)
	if t.pid = (table.Int{V: pid, OK: err == nil}); err != nil && digits != "(null)" {
		t.b.Problems.Add(t.in.At(t.number, 1), "want a process with its pid in brackets, have %q", clip([]byte(s)))
	}
	if name != "(null)" {
		t.process = t.sym(name)
	}
	t.b.Snapshot(table.Stamp{Wall: t.wallTime, Line: t.number})
	t.begun()
}

func (t *crashText) date(s string) {
	ns, ok := source.ParseTime(s)
	if !ok && s != "(null)" {
		t.b.Problems.Add(t.in.At(t.number, 1), "want a date and time such as 2026-01-02 03:04:05.678 +0100, have %q", clip([]byte(s)))
	}
	t.wallTime = table.Int{V: ns, OK: ok}
	t.b.Stamp(func(st *table.Stamp) { st.Wall = t.wallTime })
}

// termination reads "Namespace JETSAM, Code 7" and "Namespace SIGNAL, Code 0xb".
func (t *crashText) termination(s string) {
	if t.line == 0 {
		t.line = t.number
	}
	rest, ok := strings.CutPrefix(s, "Namespace ")
	if !ok {
		rest = s
	}
	space, reasons, _ := strings.Cut(rest, ",")
	t.space, t.reasons = strings.TrimSpace(space), strings.TrimSpace(reasons)
	if _, code, ok := strings.Cut(reasons, "Code "); ok {
		code, _, _ = strings.Cut(strings.TrimSpace(code), " ")
		code = strings.TrimRight(code, ",.")
		n, err := strconv.ParseInt(code, 0, 64)
		t.code = table.Int{V: n, OK: err == nil}
	}
}

// threadHead reads "Thread 1 Crashed:", or the head of the thread that was said to have crashed.
func (t *crashText) threadHead(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("Thread "))
	if !ok || bytes.Contains(line, []byte(" name:")) || bytes.Contains(line, []byte("State")) {
		return false
	}
	t.threads = true
	number, rest, _ := bytes.Cut(rest, []byte(" "))
	crashed := bytes.HasPrefix(rest, []byte("Crashed:")) || t.thread != "" && string(bytes.TrimRight(number, ":")) == t.thread && bytes.IndexByte(line, ':') > 0
	if crashed && len(t.frames) == 0 {
		t.inThread, t.frameLine = true, t.number+1
	}
	return crashed
}

// maxFrames bounds the stack.
const maxFrames = 4096

// frame reads "8   lib name   0x000000010b8c1b25 symbol + 24", or with "0x10b8b8000 + 39717" where the symbol is not known.
func (t *crashText) frame(line []byte) {
	text := strings.ToValidUTF8(strings.TrimSpace(string(line)), "\uFFFD")
	if text == "" {
		t.inThread = false
		return
	}
	i := strings.Index(text, " 0x")
	number, module, ok := strings.Cut(text[:max(i, 0)], " ")
	if !ok || number == "" || !isDigit(number[0]) {
		t.b.Problems.Add(t.in.At(t.number, 1), "want a frame such as 8  lib  0x10b8c1b25 symbol + 24, have %q: it is left out", clip(line))
		return
	}
	address, symbol, _ := strings.Cut(text[i+1:], " ")
	f := callstack.Frame{Module: strings.TrimSpace(module)}
	f.Address, f.HasAddress = hexadecimal(address)
	f.Function, f.SourceFile = symbolOf(symbol)
	if file, number, ok := strings.Cut(f.SourceFile, ":"); ok {
		f.SourceFile = file
		if n := scaled(number, 1); n.OK && n.V > 0 {
			f.SourceLine = n
		}
	}
	if len(t.frames) < maxFrames {
		t.frames = append(t.frames, f)
	}
}

// symbolOf cuts the offset off "symbol + 24 (file.swift:7)". A load address is no symbol.
func symbolOf(s string) (symbol, place string) {
	i := strings.LastIndex(s, " + ")
	if i < 0 {
		i = len(s)
	} else if _, in, ok := strings.Cut(s[i:], "("); ok {
		place = strings.TrimSuffix(strings.TrimSpace(in), ")")
	}
	if _, isAddress := hexadecimal(s[:i]); isAddress {
		return "", ""
	}
	return strings.TrimSpace(s[:i]), place
}
