package analyze

import (
	"cmp"
	"slices"
)

// StackNode is a call in the tree of a diff flame graph: what it and all that it calls hold on the two sides.
type StackNode struct {
	Frame                 StackFrame
	Before, After         int64 // with all that it calls
	SelfBefore, SelfAfter int64
	Children              []*StackNode // widest first
	index                 map[StackFrame]*StackNode
}

// StackTree joins chains at their roots, by bytes or by objects. The node it gives is above all; what it holds itself is the rest
// that the rows add up. A side that is not known counts as 0.
func StackTree(rows []StackDelta, objects bool) *StackNode {
	of, root := bytesOf, &StackNode{}
	if objects {
		of = objectsOf
	}
	for i := range rows {
		d := &rows[i]
		var b, a int64
		if d.Before != nil && of(d.Before) != nil {
			b = *of(d.Before)
		}
		if d.After != nil && of(d.After) != nil {
			a = *of(d.After)
		}
		n := root
		n.Before, n.After = n.Before+b, n.After+a
		for k := len(d.Stack) - 1; k >= 0; k-- {
			n = n.child(d.Stack[k])
			n.Before, n.After = n.Before+b, n.After+a
		}
		n.SelfBefore, n.SelfAfter = n.SelfBefore+b, n.SelfAfter+a
	}
	root.sort()
	return root
}

func (n *StackNode) child(f StackFrame) *StackNode {
	c := n.index[f]
	if c == nil {
		c = &StackNode{Frame: f}
		if n.index == nil {
			n.index = map[StackFrame]*StackNode{}
		}
		n.index[f] = c
		n.Children = append(n.Children, c)
	}
	return c
}

func (n *StackNode) sort() {
	n.index = nil
	slices.SortFunc(n.Children, func(x, y *StackNode) int {
		return cmp.Or(cmp.Compare(y.Width(), x.Width()), cmp.Compare(x.Frame.Function, y.Frame.Function), cmp.Compare(x.Frame.Module, y.Frame.Module), cmp.Compare(x.Frame.File, y.Frame.File))
	})
	for _, c := range n.Children {
		c.sort()
	}
}

// Width is the greater side: in a graph of that width what was removed can be seen too.
func (n *StackNode) Width() int64 { return max(n.Before, n.After) }

// Delta is the change.
func (n *StackNode) Delta() int64 { return n.After - n.Before }

// Ratio is after by before; nil where before is nothing.
func (n *StackNode) Ratio() *float64 { return ratio(&n.Before, &n.After) }

// State is New, Removed or empty.
func (n *StackNode) State() Change { return came(&n.Before, &n.After) }
