package nsight

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// gpu is a row of TARGET_INFO_GPU.
type gpu struct {
	id, index int64 // nsys's own number, and the CUDA ordinal
	name      string
	total     int64 // bytes, 0 if not known
}

// devices knows which GPU a CUDA ordinal is for a process: CUDA_VISIBLE_DEVICES numbers them anew for each.
type devices struct {
	list  []gpu
	byPID map[[2]int64]int64 // pid and ordinal to gpu.id
}

// readDevices reads the GPUs. The numbers of TARGET_INFO_GPU are not CUDA's: machines with several GPUs often list them
// the other way round.
func (c *capture) readDevices() {
	d := &c.devices
	d.byPID = map[[2]int64]int64{}
	ordinals := map[int64][]int64{}
	c.scan(query{table: "TARGET_INFO_CUDA_DEVICE", columns: []string{"gpuId", "cudaId", "pid"}}, func(r row) {
		if id := r.int(0); id.OK {
			d.byPID[[2]int64{r.int(2).V, r.int(1).V}] = id.V
			ordinals[id.V] = append(ordinals[id.V], r.int(1).V)
		}
	})
	c.scan(query{table: "TARGET_INFO_GPU", columns: []string{"id", "name", "totalMemory", "cuDevice"}}, func(r row) {
		g := gpu{id: r.int(0).V, index: r.int(0).V, name: strings.TrimSpace(string(r.text(1))), total: max(r.int(2).V, 0)}
		if cu := r.int(3); cu.OK {
			g.index = cu.V
		}
		if own := ordinals[g.id]; len(own) > 0 && !slices.ContainsFunc(own, func(n int64) bool { return n != own[0] }) {
			g.index = own[0]
		}
		d.list = append(d.list, g)
	})
	slices.SortStableFunc(d.list, func(x, y gpu) int { return cmp.Compare(x.index, y.index) })
	var names []string
	for i := range d.list {
		if d.list[i].total > 0 {
			names = append(names, d.list[i].title())
		}
	}
	if len(names) > 0 {
		c.b.Fact("device", strings.Join(names, ", "))
	}
}

func (g *gpu) title() string { return title(g.index, g.name) }

// title is the name of a device, of which the ordinal (-1) or the product may not be known.
func title(index int64, product string) string {
	name := "GPU"
	if index >= 0 {
		name += " " + strconv.FormatInt(index, 10)
	}
	if product != "" {
		name += " " + product
	}
	return name
}

// find gives the GPU that an ordinal is for a process; nil if the export does not tell.
func (d *devices) find(pid, ordinal int32) *gpu {
	id, known := d.byPID[[2]int64{int64(pid), int64(ordinal)}]
	for i := range d.list {
		if g := &d.list[i]; known && g.id == id || !known && g.index == int64(ordinal) {
			return g
		}
	}
	return nil
}

// titleOf is the name that a process knows a device by.
func (d *devices) titleOf(pid, ordinal int32) string {
	if g := d.find(pid, ordinal); g != nil {
		return title(int64(ordinal), g.name)
	}
	return title(int64(ordinal), "")
}

// writeTotals writes what the GPUs have, at the time of the first event.
func (c *capture) writeTotals(at int64) {
	c.b.Process(table.Int{}, table.Null)
	scope, metric := c.b.Text("device"), c.b.Text("gpu_total")
	for i := range c.devices.list {
		if g := &c.devices.list[i]; g.total > 0 {
			c.b.Add(table.Sample{Scope: scope, Name: c.b.Text(g.title()), Metric: metric, Value: g.total, At: at})
		}
	}
}
