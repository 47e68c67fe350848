package profile

import (
	"fmt"
	"iter"

	"github.com/memtide/memtide/ingest/table"
)

// MostFrames bounds the frames of all stacks of a file together. Deep chains of which each calls the next have a number of them
// that grows with the square of the capture; where they are more, all stacks are cut to a depth at which they are not.
const MostFrames = 1 << 24

// LeftOut is the root of a stack that was cut, in place of the calls that were left out.
const LeftOut = "[callers left out]"

// Cut says how many of the stacks that were written were cut, and to how many calls, those nearest the allocation.
func (p *Profile) Cut() (stacks, depth int) { return p.cut, p.depth }

func (p *Profile) cutNote() string {
	return fmt.Sprintf("%d stacks are cut to the %d calls nearest the allocation: %s stands for the others", p.cut, p.depth, LeftOut)
}

// fit chooses the depth of a file that has each stack so many times: the greatest at which all have at most so many frames.
func (p *Profile) fit(times, most int) {
	var of [table.MaxStack + 1]int // samples by depth
	for i := range p.Samples {
		of[min(max(p.Samples[i].Depth, 1), table.MaxStack)]++
	}
	p.cut, p.depth = 0, 0
	sum, deeper := 0, len(p.Samples)
	for p.depth < table.MaxStack && (p.depth == 0 || (sum+deeper)*times <= most) {
		p.depth++
		sum += deeper
		deeper -= of[p.depth]
	}
}

// calls walks the stack of a sample, leaf first, as far as the depth goes.
func (p *Profile) calls(s *Sample) iter.Seq[*table.Call] {
	return func(yield func(*table.Call) bool) {
		n, cut := 0, s.Depth > table.MaxStack
		if s.Calls != nil {
			for c := range s.Calls {
				if n++; n > p.depth {
					cut = true
					break
				}
				if !yield(c) {
					return
				}
			}
		}
		if cut {
			p.cut++
			yield(&table.Call{Function: LeftOut})
		}
	}
}
