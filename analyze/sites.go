package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// site is the objects of one kind that one function makes, over the time of a run: what is judged for leaks.
type site struct {
	process, name string
	kind          string // of the objects; empty if the capture does not say
	device        string
	pid           *int64
	t             []float64
	bytes, count  []float64 // nil where the capture has none
	least         []float64 // the least in each step, of bytes if there are some, else of objects; nil if not known
	chains        []chain   // greatest first
	handles       bool      // made by create: they are counted, not sized
	born          uint32
	births        int   // spans of the log, of 20, in which live objects were made; -1 if not known
	thread, ends  int64 // the thread that makes the objects, the one that ends most; -1 if not known, -2 if several do
	joined        int   // raw stacks that were joined to it
	complete      bool  // the capture would list it if it had anything alive
	evidence      []Evidence
}

// chain is the part of a site that came by one call chain.
type chain struct {
	stack        int64
	r            *resolver
	bytes, count float64
	ended        int64            // objects of it that were ended
	old          int64            // objects that outlived by far every one that was ended
	oldBirths    int              // spans of the log, of 20, in which those were made
	longestNS    int64            // life of those ended
	curve        *lifetime.Curves // nil if it is not known over time
}

// books are what is known of a capture's objects.
type books struct {
	sites     []*site
	ledgers   []*lifetime.Books
	lossy     string // why verdicts must be soft; empty if they need not
	short     bool   // a log of device memory that shows one pass of work
	partial   bool   // allocations or frees of what is named may be missing
	resolver  *resolver
	names     map[*lifetime.Site]string // of the sites of ledgers with objects that were retained, bare addresses joined to names
	lifeNames map[siteID]string         // the same of logs whose lives of device memory are kept
	remarks   []string                  // on the log as a whole
	files     []string                  // of the ledgers
	logs      []deviceLog               // the lives of device memory, log by log
}

// losses reads what the captures say of themselves that changes what may be said.
func (c *Capture) losses() (lost int64, lossy, partial, cumulative bool) {
	for _, f := range c.Set.Facts() {
		switch f.Name {
		case "lost":
			var n int64
			fmt.Sscan(f.Value, &n)
			lost += n
		case "lossy":
			lossy = lossy || f.Value == "true"
		case "partial":
			partial = partial || f.Value == "true"
		case "cumulative":
			cumulative = cumulative || f.Value == "true"
		}
	}
	return lost, lossy || lost > 0, partial, cumulative
}

// account takes the sites out of the tables of a capture.
func (c *Capture) account() *books {
	if c.Set == nil {
		return &books{}
	}
	lost, lossy, partial, _ := c.losses()
	b := &books{partial: partial, resolver: newResolver(c.Set)}
	if lossy {
		b.lossy = "events were lost"
		if lost > 0 {
			b.lossy = fmt.Sprintf("%d events were lost", lost)
		}
	}
	for _, s := range table.SitesOf(c.Set) {
		b.sites = append(b.sites, b.resolver.listed(s))
	}
	b.events(c)
	return b
}

// listed makes a site of what a profile lists.
func (r *resolver) listed(s *table.SiteSeries) *site {
	out := &site{process: r.process(s.PID, s.Process), name: s.Class, device: s.Device, t: seconds(s.TimeNS), bytes: values(s.Bytes), count: values(s.Count), complete: s.Complete, births: -1, thread: -1, ends: -1}
	if s.PID.OK {
		out.pid = &s.PID.V
	}
	t := s.TimeNS[len(s.TimeNS)-1]
	out.evidence = []Evidence{{File: s.Place.File, Line: s.Place.Line, TimeNS: &t}}
	for _, k := range s.Stacks[:min(len(s.Stacks), mostChains)] {
		out.chains = append(out.chains, chain{stack: k.Stack, r: r, bytes: float64(k.Bytes.V), count: float64(k.Count.V)})
	}
	return out
}

// calls are the frames of the chain, leaf first.
func (k *chain) calls() []table.Call { return k.r.calls(k.stack) }

// levels are the live bytes of the chain over time, or its live objects where there are no sizes; nil if they are not known.
func (k *chain) levels() []float64 {
	if k.curve == nil {
		return nil
	}
	count, size, _ := k.curve.Levels()
	if k.curve.Sized || k.curve.Bytes > 0 {
		return floats(size)
	}
	return floats(count)
}

// mostChains bounds the call chains that are kept of one site.
const mostChains = 200

// values gives figures as numbers; nil if any is not known.
func values(v []table.Int) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		if !x.OK {
			return nil
		}
		out[i] = float64(x.V)
	}
	return out
}

// tracks gives the series of the sites of a capture that are worth judging: bytes and objects alive, of each class.
func (b *books) tracks(c *Capture) []*track { return siteTracks(c, b.worthJudging()) }

func siteTracks(c *Capture, sites []*site) []*track {
	type id struct {
		subject Subject
		pid     int64
	}
	index := map[id]*track{}
	var out []*track
	tick := ""
	if c.Set != nil {
		tick = c.tick()
	}
	add := func(s *site, metric string, y []float64) {
		if y == nil {
			return
		}
		subject := Subject{s.process, "class", s.name, metric}
		at := id{subject, -1}
		if s.pid != nil {
			at.pid = *s.pid
		}
		k := index[at]
		if k == nil {
			k = &track{side: c.Side, run: c.Name, subject: subject, pid: s.pid, t: s.t, y: y, tick: tick}
			k.place = func(i int) Evidence { return s.at(i, k) }
			index[at] = k
			out = append(out, k)
			return
		}
		if slices.Equal(k.t, s.t) {
			k.y = slices.Clone(k.y)
			for i := range y {
				k.y[i] += y[i]
			}
		}
	}
	for _, s := range sites {
		if s.reserves() {
			continue
		}
		add(s, "live_bytes", s.bytes)
		add(s, "live_count", s.count)
	}
	return out
}

// reserves says that what the site made are the segments of an allocator: the blocks in them are the same bytes once more.
func (s *site) reserves() bool { return s.kind == "gpu-segment" }

// at is the place of a point of a site's series.
func (s *site) at(i int, k *track) Evidence {
	e := s.evidence[min(i*len(s.evidence)/max(len(k.y), 1), len(s.evidence)-1)]
	ns, v := int64(k.t[i]*1e9), round(k.y[i])
	return Evidence{File: e.File, Line: e.Line, TimeNS: &ns, Value: &v}
}

// mostSites bounds the sites that get a verdict: those with most alive, by bytes and by objects.
const mostSites = 200

func (b *books) worthJudging() []*site {
	if len(b.sites) <= mostSites {
		return b.sites
	}
	keep := map[*site]bool{}
	for _, of := range []func(*site) float64{func(s *site) float64 { return rose(s.bytes) }, func(s *site) float64 { return rose(s.count) }} {
		sorted := slices.Clone(b.sites)
		slices.SortStableFunc(sorted, func(x, y *site) int { return cmp.Compare(of(y), of(x)) })
		for _, s := range sorted[:mostSites/2] {
			keep[s] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(b.sites), func(s *site) bool { return !keep[s] })
}

// rose is how far a series ends above its least value.
func rose(y []float64) float64 {
	if len(y) == 0 {
		return 0
	}
	return y[len(y)-1] - slices.Min(y)
}
