package appletools

import "github.com/memtide/memtide/ingest/table"

// leakKey is what leaks are added up by: a class or an edge, and a stack.
type leakKey struct {
	name  table.Sym
	stack int64
}

// leakSum is what the leaks of a key add up to.
type leakSum struct {
	leakKey
	line         int
	count, bytes table.Int
	cycles       int64
}

// leakSums are sums in the order in which their keys were met.
type leakSums struct {
	list  []*leakSum
	index map[leakKey]*leakSum
}

func (s *leakSums) at(key leakKey, line int) *leakSum {
	if sum := s.index[key]; sum != nil {
		return sum
	}
	if s.index == nil {
		s.index = map[leakKey]*leakSum{}
	}
	sum := &leakSum{leakKey: key, line: line, count: table.Known(0), bytes: table.Known(0)}
	s.index[key] = sum
	s.list = append(s.list, sum)
	return sum
}

func (s *leakSum) add(n *node) { s.join(n.nodes, n.size.int()) }

func (s *leakSum) join(count, bytes table.Int) {
	s.count, s.bytes = plus(s.count, count), plus(s.bytes, bytes)
}

// plus is a sum that is not known where a part of it is not.
func plus(a, b table.Int) table.Int {
	v, ok := table.Sum(a.V, b.V)
	return table.Int{V: v, OK: ok && a.OK && b.OK}
}
