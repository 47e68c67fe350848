package torch

import (
	"encoding/binary"

	"github.com/memtide/memtide/ingest/table"
)

// frame is a call: function and file are Null where they are not known, line is 0.
type frame struct {
	function, file table.Sym
	line           int64
}

// stacks holds each distinct frame and stack once. Stack 0 is the empty one.
type stacks struct {
	frames  []frame
	frameID map[frame]int32
	list    []string // frames as 4 bytes each, leaf first
	stackNo map[string]int32
	leaves  []int64 // frames.id of the leaf of each stack; 0 while it is not written
	ids     []int32 // scratch
	key     []byte  // scratch
	noFile  table.Sym
}

func (s *stacks) init(b *table.Builder) {
	s.noFile = b.Text("??")
	s.frameID, s.stackNo = map[frame]int32{}, map[string]int32{"": 0}
	s.list = []string{""}
}

// frame gives the number of a frame. "??" is how torch writes that it has no name of a file.
func (m *machine) frame(function, file table.Sym, line int64) int64 {
	if file == m.noFile {
		file = table.Null
	}
	f := frame{function, file, max(line, 0)}
	id, ok := m.frameID[f]
	if !ok {
		id = int32(len(m.frames))
		m.frames = append(m.frames, f)
		m.frameID[f] = id
	}
	return int64(id)
}

// stackID gives the number of a stack.
func (s *stacks) stackID(ids []int32) int32 {
	s.key = s.key[:0]
	for _, id := range ids {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(id))
	}
	if n, ok := s.stackNo[string(s.key)]; ok {
		return n
	}
	key := string(s.key)
	s.list = append(s.list, key)
	n := int32(len(s.list) - 1)
	s.stackNo[key] = n
	return n
}

// idsOf appends the frames of a stack.
func (s *stacks) idsOf(stack int32, to []int32) []int32 {
	key := s.list[stack]
	for i := 0; i < len(key); i += 4 {
		to = append(to, int32(uint32(key[i])|uint32(key[i+1])<<8|uint32(key[i+2])<<16|uint32(key[i+3])<<24))
	}
	return to
}

// stackOf gives the stack of a record; 0 where it has none.
func (m *machine) stackOf(f *item) int32 {
	if !f.any(wFrames) {
		return 0
	}
	switch s, n := m.shapeOf(f.values[wFrames]); {
	case s == sStack:
		return int32(n)
	case s != sList && f.values[wFrames].kind == kObject:
		m.b.Problems.Count(m.place(), "want the frames of a stack, have something else")
	}
	return 0
}

// leaf writes a stack into the frames of the table, once, and gives its leaf.
func (m *machine) leaf(stack int32, line int64) int64 {
	for len(m.leaves) < len(m.list) {
		m.leaves = append(m.leaves, 0)
	}
	if id := m.leaves[stack]; id != 0 || stack == 0 {
		return id
	}
	m.ids = m.idsOf(stack, m.ids[:0])
	var id int64
	for i := len(m.ids) - 1; i >= 0; i-- {
		f := &m.frames[m.ids[i]]
		id = m.b.Frame(table.Frame{Parent: id, Function: f.function, SourceFile: f.file, SourceLine: table.Int{V: f.line, OK: f.line > 0}}, int(line))
	}
	m.leaves[stack] = id
	return id
}
