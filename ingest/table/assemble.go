package table

import (
	"slices"
	"sort"

	"github.com/memtide/memtide/ingest/source"
)

// Set is the tables of one run: rows in order of time, file and line, strings in one dictionary.
type Set struct {
	Clock     string  // which clock the times are of: wall, boot, trace, name or order
	Start     Int     // wall clock of time 0, ns since 1970, if a capture tells it
	Files     []File  // what was read, in order of name
	Restarts  []int64 // times at which the clock fell back: every series is cut there
	tables    [NumTables][]*Batch
	strings   []string
	files     map[Sym]*File
	twins     map[place]bool // first mappings of snapshots that have the time of the one before in their file
	notes     []source.Problem
	remarks   []string
	eventPIDs int       // and one, once counted
	lives     []restart // times at which one pid became another program
}

// restart is a time at which the series of a pid are cut.
type restart struct{ pid, at int64 }

// File is one input of a Set.
type File struct {
	Name, Format string
	Rank         int
	Complete     bool // a site that is not listed has nothing alive
	OnDevice     bool // it tells of device memory from the device's side
	Snapshots    int  // with data
	NoData, Rows int
	First, Last  int64   // times of its rows, ns since time 0 of the run
	PIDs         []int64 // of its rows, in order
	Facts        []Fact
	Problems     []source.Problem
	Streams      []Stream // events that were not kept as rows
	Stamp        Stamp    // what the capture says of the time of its first snapshot
	StampNS      int64    // that time on the clock of the run
}

// Stream is what a sink took of one file, with what turns its numbers into those of the set.
type Stream struct {
	Sink   EventSink
	Rows   int
	Syms   []Sym // of the set, by those of the builder
	Frames int64 // to add to the id of a stack
	Shift  int64 // ns to add to a time

	users []users // by stack of the builder
	moved []int64 // where frames were renamed: the ids by those they had in the set
}

// Assemble joins the parts of one run, given in natural order of their names: it settles the clock, fills in
// pids and process names that another part of the run tells, and sorts the rows. The parts are used up.
func Assemble(parts []*Part) *Set {
	set := &Set{files: map[Sym]*File{}, twins: map[place]bool{}}
	settleDoubts(parts)
	set.settleTime(parts)
	var d dict
	d.init()
	for _, p := range parts {
		set.join(p, &d)
	}
	set.strings = d.list
	set.nameProcesses()
	set.sort()
	return set
}

// Len is the number of rows of a table.
func (s *Set) Len(t ID) int {
	n := 0
	for _, b := range s.tables[t] {
		n += b.n
	}
	return n
}

// String is the string of a Sym of this set; empty for Null.
func (s *Set) String(y Sym) string { return s.strings[y] }

// Facts gives all that the captures of the run say of themselves, each name once per value.
func (s *Set) Facts() []Fact {
	var out []Fact
	seen := map[Fact]bool{}
	for _, f := range s.Files {
		for _, fact := range f.Facts {
			if !seen[fact] {
				seen[fact] = true
				out = append(out, fact)
			}
		}
	}
	return out
}

// Processes lists the names of the run's processes, in order of appearance in their dictionary.
func (s *Set) Processes() []string {
	seen := map[Sym]bool{}
	for _, t := range []struct {
		id  ID
		col int
	}{{Samples, sampleProcess}, {Mappings, mapProcess}, {Sites, 2}, {Faults, 2}} {
		last := Null
		for _, b := range s.tables[t.id] {
			for _, y := range b.cols[t.col].syms {
				if y != last { // nearly all rows are of the process of the one before
					seen[y], last = true, y
				}
			}
		}
	}
	var out []string
	for y := range seen {
		if y != Null && s.strings[y] != "" {
			out = append(out, s.strings[y])
		}
	}
	sort.Strings(out)
	return out
}

func (s *Set) join(p *Part, d *dict) {
	remap := make([]Sym, len(p.strings))
	same := true // of the first part of a run nothing moves
	for i, str := range p.strings {
		if i > 0 {
			remap[i] = d.text(str)
			same = same && remap[i] == Sym(i)
		}
	}
	f := File{Name: p.File, Format: p.Format, Rank: p.Rank, Complete: p.Complete, OnDevice: p.OnDevice, Snapshots: len(p.snapshots), NoData: p.NoData, Facts: p.Facts, Problems: p.problems}
	file := s.fileSym(p, d)
	frames := int64(s.Len(Frames))
	for t := range p.tables {
		for _, b := range p.tables[t] {
			if b.n == 0 {
				continue
			}
			if !same || file != fileSym {
				b.remap(remap, file)
			}
			if frames > 0 {
				b.shiftFrames(ID(t), frames)
			}
			s.tables[t] = append(s.tables[t], b)
			f.take(ID(t), b)
		}
	}
	f.stream(p, remap, frames)
	if len(p.snapshots) > 0 {
		f.Stamp, f.StampNS = p.snapshots[0].Stamp, p.streamed.early+p.snapshots[0].early
	}
	slices.Sort(f.PIDs)
	f.PIDs = slices.Compact(f.PIDs)
	s.Files = append(s.Files, f)
	s.files[file] = &f
	for _, line := range p.twins {
		s.twins[place{file, line}] = true
	}
}

func (f *File) stream(p *Part, syms []Sym, frames int64) {
	s := &p.streamed
	if s.rows == 0 {
		return
	}
	f.Streams = append(f.Streams, Stream{Sink: s.sink, Rows: s.rows, Syms: syms, Frames: frames, Shift: s.early, users: s.users})
	if f.Rows == 0 {
		f.First = s.first + s.early
	}
	f.First, f.Last = min(f.First, s.first+s.early), max(f.Last, s.last+s.early)
	f.Rows += s.rows
}

// take counts the rows of a batch, with their span of time and pids.
func (f *File) take(t ID, b *Batch) {
	if t != Frames {
		times := b.cols[0].ints[:b.n]
		first, last := slices.Min(times), slices.Max(times)
		if f.Rows == 0 {
			f.First, f.Last = first, last
		}
		f.First, f.Last = min(f.First, first), max(f.Last, last)
	}
	f.Rows += b.n
	if c, ok := subjectColumns[t]; ok {
		for i, pid := range b.cols[c[0]].ints[:b.n] {
			if n := len(f.PIDs); b.cols[c[0]].known(i) && (n == 0 || f.PIDs[n-1] != pid) {
				f.PIDs = append(f.PIDs, pid)
			}
		}
	}
}

// fileSym numbers the file of a part. Parts of one file, as the sections of a bug report are, get numbers of their
// own, so that a row still tells the format it was read by.
func (s *Set) fileSym(p *Part, d *dict) Sym {
	if y := d.text(p.File); s.files[y] == nil {
		return y
	}
	return d.again(p.File)
}

func (b *Batch) remap(to []Sym, file Sym) {
	for i := range b.cols {
		for j, y := range b.cols[i].syms {
			b.cols[i].syms[j] = to[y]
		}
	}
	files := b.cols[len(b.cols)-2].syms
	for j := range files {
		files[j] = file
	}
}

// frameColumns are the columns that hold ids of frames.
var frameColumns = [NumTables][]int{Sites: {5}, Events: {10}, Frames: {0, 1}, Faults: {7, 8, 9}}

// shiftFrames makes room for the frames of the parts before.
func (b *Batch) shiftFrames(t ID, by int64) {
	for _, c := range frameColumns[t] {
		for i := range b.cols[c].ints {
			if b.cols[c].known(i) {
				b.cols[c].ints[i] += by
			}
		}
	}
}

// subjectColumns are the places of pid and process in the tables that have both.
var subjectColumns = map[ID][2]int{Samples: {samplePID, sampleProcess}, Mappings: {mapPID, mapProcess}, Sites: {1, 2}, Faults: {1, 2}}

// nameProcesses gives a row that has only a pid the name that another row of the run has for it.
func (s *Set) nameProcesses() {
	names := map[int64]Sym{}
	s.eachSubject(func(pid *vector, process []Sym, i int) {
		if process[i] != Null && pid.known(i) {
			if _, ok := names[pid.ints[i]]; !ok {
				names[pid.ints[i]] = process[i]
			}
		}
	})
	if len(names) == 0 {
		return
	}
	s.eachSubject(func(pid *vector, process []Sym, i int) {
		if process[i] == Null && pid.known(i) {
			process[i] = names[pid.ints[i]]
		}
	})
}

func (s *Set) eachSubject(visit func(pid *vector, process []Sym, i int)) {
	for t := ID(0); t < NumTables; t++ {
		c, ok := subjectColumns[t]
		if !ok {
			continue
		}
		for _, b := range s.tables[t] {
			for i := 0; i < b.n; i++ {
				visit(&b.cols[c[0]], b.cols[c[1]].syms, i)
			}
		}
	}
}

// FillPID gives the rows of a part the pid that stands in the file's name, unless its records tell pids themselves.
func (p *Part) FillPID(pid int64) {
	if p.tellsPID() {
		return
	}
	for t := ID(0); t < NumTables; t++ {
		c, ok := subjectColumns[t]
		if !ok {
			continue
		}
		for _, b := range p.tables[t] {
			for i := 0; i < b.n; i++ {
				if v := &b.cols[c[0]]; !v.known(i) && (t != Samples || !p.system(b.cols[sampleScope].syms[i])) {
					v.ints[i] = pid
					v.mark(i, true)
				}
			}
		}
	}
}

// Says gives what the capture says of itself under a name.
func (p *Part) Says(name string) (string, bool) {
	for _, f := range p.Facts {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}

// FillProcess gives the rows of a part that tell no process a name.
func (p *Part) FillProcess(name string) {
	var y Sym
	for t := ID(0); t < NumTables; t++ {
		c, ok := subjectColumns[t]
		if !ok {
			continue
		}
		for _, b := range p.tables[t] {
			for i := range b.n {
				if b.cols[c[1]].syms[i] != Null || t == Samples && p.system(b.cols[sampleScope].syms[i]) {
					continue
				}
				if y == Null {
					p.strings = append(p.strings, name)
					y = Sym(len(p.strings) - 1)
				}
				b.cols[c[1]].syms[i] = y
			}
		}
	}
}

func (p *Part) tellsPID() bool {
	for t, c := range subjectColumns {
		for _, b := range p.tables[t] {
			for i := 0; i < b.n; i++ {
				if b.cols[c[0]].known(i) {
					return true
				}
			}
		}
	}
	return false
}

// system says whether a scope is about the machine, not about a process.
func (p *Part) system(scope Sym) bool {
	switch p.strings[scope] {
	case "system", "oom", "device":
		return true
	}
	return false
}

// HasRows says whether the part has a row of any table.
func (p *Part) HasRows() bool {
	for _, list := range p.tables {
		for _, b := range list {
			if b.n > 0 {
				return true
			}
		}
	}
	return p.streamed.rows > 0
}

// At gives all snapshots of the part one wall clock: that of the document they stand in.
func (p *Part) At(wall Int) {
	for i := range p.snapshots {
		p.snapshots[i].Wall = wall
	}
}

// Note adds problems that belong to the run as a whole.
func (s *Set) Note(ps ...source.Problem) { s.notes = append(s.notes, ps...) }

// Problems lists what was wrong with the inputs of the run, file by file.
func (s *Set) Problems() []source.Problem {
	out := append([]source.Problem(nil), s.notes...)
	for _, f := range s.Files {
		out = append(out, f.Problems...)
	}
	return out
}

// First is the first value that a part has of a metric of a process.
func (p *Part) First(metric string) Int {
	for _, b := range p.tables[Samples] {
		for i := range b.n {
			if p.strings[b.cols[sampleMetric].syms[i]] == metric && p.strings[b.cols[sampleScope].syms[i]] == "process" {
				return Known(b.cols[sampleValue].ints[i])
			}
		}
	}
	return Int{}
}
