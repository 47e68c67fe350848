package ingest

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// settle gives rows whose pid the record does not tell the one that stands in the file's name. Numbers that differ
// from file to file of a format and stand beside no time count samples (smaps_1, status_1, smaps_2, …): they are no
// pids.
func settle(parts []*table.Part) []*table.Part {
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
