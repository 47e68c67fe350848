package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtide/memtide/analyze/lifetime"
)

// BalanceNode is a function in the tree of those that changed the reference counts of objects that nobody ended; the callers
// stand above. Subtrees that balance are left out.
type BalanceNode struct {
	Depth    int    `json:"depth"`
	Function string `json:"function"`
	Retains  int64  `json:"retains"` // in its subtree; making an object is one
	Releases int64  `json:"releases"`
	Net      int64  `json:"net"`
}

// overRetained makes findings of objects that were retained or released and are alive at the end, where the same site has at
// least two of them and others of it were ended, or their number grows: what is made once and kept is no fault.
func (r *Result) overRetained(c *Capture, b *books) map[heldKey]bool {
	out := map[heldKey]bool{}
	if len(b.ledgers) == 0 || b.partial {
		return out
	}
	type held struct {
		objects, bytes, ended int64
		of                    []lifetime.Retained
	}
	groups := map[heldKey]*held{}
	var order []heldKey
	var all []lifetime.Retained
	for _, l := range b.ledgers {
		all = append(all, l.Retained...)
	}
	for _, x := range all {
		k := heldKey{b.resolver.process(pidOf(x.PID), ""), c.Set.String(x.Site.Kind), cmp.Or(b.names[x.Site], c.Set.String(x.Site.Kind), "heap")}
		if groups[k] == nil {
			groups[k] = &held{}
			order = append(order, k)
		}
		h := groups[k]
		h.objects, h.bytes, h.ended, h.of = h.objects+x.Objects, h.bytes+x.Bytes, h.ended+x.Site.Ended, append(h.of, x)
	}
	for _, k := range order {
		h := groups[k]
		s := b.find(k)
		if h.objects < 2 || s == nil {
			continue
		}
		count := r.verdictOf(c, s, "live_count")
		grows := count != nil && count.Verdict == Leak
		if h.ended == 0 && !grows {
			continue
		}
		out[k] = true
		r.Findings = append(r.Findings, r.retainFinding(c, b, k, s, h.objects, h.bytes, grows, b.balance(h.of)))
	}
	return out
}

func (b *books) find(k heldKey) *site {
	i := slices.IndexFunc(b.sites, func(s *site) bool { return s.process == k.process && s.kind == k.kind && s.name == k.name })
	if i < 0 {
		return nil
	}
	return b.sites[i]
}

func (r *Result) retainFinding(c *Capture, b *books, k heldKey, s *site, objects, bytes int64, grows bool, tree []BalanceNode) Finding {
	f := Finding{Rule: "over-retain", Class: cmp.Or(k.kind, "object"), Severity: "warning", Side: c.Side, Run: c.Name, Subject: Subject{k.process, "class", k.name, "live_count"},
		Stats: map[string]float64{"objects": float64(objects), "bytes": float64(bytes)}, Evidence: s.evidence, Warnings: []string{}, Balance: tree, Grain: "function",
		Advice: "The function named last in the balance retains and does not release: find the release that belongs to it."}
	if grows {
		f.Severity = "critical"
	}
	if len(s.chains) > 0 {
		f.stacked(s.named().calls())
	}
	f.Message = fmt.Sprintf("%d objects made by %s are alive at the end though they were retained and released: a release is missing%s.", objects, readable(k.name), missing(tree))
	f.soften(b, s)
	f.Fingerprint = fingerprint(f.Rule, Subject{Process: k.process, Scope: "class", Name: k.name}, f.Class)
	return f
}

// missing names the function at the end of the path with the greatest net.
func missing(tree []BalanceNode) string {
	at, depth := -1, -1
	for i := range tree {
		if tree[i].Depth == depth+1 && tree[i].Net > 0 {
			at, depth = i, tree[i].Depth
		} else if at >= 0 && tree[i].Depth <= depth {
			break
		}
	}
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(", by the balance that of %s (%d retained, %d released)", tree[at].Function, tree[at].Retains, tree[at].Releases)
}

// balanceTree is a node while the tree is built.
type balanceTree struct {
	function          string
	retains, releases int64
	children          []*balanceTree
}

// balance builds the tree of who changed the counts, and prunes what balances (after Mozilla's refcount balancer).
func (b *books) balance(of []lifetime.Retained) []BalanceNode {
	root := &balanceTree{}
	for _, x := range of {
		root.add(names(b.resolver.calls(x.Site.Stack)), x.Objects, 0)
		for _, s := range x.Balance {
			root.add(names(b.resolver.calls(s.Stack)), s.Retains, s.Releases)
		}
	}
	var out []BalanceNode
	root.write(&out, -1)
	return out
}

func (t *balanceTree) add(leafFirst []string, retains, releases int64) {
	for i := len(leafFirst) - 1; i >= 0; i-- {
		at := slices.IndexFunc(t.children, func(c *balanceTree) bool { return c.function == leafFirst[i] })
		if at < 0 {
			at = len(t.children)
			t.children = append(t.children, &balanceTree{function: leafFirst[i]})
		}
		t = t.children[at]
		t.retains, t.releases = t.retains+retains, t.releases+releases
	}
}

// mostNodes bounds the tree that is written.
const mostNodes = 60

func (t *balanceTree) write(out *[]BalanceNode, depth int) {
	if depth >= 0 {
		if t.retains == t.releases || len(*out) >= mostNodes {
			return
		}
		*out = append(*out, BalanceNode{depth, t.function, t.retains, t.releases, t.retains - t.releases})
	}
	slices.SortStableFunc(t.children, func(a, b *balanceTree) int { return cmp.Compare(b.retains-b.releases, a.retains-a.releases) })
	for _, c := range t.children {
		c.write(out, depth+1)
	}
}
