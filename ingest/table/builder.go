package table

import "github.com/memtide/memtide/ingest/source"

// batchRows is the size at which a batch is closed, at the next snapshot.
const batchRows = 1 << 16

// Stamp is what a capture says about the time of a snapshot. Each clock may be unknown; Assemble takes the most
// trusted one that all snapshots of the run have.
type Stamp struct {
	Wall  Int // ns since 1970, from a line before the dump
	Boot  Int // ns since boot, deep sleep included
	Trace Int // ns of the capture's own clock, from an origin of its own
	Line  int // where the snapshot begins
}

// snapshot is the rows between two calls of Builder.Snapshot.
type snapshot struct {
	Stamp
	first [NumTables]rowAt
	data  bool
	early int64 // the least At of its rows
}

// rowAt is a place in a table of one builder: batch and row.
type rowAt struct{ batch, row int32 }

// Builder takes the rows of one input. Rows belong to the snapshot begun last and to the process set last.
type Builder struct {
	source.Problems
	Part
	dict    dict
	pid     Int
	process Sym
	sums    derived
	words   words
	sink    EventSink
	mark    Sym

	room [NumTables]int // rows that were reserved, those of the last batch included

	trie trie  // becomes the rows of frames
	cuts []int // of them: ids at which batches end
}

// EventSink takes events as they are read, in place of rows: a log may be longer than memory. Events come in the order of the
// log; times are ns after the time of the first snapshot. Marks are rows all the same. Done comes behind the last event: the
// Builder can be asked for nothing after it.
type EventSink interface {
	Event(*EventRow)
	Done()
}

// Stream gives events to a sink. It must be called before the first one.
func (b *Builder) Stream(s EventSink) { b.sink, b.mark = s, b.Text("mark") }

// Part is one decoded input, ready to be joined with the others of its run.
type Part struct {
	File, Format string
	Rank         int    // among the formats that measure the same: the lowest is the source of a series
	NoData       int    // snapshots without data
	Complete     bool   // a site that is not listed has nothing alive
	OnDevice     bool   // it tells of device memory from the device's side
	Whole        bool   // a snapshot shows by its last record that nothing is missing behind it
	Doubt        *Doubt // the end shows no such thing, and no other snapshot of the input does
	Facts        []Fact
	tables       [NumTables][]*Batch
	snapshots    []snapshot
	strings      []string
	lives        []life
	twins        []int32 // lines of the first mappings of snapshots that have the time of the one before
	problems     []source.Problem
	streamed     streamed
}

// streamed counts what a sink took in place of the tables.
type streamed struct {
	sink        EventSink
	rows        int
	first, last int64
	early       int64 // of the snapshot
	row         EventRow
	users       []users // by stack: whose it is
}

// Fact is something that a capture says about itself.
type Fact struct{ Name, Value string }

// NewBuilder begins the rows of one input, read as format.
func NewBuilder(file, format string) *Builder {
	b := &Builder{Part: Part{File: file, Format: format}}
	b.dict.init()
	b.words.init(b)
	for t := range b.tables {
		b.tables[t] = []*Batch{newBatch(Schemas[t])}
	}
	b.snapshots = append(b.snapshots, snapshot{})
	return b
}

// Sym gives the dictionary's number of a string; the bytes are copied when they are new.
func (b *Builder) Sym(s []byte) Sym { return b.dict.bytes(s) }

// Text is Sym for a string.
func (b *Builder) Text(s string) Sym { return b.dict.text(s) }

// String is the string of a Sym; empty for Null.
func (b *Builder) String(s Sym) string { return b.dict.list[s] }

// Process sets whose rows follow; an unknown pid or name is settled by Assemble where the run tells it elsewhere.
func (b *Builder) Process(pid Int, name Sym) { b.pid, b.process = pid, name }

// Fact notes something that the capture says about itself; a name is noted once.
func (b *Builder) Fact(name, value string) {
	for _, f := range b.Facts {
		if f.Name == name {
			return
		}
	}
	b.Facts = append(b.Facts, Fact{name, value})
}

// NoSample counts a snapshot that holds no data ("No process found", a failed cat).
func (b *Builder) NoSample() { b.NoData++ }

// Snapshot ends the snapshot before, and begins the next one.
func (b *Builder) Snapshot(s Stamp) {
	b.close()
	for t := range b.tables {
		if b.last(ID(t)).n >= batchRows {
			full := b.last(ID(t)).n
			b.tables[t] = append(b.tables[t], newBatch(Schemas[t]))
			b.Reserve(ID(t), full)
		}
	}
	b.cut()
	next := snapshot{Stamp: s}
	for t := range b.tables {
		next.first[t] = rowAt{int32(len(b.tables[t]) - 1), int32(b.last(ID(t)).n)}
	}
	if cur := b.cur(); !cur.data {
		*cur = next
		return
	}
	b.snapshots = append(b.snapshots, next)
}

// Stamp changes the time of the current snapshot: where the time stands behind the data or inside it.
func (b *Builder) Stamp(change func(*Stamp)) { change(&b.cur().Stamp) }

// life is the start of another program under the pid of the one before.
type life struct {
	pid      int64
	at       int64 // ns after the time of its snapshot
	snapshot int
}

// Restart says that from so many ns after the snapshot's time on a pid is another program (exec): its series are cut there.
func (b *Builder) Restart(pid, at int64) {
	b.lives = append(b.lives, life{pid, at, len(b.snapshots) - 1})
}

// Incomplete says that a mapping of the current snapshot could not be read: what the others add up to is not the
// total, so no sample is derived from them.
func (b *Builder) Incomplete() { b.sums.lost = true }

// HasData says whether the current snapshot has a row.
func (b *Builder) HasData() bool { return b.cur().data }

// Drop forgets the rows of the current snapshot: it was cut, and its sums would be false.
func (b *Builder) Drop() {
	s := b.cur()
	for t := range b.tables {
		b.tables[t] = b.tables[t][:s.first[t].batch+1]
		if ID(t) != Frames {
			b.last(ID(t)).truncate(int(s.first[t].row))
		}
	}
	s.data = false
	b.sums.reset()
}

// cut ends a batch of frames that is full.
func (b *Builder) cut() {
	last := 0
	if n := len(b.cuts); n > 0 {
		last = b.cuts[n-1]
	}
	if n := b.trie.nodes.Len(); n-last >= batchRows {
		b.cuts = append(b.cuts, n)
	}
}

// Done ends the last snapshot and gives the part. What only building it needed is given up.
func (b *Builder) Done() *Part {
	if b.sink != nil {
		b.sink.Done()
	}
	b.close()
	b.tables[Frames] = b.trie.batches(b.cuts)
	b.trie, b.dict.index = trie{}, nil
	if !b.cur().data {
		b.snapshots = b.snapshots[:len(b.snapshots)-1]
	}
	b.strings, b.problems = b.dict.list, b.List()
	return &b.Part
}

func (b *Builder) close() {
	if b.cur().data {
		b.derive()
		b.cur().settle()
	}
}

// settle makes the earliest of the rows the time of the snapshot.
func (s *snapshot) settle() {
	for _, c := range []*Int{&s.Wall, &s.Boot, &s.Trace} {
		if c.OK {
			c.V += s.early
		}
	}
}

func (b *Builder) cur() *snapshot   { return &b.snapshots[len(b.snapshots)-1] }
func (b *Builder) last(t ID) *Batch { return b.tables[t][len(b.tables[t])-1] }

func (b *Builder) row(t ID) []vector {
	r := b.last(t)
	r.n++
	b.cur().take(0)
	return r.cols
}

// take notes a row that stands at so many ns after the time of the snapshot.
func (s *snapshot) take(at int64) {
	if !s.data || at < s.early {
		s.early, s.data = at, true
	}
}

// rowAt is a row of a table whose rows have times of their own inside the snapshot: a log is one snapshot that may go on
// for long, so batches are closed inside it.
func (b *Builder) rowAt(t ID, at int64) []vector {
	if b.last(t).n >= 4*batchRows {
		b.room[t] -= b.last(t).n
		b.tables[t] = append(b.tables[t], newBatch(Schemas[t]))
		b.Reserve(t, max(b.room[t], batchRows))
	}
	r := b.last(t)
	r.n++
	b.cur().take(at)
	r.cols[0].int(at)
	return r.cols
}

// Reserve makes room for rows of which a format knows how many will come; it saves their growing step by step.
func (b *Builder) Reserve(t ID, rows int) {
	b.last(t).grow(Schemas[t], max(min(rows, 4*batchRows-b.last(t).n), 0))
	b.room[t] = b.last(t).n + rows
}

// Add appends a row to samples.
func (b *Builder) Add(s Sample) {
	c := b.rowAt(Samples, s.At)
	c[sampleIteration].opt(s.Iteration.V, s.Iteration.OK)
	c[samplePID].opt(b.pid.V, b.pid.OK)
	c[sampleProcess].sym(b.process)
	c[sampleScope].sym(s.Scope)
	c[sampleName].sym(s.Name)
	c[sampleMetric].sym(s.Metric)
	c[sampleValue].int(s.Value)
	c[sampleFile].sym(fileSym)
	c[sampleLine].int(int64(s.Line))
}

// Map appends a row to mappings and counts it for the samples derived from them.
func (b *Builder) Map(m *Mapping) {
	b.sums.add(b.pid, b.process, m)
	c := b.row(Mappings)
	c[0].int(0)
	c[mapPID].opt(b.pid.V, b.pid.OK)
	c[mapProcess].sym(b.process)
	c[mapStart].opt(int64(m.Start), m.HasRange)
	c[mapEnd].opt(int64(m.End), m.HasRange)
	c[mapPerms].sym(m.Perms)
	c[mapOffset].opt(m.Offset, m.HasFile)
	c[mapInode].opt(m.Inode, m.HasFile)
	c[mapPath].sym(m.Path)
	c[mapCategory].sym(m.Category)
	for i := range m.Sizes {
		if v := &c[mapSizes+i]; v.valid == nil && m.Has&(1<<i) != 0 {
			v.ints = append(v.ints, m.Sizes[i])
		} else {
			v.opt(m.Sizes[i], m.Has&(1<<i) != 0)
		}
	}
	c[mapFile].sym(fileSym)
	c[mapFile+1].int(int64(m.Line))
}

// Site appends a row to sites.
func (b *Builder) Site(s Site) {
	c := b.rowAt(Sites, s.At)
	c[1].opt(b.pid.V, b.pid.OK)
	c[2].sym(b.process)
	c[3].sym(s.Device)
	c[4].sym(s.Class)
	c[siteStack].opt(s.Stack, s.Stack != 0)
	for i, v := range [...]Int{s.LiveBytes, s.LiveCount, s.TotalBytes, s.TotalCount} {
		c[siteStack+1+i].opt(v.V, v.OK)
	}
	c[siteFile].sym(fileSym)
	c[siteFile+1].int(int64(s.Line))
}

// Event appends a row to events.
func (b *Builder) Event(e *Event) {
	if b.sink != nil && e.Op != b.mark {
		b.stream(e)
		return
	}
	c := b.rowAt(Events, e.At)
	c[eventSeq].int(e.Seq)
	c[eventPID].opt(b.pid.V, b.pid.OK)
	c[eventTID].opt(e.TID.V, e.TID.OK)
	c[eventOp].sym(e.Op)
	c[eventClass].sym(e.Class)
	c[eventObject].opt(int64(e.Object), e.HasObject)
	c[eventSize].opt(e.Size.V, e.Size.OK)
	c[eventRefcount].opt(e.Refcount.V, e.Refcount.OK)
	c[eventDevice].sym(e.Device)
	c[eventStack].opt(e.Stack, e.Stack != 0)
	c[eventFile].sym(fileSym)
	c[eventFile+1].int(int64(e.Line))
}

func (b *Builder) stream(e *Event) {
	s := &b.streamed
	if s.rows == 0 {
		s.sink, s.first, s.last = b.sink, e.At, e.At
	}
	s.rows++
	s.first, s.last = min(s.first, e.At), max(s.last, e.At)
	s.use(e.Stack, b.pid)
	b.cur().take(e.At)
	s.row = EventRow{TimeNS: e.At, Seq: e.Seq, PID: b.pid, TID: e.TID, Op: e.Op, Class: e.Class, Object: e.Object, HasObject: e.HasObject, Size: e.Size, Refcount: e.Refcount,
		Device: e.Device, Stack: e.Stack, Place: int64(e.Line)}
	b.sink.Event(&s.row)
}

// Fault appends a row to faults.
func (b *Builder) Fault(f Fault) {
	c := b.rowAt(Faults, f.At)
	c[1].opt(b.pid.V, b.pid.OK)
	c[2].sym(b.process)
	c[3].sym(f.Kind)
	c[4].opt(int64(f.Address), f.HasAddress)
	c[5].opt(f.Size.V, f.Size.OK)
	c[6].sym(f.Detail)
	for i, id := range [...]int64{f.Stack, f.AllocStack, f.FreeStack} {
		c[7+i].opt(id, id != 0)
	}
	c[10].sym(fileSym)
	c[11].int(int64(f.Line))
}

// Frame gives the id of a stack node; equal nodes are one row. It is written once, with the line it was first met on.
func (b *Builder) Frame(f Frame, line int) int64 { return b.trie.frame(&f, fileSym, int64(line)) }

// Code numbers a frame without its caller, for Call.
func (b *Builder) Code(f Frame) Code { return b.trie.code(codeOf(&f, fileSym)) }

// Call is Frame for a code that has its number.
func (b *Builder) Call(parent int64, c Code, address uint64, hasAddress bool, line int) int64 {
	return b.trie.node(parent, c, address, hasAddress, int64(line))
}
