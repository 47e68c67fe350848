package symbols

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// code is what a JIT compiler wrote: of two that overlap, the later one is there.
type code struct {
	from, to uint64
	name     string
	lines    []row
}

// jit are the tables of JIT compilers, by pid: perf-PID.map and jit-PID.dump, as perf expects them.
type jit struct {
	codes  map[int64][]code
	pieces map[int64][]span // without overlap; of is an index into codes
	only   table.Int        // the process of the only table in the folders that the user gave
}

// newJIT reads the tables in the folders that the user gave and in those of the captures.
func newJIT(given, beside []Dir, problems *source.Problems) *jit {
	j := &jit{codes: map[int64][]code{}, pieces: map[int64][]span{}}
	for i, dirs := range [][]Dir{given, beside} {
		for _, d := range dirs {
			j.list(d, problems)
		}
		if i == 0 && len(j.codes) == 1 {
			for pid := range j.codes {
				j.only = table.Known(pid)
			}
		}
	}
	return j
}

func (j *jit) list(d Dir, problems *source.Problems) {
	entries, _ := os.ReadDir(d.Path)
	for _, e := range entries {
		pid, read := tableName(e.Name())
		if read == nil || j.codes[pid] != nil {
			continue
		}
		pos := source.Pos{File: path.Join(d.Name, e.Name())}
		data := slurp(filepath.Join(d.Path, e.Name()))
		if data == nil {
			problems.Add(pos, "want a table of a JIT compiler of at most %d MiB", maxText>>20)
			continue
		}
		codes, ok := read(data, pos, problems)
		if !ok {
			problems.Add(pos, "want a jitdump file: it begins otherwise")
			continue
		}
		j.codes[pid] = codes
	}
}

// tableName reads the pid of a name, and who reads such a file. A packed file is unpacked.
func tableName(base string) (pid int64, read func([]byte, source.Pos, *source.Problems) ([]code, bool)) {
	base = strings.TrimSuffix(base, ".gz")
	for _, k := range []struct {
		prefix, suffix string
		read           func([]byte, source.Pos, *source.Problems) ([]code, bool)
	}{{"perf-", ".map", perfMap}, {"jit-", ".dump", jitDump}} {
		rest, ok := strings.CutPrefix(base, k.prefix)
		digits, fits := strings.CutSuffix(rest, k.suffix)
		if n, err := strconv.ParseInt(digits, 10, 32); ok && fits && err == nil && n > 0 {
			return n, k.read
		}
	}
	return 0, nil
}

// find names the code at an address of a process. One whose pid is not told has the only table that the user gave.
func (j *jit) find(pid table.Int, address uint64) (place, bool) {
	if !pid.OK {
		pid = j.only
	}
	codes, ok := j.codes[pid.V]
	if !ok || !pid.OK {
		return place{}, false
	}
	if j.pieces[pid.V] == nil {
		j.pieces[pid.V] = paint(codes)
	}
	pieces := j.pieces[pid.V]
	i, _ := slices.BinarySearchFunc(pieces, address, func(s span, a uint64) int {
		if s.from <= a {
			return -1
		}
		return 1
	})
	if i == 0 || address >= pieces[i-1].to {
		return place{}, false
	}
	c := &codes[pieces[i-1].of]
	out := place{function: c.name}
	if n, _ := slices.BinarySearchFunc(c.lines, address, func(r row, a uint64) int {
		if r.address <= a {
			return -1
		}
		return 1
	}); n > 0 {
		out.file, out.line = c.lines[n-1].file, c.lines[n-1].line
	}
	return out, true
}

// paint lays the codes over each other, the later ones on top: the last are laid down first, and what is covered is stepped over.
func paint(codes []code) []span {
	edges := make([]uint64, 0, 2*len(codes))
	for i := range codes {
		edges = append(edges, codes[i].from, codes[i].to)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	owner, next := make([]int, len(edges)), make([]int, len(edges)+1)
	for i := range next {
		next[i] = i
	}
	free := func(i int) int {
		for next[i] != i {
			next[i] = next[next[i]]
			i = next[i]
		}
		return i
	}
	for i := range owner {
		owner[i] = -1
	}
	for k := len(codes) - 1; k >= 0; k-- {
		from, _ := slices.BinarySearch(edges, codes[k].from)
		to, _ := slices.BinarySearch(edges, codes[k].to)
		for i := free(from); i < to; i = free(i) {
			owner[i], next[i] = k, i+1
		}
	}
	out := []span{}
	for i, k := range owner {
		switch n := len(out); {
		case k < 0:
		case n > 0 && out[n-1].of == k && out[n-1].to == edges[i]:
			out[n-1].to = edges[i+1]
		default:
			out = append(out, span{edges[i], edges[i+1], k})
		}
	}
	return out
}

// perfMap reads lines "START SIZE NAME", hexadecimal, the name to the end of the line (tools/perf/Documentation/jit-interface.txt
// of Linux).
func perfMap(data []byte, pos source.Pos, problems *source.Problems) ([]code, bool) {
	out := []code{}
	for line := range bytes.Lines(data) {
		pos.Line++
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue
		}
		start, rest, _ := bytes.Cut(line, []byte{' '})
		size, name, _ := bytes.Cut(rest, []byte{' '})
		from, err := strconv.ParseUint(strings.TrimPrefix(string(start), "0x"), 16, 64)
		n, err2 := strconv.ParseUint(strings.TrimPrefix(string(size), "0x"), 16, 64)
		if err != nil || err2 != nil || from+n < from || len(name) == 0 {
			problems.Count(pos, "want START SIZE NAME of a JIT compiler's function")
			continue
		}
		if n > 0 {
			out = append(out, code{from: from, to: from + n, name: string(bytes.ToValidUTF8(name, []byte("\uFFFD")))})
		}
	}
	return out, true
}

// The records of jitdump (tools/perf/Documentation/jitdump-specification.txt of Linux).
const (
	jitLoad  = 0
	jitMove  = 1
	jitLines = 2
)

// jitDump reads a jitdump file; its last record may be cut.
func jitDump(data []byte, pos source.Pos, problems *source.Problems) ([]code, bool) {
	order, ok := jitOrder(data)
	if !ok {
		return nil, false
	}
	out, lines, last := []code{}, map[uint64][]row{}, map[uint64]int{}
	at := int(min(order.Uint32(data[8:]), uint32(len(data))))
	for at+16 <= len(data) {
		kind, size := order.Uint32(data[at:]), order.Uint32(data[at+4:])
		if size < 16 {
			problems.Count(pos, "want a record of at least 16 bytes, have %d at offset %d; what follows is not read", size, at)
			break
		}
		if uint64(size) > uint64(len(data)-at) {
			problems.Count(pos, "ends inside a record")
			break
		}
		body := fields{data[at+16 : at+int(size)], order}
		at += int(size)
		switch kind {
		case jitLoad:
			if c, ok := body.load(); ok {
				c.lines, last[c.from] = lines[c.from], len(out)
				out = append(out, c)
			}
		case jitMove:
			from, to, n, ok := body.move()
			if i, known := last[from]; ok && known {
				last[to] = len(out)
				out = append(out, code{from: to, to: to + n, name: out[i].name})
			}
		case jitLines:
			if address, rows := body.rows(); len(rows) > 0 {
				lines[address] = rows
			}
		}
	}
	return out, true
}

func byAddress(a, b row) int { return cmp.Compare(a.address, b.address) }
