package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// Joined is what both sides say of the objects of a finding, where a capture of the device's side and a log of the CPU's side name
// the same addresses.
type Joined struct {
	Device  string       `json:"device"`
	Objects int64        `json:"objects"` // of the finding that the other side names too, of so many
	Of      int64        `json:"of"`
	Bytes   int64        `json:"bytes"`            // of those
	Sides   []JoinedSide `json:"sides"`            // the finding's own first
	Merged  []Merged     `json:"merged,omitempty"` // findings of the same bytes, which are part of this one
}

// JoinedSide is one capture as a witness of the objects of a finding.
type JoinedSide struct {
	Side    string   `json:"side"` // cpu or gpu
	Run     string   `json:"run"`
	File    string   `json:"file"`
	Kind    string   `json:"kind"`
	Stack   []string `json:"stack,omitempty"` // leaf first, of the call chain that made most of the bytes
	Objects int64    `json:"objects"`
	Bytes   int64    `json:"bytes"`
	Alive   int64    `json:"alive"` // of the objects, at the end of the capture
}

// Merged is a finding that another capture made of the same bytes.
type Merged struct {
	Rule        string `json:"rule"`
	Run         string `json:"run"`
	Severity    string `json:"severity"`
	Message     string `json:"message"`
	Fingerprint string `json:"fingerprint"`
}

// bond is a finding with its lives, and with those of the other side that are joined to them.
type bond struct {
	finding int
	own     []lifeRef // of logs of one side, not empty
	bytes   int64     // of all
	joined  int64     // of those that are joined
	known   int64     // how many those are
	other   []lifeRef
}

// bind tells each finding of device memory what the other side says of its objects, and makes one of those that are of the same bytes.
func (r *Result) bind(j *deviceJoiner) {
	var all []*bond
	alive := make([]map[siteOfLife][]int, len(j.logs))
	for i := range j.logs {
		alive[i] = j.aliveBySite(i)
	}
	for n := range r.Findings {
		f := &r.Findings[n]
		b := &bond{finding: n}
		for _, i := range j.logsOf(f) {
			for _, k := range j.livesOf(f, i, alive[i]) {
				b.own = append(b.own, lifeRef{i, k})
			}
		}
		if j.fill(b); len(b.other) > 0 {
			j.attach(f, b)
			all = append(all, b)
		}
	}
	r.mergeBonds(j, all)
}

// logsOf are the logs that a finding is about, all of one side: those that its evidence is of. What was retained is counted over all
// logs of a run, and shown in one.
func (j *deviceJoiner) logsOf(f *Finding) (out []int) {
	for i, l := range j.logs {
		shown := slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.File == l.file.Name })
		if f.Run == l.c.Name && f.Side == l.c.Side && shown && (len(out) == 0 || j.logs[out[0]].file.OnDevice == l.file.OnDevice) {
			out = append(out, i)
		}
	}
	if len(out) == 0 || f.Rule != "over-retain" {
		return out
	}
	first := j.logs[out[0]]
	for i, l := range j.logs {
		if !slices.Contains(out, i) && l.c == first.c && l.file.OnDevice == first.file.OnDevice {
			out = append(out, i)
		}
	}
	return out
}

// siteOfLife is what lives have in common that one finding is about.
type siteOfLife struct{ process, kind, name string }

// aliveBySite are the lives of a log that are alive at its end.
func (j *deviceJoiner) aliveBySite(i int) map[siteOfLife][]int {
	l, out := j.logs[i], map[siteOfLife][]int{}
	for k := range l.lives {
		x := &l.lives[k]
		if !x.Alive {
			continue
		}
		at := siteOfLife{l.b.resolver.process(pidOf(x.PID), ""), cmp.Or(l.kind(x), "heap"), l.site(x)}
		out[at] = append(out[at], k)
	}
	return out
}

// site is the name of the site that made a life, by which its findings go.
func (l *deviceLog) site(x *lifetime.Life) string {
	if name, ok := l.b.lifeNames[siteID{x.PID, x.Stack, x.Op, x.Kind, x.Device}]; ok {
		return name
	}
	return l.b.resolver.siteOf(x.Stack, l.b.resolver.each)
}

// livesOf are the lives that a finding is about.
func (j *deviceJoiner) livesOf(f *Finding, i int, alive map[siteOfLife][]int) (out []int) {
	l := j.logs[i]
	switch {
	case f.object != nil:
		out = l.generation(f.object.Object, f.object.TimeNS)
	case f.Subject.Scope == "class" && slices.Contains(keepingRules, f.Rule):
		kind := strings.TrimSuffix(f.Class, "-calls")
		for at, lives := range alive {
			if at.process == f.Subject.Process && cmp.Or(at.name, at.kind) == f.Subject.Name && (at.kind == kind || f.Class == "buffer") {
				out = append(out, lives...)
			}
		}
		slices.Sort(out)
	case f.Rule == "unfinished-release":
		for k := range l.lives {
			if x := &l.lives[k]; x.Alive && x.Released && l.kind(x) == f.Class {
				out = append(out, k)
			}
		}
	}
	return out
}

// generation is the life of an address that was the last to begin by a time.
func (l *deviceLog) generation(object uint64, t int64) []int {
	for k := len(l.lives) - 1; k >= 0; k-- {
		if x := &l.lives[k]; x.Object == object && x.FromNS <= t && !l.segment(x) {
			return []int{k}
		}
	}
	return nil
}

// fill finds what the lives of a bond are on the other side.
func (j *deviceJoiner) fill(b *bond) {
	for _, own := range b.own {
		x := j.life(own)
		var other []lifeRef
		if !j.logs[own.log].file.OnDevice {
			other = j.known[own]
		} else if l := j.links[own.log][own.life]; l.to.log >= 0 {
			other = []lifeRef{l.to}
		}
		b.bytes = addSizes(b.bytes, x.Size)
		if len(other) > 0 {
			b.known++
			b.joined = addSizes(b.joined, x.Size)
			b.other = append(b.other, other...)
		}
	}
	slices.SortFunc(b.other, func(x, y lifeRef) int { return cmp.Or(cmp.Compare(x.log, y.log), cmp.Compare(x.life, y.life)) })
	b.other = slices.Compact(b.other)
}

// attach sets what a finding says of the other side.
func (j *deviceJoiner) attach(f *Finding, b *bond) {
	f.Joined = &Joined{Device: j.logs[b.own[0].log].device(j.life(b.own[0])), Objects: b.known, Of: int64(len(b.own)), Bytes: b.joined, Sides: []JoinedSide{j.side(b.own, nil)}}
	for from := 0; from < len(b.other); {
		to := from + 1
		for to < len(b.other) && b.other[to].log == b.other[from].log {
			to++
		}
		refs, o := b.other[from:to], j.logs[b.other[from].log]
		f.Joined.Device = cmp.Or(f.Joined.Device, o.device(j.life(refs[0])))
		side := j.side(refs, f)
		f.Joined.Sides = append(f.Joined.Sides, side)
		f.Message += " " + told(&side, b)
		from = to
	}
}

// told is a sentence on what another capture says of the objects of a finding.
func told(s *JoinedSide, b *bond) string {
	who := ""
	if len(s.Stack) > 0 {
		who = map[string]string{"cpu": ", called for by ", "gpu": ", there made by "}[s.Side] + s.Stack[0]
	}
	return fmt.Sprintf("%s names the memory of %d of its %d objects too (%s)%s.", s.File, b.known, len(b.own), mebibytes(float64(b.joined)), who)
}

// mostPlaces is how many places of the other capture a finding shows.
const mostPlaces = 2

// side sums up lives of one log, and shows a finding where the greatest of them stand. Of a capture that knows segments and what lies
// in them it is the latter, if anything does.
func (j *deviceJoiner) side(refs []lifeRef, show *Finding) JoinedSide {
	l := j.logs[refs[0].log]
	if l.file.OnDevice && slices.ContainsFunc(refs, func(r lifeRef) bool { return j.links[r.log][r.life].nested && j.life(r).Alive }) {
		refs = slices.DeleteFunc(slices.Clone(refs), func(r lifeRef) bool { return !j.links[r.log][r.life].nested || !j.life(r).Alive })
	}
	s := JoinedSide{Side: map[bool]string{false: "cpu", true: "gpu"}[l.file.OnDevice], Run: l.c.Name, File: l.file.Name, Kind: cmp.Or(l.kind(j.life(refs[0])), "heap"), Objects: int64(len(refs))}
	weight := map[int64]int64{}
	for _, ref := range refs {
		x := j.life(ref)
		s.Bytes, s.Alive = addSizes(s.Bytes, x.Size), s.Alive+int64(b2i(x.Alive))
		weight[x.Stack] = addSizes(weight[x.Stack], max(x.Size, 1))
	}
	s.Stack = shown(trimmed(l.b.resolver.calls(heaviest(weight))))
	if show != nil {
		greatest := slices.Clone(refs)
		slices.SortStableFunc(greatest, func(a, b lifeRef) int { return cmp.Compare(j.life(b).Size, j.life(a).Size) })
		for _, ref := range greatest[:min(len(greatest), mostPlaces)] {
			show.Evidence = append(slices.Clone(show.Evidence), l.place(j.life(ref)))
		}
	}
	return s
}

func (l *deviceLog) place(x *lifetime.Life) Evidence {
	e := Evidence{File: l.file.Name, Line: x.Line}
	if x.Size >= 0 {
		e.Value = &x.Size
	}
	return e
}

// heaviest is the stack that made most; 0 stands only where there is no other.
func heaviest(weight map[int64]int64) (best int64) {
	for stack, n := range weight {
		if stack != 0 && (best == 0 || n > weight[best] || n == weight[best] && stack < best) {
			best = stack
		}
	}
	return best
}

// trimmed leaves out the frames of a stack that only pass the allocation on, if others are left.
func trimmed(calls []table.Call) []table.Call {
	for i := range calls {
		if !table.IsAllocator(calls[i].Function, calls[i].Module) {
			return calls[i:]
		}
	}
	return calls
}
