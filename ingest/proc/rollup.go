package proc

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// The fields that uss and dirty are made of: places in record.parts, from 1.
const (
	privateClean = 1 + iota
	privateDirty
	sharedDirty
)

// rollupFields are the keys of /proc/PID/smaps_rollup from Linux 4.14 to 6.18. Any other is kept under its own name, and
// named once as a problem.
var rollupFields = map[string]int{
	"Rss": 0, "Pss": 0, "Pss_Dirty": 0, "Pss_Anon": 0, "Pss_File": 0, "Pss_Shmem": 0, "Shared_Clean": 0, "Shared_Dirty": sharedDirty,
	"Private_Clean": privateClean, "Private_Dirty": privateDirty, "Referenced": 0, "Anonymous": 0, "KSM": 0, "LazyFree": 0,
	"AnonHugePages": 0, "ShmemPmdMapped": 0, "FilePmdMapped": 0, "Shared_Hugetlb": 0, "Private_Hugetlb": 0, "Swap": 0, "SwapPss": 0, "Locked": 0,
}

// DecodeRollup reads smaps_rollup: a row of scope process for each field, uss and dirty. Each header begins a sample or
// another process of it.
func DecodeRollup(in *source.Input, b *table.Builder) error {
	r := newRecord(in, b)
	process, empty := b.Text("process"), b.Text("")
	r.headed = true
	r.find = func(text, rest []byte) *key {
		part, known := rollupFields[string(text)]
		if _, _, kb, ok := value(rest); !known && !(ok && kb) {
			return nil
		}
		return &key{scope: process, name: empty, metric: b.Text(snake(text)), part: part, unknown: !known}
	}
	return r.read("a smaps_rollup of /proc", func(line []byte) bool {
		if !isRange(line) {
			return false
		}
		r.flush(false)
		if isRollup(line) {
			r.begin()
		} else if r.l.Ended() {
			r.b.Problems.Add(r.l.Pos(1), "want the header line of a smaps_rollup, have %q", clip(line))
		}
		return true
	})
}
