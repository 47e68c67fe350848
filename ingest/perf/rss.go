package perf

import "github.com/memtide/memtide/ingest/table"

// members are the counters of an mm in the order of the kernel's enum (include/linux/mm_types_task.h), with the names
// that newer kernels print.
var members = [4]string{"MM_FILEPAGES", "MM_ANONPAGES", "MM_SWAPENTS", "MM_SHMEMPAGES"}

// owners tell whose an mm is. mm_id is a hash of its address: it may come back for another process, so the owner seen
// last holds, and the first one for what was before it.
type owners struct {
	first, last map[int64]owner
	mm          int64 // of the line before
	who         owner
	had         map[int64]map[int64]bool // the mm that each pid had
	later       []unowned
}

type owner struct {
	pid     table.Int
	process table.Sym
}

// unowned is a change of an mm by somebody else, before its owner was seen.
type unowned struct {
	mm     int64
	sample table.Sample
}

// rssFields are those of one event.
type rssFields struct {
	mm, size table.Int
	member   int
	foreign  bool // curr=0: the task of the line is not the owner
}

// rss reads "mm_id=2244242654 curr=1 type=MM_ANONPAGES size=8192B", of older kernels "member=1" for the type.
func (t *trace) rss(h *header) {
	f := readRSS(h.payload)
	if !f.mm.OK || !f.size.OK || f.member < 0 {
		t.b.Problems.Add(t.l.Pos(0), "want mm_id=, curr=, type= and size= in bytes, have %q", clip(h.payload))
		return
	}
	s := table.Sample{Scope: t.words.process, Name: t.words.empty, Metric: t.words.metrics[f.member], Value: f.size.V, Line: t.l.Line(), At: t.at(h)}
	t.rows++
	who, known := owner{h.pid, t.name(h.comm)}, true
	if f.foreign {
		who, known = t.owners.last[f.mm.V]
	} else {
		t.own(f.mm.V, who)
		t.exec(f.mm.V, h)
	}
	if !known {
		t.owners.later = append(t.owners.later, unowned{f.mm.V, s})
		return
	}
	t.b.Process(who.pid, who.process)
	t.b.Add(s)
}

func (t *trace) own(mm int64, who owner) {
	o := &t.owners
	if mm == o.mm && who == o.who {
		return
	}
	if o.first == nil {
		o.first, o.last = map[int64]owner{}, map[int64]owner{}
	}
	if _, seen := o.first[mm]; !seen {
		o.first[mm] = who
	}
	o.mm, o.who, o.last[mm] = mm, who, who
}

// exec says that a pid has an mm that it did not have before: it runs another program from there on.
func (t *trace) exec(mm int64, h *header) {
	if !h.pid.OK {
		return
	}
	o := &t.owners
	if o.had == nil {
		o.had = map[int64]map[int64]bool{}
	}
	had := o.had[h.pid.V]
	if had == nil {
		had = map[int64]bool{}
		o.had[h.pid.V] = had
	} else if !had[mm] {
		t.b.Restart(h.pid.V, t.at(h))
	}
	had[mm] = true
}

func readRSS(payload []byte) rssFields {
	out := rssFields{member: -1}
	for f := fields(payload); ; {
		key, value, ok := f.next()
		if !ok {
			return out
		}
		switch string(key) {
		case "mm_id":
			out.mm = count(value)
		case "curr":
			out.foreign = string(value) == "0"
		case "type":
			for i := range members {
				if string(value) == members[i] {
					out.member = i
				}
			}
		case "member":
			if v, ok := decimal(value); ok && v < int64(len(members)) {
				out.member = int(v)
			}
		case "size":
			if n := len(value); n > 1 && value[n-1] == 'B' {
				out.size.V, out.size.OK = decimal(value[:n-1])
			}
		}
	}
}

// settleOwners writes the changes whose owner was seen only behind them, or never.
func (t *trace) settleOwners() {
	for _, u := range t.owners.later {
		who := t.owners.first[u.mm]
		t.b.Process(who.pid, who.process)
		t.b.Add(u.sample)
	}
	t.owners.later = nil
}
