// Package android reads the smaller captures of memory that Android's tools take:
//
//	procrank          Android procrank                       adb shell su root procrank
//	dumpsys-gfxinfo   Android dumpsys gfxinfo                adb shell dumpsys gfxinfo PACKAGE
//	dumpsys-gpu       Android dumpsys gpu (GPU memory)       adb shell dumpsys gpu --gpumem
//	zram-mm-stat      zram /sys/block/zram0/mm_stat          adb shell cat /sys/block/zram0/mm_stat
//	dumpsys-procstats Android dumpsys procstats (refused)    -
//
// A file may hold many of one kind, with or without a line of time between them: each is a snapshot. The rows of
// procrank come from system/memory/libmeminfo/tools/procrank.cpp, those of gfxinfo from
// frameworks/base/libs/hwui, those of gpu from frameworks/native/services/gpuservice/gpumem, mm_stat from the
// kernel's drivers/block/zram/zram_drv.c.
package android

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// log divides a file into snapshots, and remembers why one has no data.
type log struct {
	b       *table.Builder
	l       *source.Lines
	touched bool // the current snapshot has a header, a row or a reason why there is none
	wall    table.Int
	samples int // snapshots with data

	failure  []byte // the first line that says why there is no data
	failedAt int
}

func newLog(in *source.Input, b *table.Builder) log {
	b.Snapshot(table.Stamp{Line: 1})
	return log{b: b, l: source.NewLines(in)}
}

// next ends the current snapshot and begins another at this line.
func (g *log) next() {
	g.settle()
	g.touched, g.wall = false, table.Int{}
	g.b.Snapshot(table.Stamp{Line: g.l.Line()})
}

func (g *log) settle() {
	switch {
	case g.b.HasData():
		g.samples++
	case g.touched || g.wall.OK:
		g.b.NoSample()
	}
}

// open begins a dump, in the current snapshot if that has nothing yet.
func (g *log) open() {
	if g.touched {
		g.next()
	}
	g.touched = true
}

// failures begin the lines that stand in place of data.
var failures = [][]byte{[]byte("No process found for: "), []byte("Got RemoteException!"), []byte("Can't find service: "), []byte("Permission Denial"),
	[]byte("*** SERVICE '"), []byte("/system/bin/sh: "), []byte("su: "), []byte("sh: "), []byte("cat: "), []byte("error: "), []byte("adb: ")}

// between reads a line that is no part of a dump: a reason for missing data, a time, or junk.
func (g *log) between(line []byte) {
	for _, f := range failures {
		if bytes.HasPrefix(line, f) {
			g.fail(line)
			return
		}
	}
	if t, ok := source.EndingAt(line); ok {
		g.b.Stamp(func(s *table.Stamp) {
			if !s.Wall.OK {
				s.Wall = table.Known(t)
			}
		})
		return
	}
	m, ok := source.ParseMark(line)
	if !ok {
		return
	}
	if g.touched || m.HasWall && g.wall.OK && g.wall.V != m.Wall {
		g.next()
	}
	if m.HasWall {
		g.wall = table.Known(m.Wall)
		g.b.Stamp(func(s *table.Stamp) { s.Wall, s.Line = g.wall, g.l.Line() })
	}
}

func (g *log) fail(line []byte) {
	if g.failure == nil {
		g.failure, g.failedAt = bytes.Clone(clip(line)), g.l.Line()
	}
	if g.b.HasData() {
		g.next()
	}
	g.touched = true
}

// close ends the last snapshot. The error is that of the reading, or says that the file held nothing of what was
// wanted.
func (g *log) close(in *source.Input, want string) error {
	g.settle()
	switch err := g.l.Err(); {
	case err != nil || g.samples > 0:
		return err
	case g.failure != nil:
		return source.Errorf(in.At(g.failedAt, 0), "held nothing: %q", g.failure)
	}
	if ps := g.b.Problems.List(); len(ps) > 0 {
		return source.Errorf(ps[0].Pos, "held nothing: %s", ps[0].Message)
	}
	return source.Errorf(in.At(g.l.Line(), 0), "held nothing: want %s", want)
}

// realtime reads "Uptime: 1000 Realtime: 2000" of dumpsys, in milliseconds since boot.
func (g *log) realtime(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("Uptime:")) {
		return false
	}
	_, rest, ok := bytes.Cut(line, []byte("Realtime:"))
	if !ok {
		return true
	}
	rest = bytes.TrimLeft(rest, " ")
	ms, n := number(rest)
	if n == 0 || n != len(rest) || ms > 1<<43 {
		g.b.Problems.Add(g.l.Pos(len(line)-len(rest)+1), "want milliseconds since boot, have %q", clip(rest))
		return true
	}
	g.b.Stamp(func(s *table.Stamp) { s.Boot = table.Known(ms * 1e6) })
	return true
}
