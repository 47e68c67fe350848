// Package table is the contract of all stages: the six tables that every format is read into, as columns of plain
// slices that become Arrow record batches without a copy, and the series made from them. Arrow's own API stops here.
//
// A format fills a Builder, one a file; Assemble joins the builders of one run into a Set in which times, pids and
// names are settled; SeriesOf takes the series out of a Set.
package table

// Kind is the type of a column.
type Kind uint8

// The kinds of columns. Strings are dictionary-encoded.
const (
	Int64 Kind = iota
	Uint64
	String
)

// Column describes one column of a table.
type Column struct {
	Name     string
	Kind     Kind
	Nullable bool
	Unit     string // bytes, ns, count, or empty
	Meaning  string
}

// Schema describes a table; the order of the columns is the order of every dump and export.
type Schema struct {
	Name    string
	Row     string // what a row is
	Columns []Column
}

// ID names a table.
type ID int

// The tables.
const (
	Samples ID = iota
	Mappings
	Sites
	Events
	Frames
	Faults
	NumTables
)

func num(name, unit, meaning string) Column   { return Column{name, Int64, false, unit, meaning} }
func maybe(name, unit, meaning string) Column { return Column{name, Int64, true, unit, meaning} }
func addr(name, meaning string) Column        { return Column{name, Uint64, true, "", meaning} }
func text(name, meaning string) Column        { return Column{name, String, true, "", meaning} }

var (
	colTime    = num("time_ns", "ns", "time since the first sample of the run that has data")
	colPID     = maybe("pid", "", "process id, if the capture tells it")
	colProcess = text("process", "process name, if the capture tells it")
	colFile    = text("file", "file the row was read from")
	colLine    = num("line", "", "line in the file, from 1 (row or offset in binary formats)")
)

// Schemas are the six tables, indexed by ID.
var Schemas = [NumTables]*Schema{
	{"samples", "one metric of one thing at one time", []Column{
		colTime, maybe("iteration", "", "iteration of the scenario, if the capture counts them"), colPID, colProcess,
		text("scope", "what kind of thing: process, system, category, subcategory, summary, oom, class, pool, handle, device, driver (work given: requests, batch_size), …"),
		text("name", "which thing inside the scope; empty for scope process"),
		text("metric", "what was measured; see the list of metrics"),
		num("value", "metric", "the measured value in the metric's unit"), colFile, colLine,
	}},
	{"mappings", "one VMA or region at one time", []Column{
		colTime, colPID, colProcess, addr("start", "first address"), addr("end", "address behind the last"),
		text("perms", "access, as rw-p"), maybe("offset", "bytes", "offset in the mapped file"), maybe("inode", "", "inode of the mapped file"),
		text("path", "name as printed; empty for anonymous memory"), text("category", "kind of memory by the rules of the platform"),
		maybe("size", "bytes", "address range"), maybe("rss", "bytes", "resident"), maybe("pss", "bytes", "resident, shared pages divided by their users"),
		maybe("pss_dirty", "bytes", "dirty part of pss"), maybe("dirty", "bytes", "shared_dirty + private_dirty, or Apple's dirty"),
		maybe("shared_clean", "bytes", "resident, mapped elsewhere too, not written"), maybe("shared_dirty", "bytes", "resident, mapped elsewhere too, written"),
		maybe("private_clean", "bytes", "resident, only here, not written"), maybe("private_dirty", "bytes", "resident, only here, written"),
		maybe("referenced", "bytes", "marked as accessed"), maybe("anonymous", "bytes", "belonging to no file"),
		maybe("swap", "bytes", "swapped out"), maybe("swap_pss", "bytes", "swapped out, shared pages divided by their users"), colFile, colLine,
	}},
	{"sites", "one allocation site or class at one time", []Column{
		colTime, colPID, colProcess, text("device", "device the memory is on"), text("class", "class or kind of the objects"),
		maybe("stack", "", "frames.id of the leaf of the call stack"), maybe("live_bytes", "bytes", "not yet freed"), maybe("live_count", "count", "objects not yet freed"),
		maybe("total_bytes", "bytes", "allocated since the start"), maybe("total_count", "count", "allocations since the start"), colFile, colLine,
	}},
	{"events", "one thing done to one object", []Column{
		colTime, num("seq", "", "order among events of equal time"), colPID, maybe("tid", "", "thread id"),
		text("op", "alloc free realloc retain release create destroy use mark; live: listed as alive at the end, and not seen made; between threads: lock unlock signal wait fork begin join"), text("class", "kind of the object"), addr("object", "address or handle; of an op between threads what they synchronise by"),
		maybe("size", "bytes", "size of the allocation"), maybe("refcount", "count", "reference count after the event"), text("device", "device"),
		maybe("stack", "", "frames.id of the leaf of the call stack"), colFile, colLine,
	}},
	{"frames", "one node of the stack trie", []Column{
		num("id", "", "number of the node, from 1"), maybe("parent", "", "id of the caller; null at the root"), text("function", "function name"),
		text("source_file", "source file"), maybe("source_line", "", "line in the source file"), text("module", "library or executable"),
		addr("address", "address or pc"), colFile, colLine,
	}},
	{"faults", "one crash, sanitizer report or OOM kill", []Column{
		colTime, colPID, colProcess, text("kind", "crash, use-after-free, double-free, oom-kill, …"), addr("address", "faulting address"),
		maybe("size", "bytes", "size of the access or of what was killed"), text("detail", "signal, cause, limit as printed"),
		maybe("stack", "", "frames.id of the leaf of the faulting stack"), maybe("alloc_stack", "", "frames.id: where it was allocated"),
		maybe("free_stack", "", "frames.id: where it was freed"), colFile, colLine,
	}},
}

// Column gives the index of a column by its name, or -1.
func (s *Schema) Column(name string) int {
	for i, c := range s.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Positions of the columns that code reaches directly; a test holds them against Schemas.
const (
	sampleTime, sampleIteration, samplePID, sampleProcess, sampleScope = 0, 1, 2, 3, 4
	sampleName, sampleMetric, sampleValue, sampleFile, sampleLine      = 5, 6, 7, 8, 9

	siteStack, siteFile = 5, 10

	eventSeq, eventPID, eventTID, eventOp, eventClass, eventObject = 1, 2, 3, 4, 5, 6
	eventSize, eventRefcount, eventDevice, eventStack, eventFile   = 7, 8, 9, 10, 11

	mapPID, mapProcess, mapStart, mapEnd, mapPerms               = 1, 2, 3, 4, 5
	mapOffset, mapInode, mapPath, mapCategory, mapSizes, mapFile = 6, 7, 8, 9, 10, 23
)
