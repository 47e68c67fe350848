package fault

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// pageSize is that of nearly all machines; a log that lists free blocks tells its own (mm/page_alloc.c, show_free_areas).
const pageSize = 4096

// noLimit is where the figures begin by which a cgroup says that it has no limit.
const noLimit = int64(1 << 62)

// oom reads reports of the Linux OOM killer (mm/oom_kill.c, mm/memcontrol.c): from "invoked oom-killer" to "Killed
// process", or any single line of them.
type oom struct {
	*reader
	page    int64
	inside  bool           // a report has begun and nobody was killed in it yet
	group   bool           // all tasks of the cgroup are killed: the context holds on
	listed  map[int64]bool // pids whose vss stands in the table of this report
	columns map[string]int // of the task table, behind the pid; nil outside it
	pending *victim        // announced, not yet said to be killed
	context                // why it came to this
}

// context is what a report says before it says who was killed.
type context struct {
	constraint, cgroup string
	usage, limit       table.Int
	limitText          string
	usageLine          int
}

// victim is the process of one kill.
type victim struct {
	pid    table.Int
	name   []byte
	stamp  table.Stamp
	phrase string
}

// open says whether the lines that follow may belong to a report.
func (o *oom) open() bool { return o.inside || o.columns != nil || o.group }

func (o *oom) line(line []byte) {
	switch {
	case bytes.Contains(line, []byte("invoked oom-killer")):
		o.begin(line)
	case bytes.Contains(line, []byte("Killed process ")):
		o.killed(line)
	case bytes.Contains(line, []byte("oom-kill:constraint=")):
		o.constrained(line)
	case bytes.Contains(line, []byte("ut of memory: Kill process ")), bytes.Contains(line, []byte("ut of memory: kill process ")):
		o.announced(line, after(line, "ill process "))
	default:
		o.detail(line)
	}
}

// begin starts a report: it is a snapshot of its own.
func (o *oom) begin(line []byte) {
	o.flush()
	o.context = context{}
	o.inside, o.group, o.columns, o.listed = true, false, nil, map[int64]bool{}
	o.b.Snapshot(stampOf(line, o.lines.Line()))
}

// detail reads the other lines of a report.
func (o *oom) detail(line []byte) {
	if rest := after(line, "killed as a result of limit of "); rest != nil {
		o.setCgroup(rest)
	} else if rest := after(line, "emory cgroup stats for "); rest != nil {
		if i := bytes.IndexByte(rest, ':'); i >= 0 {
			o.setCgroup(rest[:i])
		}
	} else if bytes.HasSuffix(upTo(line, ": usage "), []byte("memory")) && len(upTo(line, ": usage ")) < len(line) {
		o.usageOf(line)
	} else if rest := after(line, "Tasks in "); rest != nil && bytes.Contains(rest, []byte("memory.oom.group")) {
		o.setCgroup(upTo(rest, " are going to be killed"))
		o.group = true
	} else if bytes.Contains(line, []byte("total_vm")) && bytes.Contains(line, []byte("tgid")) {
		o.tableHeader(line)
	} else if o.columns != nil {
		o.task(line)
	} else if o.page == 0 && bytes.Contains(line, []byte("Node ")) {
		o.pageSize(line)
	}
}

func (o *oom) setCgroup(name []byte) {
	if !o.lines.Ended() {
		return // it may be cut
	}
	if o.cgroup == "" {
		o.cgroup = string(bytes.TrimRight(name, " "))
	}
	o.writeUsage()
}

// usageOf reads "memory: usage 524288kB, limit 524288kB, failcnt 13". The name of the cgroup stands before it in old
// kernels and behind it in new ones.
func (o *oom) usageOf(line []byte) {
	usage, ok := kilobytes(line, ": usage ")
	limit, _ := kilobytes(line, "limit ")
	if !ok || !usage.OK {
		o.b.Problems.Add(o.lines.Pos(columnOf(line, after(line, ": usage "))), "want a usage in kB, have %q", clip(after(line, ": usage ")))
		return
	}
	o.usage, o.usageLine = usage, o.lines.Line()
	if limit.OK && limit.V < noLimit {
		o.limit, o.limitText = limit, string(upTo(after(line, "limit "), ","))
	} else if _, n := number(after(line, "limit ")); n == 0 || !bytes.HasPrefix(after(line, "limit ")[n:], []byte("kB")) { // what is beyond int64 in bytes is no limit
		o.b.Problems.Add(o.lines.Pos(columnOf(line, after(line, "limit "))), "want a limit in kB, have %q", clip(after(line, "limit ")))
	}
	o.writeUsage()
}

// writeUsage writes the samples of the cgroup once its name and its figures are known.
func (o *oom) writeUsage() {
	if o.cgroup == "" || !o.usage.OK {
		return
	}
	name := o.b.Text(o.cgroup)
	o.b.Process(table.Int{}, table.Null)
	o.b.Add(table.Sample{Scope: o.words.system, Name: name, Metric: o.words.cgrpUsage, Value: o.usage.V, Line: o.usageLine})
	if o.limit.OK {
		o.b.Add(table.Sample{Scope: o.words.system, Name: name, Metric: o.words.memLimit, Value: o.limit.V, Line: o.usageLine})
	}
	o.rows++
	o.usage = table.Int{}
}

// constrained reads the summary line of kernels from 4.19 on: who was chosen, and why.
func (o *oom) constrained(line []byte) {
	value := func(key string) []byte { return upTo(after(line, key), ",") }
	if o.pending != nil {
		o.flush()
	}
	o.constraint = string(value("oom-kill:constraint="))
	if memcg := value("oom_memcg="); len(memcg) > 0 {
		o.cgroup = string(memcg)
		o.writeUsage()
	}
	rest := after(line, ",pid=")
	pid, n := whole(rest)
	if n == 0 || len(rest) == n { // damaged, or cut: the number may go on
		o.b.Problems.Add(o.lines.Pos(columnOf(line, line[len(line)-len(rest):])), "want ,pid=PID,uid=… of the process that was chosen, have %q", clip(rest))
		return
	}
	o.pending = &victim{pid: table.Known(pid), name: bytes.Clone(upTo(after(line, ",task="), ",pid=")), stamp: stampOf(line, o.lines.Line())}
	o.columns = nil
}

// announced reads "Out of memory: Kill process 93 (mem) score 1000 or sacrifice child", which older kernels print
// before the line of the kill itself.
func (o *oom) announced(line, rest []byte) {
	if o.pending != nil {
		o.flush()
	}
	v := victimOf(rest)
	if v == nil {
		o.b.Problems.Add(o.lines.Pos(columnOf(line, rest)), "want a pid and a name in brackets, have %q", clip(rest))
		return
	}
	v.stamp, v.phrase = stampOf(line, o.lines.Line()), phraseOf(line)
	v.name = bytes.Clone(v.name)
	o.pending, o.columns = v, nil
}

// victimOf reads "93 (mem)", and "93, UID 48, (httpd)" of RHEL 6 and 7. The name may hold brackets itself.
func victimOf(s []byte) *victim {
	pid, n := whole(s)
	if n == 0 || n == len(s) {
		return nil
	}
	open := bytes.IndexByte(s, '(')
	if open < 0 {
		return nil
	}
	name := upTo(s[open+1:], ") total-vm:", ") vsz:", ") score ", "), now ")
	if len(name) == len(s)-open-1 { // nothing that is known stands behind the name
		end := bytes.LastIndexByte(name, ')')
		if end < 0 || bytes.Count(name[:end], []byte("(")) != bytes.Count(name[:end], []byte(")")) {
			return nil
		}
		name = name[:end]
	}
	return &victim{pid: table.Known(pid), name: name}
}

// phraseOf says why, where no line of constraints did.
func phraseOf(line []byte) string {
	if bytes.Contains(line, []byte("emory cgroup out of memory")) {
		return "Memory cgroup out of memory"
	}
	return "Out of memory"
}

// killed reads "Killed process 93 (mem) total-vm:…kB, anon-rss:…kB, file-rss:…kB, shmem-rss:…kB".
func (o *oom) killed(line []byte) {
	rest := after(line, "Killed process ")
	v := victimOf(rest)
	if v == nil {
		o.b.Problems.Add(o.lines.Pos(columnOf(line, rest)), "want a pid and a name in brackets, have %q", clip(rest))
		return
	}
	v.stamp, v.phrase = stampOf(line, o.lines.Line()), phraseOf(line)
	if o.pending != nil && o.pending.phrase != "" && !bytes.Contains(line, []byte("ut of memory")) {
		v.phrase = o.pending.phrase
	}
	o.pending = nil
	o.write(v, line)
}

// write makes the rows of one kill.
func (o *oom) write(v *victim, line []byte) {
	if !o.inside {
		o.b.Snapshot(v.stamp)
		o.listed = nil
	}
	o.b.Process(v.pid, o.b.Sym(v.name))
	n := v.stamp.Line
	vss := o.size(line, "total-vm:")
	if !vss.OK {
		vss = o.size(line, "vsz:")
	}
	if !o.listed[v.pid.V] {
		o.sample(o.words.vss, vss, n)
	}
	size := o.resident(line, n)
	if line != nil && !size.OK && !o.lines.Ended() {
		o.b.Problems.Add(o.lines.Pos(len(line)+1), "want anon-rss, file-rss and shmem-rss, have the end of the file in this line: the size is not known")
	}
	o.b.Fault(table.Fault{Kind: o.words.oomKill, Detail: o.b.Text(o.reason(v)), Size: size, Line: n})
	o.rows++
	o.inside, o.columns = false, nil
	if !o.group {
		o.context = context{}
	}
}

// resident writes the parts of the resident memory and gives their sum; unknown if one of them cannot be read.
// Kernels before 4.5 have no shmem-rss; a line that was cut behind file-rss looks the same, and has no sum.
func (o *oom) resident(line []byte, n int) table.Int {
	sum, any, sound := int64(0), false, true
	for _, part := range []struct {
		key    string
		metric table.Sym
	}{{"anon-rss:", o.words.rssAnon}, {"file-rss:", o.words.rssFile}, {"shmem-rss:", o.words.rssShmem}} {
		v := o.size(line, part.key)
		o.sample(part.metric, v, n)
		sound = sound && (v.OK || part.key == "shmem-rss:" && after(line, part.key) == nil && o.lines.Ended())
		any = any || v.OK
		if sum += v.V; sum < 0 {
			sound = false
		}
	}
	return table.Int{V: sum, OK: any && sound}
}

// size reads the figure behind a key. One that is there and cannot be read is a problem.
func (o *oom) size(line []byte, key string) table.Int {
	v, found := kilobytes(line, key)
	if found && !v.OK {
		rest := after(line, key)
		o.b.Problems.Add(o.lines.Pos(columnOf(line, rest)), "want a size in kB, have %q", clip(rest))
	}
	return v
}

// reason is the constraint, the cgroup and its limit, as printed.
func (o *oom) reason(v *victim) string {
	why := []string{o.constraint}
	if o.constraint == "" {
		why[0] = v.phrase
	}
	if o.cgroup != "" {
		why = append(why, "cgroup "+o.cgroup)
	}
	if o.limitText != "" {
		why = append(why, "limit "+o.limitText)
	}
	return strings.Join(why, ", ")
}

// flush writes a kill that was announced and of which the log says no more.
func (o *oom) flush() {
	if v := o.pending; v != nil {
		o.pending = nil
		o.write(v, nil)
	}
}
