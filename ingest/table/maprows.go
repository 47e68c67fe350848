package table

// MapRow is one row of mappings, with its strings.
type MapRow struct {
	Place
	TimeNS        int64
	PID           Int
	Process       string
	Start, End    uint64
	HasRange      bool
	Perms, Path   string
	Category      string
	Offset, Inode Int
	sizes         [NumSizes]int64
	has           uint16
}

// Size gives a size column.
func (r *MapRow) Size(s Size) Int { return Int{r.sizes[s], r.has&(1<<s) != 0} }

// LastMappings gives the mappings of each process at the last time at which it has some, in the order of their rows.
func LastMappings(s *Set) []MapRow {
	type who struct {
		pid     Int
		process Sym
	}
	last := map[who]int64{}
	for _, b := range s.tables[Mappings] {
		for i := range b.n {
			last[who{b.cols[mapPID].at(i), b.cols[mapProcess].syms[i]}] = b.cols[0].ints[i] // rows are in order of time
		}
	}
	var out []MapRow
	for _, b := range s.tables[Mappings] {
		c := b.cols
		for i := range b.n {
			w := who{c[mapPID].at(i), c[mapProcess].syms[i]}
			if c[0].ints[i] != last[w] {
				continue
			}
			r := MapRow{Place: Place{s.strings[c[mapFile].syms[i]], c[mapFile+1].ints[i]}, TimeNS: c[0].ints[i], PID: w.pid, Process: s.strings[w.process],
				Start: uint64(c[mapStart].ints[i]), End: uint64(c[mapEnd].ints[i]), HasRange: c[mapStart].known(i), Perms: s.strings[c[mapPerms].syms[i]], Path: s.strings[c[mapPath].syms[i]],
				Category: s.strings[c[mapCategory].syms[i]], Offset: c[mapOffset].at(i), Inode: c[mapInode].at(i)}
			for k := range NumSizes {
				if v := c[mapSizes+int(k)].at(i); v.OK {
					r.sizes[k], r.has = v.V, r.has|1<<k
				}
			}
			out = append(out, r)
		}
	}
	return out
}
