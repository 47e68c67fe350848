// Package sample finds where one sample of a log ends and the next begins. People log a dump in a loop with `date`, an
// echo or nothing between; the readers of such dumps hand every line that is no record of theirs to a Log, which keeps
// the snapshots of their Builder in step. It stands between source (what a separator looks like) and the formats.
package sample

import (
	"bytes"
	"fmt"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Log is the samples of one input. Rows are added to the Builder only after Record.
type Log struct {
	b        *table.Builder
	l        *source.Lines
	wall     table.Int // of the current sample's separator
	pid      table.Int // from a separator or a prompt, for records that do not tell theirs
	subjects []subject // of the current sample
	told     bool      // the current sample is counted as one without data
	any      bool
	reason   string // why the first sample without data has none
	reasonAt int
}

type subject struct {
	pid     table.Int
	process table.Sym
}

// New begins the first sample of l, whose rows go to b.
func New(l *source.Lines, b *table.Builder) *Log {
	b.Snapshot(table.Stamp{Line: 1})
	return &Log{b: b, l: l}
}

// Other takes a line that is no part of a record: a separator begins a sample, a message of a dump that failed is
// counted, a prompt may tell the pid, anything else is passed over. before is called when a sample is about to begin,
// so that the reader can write the record that it holds.
func (g *Log) Other(line []byte, before func()) {
	if m, ok := source.ParseMark(line); ok {
		before()
		g.mark(m)
		return
	}
	if source.NoData(line) {
		before()
		g.noData(line)
		return
	}
	if pid, ok := procPID(line); ok {
		before()
		g.pid = table.Known(pid)
	}
}

func (g *Log) mark(m source.Mark) {
	if m.HasPID {
		g.pid = table.Known(m.PID)
	}
	if len(g.subjects) == 0 {
		if !m.HasWall {
			return // a rule below the time, or above it
		}
		if g.wall.OK && g.wall.V != m.Wall {
			g.missing()
		}
	}
	g.begin(table.Stamp{Wall: table.Int{V: m.Wall, OK: m.HasWall}, Line: g.l.Line()})
}

func (g *Log) begin(s table.Stamp) {
	g.wall, g.subjects, g.told = s.Wall, g.subjects[:0], false
	g.b.Snapshot(s)
}

func (g *Log) noData(line []byte) {
	g.because(g.l.Line(), fmt.Sprintf("%q", line[:min(len(line), 160)]))
	if g.wall.OK && len(g.subjects) > 0 {
		return // another dump of the same sample failed
	}
	if !g.wall.OK {
		g.told = false // with nothing between them, each message is a sample
	}
	g.missing()
}

// missing counts the current sample as one without data.
func (g *Log) missing() {
	if !g.told {
		g.b.NoSample()
	}
	g.told = true
}

func (g *Log) because(line int, reason string) {
	if g.reason == "" {
		g.reason, g.reasonAt = reason, line
	}
}

// Missing counts a record at a line that has no figures, and why: the status of a kernel thread has none.
func (g *Log) Missing(line int, reason string) {
	g.because(line, reason)
	if len(g.subjects) == 0 {
		g.missing()
	}
}

// Record begins a record, whose first line is given, of a process, or of the machine where both are unknown. A subject
// is in a sample once: if it is met again without a separator between, a new sample begins, of unknown time.
func (g *Log) Record(pid table.Int, process table.Sym, line int) {
	if !pid.OK {
		pid = g.pid
	}
	g.record(subject{pid, process}, line)
}

// Machine is Record for figures that belong to no process.
func (g *Log) Machine(line int) { g.record(subject{}, line) }

func (g *Log) record(s subject, line int) {
	for _, old := range g.subjects {
		if old == s {
			g.begin(table.Stamp{Line: line})
			break
		}
	}
	g.subjects = append(g.subjects, s)
	g.b.Process(s.pid, s.process)
	g.any = true
}

// End closes the last sample. If no record was read at all the error says so and why; want names what was looked for. An error of reading goes before.
func (g *Log) End(want string) error {
	if err := g.l.Err(); err != nil {
		return err
	}
	if g.wall.OK && len(g.subjects) == 0 {
		g.missing()
	}
	if g.any {
		return nil
	}
	pos := g.l.Pos(0)
	if g.reason != "" {
		pos.Line = g.reasonAt
		return source.Errorf(pos, "held nothing: %s", g.reason)
	}
	if ps := g.b.Problems.List(); len(ps) > 0 {
		return source.Errorf(ps[0].Pos, "held nothing: %s", ps[0].Message)
	}
	return source.Errorf(pos, "held nothing: want %s", want)
}

// procPID finds N in "/proc/N/", as prompts, banners of head and tail, and echoes print it.
func procPID(line []byte) (int64, bool) {
	const word = "/proc/"
	i := bytes.Index(line, []byte(word))
	if i < 0 {
		return 0, false
	}
	var n int64
	digits := line[i+len(word):]
	for k, c := range digits {
		if c < '0' || c > '9' {
			return n, k > 0 && k < 10 && c == '/'
		}
		n = n*10 + int64(c-'0')
	}
	return 0, false
}
