package table

// Sym is a string of a table's dictionary columns; Null is the absent string, which is not the empty one.
type Sym int32

// Null is the Sym of a string that is not known.
const Null Sym = 0

// Int is an integer that may be unknown.
type Int struct {
	V  int64
	OK bool
}

// Known is an Int with a value.
func Known(v int64) Int { return Int{v, true} }

// Sample is one metric of one thing at one time; the unit is the metric's (bytes or a count). File, time and process
// of a row belong to the Builder and its snapshot.
type Sample struct {
	Scope, Name, Metric Sym
	Value               int64
	Line                int
	Iteration           Int
	At                  int64 // ns after the time of its snapshot; it may be before
}

// Size is an index into Mapping.Sizes: the twelve size columns, in their order in the table.
type Size int

// The size columns of a mapping, all in bytes.
const (
	MapSize Size = iota
	MapRSS
	MapPSS
	MapPSSDirty
	MapDirty
	MapSharedClean
	MapSharedDirty
	MapPrivateClean
	MapPrivateDirty
	MapReferenced
	MapAnonymous
	MapSwap
	MapSwapPSS
	NumSizes
)

// Mapping is one VMA or region at one time. Has tells which of Sizes are known (bit i for Sizes[i]); the same for
// Start, End, Offset and Inode, of which HasRange covers the first two.
type Mapping struct {
	Start, End    uint64
	Offset, Inode int64
	HasRange      bool
	HasFile       bool // Offset and Inode are known
	Perms, Path   Sym
	Category      Sym
	Subcategory   Sym // for the derived samples only: the table has no such column
	Sizes         [NumSizes]int64
	Has           uint16
	Bad           uint16 // columns whose figure is there but could not be read: no sum over them is known
	Line          int
}

// Set stores a size column.
func (m *Mapping) Set(s Size, v int64) {
	m.Sizes[s] = v
	m.Has |= 1 << s
}

// SetDirty stores dirty where both of its parts are known. It is false, and no sum over it is known, beyond int64.
func (m *Mapping) SetDirty() bool {
	if both := uint16(1<<MapSharedDirty | 1<<MapPrivateDirty); m.Has&both != both {
		return true
	}
	v, ok := Sum(m.Sizes[MapSharedDirty], m.Sizes[MapPrivateDirty])
	if !ok {
		m.Bad |= 1 << MapDirty
		return false
	}
	m.Set(MapDirty, v)
	return true
}

// Site is one allocation site or class at one time.
type Site struct {
	Device, Class          Sym
	Stack                  int64 // frame id of the leaf; 0 for none
	LiveBytes, LiveCount   Int
	TotalBytes, TotalCount Int
	Line                   int
	At                     int64 // ns after the time of its snapshot; it may be before
}

// Event is one thing done to one object. A log is one snapshot, and At is the place of each event in it, which need not
// be in order: the earliest becomes the time of the snapshot.
type Event struct {
	At        int64 // ns after the time of the snapshot; it may be before
	Seq       int64
	TID       Int
	Op, Class Sym
	Object    uint64
	HasObject bool
	Size      Int
	Refcount  Int
	Device    Sym
	Stack     int64
	Line      int
}

// Frame is a node of the stack trie: a function called from Parent (0: the root). The address is part of what tells nodes
// apart only where there is no function: two return addresses in one function are one node, with the address met first.
type Frame struct {
	Parent           int64
	Function, Module Sym
	SourceFile       Sym
	SourceLine       Int
	Address          uint64
	HasAddress       bool
}

// Fault is one crash, sanitizer report or OOM kill.
type Fault struct {
	Kind, Detail                 Sym
	Address                      uint64
	HasAddress                   bool
	Size                         Int
	Stack, AllocStack, FreeStack int64
	Line                         int
	At                           int64 // ns after the time of its snapshot; it may be before
}
