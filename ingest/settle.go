package ingest

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// settle gives rows whose pid the record does not tell the one that stands in the file's name. Numbers that differ
// from file to file and stand beside no time count samples (smaps_1, smaps_2, …): they are no pids.
func settle(parts []*table.Part) []*table.Part {
	pids := map[int64]int{}
	timed := false
	for _, p := range parts {
		if pid, ok := source.NamePID(p.File); ok {
			pids[pid]++
			_, t := source.NameTime(p.File)
			timed = timed || t
		}
	}
	counts := len(pids) > 1 && !timed
	for _, n := range pids {
		counts = counts && n == 1
	}
	for _, p := range parts {
		if pid, ok := source.NamePID(p.File); ok && !counts {
			p.FillPID(pid)
		}
	}
	return parts
}
