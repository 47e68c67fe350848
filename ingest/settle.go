package ingest

import (
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// settle gives rows whose pid the record does not tell the one that stands in the file's name. Numbers that differ
// from file to file of a format and stand beside no time count samples (smaps_1, status_1, smaps_2, …): they are no
// pids.
func settle(parts []*table.Part) []*table.Part {
	fillTarget(parts)
	if countsSamples(parts) {
		return parts
	}
	for _, p := range parts {
		if pid, ok := source.NamePID(p.File); ok {
			p.FillPID(pid)
		}
	}
	return parts
}

func countsSamples(parts []*table.Part) bool {
	type use struct {
		format string
		pid    int64
	}
	uses, pids := map[use]int{}, map[int64]bool{}
	for _, p := range parts {
		pid, ok := source.NamePID(p.File)
		if !ok {
			continue
		}
		if _, timed := source.NameTime(p.File); timed {
			return false
		}
		pids[pid] = true
		uses[use{p.Format, pid}]++
	}
	for _, n := range uses {
		if n > 1 {
			return false
		}
	}
	return len(pids) > 1
}

// fillTarget gives rows without a process the one that a table of contents of the same run names as its target.
func fillTarget(parts []*table.Part) {
	name, pid, tables := "", table.Int{}, 0
	for _, p := range parts {
		if !isContents(p) {
			continue
		}
		tables++
		name, _ = p.Says("target_process")
		if text, ok := p.Says("target_pid"); ok {
			v, err := strconv.ParseInt(text, 10, 64)
			pid = table.Int{V: v, OK: err == nil}
		}
	}
	if tables != 1 {
		return
	}
	for _, p := range parts {
		if name != "" {
			p.FillProcess(name)
		}
		if pid.OK {
			p.FillPID(pid.V)
		}
	}
}

// isContents says whether a part is a table of contents: it tells whose the others are, and has no rows.
func isContents(p *table.Part) bool {
	_, ok := p.Says("target_process")
	return ok && !p.HasRows()
}
