package series

import "strings"

// target is where the figures of a column go.
type target struct{ scope, name, metric string }

// processNames are the names that are a figure of the process: the metrics under their own name, and what other
// tools call them.
var processNames = named(`vss rss pss uss dirty private_dirty shared_dirty private_clean shared_clean anonymous swap swap_pss locked
	rss_anon rss_file rss_shmem vm_hwm heap_size heap_alloc heap_free footprint compressed gpu_used gpu_free gpu_total gpu_reserved
	gpu_allocated live_bytes live_count total_bytes total_count count pss_dirty pss_anon pss_file pss_shmem referenced lazy_free
	anon_huge_pages shmem_pmd_mapped file_pmd_mapped shared_hugetlb private_hugetlb ksm vm_peak vm_pin vm_data vm_stk vm_exe vm_lib
	vm_pte vm_pmd hugetlb rss_shared swap_uss zswap`, map[string]string{
	"rss":        "res resident rssize vmrss vm_rss real memory_rss mem_rss working_set ws total_rss rss_total",
	"vss":        "vsz vsize virt virtual vmsize vm_size",
	"pss":        "proportional total_pss pss_total",
	"uss":        "unique private",
	"vm_hwm":     "hwm vmhwm max_rss maxrss ru_maxrss peak_rss peak",
	"swap":       "vmswap vm_swap",
	"anonymous":  "anon",
	"rss_shared": "shr",
	"footprint":  "phys_footprint",
	"heap_alloc": "heap_used heap_allocated",
	"heap_size":  "heap_total heap_capacity",
	"gpu_used":   "gpu_mem gpu_memory gpu_memory_used vram_used vram",
})

// systemNames are figures of the machine: fields of /proc/meminfo and of the foot of dumpsys meminfo.
var systemNames = named(`mem_total mem_free mem_available buffers cached swap_cached swap_total swap_free active inactive active_anon
	inactive_anon active_file inactive_file mapped anon_pages shmem slab s_reclaimable s_unreclaim k_reclaimable kernel_stack
	page_tables committed_as commit_limit zswapped vmalloc_used free_ram used_ram lost_ram cached_pss cached_kernel used_pss
	used_kernel zram_physical swap_used`, nil)

// countNames are columns that count handles, with the name of what they count.
var countNames = map[string]string{
	"threads": "threads", "num_threads": "threads", "nthreads": "threads",
	"fds": "fds", "fd": "fds", "num_fds": "fds", "nfds": "fds", "open_fds": "fds", "handles": "handles",
}

// driverNames are columns that count the work a process was given, not its memory: what memory may grow with. They may end in
// _total or _count, or begin with num_.
var driverNames = map[string]bool{"request": true, "requests": true, "session": true, "sessions": true, "conversation": true, "conversations": true,
	"rounds": true, "users": true, "connections": true, "tokens": true, "batch": true, "batches": true, "batch_size": true, "batchsize": true,
	"epoch": true, "epochs": true, "jobs": true, "tasks": true, "messages": true, "queries": true, "transactions": true, "iterations": true, "steps": true,
	"sequence_length": true, "seq_len": true, "concurrency": true}

// classNames are counted things of the Android framework.
var classNames = map[string]string{"activities": "Activities", "views": "Views"}

// textNames hold the name of the process.
var textNames = map[string]bool{"process": true, "name": true, "comm": true, "command": true, "cmd": true, "app": true, "package": true}

// markNames hold a name of what begins at their line: where runs can be aligned.
var markNames = map[string]bool{"mark": true, "marker": true, "phase": true, "stage": true}

// idNames are numbers that measure nothing.
var idNames = map[string]bool{"": true, "ppid": true, "tid": true, "uid": true, "gid": true, "index": true, "idx": true, "row": true, "id": true, "no": true, "nr": true, "#": true, "unnamed:_0": true}

// sizeUnits are the units of a size in bytes. MB is binary: every tool of this field prints it so.
var sizeUnits = map[string]uint64{
	"b": 1, "byte": 1, "bytes": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}

// gluedUnits may stand behind a known name with nothing between: rsskb.
var gluedUnits = []string{"bytes", "kib", "mib", "gib", "kb", "mb", "gb"}

// foreignNames are columns of tables that other formats own.
var foreignNames = map[string]bool{
	"op": true, "addr": true, "address": true, "object": true, "event_type": true, "refct": true, "class": true, "alloc_stack": true, "perms": true, "corrid": true,
	"uuid": true, "gpu_uuid": true, "gpu_name": true, "kernel_name": true, "metric_name": true, "section_name": true, "used_gpu_memory": true,
}

func named(own string, others map[string]string) map[string]string {
	out := map[string]string{}
	for _, n := range strings.Fields(own) {
		out[n] = n
	}
	for metric, names := range others {
		for _, n := range strings.Fields(names) {
			out[n] = metric
		}
	}
	return out
}

// normal is a column's name in lower case with blanks, points and hyphens as underscores.
func normal(raw string) string {
	s := strings.NewReplacer(" ", "_", ".", "_", "-", "_", "\t", "_").Replace(strings.ToLower(strings.TrimSpace(raw)))
	for strings.Contains(s, "__") {
		s = strings.ReplaceAll(s, "__", "_")
	}
	return s
}

// snake puts underscores where a name in camel case has its humps: rssMB, heapUsed, VmRSS.
func snake(raw string) string {
	var out strings.Builder
	r := []rune(raw)
	for i, c := range r {
		if i > 0 && upper(c) && (lower(r[i-1]) || upper(r[i-1]) && i+1 < len(r) && lower(r[i+1])) {
			out.WriteByte('_')
		}
		out.WriteRune(c)
	}
	return out.String()
}

func upper(c rune) bool { return c >= 'A' && c <= 'Z' }
func lower(c rune) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// cutUnit takes the last word off a normal name: behind an underscore, or in brackets.
func cutUnit(name string) (rest, unit string) {
	if n := len(name); n > 0 && (name[n-1] == ')' || name[n-1] == ']') {
		open := strings.LastIndexAny(name, "([")
		if open < 0 {
			return name, ""
		}
		return strings.TrimRight(name[:open], "_"), name[open+1 : n-1]
	}
	i := strings.LastIndexByte(name, '_')
	if i < 0 {
		return name, ""
	}
	return strings.TrimRight(name[:i], "_"), name[i+1:]
}
