package applereport

import (
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffJetsam recognises a JetsamEvent, an .ips report of bug type 298 with its line of metadata or without.
func SniffJetsam(head []byte) bool {
	if t := bugTypeOf(head); t != "" {
		return t == "298"
	}
	return holds(head, "{", `"memoryStatus"`, `"processes"`) || holds(head, "{", `"memoryStatus"`, `"memoryPages"`)
}

// DecodeJetsam reads a JetsamEvent: samples of every process (footprint, footprint_peak, rss_anon, compressed), of the system
// (mem_free and its kin, the kernel's zones) and of the largest zone; a fault for each process that was killed, of kind
// oom-kill where memory was the reason and kill where not. Pages are of the size that the report states.
func DecodeJetsam(in *source.Input, b *table.Builder) error {
	r, err := open(in, b)
	if err != nil {
		return err
	}
	r.all()
	for _, root := range r.roots {
		if root.get("memoryStatus").ok() || root.get("processes").ok() {
			j := &jetsam{report: r, root: root}
			j.read()
		}
	}
	if r.rows == 0 {
		return r.heldNothing("memoryStatus and processes of a JetsamEvent")
	}
	return nil
}

type jetsam struct {
	*report
	root value
	page int64
}

// memoryPages are the counts of pages of the system.
var memoryPages = map[string]string{
	"free": "mem_free", "active": "mem_active", "inactive": "mem_inactive", "wired": "mem_wired", "speculative": "mem_speculative", "throttled": "mem_throttled",
	"purgeable": "mem_purgeable", "fileBacked": "mem_file_backed", "anonymous": "mem_anonymous",
}

// otherReasons are reasons for a kill that are not about memory.
var otherReasons = map[string]bool{"idle-exit": true, "long-idle-exit": true, "vnode-limit": true, "disk-space-shortage": true, "diagnostic": true}

// memoryReasons are reasons that are, by their beginnings.
var memoryReasons = []string{"per-process-limit", "highwater", "vm-", "fc-thrashing", "proc-thrashing", "zone-map-exhaustion", "low-swap", "sustained-memory-pressure",
	"conclave-limit", "jettisoned", "memory"}

// isMemory says whether a reason for a kill is about memory.
func isMemory(reason string) bool {
	for _, m := range memoryReasons {
		if strings.HasPrefix(reason, m) && !otherReasons[reason] {
			return true
		}
	}
	return false
}

func (j *jetsam) read() {
	status := j.root.get("memoryStatus")
	j.b.Snapshot(table.Stamp{Wall: j.wall(j.root.get("date")), Line: j.line(j.root)})
	for _, f := range [][2]string{{"device", "product"}, {"OS", "build"}, {"kernel", "kernel"}, {"largest_process", "largestProcess"}} {
		j.fact(f[0], j.root.get(f[1]))
	}
	if n := status.get("pageSize").int(); n.OK && n.V > 0 && n.V <= 1<<24 {
		j.page = n.V
		j.fact("page_size", status.get("pageSize"))
	} else {
		j.b.Problems.Add(j.at(j.root), "want memoryStatus.pageSize, have none: what is counted in pages is not known")
	}
	j.system(status)
	j.root.get("processes").each(func(_, p value) { j.process(p) })
}

// pages is a count of pages, in bytes.
func (j *jetsam) pages(v value, what string) table.Int {
	if j.page == 0 {
		return table.Int{}
	}
	return j.times(v, what, j.page)
}

func (j *jetsam) system(status value) {
	j.b.Process(table.Int{}, table.Null)
	status.get("memoryPages").each(func(key, v value) {
		if metric := memoryPages[key.text()]; metric != "" {
			j.sample("system", "", metric, j.pages(v, "pages"), v)
		}
	})
	if v := status.get("compressorSize"); v.ok() {
		j.sample("system", "", "mem_compressor", j.pages(v, "compressorSize"), v)
	}
	for _, z := range [][2]string{{"zoneMapSize", "zone_map"}, {"zoneMapCap", "zone_map_cap"}} {
		v := status.get(z[0])
		j.sample("system", "", z[1], j.figure(v, z[0]), v)
	}
	zone := status.get("largestZoneSize")
	j.sample("kernel", status.get("largestZone").text(), "live_bytes", j.figure(zone, "largestZoneSize"), zone)
}

func (j *jetsam) process(p value) {
	j.b.Process(j.pid(p.get("pid")), p.get("name").sym(j.b))
	rpages := p.get("rpages")
	size := j.pages(rpages, "rpages")
	j.sample("process", "", "footprint", size, rpages)
	peak := p.get("lifetimeMax")
	j.sample("process", "", "footprint_peak", j.pages(peak, "lifetimeMax"), peak)
	internal := p.get("physicalPages", "internal")
	for i, metric := range []string{"rss_anon", "compressed"} {
		v := internal.item(int64(i))
		j.sample("process", "", metric, j.pages(v, "physicalPages.internal"), v)
	}
	reason := p.get("reason").text()
	if reason == "" {
		return
	}
	kind := "kill"
	if isMemory(reason) {
		kind = "oom-kill"
	}
	var states []string
	p.get("states").each(func(_, s value) { states = append(states, s.text()) })
	detail := reason
	if len(states) > 0 {
		detail += ", " + strings.Join(states, " ")
	}
	j.b.Fault(table.Fault{Kind: j.word(kind), Detail: j.b.Text(detail), Size: size, Line: j.line(p)})
	j.rows++
}
