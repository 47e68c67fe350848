package table

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// mapMetrics are the size columns of which series are made for single mappings.
var mapMetrics = []Size{MapRSS, MapPSS, MapPrivateDirty}

// mapKey is a mapping's identity over time: no address, so that it survives growth, splits and another build.
type mapKey struct {
	subject     mapSubject
	path, perms Sym
}

type mapSubject struct {
	pid     Int
	process Sym
}

// mapSum is one mapping over the snapshots of its process.
type mapSum struct {
	values [][]int64 // by mapMetrics, then by snapshot
	has    uint16
	over   uint16 // sums that leave 64 bits
	places []place
}

// mapTimes are the snapshots of one process.
type mapTimes struct {
	ns    []int64
	place []place
	rank  int
	sums  map[mapKey]*mapSum
	order []mapKey
}

// MappingSeriesOf adds up the mappings of equal name and permissions in each snapshot and gives their rss, pss and
// private_dirty over time, as scope "mapping". A mapping that is not in a snapshot is 0 there: the snapshot lists all.
func MappingSeriesOf(s *Set) []*Series {
	processes := map[mapSubject]*mapTimes{}
	var order []mapSubject
	for _, b := range s.tables[Mappings] {
		for i := 0; i < b.n; i++ {
			subject := mapSubject{b.cols[mapPID].at(i), b.cols[mapProcess].syms[i]}
			if processes[subject] == nil {
				processes[subject] = &mapTimes{rank: 1 << 30, sums: map[mapKey]*mapSum{}}
				order = append(order, subject)
			}
			processes[subject].add(s, b, i, subject)
		}
	}
	var out []*Series
	names := s.instances()
	for _, subject := range order {
		out = append(out, processes[subject].series(s, names)...)
	}
	out = s.cutRestarts(out)
	slices.SortStableFunc(out, func(a, b *Series) int {
		return cmp.Or(a.Subject.compare(b.Subject), cmp.Compare(a.TimeNS[0], b.TimeNS[0]))
	})
	number(out)
	return out
}

func (m *mapTimes) add(s *Set, b *Batch, i int, subject mapSubject) {
	c := b.cols
	file := c[mapFile].syms[i]
	if r := s.files[file].Rank; r > m.rank {
		return
	} else if r < m.rank {
		*m = mapTimes{rank: r, sums: map[mapKey]*mapSum{}}
	}
	p := place{file, int32(c[mapFile+1].ints[i])}
	if m.begins(s, c[0].ints[i], p) {
		m.ns, m.place = append(m.ns, c[0].ints[i]), append(m.place, p)
	}
	key := mapKey{subject, c[mapPath].syms[i], c[mapPerms].syms[i]}
	sum := m.sums[key]
	if sum == nil {
		sum = &mapSum{values: make([][]int64, len(mapMetrics))}
		m.sums[key] = sum
		m.order = append(m.order, key)
	}
	sum.add(m, p, c, i)
}

// begins says whether a mapping is the first of a snapshot. Two of one time are told apart by their file, or by the
// line at which the second begins.
func (m *mapTimes) begins(s *Set, t int64, p place) bool {
	n := len(m.ns)
	return n == 0 || m.ns[n-1] != t || m.place[n-1].file != p.file || s.twins[p] && m.place[n-1] != p
}

func (sum *mapSum) add(m *mapTimes, p place, c []vector, i int) {
	at := len(m.ns) - 1
	if len(sum.places) <= at {
		sum.places = append(sum.whole(m)[:at], p)
	}
	for k, size := range mapMetrics {
		v := &c[mapSizes+int(size)]
		if !v.known(i) {
			continue
		}
		sum.has |= 1 << k
		for len(sum.values[k]) <= at {
			sum.values[k] = append(sum.values[k], 0)
		}
		total, ok := Sum(sum.values[k][at], v.ints[i])
		sum.values[k][at] = total
		if !ok {
			sum.over |= 1 << k
		}
	}
}

// series joins the mappings whose normalised names are equal and gives one series a metric.
func (m *mapTimes) series(s *Set, names map[instance]string) []*Series {
	var out []*Series
	merged, beyond := map[Subject]*Series{}, map[Subject]bool{} // a problem of the samples tells of sums beyond 64 bits
	for _, key := range m.order {
		sum := m.sums[key]
		for k, size := range mapMetrics {
			if sum.has&(1<<k) == 0 {
				continue
			}
			subject := Subject{s.strings[key.subject.process], "mapping", mappingName(s.strings[key.path], s.strings[key.perms]), Schemas[Mappings].Columns[mapSizes+int(size)].Name}
			one := merged[subject]
			if one == nil {
				one = &Series{Subject: subject, PID: key.subject.pid, TimeNS: m.ns, Value: make([]int64, len(m.ns)), places: sum.whole(m), set: s}
				merged[subject] = one
				out = append(out, one)
			}
			beyond[subject] = beyond[subject] || sum.over&(1<<k) != 0
			for i, v := range sum.values[k] {
				total, ok := Sum(one.Value[i], v)
				one.Value[i] = total
				beyond[subject] = beyond[subject] || !ok
			}
		}
	}
	return slices.DeleteFunc(out, func(one *Series) bool { return beyond[one.Subject] })
}

// whole gives a place for each snapshot: where the mapping is missing, the first line of the snapshot.
func (sum *mapSum) whole(m *mapTimes) []place {
	for len(sum.places) < len(m.ns) {
		sum.places = append(sum.places, m.place[len(sum.places)])
	}
	return sum.places
}

// Parts of a path that differ from install to install and from run to run.
var (
	installHash = regexp.MustCompile(`/data/app/(?:~~[^/]*/)?([^/]+?)-(?:[A-Za-z0-9_-]{22}==|\d+)/`)
	stackTID    = regexp.MustCompile(`^\[stack:\d+\]$`)
	anonTID     = regexp.MustCompile(`^(\[anon:stack_and_tls:)\d+\]$`)
	sysvKey     = regexp.MustCompile(`^/SYSV[0-9a-f]{8}$`)
	inodeName   = regexp.MustCompile(`^((?:socket|pipe):\[)\d+\]$`)
)

// mappingName is the name by which a mapping is found again in another snapshot or build.
func mappingName(path, perms string) string {
	path = strings.TrimSuffix(path, " (deleted)")
	switch {
	case path == "":
		path = "[anonymous]"
	case path[0] == '[':
		path = stackTID.ReplaceAllString(path, "[stack:tid]")
		path = anonTID.ReplaceAllString(path, "${1}tid]")
	case strings.HasPrefix(path, "/SYSV"):
		path = sysvKey.ReplaceAllString(path, "/SYSV")
	case strings.HasSuffix(path, "]"):
		path = inodeName.ReplaceAllString(path, "${1}inode]")
	case strings.HasPrefix(path, "/data/app/"):
		path = installHash.ReplaceAllString(path, "/data/app/$1/")
	}
	if perms == "" {
		return path
	}
	return path + " " + perms
}
