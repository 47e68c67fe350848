package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Views lay what several captures of one program say of its sites side by side.
type Views struct {
	Tools []Viewer `json:"tools"`
	Sites []View   `json:"sites"` // that any of them saw leak, the greatest first
	More  int      `json:"more"`  // sites that are left out
}

// Viewer is one capture as a witness, with what it says of itself.
type Viewer struct {
	Run     string `json:"run"`
	Format  string `json:"format"`
	Unit    string `json:"unit,omitempty"` // requested or usable: of what its bytes are; empty if it does not say
	Sampled bool   `json:"sampled,omitempty"`
	Lossy   bool   `json:"lossy,omitempty"`
	Partial bool   `json:"partial,omitempty"`
	Lost    bool   `json:"lost_only,omitempty"` // it states what nothing points to; what is reachable is no leak to it
	Points  int    `json:"points"`              // at how many times it lists what is alive
}

// View is one site as each capture saw it, in the order of the tools.
type View struct {
	Site  string   `json:"site"`
	Seen  []Sight  `json:"seen"`
	Agree bool     `json:"agree"` // all of them see it leak, with figures that differ by less than 5 %
	Why   []string `json:"why,omitempty"`
}

// Sight is what one capture says of a site.
type Sight struct {
	Listed  bool     `json:"listed"`         // it names the site
	Rule    string   `json:"rule,omitempty"` // of its finding; empty if it saw no leak
	Bytes   *float64 `json:"bytes"`          // alive at the end, or lost
	Objects *float64 `json:"objects"`
}

const (
	mostViewers = 8
	mostViews   = 50
	sameFigure  = 0.05 // by which two tools may differ and still say the same
)

// checkers are the formats of tools that search for what nothing points to.
var checkers = []string{"memcheck", "sanitizer", "compute-sanitizer", "leaks"}

// viewer gathers the sites of one capture for a view.
type viewer struct {
	Viewer
	sights map[string]*Sight
}

// keepingRules are the rules of findings that a site keeps what it makes.
var keepingRules = []string{"leaked", "growth", "handle-leak", "over-retain"}

// witness notes what a capture says of its sites; the findings of it are those from a place in the result on.
func (r *Result) witness(c *Capture, b *books, from int) *viewer {
	if c.Set == nil {
		return nil
	}
	v := &viewer{Viewer: Viewer{Run: c.Name}, sights: map[string]*Sight{}}
	if len(c.Inputs) > 0 {
		v.Format = c.Inputs[0].Format
	}
	_, v.Lossy, v.Partial, _ = c.losses()
	for _, f := range c.Set.Facts() {
		if f.Name == "unit" {
			v.Unit = f.Value
		}
	}
	v.Sampled = c.says("sampled")
	for _, s := range b.sites {
		if s.reserves() {
			continue
		}
		v.Points = max(v.Points, len(s.t))
		v.list(s)
	}
	stated := false
	for i := range r.Findings[from:] {
		f := &r.Findings[from+i]
		if f.Subject.Scope != "class" || !slices.Contains(keepingRules, f.Rule) {
			continue
		}
		stated = stated || f.Subject.Metric == "leaked_bytes"
		v.accuse(f)
	}
	v.Lost = stated || slices.Contains(checkers, v.Format)
	return v
}

func (v *viewer) sight(name string) *Sight {
	name = identity(name)
	if v.sights[name] == nil {
		v.sights[name] = &Sight{}
	}
	return v.sights[name]
}

func (v *viewer) list(s *site) {
	x := v.sight(s.name)
	x.Listed = true
	for _, of := range []struct {
		to **float64
		y  []float64
	}{{&x.Bytes, s.bytes}, {&x.Objects, s.count}} {
		if of.y != nil {
			sum := value(*of.to) + last(of.y)
			*of.to = &sum
		}
	}
}

func (v *viewer) accuse(f *Finding) {
	x := v.sight(f.Subject.Name)
	x.Listed, x.Rule = true, f.Rule
	for name, to := range map[string]**float64{"bytes": &x.Bytes, "objects": &x.Objects} {
		if n, ok := f.Stats[name]; ok && *to == nil {
			*to = &n
		}
	}
}

// lay puts the captures side by side, if at least two of them know of sites.
func (r *Result) lay(all []*viewer) {
	all = slices.DeleteFunc(all, func(v *viewer) bool { return v == nil || len(v.sights) == 0 })
	if len(all) < 2 {
		return
	}
	all = all[:min(len(all), mostViewers)]
	out := &Views{}
	seen := map[string]float64{}
	for _, v := range all {
		out.Tools = append(out.Tools, v.Viewer)
		for name, x := range v.sights {
			if x.Rule != "" {
				seen[name] = max(seen[name], value(x.Bytes), value(x.Objects))
			}
		}
	}
	names := sortedKeys(seen)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(seen[b], seen[a]) })
	out.More = max(len(names)-mostViews, 0)
	for _, name := range names[:min(len(names), mostViews)] {
		out.Sites = append(out.Sites, viewOf(name, all))
	}
	if len(out.Sites) > 0 {
		r.Views = out
	}
}

func viewOf(name string, all []*viewer) View {
	out := View{Site: name, Agree: true}
	for _, v := range all {
		x := Sight{}
		if s := v.sights[name]; s != nil {
			x = *s
		}
		out.Seen = append(out.Seen, x)
		out.Agree = out.Agree && x.Rule != "" && figuresAgree(x.Bytes, out.Seen[0].Bytes) && figuresAgree(x.Objects, out.Seen[0].Objects)
	}
	if !out.Agree {
		out.Why = reasons(&out, all)
	}
	return out
}

func figuresAgree(a, b *float64) bool {
	return a == nil || b == nil || math.Abs(*a-*b) <= sameFigure*max(math.Abs(*a), math.Abs(*b))
}

// reasons are why the captures may differ on a site: by what they are, and by what they say of themselves.
func reasons(of *View, all []*viewer) (out []string) {
	figures := slices.ContainsFunc(of.Seen, func(x Sight) bool { return !figuresAgree(x.Bytes, of.Seen[firstKnown(of.Seen)].Bytes) })
	verdicts := slices.ContainsFunc(of.Seen, func(x Sight) bool { return (x.Rule == "") != (of.Seen[0].Rule == "") })
	who := func(is func(i int) bool) string {
		var names []string
		for i, v := range all {
			if is(i) {
				names = append(names, cmp.Or(v.Run, v.Format))
			}
		}
		return strings.Join(names, ", ")
	}
	say := func(when bool, format string, is ...func(i int) bool) {
		var args []any
		for _, f := range is {
			text := who(f)
			if text == "" {
				return
			}
			args = append(args, text)
		}
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	listed := func(i int) bool { return of.Seen[i].Listed }
	say(figures, "%s: sizes as requested; %s: as the allocator rounds them", func(i int) bool { return listed(i) && all[i].Unit == "requested" }, func(i int) bool { return listed(i) && all[i].Unit == "usable" })
	say(figures, "%s: sampled, figures are estimates", func(i int) bool { return listed(i) && all[i].Sampled })
	say(true, "%s: events were lost, so what looks kept may have been freed", func(i int) bool { return all[i].Lossy })
	say(verdicts, "%s: sees part of the allocations only", func(i int) bool { return all[i].Partial })
	say(verdicts, "%s: states only what nothing points to, so that what is reachable is no leak to it", func(i int) bool { return all[i].Lost && of.Seen[i].Rule == "" })
	say(verdicts, "%s: too few times to see growth (fewer than 5)", func(i int) bool {
		return listed(i) && of.Seen[i].Rule == "" && !all[i].Lost && all[i].Points < DefaultGrowth.MinSamples
	})
	say(verdicts, "%s: does not name this site: other names, or nothing alive there", func(i int) bool { return !listed(i) && !all[i].Lost })
	if figures && len(out) == 0 {
		out = append(out, "They are of runs of different length, or of different moments of one.")
	}
	return out
}

func firstKnown(of []Sight) int {
	return max(slices.IndexFunc(of, func(x Sight) bool { return x.Bytes != nil }), 0)
}
