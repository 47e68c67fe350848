package fault

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// tableHeader reads the header of the task table; its columns changed many times, so they are found by name.
func (o *oom) tableHeader(line []byte) {
	end := bytes.LastIndexByte(line, ']')
	if end < 0 {
		return
	}
	o.columns = map[string]int{}
	for i, w := range wordsOf(line[end+1:]) {
		o.columns[string(w)] = i
	}
	if _, ok := o.columns["rss"]; !ok || o.columns["name"] != len(o.columns)-1 {
		o.b.Problems.Add(o.lines.Pos(end+2), "want a task table with rss and, last, name, have %q", clip(line[end+1:]))
		o.columns = nil
	}
	if o.listed == nil {
		o.listed = map[int64]bool{}
	}
}

// task reads a row of the table: "[  22921]     0 22921      242        1    28672        0          -998 npm start".
func (o *oom) task(line []byte) {
	pid, rest, ok := taskPID(line)
	if !ok {
		o.noTask(line)
		return
	}
	words := wordsOf(rest)
	if len(words) < len(o.columns) || !o.lines.Ended() {
		o.b.Problems.Add(o.lines.Pos(len(line)+1), "want a row of %d columns behind the pid, have %q", len(o.columns), clip(rest))
		return
	}
	name := words[o.columns["name"]]
	name = bytes.TrimRight(name[:cap(name)-cap(line)+len(line)], " ")
	o.b.Process(table.Known(pid), o.b.Sym(name))
	for _, c := range []struct {
		column string
		metric table.Sym
	}{{"total_vm", o.words.vss}, {"rss", o.words.rss}, {"swapents", o.words.swap}} {
		if i, ok := o.columns[c.column]; ok {
			ok := o.taskFigure(line, words[i], c.metric)
			o.listed[pid] = o.listed[pid] || ok && c.metric == o.words.vss
		}
	}
}

// noTask tells of a line in the table that is a row but for its pid: brackets, and behind them a number in nearly all
// columns before the name; or brackets that the end of a cut line leaves open. Other lines stand between rows: a log is
// written by many.
func (o *oom) noTask(line []byte) {
	open, end := bytes.LastIndexByte(line, '['), bytes.LastIndexByte(line, ']')
	if open < 0 || end < open && len(bytes.Trim(line[open+1:], " 0123456789")) > 0 {
		return
	}
	if end > open {
		words, numbers := wordsOf(line[end+1:]), 0
		for _, w := range words[:min(len(words), len(o.columns)-1)] {
			if _, n := number(bytes.TrimPrefix(w, []byte("-"))); n == len(w) || n > 0 && n == len(w)-1 {
				numbers++
			}
		}
		if numbers < len(o.columns)-2 {
			return
		}
	}
	o.b.Problems.Add(o.lines.Pos(columnOf(line, line[open:])), "want a row of the task table, [PID] and %d columns, have %q", len(o.columns), clip(line[open:]))
}

func (o *oom) taskFigure(line, word []byte, metric table.Sym) bool {
	v, n := number(word)
	pages := times(v, max(o.page, 1))
	if o.page == 0 {
		pages = times(v, pageSize)
	}
	if n == 0 || n != len(word) || !pages.OK {
		o.b.Problems.Add(o.lines.Pos(columnOf(line, word)), "want a number of pages, have %q", clip(word))
		return false
	}
	o.sample(metric, pages, o.lines.Line())
	return true
}

// taskPID finds the pid in its brackets, behind a time stamp that may be in brackets too.
func taskPID(line []byte) (pid int64, rest []byte, ok bool) {
	for s := line; ; {
		open := bytes.IndexByte(s, '[')
		if open < 0 {
			return 0, nil, false
		}
		s = s[open+1:]
		v, n := number(bytes.TrimLeft(s, " "))
		after := bytes.TrimLeft(bytes.TrimLeft(s, " ")[n:], " ")
		if n > 0 && len(after) > 1 && after[0] == ']' && after[1] == ' ' {
			return v, after[1:], true
		}
	}
}

// pageSize reads the size of the smallest free blocks, which is a page: "Node 0 DMA: 3*4kB (U) 2*8kB (UM) …".
func (o *oom) pageSize(line []byte) {
	rest := after(line, "*")
	kB, n := number(rest)
	if n > 0 && bytes.HasPrefix(rest[n:], []byte("kB ")) && kB >= 1 && kB <= 1024 && kB&(kB-1) == 0 {
		o.page = kB * 1024
		o.b.Fact("page size", string(rest[:n])+" kB")
	} else if rest != nil {
		o.b.Problems.Count(o.lines.Pos(columnOf(line, rest)), "want the size of a free block in kB, have %q: pages are taken for 4 kB until one is read", clip(rest))
	}
}
