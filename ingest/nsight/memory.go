package nsight

import (
	"github.com/memtide/memtide/ingest/table"
)

const (
	memoryTable = "CUDA_GPU_MEMORY_USAGE_EVENTS"
	poolTable   = "CUDA_GPU_MEMORY_POOL_EVENTS"

	maxBytes = 1 << 50 // of one allocation: more is no size
)

// poolState is what an event says of the memory pool that it belongs to.
type poolState struct {
	address    int64
	device     int32
	pid        int32
	size, used table.Int
}

// readMemory reads the allocations and frees that `--cuda-memory-usage=true` traces.
func (c *capture) readMemory() {
	if !c.needs(memoryTable, "start", "globalPid", "address", "bytes", "memKind", "memoryOperationType") {
		return
	}
	columns := []string{"start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType", "correlationId", "localMemoryPoolAddress", "localMemoryPoolSize", "localMemoryPoolUtilizedSize"}
	c.scan(query{table: memoryTable, columns: columns}, func(r row) {
		c.hasMemory = true
		c.memoryEvent(r)
	})
}

func (c *capture) memoryEvent(r row) {
	at, ok := c.time(memoryTable, r, r.int(0))
	if !ok {
		return
	}
	bytes, kind, does := r.int(4), r.int(5), r.int(6)
	if !bytes.OK || bytes.V < 0 || bytes.V > maxBytes {
		c.b.Problems.Count(c.in.At(int(r.number()), 0), "%s: want a size in bytes, have %s", memoryTable, printed(bytes))
		return
	}
	if does.V < 0 || does.V > 1 || !does.OK {
		c.b.Problems.Count(c.in.At(int(r.number()), 0), "%s: want 0 (allocation) or 1 (deallocation), have %s", memoryTable, printed(does))
		return
	}
	e := none
	e.at, e.row, e.pid, e.ref, e.size, e.object = at, r.number(), pidOf(r.int(1).V), r.int(7).V, bytes.V, uint64(r.int(3).V)
	e.has, e.op, e.class = hasObject|hasSize, opAlloc+op(does.V), gpuUnknown
	if kind.OK && kind.V >= 0 && kind.V < int64(len(kinds)) {
		e.class = kinds[kind.V]
	}
	if d := r.int(2); d.OK && !e.class.onHost() && e.class != gpuUnknown {
		e.device = ordinal(d)
	}
	c.pool(&e, r.int(8), ordinal(r.int(2)), r.int(9), r.int(10))
	c.memory.add(e)
}

// ordinal is a device number, or -1 where it is none.
func ordinal(v table.Int) int32 {
	if !v.OK || v.V < 0 || v.V > 1<<16 {
		return -1
	}
	return int32(v.V)
}

// pool notes the figures of a pool with an event. Exports before 2022 write 0 in the place of no pool.
func (c *capture) pool(e *event, address table.Int, device int32, size, used table.Int) {
	if !address.OK || address.V == 0 || !size.OK && !used.OK {
		return
	}
	e.pool = int32(len(c.pools))
	c.pools = append(c.pools, poolState{address.V, device, e.pid, size, used})
}

// poolOps are the meanings of operationType (ENUM_CUDA_MEMPOOL_OPER).
var poolOps = map[int64]op{1: opCreate, 2: opDestroy, 3: opMark}

// readPools reads the events of memory pools themselves.
func (c *capture) readPools() {
	if !c.needs(poolTable, "start", "globalPid", "address", "operationType") {
		return
	}
	columns := []string{"start", "globalPid", "deviceId", "address", "operationType", "correlationId", "localMemoryPoolSize", "localMemoryPoolUtilizedSize"}
	c.scan(query{table: poolTable, columns: columns}, func(r row) {
		c.hasPools = true
		at, ok := c.time(poolTable, r, r.int(0))
		does := poolOps[r.int(4).V]
		if !ok {
			return
		}
		if does == opNone {
			c.b.Problems.Count(c.in.At(int(r.number()), 0), "%s: want 1 (created), 2 (destroyed) or 3 (trimmed), have %s", poolTable, printed(r.int(4)))
			return
		}
		e := none
		e.at, e.row, e.pid, e.ref, e.device, e.object, e.has = at, r.number(), pidOf(r.int(1).V), r.int(5).V, ordinal(r.int(2)), uint64(r.int(3).V), hasObject
		e.op, e.class = does, cudaMempool
		c.pool(&e, r.int(3), e.device, r.int(6), r.int(7))
		c.pooled.add(e)
	})
}
