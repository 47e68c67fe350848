package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// marks are the words by which a log is recognised, for each format; a line must hold all of one of its entries.
var (
	oomMarks = [][]string{{"invoked oom-killer"}, {"ut of memory: Kill"}, {"ut of memory: kill process"},
		{"Killed process ", "total-vm:"}, {"Killed process ", "vsz:"}, {"oom-kill:constraint="}}
	lmkdMarks   = [][]string{{"lowmemorykiller", "Kill '"}, {"lowmemorykiller", "Killing '"}, {"lmkd", "Kill '"}, {"lmkd", "Killing '"}}
	statusMarks = [][]string{{"memorystatus: killing"}, {" exceeded mem limit: "}}
)

// SniffOOM claims a log in which the Linux kernel killed for memory.
func SniffOOM(head []byte) bool { return !otherKind(head) && has(head, oomMarks) }

// SniffLMKD claims a log in which Android's low memory killer killed, the daemon or the driver of old kernels.
func SniffLMKD(head []byte) bool {
	return !otherKind(head) && !has(head, oomMarks) && has(head, lmkdMarks)
}

// SniffMemorystatus claims a console log in which iOS killed for memory, or said that a limit was exceeded.
func SniffMemorystatus(head []byte) bool {
	return !otherKind(head) && !has(head, oomMarks) && !has(head, lmkdMarks) && has(head, statusMarks)
}

// otherKind knows containers and records that may quote such a log: bug reports, tombstones, JSON, XML.
func otherKind(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n")
	return bytes.Contains(head, []byte("== dumpstate: ")) || SniffTombstone(head) ||
		len(text) > 0 && (text[0] == '<' && len(text) > 1 && (text[1] == '?' || text[1] == '!') || text[0] == '{' || text[0] == 0)
}

// has says whether a line of head matches. Nearly all captures are told by a look at the whole at once.
func has(head []byte, marks [][]string) bool {
	if !matches(head, marks) {
		return false
	}
	found := false
	eachLine(head, func(line []byte) bool {
		found = matches(line, marks)
		return found
	})
	return found
}

func matches(line []byte, marks [][]string) bool {
	for _, words := range marks {
		all := true
		for _, w := range words {
			all = all && bytes.Contains(line, []byte(w))
		}
		if all {
			return true
		}
	}
	return false
}

// DecodeOOM, DecodeLMKD and DecodeMemorystatus read the kills in a log. The error is that of the reader, or says
// that there was none.
func DecodeOOM(in *source.Input, b *table.Builder) error { return decodeLog(in, b) }

// DecodeLMKD is DecodeOOM for a log of Android.
func DecodeLMKD(in *source.Input, b *table.Builder) error { return decodeLog(in, b) }

// DecodeMemorystatus is DecodeOOM for a console log of iOS.
func DecodeMemorystatus(in *source.Input, b *table.Builder) error { return decodeLog(in, b) }

// words are the strings that the rows need, numbered once.
type words struct {
	oomKill, kill, process, system, empty                           table.Sym
	vss, rss, swap, rssAnon, rssFile, rssShmem, memLimit, cgrpUsage table.Sym
}

func newWords(b *table.Builder) words {
	return words{oomKill: b.Text("oom-kill"), kill: b.Text("kill"), process: b.Text("process"), system: b.Text("system"), empty: b.Text(""),
		vss: b.Text("vss"), rss: b.Text("rss"), swap: b.Text("swap"), rssAnon: b.Text("rss_anon"), rssFile: b.Text("rss_file"),
		rssShmem: b.Text("rss_shmem"), memLimit: b.Text("mem_limit"), cgrpUsage: b.Text("cgroup_usage")}
}

// reader is what the three kinds of log lines share.
type reader struct {
	in    *source.Input
	b     *table.Builder
	lines *source.Lines
	words words
	rows  int
}

func (r *reader) sample(metric table.Sym, v table.Int, line int) {
	if v.OK {
		r.b.Add(table.Sample{Scope: r.words.process, Name: r.words.empty, Metric: metric, Value: v.V, Line: line})
		r.rows++
	}
}

func decodeLog(in *source.Input, b *table.Builder) error {
	r := &reader{in: in, b: b, lines: source.NewLines(in), words: newWords(b)}
	oom, lmk, status := &oom{reader: r}, &lowMemory{reader: r}, &memoryStatus{reader: r}
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if !lmk.open && !oom.open() && quiet(line) {
			continue
		}
		if !r.lines.Ended() && (matches(line, lmkdMarks) || matches(line, statusMarks)) {
			b.Problems.Add(r.lines.Pos(len(line)+1), "want the end of the line, have the end of the file: a kill that may be cut is left out")
			continue
		}
		if lmk.line(line) || status.line(line) {
			continue
		}
		if lmk.open && matches(line, oomMarks) {
			lmk.flush() // so that the samples stay in order
		}
		oom.line(line)
	}
	if err := r.lines.Err(); err != nil {
		return err
	}
	oom.flush()
	lmk.flush()
	status.flush()
	if ps := b.Problems.List(); r.rows == 0 && len(ps) > 0 {
		return source.Errorf(ps[0].Pos, "held nothing: %s", ps[0].Message)
	}
	if r.rows == 0 {
		return nothing(in, r.lines.Line(), "a line of the OOM killer, the low memory killer or memorystatus that names a process")
	}
	return nil
}

// quiet says that a line cannot begin anything that is read here: most lines of a log are such.
func quiet(line []byte) bool {
	for _, word := range []string{"ill", "mem limit: ", "emory", "total_vm"} {
		if bytes.Contains(line, []byte(word)) {
			return false
		}
	}
	return true
}
