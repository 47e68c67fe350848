package table

// FaultRow is one row of faults, with its stacks resolved to function names, leaf first.
type FaultRow struct {
	Place
	TimeNS                       int64
	PID                          Int
	Process, Kind, Detail        string
	Address                      uint64
	HasAddress                   bool
	Size                         Int
	Stack, AllocStack, FreeStack []string
	StackID, AllocID, FreeID     int64 // of the leaves; 0 for none
}

// FaultsOf gives the faults of a run in order of time.
func FaultsOf(s *Set) []FaultRow {
	var out []FaultRow
	for _, b := range s.tables[Faults] {
		c := b.cols
		for i := 0; i < b.n; i++ {
			out = append(out, FaultRow{
				Place: Place{s.strings[c[10].syms[i]], c[11].ints[i]}, TimeNS: c[0].ints[i], PID: c[1].at(i), Process: s.strings[c[2].syms[i]],
				Kind: s.strings[c[3].syms[i]], Address: uint64(c[4].ints[i]), HasAddress: c[4].known(i), Size: c[5].at(i), Detail: s.strings[c[6].syms[i]],
				Stack: s.Stack(c[7].ints[i]), AllocStack: s.Stack(c[8].ints[i]), FreeStack: s.Stack(c[9].ints[i]),
				StackID: c[7].at(i).V, AllocID: c[8].at(i).V, FreeID: c[9].at(i).V,
			})
		}
	}
	return out
}

func (v *vector) at(i int) Int { return Int{v.ints[i], v.known(i)} }

// MaxStack bounds a walk up the trie, whatever a damaged capture makes of its parents.
const MaxStack = 512

// Stack gives the functions of a stack by the id of its leaf, leaf first; a frame without a function shows its module.
func (s *Set) Stack(id int64) []string {
	var out []string
	for id > 0 && len(out) < MaxStack {
		b, i := s.frameAt(id)
		if b == nil {
			break
		}
		name := s.strings[b.cols[2].syms[i]]
		if name == "" {
			name = s.strings[b.cols[5].syms[i]]
		}
		out = append(out, name)
		id = b.cols[1].at(i).V
	}
	return out
}

// frameAt finds a frame: the ids of frames count up from 1 over the batches.
func (s *Set) frameAt(id int64) (*Batch, int) {
	for _, b := range s.tables[Frames] {
		if first := b.cols[0].ints[0]; id >= first && id < first+int64(b.n) {
			return b, int(id - first)
		}
	}
	return nil, 0
}
