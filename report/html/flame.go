package html

import (
	"math"
	"slices"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/unit"
)

// flameData are call chains as the script draws them: frames stand once, chains refer to them, leaf first.
type flameData struct {
	Sides   bool         `json:"sides"`
	Bytes   bool         `json:"bytes"`
	Objects bool         `json:"objects"`
	Frames  []string     `json:"frames"`
	Chains  []flameChain `json:"chains"`
}

type flameChain struct {
	ID     string    `json:"id"`
	Frames []int     `json:"f"`
	Before [2]*int64 `json:"b"` // bytes, objects
	After  [2]*int64 `json:"a"`
}

func newFlameData(f *report.Flame) flameData {
	out := flameData{Sides: f.Sides, Bytes: f.Bytes, Objects: f.Objects, Frames: []string{}, Chains: []flameChain{}}
	index := map[string]int{}
	for _, c := range f.Chains {
		one := flameChain{ID: c.ID, Before: [2]*int64{c.Before.Bytes, c.Before.Objects}, After: [2]*int64{c.After.Bytes, c.After.Objects}}
		for _, frame := range c.Frames {
			n, ok := index[frame]
			if !ok {
				n = len(out.Frames)
				index[frame] = n
				out.Frames = append(out.Frames, frame)
			}
			one.Frames = append(one.Frames, n)
		}
		out.Chains = append(out.Chains, one)
	}
	return out
}

// call is a node of the tree that chains make: what it and all that it calls hold.
type call struct {
	name          string
	before, after float64
	calls         []*call
}

func (c *call) width() float64 { return math.Max(c.before, c.after) }

func (c *call) child(name string) *call {
	i := slices.IndexFunc(c.calls, func(x *call) bool { return x.name == name })
	if i < 0 {
		i = len(c.calls)
		c.calls = append(c.calls, &call{name: name})
	}
	return c.calls[i]
}

// tree joins chains at their roots, by bytes where these are known, the widest first.
func tree(f *report.Flame) *call {
	root := &call{name: "all"}
	for _, c := range f.Chains {
		b, a := held(f, c.Before), held(f, c.After)
		n := root
		n.before, n.after = n.before+b, n.after+a
		for _, frame := range slices.Backward(c.Frames) {
			n = n.child(frame)
			n.before, n.after = n.before+b, n.after+a
		}
	}
	root.sort()
	return root
}

func held(f *report.Flame, h report.Held) float64 {
	v := h.Bytes
	if !f.Bytes {
		v = h.Objects
	}
	if v == nil {
		return 0
	}
	return float64(*v)
}

func (c *call) sort() {
	slices.SortStableFunc(c.calls, func(a, b *call) int {
		if a.width() != b.width() {
			return int(math.Copysign(1, b.width()-a.width()))
		}
		return strings.Compare(a.name, b.name)
	})
	for _, x := range c.calls {
		x.sort()
	}
}

// The drawing of a flame graph that stands in the file, from the root down; what is narrower than a few pixels is left out.
const (
	flameWidth  = 1000
	flameRow    = 17
	flameLevels = 24
	flameLeast  = 3
	flameLetter = 6.1 // the width of a letter
)

// flame is a flame graph in the coordinates of its SVG.
type flame struct {
	*report.Flame
	Width, Height int
	Bars          []flameBar
	Desc          string
}

type flameBar struct {
	X, Y, W      float64
	Fill         string
	Opacity      float64
	Text, Title  string
	TextX, TextY float64
}

func newFlame(f *report.Flame) *flame {
	out := &flame{Flame: f, Width: flameWidth}
	root := tree(f)
	if root.width() == 0 {
		return out
	}
	kind := unit.Bytes
	if !f.Bytes {
		kind = unit.Count
	}
	out.place(root, root, 0, flameWidth, 0, kind)
	out.Desc = "In all " + told(root, root, kind, f.Sides)
	return out
}

// place draws a call and below it what it calls. Of a call that shrank in some parts and grew in others the parts are wider
// than itself: they share its width.
func (f *flame) place(c, root *call, x, w float64, level int, kind unit.Kind) {
	if w < flameLeast || level == flameLevels {
		return
	}
	b := flameBar{X: round1(x), Y: float64(level * flameRow), W: round1(w - 0.5), Title: c.name + ": " + told(c, root, kind, f.Sides)}
	b.Fill, b.Opacity = flameColour(c, f.Sides)
	if n := int((w - 8) / flameLetter); n >= 3 {
		b.Text = cutTo(c.name, n)
		b.TextX, b.TextY = round1(x+4), b.Y+12
	}
	f.Bars = append(f.Bars, b)
	f.Height = max(f.Height, (level+1)*flameRow)
	sum := 0.0
	for _, x := range c.calls {
		sum += x.width()
	}
	scale := w / positive(math.Max(sum, c.width()))
	for _, n := range c.calls {
		f.place(n, root, x, n.width()*scale, level+1, kind)
		x += n.width() * scale
	}
}

// flameColour is by the change where there are two sides: how strong, by how much of the wider side it is.
func flameColour(c *call, sides bool) (string, float64) {
	d := c.after - c.before
	switch {
	case !sides:
		return "#d9772b", 0.35
	case d == 0:
		return trendColour, 0.25
	}
	strength := round1(0.2 + 0.5*math.Min(1, math.Abs(d)/positive(c.width())))
	if d < 0 {
		return beforeColour, strength
	}
	return upColour, strength
}

func told(c, root *call, kind unit.Kind, sides bool) string {
	after := unit.Quantity(kind, &c.after)
	share := c.after / positive(root.after)
	if !sides {
		return after + ", " + unit.Scale{Factor: 0.01, Digits: 1}.Text(&share) + " %"
	}
	d := c.after - c.before
	return unit.Quantity(kind, &c.before) + " before, " + after + " after, " + unit.Change(kind, &d)
}

func cutTo(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
