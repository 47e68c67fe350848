package nsight

import (
	"cmp"
	"slices"
)

const runtimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME" // calls of the runtime and of the driver

const outOfMemory = 2 // cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY

// callNames are the names of calls by their id in StringIds.
type callNames struct {
	index   map[int64]int32 // into capture.names, for calls that memtide counts
	runtime map[int64]bool  // all calls of the runtime
}

// readCalls reads the calls that make or release something. A call of the driver inside one of the runtime is the same
// deed told twice.
func (c *capture) readCalls() {
	if !c.needs(runtimeTable, "start", "end", "nameId") || !c.needs("StringIds", "id", "value") {
		return
	}
	names := c.callNames()
	ids := make([]int64, 0, len(names.index))
	for id := range names.index {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	columns := []string{"end", "start", "nameId", "globalTid", "returnValue", "callchainId"}
	c.scan(query{runtimeTable, columns, "nameId", ids}, func(r row) { c.call(r, names) })
	c.dropNested(names)
	c.graphExecs()
}

func (c *capture) callNames() callNames {
	n := callNames{map[int64]int32{}, map[int64]bool{}}
	c.scan(query{table: "StringIds", columns: []string{"id", "value"}}, func(r row) {
		text := r.text(1)
		if len(text) < 6 || len(text) > 100 || text[0] != 'c' || text[1] != 'u' {
			return
		}
		id, name := r.int(0).V, plainName(string(text))
		if _, ok := apis[name]; ok {
			n.index[id] = int32(len(c.names))
			c.names = append(c.names, name)
		}
		if !driverCall(name) {
			n.runtime[id] = true
		}
	})
	return n
}

// call takes one row of a call that memtide counts, and that succeeded or was refused memory.
func (c *capture) call(r row, names callNames) {
	index, ok := names.index[r.int(2).V]
	if !ok {
		return
	}
	name := c.names[index]
	a := apis[name]
	result := r.int(4)
	if c.counted(a) {
		a.op = opNone
	}
	switch {
	case result.V == outOfMemory && apis[name].refusable():
		a.op = opRefused
	case result.V != 0 || a.op == opNone:
		return
	}
	end, ok := c.time(runtimeTable, r, r.int(0))
	if !ok {
		return
	}
	e := none
	e.at, e.row, e.ref, e.name, e.op, e.class, e.has = end, r.number(), r.int(1).V, index, a.op, a.class, isCall
	if driverCall(name) {
		e.has |= isDriver
	}
	if global := r.int(3); global.OK {
		e.pid, e.tid = pidOf(global.V), tidOf(global.V)
	}
	if chain := r.int(5); chain.OK && chain.V >= 0 {
		e.chain = chain.V
	}
	c.calls.add(e)
}

// counted says whether what a call does is told by an event of memory or of a pool.
func (c *capture) counted(a api) bool {
	return c.hasMemory && (a.op == opAlloc || a.op == opFree) || c.hasPools && a.class == cudaMempool
}

// thread tells the threads of all processes apart.
type thread struct{ pid, tid int32 }

// byThread lists the calls of a kind for each thread, in the order in which they began.
func (c *capture) byThread(is func(*event) bool) map[thread][]*event {
	out := map[thread][]*event{}
	for i := range c.calls.n {
		if e := c.calls.stored(i); e.tid >= 0 && is(e) {
			out[thread{e.pid, e.tid}] = append(out[thread{e.pid, e.tid}], e)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(x, y *event) int { return cmp.Compare(x.ref, y.ref) })
	}
	return out
}

// beginning gives the place of the first call of a list that began at a time or later.
func beginning(list []*event, at int64) int {
	i, _ := slices.BinarySearchFunc(list, at, func(e *event, at int64) int { return cmp.Compare(e.ref, at) })
	return i
}

// dropNested takes out the calls of the driver that lie inside a call of the runtime on their thread.
func (c *capture) dropNested(names callNames) {
	driver := c.byThread(func(e *event) bool { return e.has&isDriver != 0 })
	if len(driver) == 0 || len(names.runtime) == 0 {
		return
	}
	c.scan(query{table: runtimeTable, columns: []string{"start", "end", "nameId", "globalTid"}}, func(r row) {
		global := r.int(3)
		list := driver[thread{pidOf(global.V), tidOf(global.V)}]
		if len(list) == 0 || !global.OK || !names.runtime[r.int(2).V] {
			return
		}
		end := r.int(1).V
		for _, e := range list[beginning(list, r.int(0).V):] {
			if e.ref > end {
				break
			}
			if e.at <= end {
				e.op = opNone
			}
		}
	})
}

// graphExecs gives the calls that instantiate a graph the id of what they made, where CUDA_GRAPH_EVENTS tells it. In
// exports of 2022 the table of that name lists nodes, and has no such column.
func (c *capture) graphExecs() {
	const name = "CUDA_GRAPH_EVENTS"
	if !slices.Contains(c.t.columns(name), "graphExecId") {
		return
	}
	made := c.byThread(func(e *event) bool { return e.class == cudaGraphExec && e.op == opCreate })
	c.scan(query{table: name, columns: []string{"start", "end", "globalTid", "graphExecId"}}, func(r row) {
		start, exec, global := r.int(0), r.int(3), r.int(2)
		list := made[thread{pidOf(global.V), tidOf(global.V)}]
		if !exec.OK || !start.OK || start.V >= maxTime {
			return
		}
		if i := beginning(list, start.V+1); i > 0 && r.int(1).V <= list[i-1].at {
			list[i-1].object = uint64(exec.V)
			list[i-1].has |= hasObject
		}
	})
}
