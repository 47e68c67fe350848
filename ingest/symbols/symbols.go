// Package symbols names the frames that a capture holds as bare addresses, offline: from the binaries, the debug files, the maps
// of processes and the tables of JIT compilers that a user gives by folder or that lie beside the captures. It works on the
// assembled tables of a run. What fits by name but not by build id, or is not where code is, is told and not used: no match, no
// guess.
package symbols

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Dir is a folder to look in, with the name it is shown by.
type Dir struct{ Path, Name string }

// Resolve names the raw frames of a run and notes in the set what could not be used. Given are the folders named by the user;
// beside are those of the captures, in which only tables of JIT compilers are looked for. It gives the number of frames that
// got a name.
func Resolve(set *table.Set, given, beside []Dir) int {
	if !set.HasFrame(isRaw) {
		return 0
	}
	r := &resolver{store: newStore(given), user: len(given) > 0, missing: map[string]int{}}
	r.spaces = spacesOf(set, r.store)
	if !set.HasFrame(func(c *table.Call) bool { return c.Function == "" && isRaw(c) }) {
		beside = nil
	}
	r.jit = newJIT(given, beside, &r.store.problems)
	if !r.user && len(r.spaces.byPID) == 0 && len(r.jit.codes) == 0 {
		return 0
	}
	r.store.builds(set)
	n := set.Rename(r.name)
	if text := r.missed(); text != "" {
		set.Remark(text)
	}
	set.Note(r.store.problems.List()...)
	return n
}

// tool is how a tool prints the place of a call.
type tool struct {
	call     bool // an address inside the call: no return address, which stands behind it
	link     bool // offsets count from the address that the file is linked for, not from the start of the file
	relative bool // the address of a frame with a module is the offset in it
}

// tools are those that print other than the return address, or other than the offset in the file: as seen of GCC 12, LLVM 14,
// Valgrind 3.19, heaptrack 1.4, glibc 2.36, perf 6.1 and debuggerd of Android 14.
var tools = map[string]tool{
	"sanitizer":         {call: true, link: true},
	"memcheck":          {call: true},
	"massif":            {call: true},
	"dhat":              {call: true},
	"heaptrack":         {call: true},
	"heaptrack-raw":     {call: true, link: true},
	"pprof":             {call: true},
	"mtrace":            {link: true},
	"memtide-events":    {link: true},
	"perf-script":       {relative: true},
	"android-tombstone": {call: true, link: true, relative: true},
}

// resolver names the frames of one run.
type resolver struct {
	store   *store
	spaces  *spaces
	jit     *jit
	user    bool           // a folder was given: what is missing in it is told
	missing map[string]int // frames by the module that has no file
}

// isRaw says whether nobody named a frame: it is an address, or an offset in a module.
func isRaw(c *table.Call) bool {
	if c.Function == "" {
		return c.HasAddress && !c.Garbage()
	}
	_, ok := offsetOf(c)
	return ok
}

// offsetOf reads module+0xoffset.
func offsetOf(c *table.Call) (uint64, bool) {
	rest, ok := strings.CutPrefix(c.Function, c.Module)
	digits, hex := strings.CutPrefix(rest, "+0x")
	if !ok || !hex || c.Module == "" {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 16, 64)
	return v, err == nil
}

// spot is a place in a file.
type spot struct {
	module, path string
	offset       uint64
	link         bool // offset is an address of the file, as it is linked
	mapped       *mapping
}

// name is what a frame is called, innermost first; nil where nothing better is known.
func (r *resolver) name(f *table.RawFrame) []table.Call {
	if !isRaw(&f.Call) {
		return nil
	}
	t := tools[f.Format]
	at, ok := r.spot(f, t)
	if !ok {
		return r.compiled(f, t)
	}
	calls := r.inImage(f, t, at)
	if calls == nil && f.Function == "" && at.mapped != nil {
		return []table.Call{bare(&f.Call, at)}
	}
	return calls
}

// spot finds which place of which file a raw frame is.
func (r *resolver) spot(f *table.RawFrame, t tool) (spot, bool) {
	if offset, ok := offsetOf(&f.Call); ok {
		return spot{module: f.Module, offset: offset, link: t.link}, true
	}
	if t.relative && f.Module != "" && f.Address < 1<<32 && f.Module[0] != '[' {
		return spot{module: path.Base(f.Module), path: f.Module, offset: f.Address, link: t.link}, true
	}
	m := r.spaces.find(f.PID, f.Address)
	if m == nil {
		return spot{}, false
	}
	return spot{module: path.Base(m.path), path: m.path, offset: f.Address - m.start + m.offset, mapped: m}, true
}

// bare is a frame of which only the place in a file is known, as formats with maps of their own write it.
func bare(c *table.Call, at spot) table.Call {
	out := *c
	out.Module, out.Function = at.module, at.module+"+0x"+strconv.FormatUint(at.offset, 16)
	return out
}

// inImage looks a place up in the file of its module.
func (r *resolver) inImage(f *table.RawFrame, t tool, at spot) []table.Call {
	m := r.store.find(at)
	if m == nil {
		r.missing[at.module]++
		return nil
	}
	pc, ok := m.address(at)
	if !ok {
		r.store.problems.Count(source.Pos{File: m.name}, "holds no code where the capture has it, such as at offset 0x%x: another build?", at.offset)
		return nil
	}
	places := m.lookup(pc, !t.call, f.Inner)
	if len(places) == 0 {
		return nil
	}
	out := make([]table.Call, len(places))
	for i, p := range places {
		out[i] = table.Call{Function: p.function, Module: cmp.Or(f.Module, at.module), SourceFile: p.file, SourceLine: table.Int{V: int64(p.line), OK: p.line > 0}, Address: f.Address, HasAddress: f.HasAddress}
	}
	return out
}

// compiled names code that a JIT compiler wrote.
func (r *resolver) compiled(f *table.RawFrame, t tool) []table.Call {
	if f.Function != "" {
		return nil
	}
	pc := f.Address
	if f.Inner && !t.call {
		pc--
	}
	p, ok := r.jit.find(f.PID, pc)
	if !ok {
		return nil
	}
	out := f.Call
	out.Function = p.function
	if p.file != "" {
		out.SourceFile, out.SourceLine = p.file, table.Int{V: int64(p.line), OK: p.line > 0}
	}
	return []table.Call{out}
}

// missed says of which modules no file was found, those with most frames first.
func (r *resolver) missed() string {
	names := make([]string, 0, len(r.missing))
	for n := range r.missing {
		if !r.store.refused[n] {
			names = append(names, n)
		}
	}
	if !r.user || len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.missing[b], r.missing[a]), cmp.Compare(a, b))
	})
	more := ""
	if n := len(names) - 10; n > 0 {
		names, more = names[:10], fmt.Sprintf(" and %d more modules", n)
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%s (%d)", n, r.missing[n])
	}
	return fmt.Sprintf("No file was given for these modules, so that their frames (number in brackets) have no name: %s%s.", strings.Join(names, ", "), more)
}
