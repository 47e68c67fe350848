package proc

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// DecodeMeminfo reads /proc/meminfo, and the one that each node of a NUMA machine has: a row of scope system for each
// line, whose metric is the field's name in snake case. The set of fields is open, since kernels and vendors add to it.
// HugePages_* are counts.
func DecodeMeminfo(in *source.Input, b *table.Builder) error {
	r := newRecord(in, b)
	r.machine = true
	system := b.Text("system")
	r.find = func(text, rest []byte) *key {
		node, bare, _ := cutNode(text)
		k := &key{scope: system, name: b.Sym(node), metric: b.Text(snake(bare))}
		_, _, kb, ok := value(rest)
		switch {
		case bytes.HasPrefix(bare, []byte("HugePages_")):
			k.kind = countField
		case ok && kb, r.open, string(bare) == "MemTotal":
		default:
			return nil // a line between two samples
		}
		if number := bytes.TrimPrefix(node, []byte("Node ")); len(bytes.Trim(number, "0123456789")) > 0 || len(number) > 9 {
			b.Problems.Count(r.l.Pos(len("Node ")+1), "want the number of a node, have %q: its figures are left out", clip(number))
			k.kind = skipField
		}
		return k
	}
	return r.read("/proc/meminfo", func([]byte) bool { return false })
}
