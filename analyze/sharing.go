package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Shared is a file or region that several processes of a run map, at their last snapshots: what is really one, and what each
// has made its own.
type Shared struct {
	Run      string   `json:"run"`
	Path     string   `json:"path"`
	Category string   `json:"category"`
	Users    []Sharer `json:"users"`
	RSS      float64  `json:"rss"`     // of all users together: what it would take if nothing were shared
	Held     *float64 `json:"held"`    // what it really takes: the pss of the users that are known, else nil
	Saved    *float64 `json:"saved"`   // rss less held
	Private  float64  `json:"private"` // what the users have for themselves alone
	Written  float64  `json:"written"` // private_dirty: copied on write, or written before sharing
	Message  string   `json:"message"`
}

// Sharer is one process that maps a Shared. Nil is not known: Apple's tools give no private and shared part.
type Sharer struct {
	Process      string   `json:"process"`
	PID          *int64   `json:"pid"`
	RSS          *float64 `json:"rss"`
	PSS          *float64 `json:"pss"`
	SharedClean  *float64 `json:"shared_clean"`
	SharedDirty  *float64 `json:"shared_dirty"`
	PrivateClean *float64 `json:"private_clean"`
	PrivateDirty *float64 `json:"private_dirty"`
	Dirty        *float64 `json:"dirty"`
}

// leastShared is the resident size from which a shared mapping is told, and mostShared how many are.
const (
	leastShared = 256 << 10
	mostShared  = 100
)

// share finds what the processes of a capture have in common.
func (r *Result) share(c *Capture) {
	if c.Set == nil || c.Set.Len(table.Mappings) == 0 {
		return
	}
	index := map[string]*Shared{}
	users := map[string]map[string]int{} // path → process and pid → its place in Users
	var order []string
	rows := table.LastMappings(c.Set)
	for i := range rows {
		m := &rows[i]
		if !shareable(m) {
			continue
		}
		key := m.Path
		one := index[key]
		if one == nil {
			one = &Shared{Run: c.Name, Path: m.Path, Category: m.Category}
			index[key], users[key] = one, map[string]int{}
			order = append(order, key)
		}
		who := fmt.Sprint(m.Process, "\x00", m.PID.V, m.PID.OK)
		at, ok := users[key][who]
		if !ok {
			at = len(one.Users)
			users[key][who] = at
			u := Sharer{Process: m.Process}
			if m.PID.OK {
				pid := m.PID.V
				u.PID = &pid
			}
			one.Users = append(one.Users, u)
		}
		one.Users[at].add(m)
	}
	var out []Shared
	for _, key := range order {
		if one := index[key]; len(one.Users) > 1 {
			if one.sum(); one.RSS >= leastShared {
				out = append(out, *one)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Shared) int { return cmp.Or(cmp.Compare(b.RSS, a.RSS), cmp.Compare(a.Path, b.Path)) })
	out = out[:min(len(out), mostShared)]
	for i := range out {
		if f, ok := out[i].finding(); ok {
			f.Side, f.Run = c.Side, c.Name
			r.Findings = append(r.Findings, f)
		}
	}
	r.Shared = append(r.Shared, out...)
}

// shareable says whether a mapping is of something that has a name of its own, so that two processes can mean the same.
func shareable(m *table.MapRow) bool {
	return m.Path != "" && (strings.HasPrefix(m.Path, "/") || strings.HasPrefix(m.Path, "anon_inode:")) && m.Path != "/dev/zero (deleted)" || strings.Contains(m.Path, "SM=SHM")
}

func (u *Sharer) add(m *table.MapRow) {
	for _, x := range []struct {
		to *(*float64)
		of table.Size
	}{{&u.RSS, table.MapRSS}, {&u.PSS, table.MapPSS}, {&u.SharedClean, table.MapSharedClean}, {&u.SharedDirty, table.MapSharedDirty}, {&u.PrivateClean, table.MapPrivateClean},
		{&u.PrivateDirty, table.MapPrivateDirty}, {&u.Dirty, table.MapDirty}} {
		if v := m.Size(x.of); v.OK {
			sum := value(*x.to) + float64(v.V)
			*x.to = &sum
		}
	}
}

// sum adds up the users and says what sharing saves.
func (s *Shared) sum() {
	held, known := 0.0, true
	for i := range s.Users {
		u := &s.Users[i]
		s.RSS += value(u.RSS)
		s.Private += value(u.PrivateClean) + value(u.PrivateDirty)
		s.Written += value(u.PrivateDirty)
		held += value(u.PSS)
		known = known && u.PSS != nil
	}
	s.Message = fmt.Sprintf("%s is mapped by %d processes, %s resident in all of them together", s.Path, len(s.Users), mebibytes(s.RSS))
	if !known {
		s.Message += "; what is shared of it is not known"
		return
	}
	saved := s.RSS - held
	s.Held, s.Saved = &held, &saved
	s.Message += fmt.Sprintf("; by pss it takes %s, so sharing saves %s; %s is private, %s of it written", mebibytes(held), mebibytes(saved), mebibytes(s.Private), mebibytes(s.Written))
}

// finding tells of a file that is meant to be shared and was copied by writing: private dirty pages of a mapping of a file that
// others map too, more than a megabyte and a tenth of what is resident.
func (s *Shared) finding() (Finding, bool) {
	if s.Written < 1<<20 || s.Written < 0.1*s.RSS || s.Held == nil {
		return Finding{}, false
	}
	f := Finding{Rule: "sharing", Class: "copy-on-write", Severity: "note", Subject: Subject{Scope: "mapping", Name: s.Path, Metric: "private_dirty"}, Message: sentence(s.Message), Evidence: []Evidence{}, Warnings: []string{},
		Stats: map[string]float64{"users": float64(len(s.Users)), "rss": s.RSS, "held": *s.Held, "saved": *s.Saved, "private": s.Private, "private_dirty": s.Written}, settled: true,
		Advice: "What is written is copied for each process: map it read-only, write it before the processes fork, or keep what changes apart from what does not."}
	f.Fingerprint = fingerprint(f.Rule, f.Subject)
	return f, true
}
