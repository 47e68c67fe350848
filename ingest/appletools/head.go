package appletools

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// maxKey is the longest key of a header: "Physical footprint (peak)".
const maxKey = 26

// headerKeys are the keys of the header, with the fact that each gives; a key without one is read by itself or left out.
var headerKeys = map[string]string{
	"Process": "", "Path": "", "Load Address": "", "Identifier": "", "Build Info": "", "Parent Process": "", "Idle exit": "", "Date/Time": "",
	"Physical footprint": "", "Physical footprint (peak)": "", "Version": "app_version", "Code Type": "arch", "Platform": "platform",
	"Target Type": "target", "Launch Time": "launch_time", "OS Version": "OS", "Report Version": "report_version", "Analysis Tool": "tool",
	"Analysis Tool Version": "version",
}

// header reads a line of the header, "Key:   Value"; false if it is none.
func (r *reader) header(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), maxKey)], ':')
	if i <= 0 {
		return false
	}
	fact, ok := headerKeys[string(line[:i])]
	if !ok {
		return false
	}
	value := bytes.TrimSpace(line[i+1:])
	switch string(line[:i]) {
	case "Process":
		r.start()
		r.heads = r.l.Line()
		pid, name := processOf(r.b, value)
		if bytes.IndexByte(value, '[') >= 0 {
			r.wantPID(pid, value)
		}
		r.subject(pid, name)
	case "Date/Time":
		r.date(value)
	case "Physical footprint":
		r.footprint("footprint", value)
	case "Physical footprint (peak)":
		r.footprint("footprint_peak", value)
	case "Analysis Tool":
		value = base(value)
	}
	if fact != "" && len(value) > 0 && string(value) != "(null)" && string(value) != "???" {
		r.b.Fact(fact, string(bytes.ToValidUTF8(value, []byte("\uFFFD"))))
	}
	return true
}

// footprint takes the physical footprint, which is written where the report ends: the process may be told below it.
func (r *reader) footprint(metric string, value []byte) {
	if !r.levels {
		return
	}
	r.begin()
	v := sizeOf(value)
	if !v.ok && string(value) != "(null)" {
		r.b.Problems.Add(r.l.Pos(1), "want a size such as 100.3M, have %q", clip(value))
	}
	r.footprints = append(r.footprints, footprintOf{metric, v.int(), r.l.Line()})
}

// date gives the report its time. The tools print (null) where they do not know it.
func (r *reader) date(value []byte) {
	r.begin()
	if string(value) == "(null)" || len(value) == 0 {
		return
	}
	t, ok := source.ParseTime(string(value))
	if !ok {
		r.b.Problems.Add(r.l.Pos(1), "want a date and time such as 2026-01-02 03:04:05.678 +0100, have %q", clip(value))
		return
	}
	if !r.timed {
		r.timed = true
		r.b.Stamp(func(s *table.Stamp) { s.Wall = table.Known(t) })
	}
}

// wantPID tells of a process of which the pid cannot be read.
func (r *reader) wantPID(pid table.Int, text []byte) {
	if !pid.OK && !bytes.Contains(text, []byte("(null)")) {
		r.b.Problems.Add(r.l.Pos(1), "want the name and the pid of a process, have %q", clip(text))
	}
}

// processOf reads "name [pid]"; the tools print (null) for what they do not know.
func processOf(b *table.Builder, s []byte) (pid table.Int, name table.Sym) {
	text := s
	if open := bytes.LastIndexByte(s, '['); open >= 0 && bytes.HasSuffix(s, []byte("]")) {
		pid = count(s[open+1 : len(s)-1])
		text = bytes.TrimSpace(s[:open])
	}
	if len(text) > 0 && string(text) != "(null)" {
		name = symOf(b, text)
	}
	return pid, name
}
