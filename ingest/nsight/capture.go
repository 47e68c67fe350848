package nsight

import (
	"slices"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// capture is what is read of an export before rows are written: in order of time, and only what memtide counts.
type capture struct {
	in     *source.Input
	b      *table.Builder
	t      tables
	events list
	memory *store // of events: the three of them
	pooled *store
	calls  *store
	names  []string // of calls
	pools  []poolState

	devices    devices
	processes  map[int32]string
	chains     map[int64]int64 // frames.id of the leaf, by call chain
	iterations map[int32][]iteration
	hasMemory  bool // memory events were traced: calls give no allocations
	hasPools   bool
}

// decode reads an export into rows.
func decode(in *source.Input, b *table.Builder, t tables) error {
	c := &capture{in: in, b: b, t: t, processes: map[int32]string{}, chains: map[int64]int64{}, iterations: map[int32][]iteration{}}
	c.memory, c.pooled, c.calls = &c.events[0], &c.events[1], &c.events[2]
	c.facts()
	if !hasCUDA(t) {
		return source.Errorf(in.At(0, 0), "held nothing: no CUDA data in this report; trace it with `nsys profile --trace=cuda`")
	}
	c.readMemory()
	c.readPools()
	c.readCalls()
	if !c.events.any() {
		return source.Errorf(in.At(0, 0), "held nothing: no call that allocates or frees, creates or destroys, and no memory event; take it with `nsys profile --trace=cuda --cuda-memory-usage=true`")
	}
	for i := range c.events {
		c.events[i].sort()
	}
	c.readDevices()
	c.readProcesses()
	c.readChains()
	c.readIterations()
	c.write()
	return nil
}

// scan visits rows; where the table is damaged, what stands before is taken and the rest is a problem.
func (c *capture) scan(q query, visit func(row)) {
	if err := c.t.scan(q, visit); err != nil {
		c.b.Problems.Add(c.in.At(0, 0), "%v: what stands behind that in the table is not read", err)
	}
}

// needs says whether a table has what nothing can be read of it without. A table that is not there is no fault.
func (c *capture) needs(name string, columns ...string) bool {
	if !c.t.has(name) {
		return false
	}
	for _, col := range columns {
		if !slices.Contains(c.t.columns(name), col) {
			c.b.Problems.Add(c.in.At(0, 0), "want a column %s in %s: the table is not read", col, name)
			return false
		}
	}
	return true
}

// maxTime bounds times, in ns since the start of the session, so that sums of them stay in range: 73 years.
const maxTime = 1 << 61

// time checks a time of a record.
func (c *capture) time(table string, r row, v table.Int) (int64, bool) {
	if !v.OK || v.V < -maxTime || v.V > maxTime {
		c.b.Problems.Count(c.in.At(int(r.number()), 0), "%s: want a time in ns, have %s", table, printed(v))
		return 0, false
	}
	return v.V, true
}

func printed(v table.Int) string {
	if !v.OK {
		return "none"
	}
	return strconv.FormatInt(v.V, 10)
}
