package html

import (
	"math"
	"testing"

	"github.com/memtide/memtide/report"
)

// Lines come out of their packed form as they went in, to a part in 20,000 of their range.
func TestPack(t *testing.T) {
	points := []report.Point{{T: 1.5, Min: 3 * mib, Mid: 4 * mib, Max: 9 * mib}, {T: 3, Min: 5 * mib, Mid: 5 * mib, Max: 5 * mib, Gap: true}, {T: 4.5, Min: 0, Mid: 1 * mib, Max: 2 * mib}}
	p := pack(points)
	if len(p.Steps) != 1 || p.Steps[0] != 1500 || len(p.Gaps) != 1 || p.Gaps[0] != 1 || p.Count != 3 || p.Start != 1.5 {
		t.Errorf("%+v", p)
	}
	level := 0.0
	for i, q := range points {
		level += float64(p.Mid[i])
		for _, v := range []struct{ have, want float64 }{{level, q.Mid}, {level - float64(p.Low[i]), q.Min}, {level + float64(p.High[i]), q.Max}} {
			if have := p.Base + v.have*p.Unit; math.Abs(have-v.want) > 2*9*mib/finest {
				t.Errorf("point %d: %v, want %v", i, have, v.want)
			}
		}
	}
	flat := pack([]report.Point{{T: 0, Min: 7, Mid: 7, Max: 7}, {T: 1, Min: 7, Mid: 7, Max: 7}, {T: 3, Min: 7, Mid: 7, Max: 7}})
	if flat.Low != nil || flat.High != nil || len(flat.Steps) != 2 || flat.Unit != 1 || flat.Base != 7 {
		t.Errorf("%+v", flat)
	}
}

// The widest call comes first and what a call holds is what it calls hold.
func TestTree(t *testing.T) {
	of := func(v int64) report.Held { return report.Held{Bytes: &v} }
	root := tree(&report.Flame{Bytes: true, Chains: []report.Chain{
		{Frames: []string{"a", "main"}, Before: of(1), After: of(2)}, {Frames: []string{"b", "main"}, Before: of(9), After: of(0)}, {Frames: []string{"main"}, After: of(4)}}})
	main := root.calls[0]
	if len(root.calls) != 1 || main.before != 10 || main.after != 6 || len(main.calls) != 2 || main.calls[0].name != "b" || root.after != 6 {
		t.Errorf("%+v %+v", root, main)
	}
}

// A line of microseconds, or of some thousand instructions, keeps its shape.
func TestPackShort(t *testing.T) {
	p := pack([]report.Point{{T: 0}, {T: 0.00005}, {T: 0.00015}})
	if len(p.Steps) != 2 || p.Steps[1] != 2*p.Steps[0]+1 && p.Steps[1] != 2*p.Steps[0]-1 && p.Steps[1] != 2*p.Steps[0] {
		t.Errorf("%+v: the second step is twice the first", p)
	}
}
