package symbols

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// mapping is a mapped file of a process.
type mapping struct {
	start, end, offset uint64
	inode              int64
	path               string
	executable         bool
}

// spaces are the address spaces of the processes of a run: by pid, and those whose pid is not told.
type spaces struct {
	byPID   map[table.Int][]mapping
	clashes map[table.Int]bool
}

// spacesOf takes mappings from the captures of the run, and from the lists in the folders for the processes that have none.
func spacesOf(set *table.Set, s *store) *spaces {
	out := &spaces{byPID: map[table.Int][]mapping{}, clashes: map[table.Int]bool{}}
	set.EachMapped(func(m table.Mapped) {
		out.byPID[m.PID] = append(out.byPID[m.PID], mapping{m.Start, m.End, m.Offset, m.Inode, trimDeleted(m.Path), m.Executable})
	})
	captured := len(out.byPID)
	from := map[table.Int]string{}
	for _, e := range s.maps {
		list := parseMaps(slurp(e.path))
		if len(list) == 0 {
			continue
		}
		var pid table.Int
		pid.V, pid.OK = source.NamePID(e.name)
		switch first, twice := from[pid]; {
		case twice && !slices.Equal(out.byPID[pid], list):
			s.problems.Add(source.Pos{File: e.name}, "want one list of mappings a process; that of %s is used", first)
		case !twice && (captured == 0 || len(out.byPID[pid]) == 0 && pid.OK):
			out.byPID[pid], from[pid] = list, e.name
		}
	}
	for pid := range out.byPID {
		slices.SortStableFunc(out.byPID[pid], func(a, b mapping) int { return cmp.Compare(a.start, b.start) })
	}
	return out
}

// find gives the mapping of a file that holds an address. A process whose pid is not told has the only list there is.
func (s *spaces) find(pid table.Int, address uint64) *mapping {
	list, ok := s.byPID[pid]
	if !ok && len(s.byPID) == 1 {
		for only, l := range s.byPID {
			if !only.OK || !pid.OK {
				list = l
			}
		}
	}
	i, _ := slices.BinarySearchFunc(list, address, func(m mapping, a uint64) int {
		if m.start <= a {
			return -1
		}
		return 1
	})
	var found *mapping
	for n := 0; i > 0 && n < 16; n++ { // lists of several times may overlap
		i--
		m := &list[i]
		if address >= m.end {
			continue
		}
		if found != nil && (found.path != m.path || address-found.start+found.offset != address-m.start+m.offset) {
			return nil // one address, two files: which of them is not known
		}
		found = m
	}
	if found == nil || !isFile(found.path) {
		return nil
	}
	return found
}

// isFile says whether a mapping is of a file, and not the kernel's ([heap]) or anonymous.
func isFile(p string) bool {
	return p != "" && p[0] != '[' && !strings.HasPrefix(p, "//anon") && !strings.HasPrefix(p, "/dev/") && !strings.HasPrefix(p, "/memfd:")
}

func trimDeleted(p string) string { return strings.TrimSuffix(p, " (deleted)") }

// parseMaps reads /proc/PID/maps, or the headers of smaps. A text without such a line gives none.
func parseMaps(data []byte) (out []mapping) {
	for line := range strings.Lines(string(data)) {
		if m, ok := parseMapping(strings.TrimRight(line, "\r\n")); ok {
			out = append(out, m)
		}
	}
	return out
}

// parseMapping reads "start-end perms offset device inode path".
func parseMapping(line string) (m mapping, ok bool) {
	var f [5]string
	rest := line
	for i := range f {
		f[i], rest, _ = strings.Cut(strings.TrimLeft(rest, " \t"), " ")
	}
	from, to, _ := strings.Cut(f[0], "-")
	var errs [4]error
	m.start, errs[0] = strconv.ParseUint(from, 16, 64)
	m.end, errs[1] = strconv.ParseUint(to, 16, 64)
	m.offset, errs[2] = strconv.ParseUint(f[2], 16, 64)
	m.inode, errs[3] = strconv.ParseInt(f[4], 10, 64)
	if errs != [4]error{} || m.end <= m.start || len(f[1]) != 4 {
		return m, false
	}
	m.path, m.executable = trimDeleted(strings.TrimSpace(rest)), f[1][2] == 'x'
	return m, m.path != ""
}
