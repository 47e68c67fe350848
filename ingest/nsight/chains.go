package nsight

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
)

const chainTable = "CUDA_CALLCHAINS" // only with `nsys profile --cudabacktrace=…`

// link is a call in a chain; symbol and module are ids in StringIds.
type link struct {
	chain, depth, row  int64
	symbol, module, ip int64
	hasIP, unresolved  bool
}

// correlation is what ties a memory event to the call that made it: the id is that of one process.
type correlation struct {
	pid int32
	id  int64
}

// readChains writes the call stacks of the events.
func (c *capture) readChains() {
	if !c.t.has(chainTable) || !c.needs(chainTable, "id", "symbol", "stackDepth") {
		return
	}
	c.correlate()
	wanted := map[int64]bool{}
	c.events.each(false, func(e *event) {
		if e.chain >= 0 {
			wanted[e.chain] = true
		}
	})
	if len(wanted) == 0 {
		return
	}
	var links []link
	strs := map[int64]string{}
	c.scan(query{table: chainTable, columns: []string{"id", "symbol", "module", "unresolved", "originalIP", "stackDepth"}}, func(r row) {
		id := r.int(0)
		if !id.OK || !wanted[id.V] {
			return
		}
		ip := r.int(4)
		l := link{chain: id.V, depth: r.int(5).V, row: r.number(), symbol: r.int(1).V, module: r.int(2).V, ip: ip.V, hasIP: ip.OK && ip.V != 0, unresolved: r.int(3).V != 0}
		strs[l.symbol], strs[l.module] = "", ""
		links = append(links, l)
	})
	c.strings(strs)
	slices.SortStableFunc(links, func(x, y link) int {
		return cmp.Or(cmp.Compare(x.chain, y.chain), cmp.Compare(x.depth, y.depth))
	})
	c.stacks(links, strs)
}

// stacks writes the chains, links of one side by side, innermost first.
func (c *capture) stacks(links []link, strs map[int64]string) {
	var frames []callstack.Frame
	for i := range links {
		frames = append(frames, links[i].frame(strs))
		if i+1 == len(links) || links[i+1].chain != links[i].chain {
			c.chains[links[i].chain] = callstack.Add(c.b, frames, int(links[i].row)).Leaf
			frames = frames[:0]
		}
	}
}

// frame is a call as the tables know it. The symbol of a call without a name is its address in hex.
func (l *link) frame(strs map[int64]string) callstack.Frame {
	f := callstack.Frame{Function: strs[l.symbol], Module: path.Base(strings.ReplaceAll(strs[l.module], `\`, "/")), Address: uint64(l.ip), HasAddress: l.hasIP}
	if strs[l.module] == "" {
		f.Module = ""
	}
	if addr, ok := strings.CutPrefix(f.Function, "0x"); ok {
		if v, err := strconv.ParseUint(addr, 16, 64); err == nil {
			f.Function = ""
			if !f.HasAddress {
				f.Address, f.HasAddress = v, true
			}
		}
	}
	if l.unresolved && f.HasAddress {
		f.Function = ""
	}
	return f
}

// correlate gives memory events the call chain of the call with their correlation id.
func (c *capture) correlate() {
	if !c.needs(runtimeTable, "correlationId", "callchainId") {
		return
	}
	chains := map[correlation]int64{}
	c.events.each(false, func(e *event) {
		if e.has&isCall == 0 && e.ref != 0 {
			chains[correlation{e.pid, e.ref}] = -1
		}
	})
	if len(chains) == 0 {
		return
	}
	c.scan(query{table: runtimeTable, columns: []string{"callchainId", "correlationId", "globalTid"}}, func(r row) {
		chain := r.int(0)
		if !chain.OK || chain.V < 0 {
			return
		}
		key := correlation{pidOf(r.int(2).V), r.int(1).V}
		if _, ok := chains[key]; ok {
			chains[key] = chain.V
		}
	})
	c.events.each(false, func(e *event) {
		if e.has&isCall == 0 && e.ref != 0 {
			e.chain = chains[correlation{e.pid, e.ref}]
		}
	})
}

// maxList is how many ids a filter lists; beyond that the whole table is read.
const maxList = 10_000

// strings fills in the values of ids of StringIds.
func (c *capture) strings(want map[int64]string) {
	q := query{table: "StringIds", columns: []string{"id", "value"}}
	if len(want) <= maxList {
		q.filter = "id"
		for id := range want {
			q.in = append(q.in, id)
		}
		slices.Sort(q.in)
	}
	c.scan(q, func(r row) {
		if _, ok := want[r.int(0).V]; ok {
			want[r.int(0).V] = string(r.text(1))
		}
	})
}
