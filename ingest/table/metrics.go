package table

// Metric describes what can be measured. Names that are not listed (the open set of /proc/meminfo, pools) are taken
// as bytes of which less is better and no sum is asked for.
type Metric struct {
	Name     string
	Unit     string // bytes, count, ppm or ns
	Better   string // lower or higher; empty where neither is
	Additive bool   // may be added over processes
	Meaning  string
}

// Metrics is the list of metrics; its order is that of tables.
var Metrics = []Metric{
	{"rss", "bytes", "lower", false, "resident set size: pages in memory, shared ones in full"},
	{"pss", "bytes", "lower", true, "proportional set size: shared pages divided by the processes that map them"},
	{"uss", "bytes", "lower", true, "unique set size: private_clean + private_dirty, what ending the process gives back"},
	{"private_dirty", "bytes", "lower", true, "private pages that were written"},
	{"shared_dirty", "bytes", "lower", false, "shared pages that were written"},
	{"dirty", "bytes", "lower", false, "private_dirty + shared_dirty; on Apple systems the dirty size"},
	{"private_clean", "bytes", "lower", true, "private pages that can be read again from their file"},
	{"shared_clean", "bytes", "lower", false, "shared pages that can be read again from their file"},
	{"anonymous", "bytes", "lower", false, "pages without a file behind them"},
	{"swap", "bytes", "lower", false, "swapped out"},
	{"swap_pss", "bytes", "lower", true, "swapped out, shared pages divided by their users"},
	{"swap_uss", "bytes", "lower", true, "swapped out and used by this process alone"},
	{"rss_swap", "bytes", "lower", false, "rss + swap: resident or swapped out, derived where anything is"},
	{"pss_swap", "bytes", "lower", true, "pss + swap_pss: resident or swapped out, derived where anything is"},
	{"footprint", "bytes", "lower", true, "phys_footprint: Apple's measure, the one that its limits are held against"},
	{"footprint_growth", "bytes", "lower", false, "growth of the footprint inside one measured block: not a level"},
	{"footprint_suspended", "bytes", "lower", true, "mean footprint while the app is suspended"},
	{"footprint_peak", "bytes", "lower", false, "highest footprint of the life of the process"},
	{"compressed", "bytes", "lower", true, "compressed by the system"},
	{"heap_alloc", "bytes", "lower", true, "handed out by the allocator and not given back"},
	{"heap_size", "bytes", "lower", true, "taken from the system by the allocator"},
	{"heap_extra", "bytes", "lower", true, "what the allocator needs beside what was asked for"},
	{"frag_bytes", "bytes", "lower", true, "dirty and swapped bytes of a malloc zone that hold no allocation"},
	{"stacks", "bytes", "lower", true, "stack memory of the process"},
	{"heap_free", "bytes", "", true, "held by the allocator, used by nobody"},
	{"gpu_used", "bytes", "lower", false, "device memory in use"},
	{"gpu_allocated", "bytes", "lower", true, "device memory handed out by the framework's allocator"},
	{"gpu_reserved", "bytes", "lower", true, "device memory held by the framework's allocator"},
	{"gpu_active", "bytes", "lower", true, "blocks of the framework's allocator that are in use, as large as it made them"},
	{"gpu_inactive", "bytes", "lower", true, "free inside what the framework's allocator holds"},
	{"gpu_non_releasable", "bytes", "lower", true, "free memory in segments that hold a block too and cannot give it back (PyTorch's non-releasable memory; expandable segments have none): fragmentation"},
	{"gpu_split_segments", "count", "lower", true, "segments that hold blocks and free memory, and cannot give it back"},
	{"gpu_largest_free", "bytes", "higher", false, "largest free block inside the segments that all requests may use: a larger request needs new memory of the device, however much is free in all"},
	{"gpu_allocated_peak", "bytes", "lower", false, "highest gpu_allocated since the figure was printed last"},
	{"gpu_reserved_peak", "bytes", "lower", false, "highest gpu_reserved since the figure was printed last"},
	{"gpu_driver_reserved", "bytes", "", false, "what driver and firmware keep of the device's memory"},
	{"gpu_free", "bytes", "higher", false, "device memory not in use"},
	{"gpu_total", "bytes", "", false, "memory of the device"},
	{"live_bytes", "bytes", "lower", true, "allocated and not freed"},
	{"live_count", "count", "lower", true, "allocations not freed"},
	{"total_bytes", "bytes", "", true, "allocated since the start, freed or not: grows by nature"},
	{"total_count", "count", "", true, "allocations since the start, freed or not: grows by nature"},
	{"leaked_bytes", "bytes", "lower", true, "what a memory checker states as lost"},
	{"leaked_count", "count", "lower", true, "blocks that a memory checker states as lost"},
	{"cycle_count", "count", "lower", true, "roots of lost blocks that are retain cycles"},
	{"pss_dirty", "bytes", "lower", true, "dirty part of pss"},
	{"pss_anon", "bytes", "lower", true, "anonymous part of pss"},
	{"pss_file", "bytes", "lower", true, "file part of pss"},
	{"pss_shmem", "bytes", "lower", true, "shared-memory part of pss"},
	{"rss_anon", "bytes", "lower", false, "anonymous part of rss"},
	{"rss_file", "bytes", "lower", false, "file part of rss"},
	{"rss_shmem", "bytes", "lower", false, "shared-memory part of rss"},
	{"rss_shared", "bytes", "lower", false, "resident shared pages, file and shared memory together"},
	{"vm_hwm", "bytes", "", false, "greatest rss since the start: can only rise"},
	{"vm_peak", "bytes", "", false, "greatest vss since the start: can only rise"},
	{"vss", "bytes", "", false, "virtual size: address space asked for"},
	{"referenced", "bytes", "", false, "pages marked as accessed"},
	{"lazy_free", "bytes", "", false, "pages given back by MADV_FREE, still counted"},
	{"clean", "bytes", "", false, "resident, not written"},
	{"reclaimable", "bytes", "", false, "may be taken back by the system without being written out"},
	{"wired", "bytes", "lower", false, "may not be paged out"},
	{"volatile", "bytes", "", false, "purgeable memory that may be emptied"},
	{"nonvolatile", "bytes", "", false, "purgeable memory that is kept"},
	{"empty", "bytes", "", false, "purgeable memory that was emptied"},
	{"purgeable", "bytes", "", false, "may be emptied by the system"},
	{"locked", "bytes", "lower", false, "pages that must stay in memory"},
	{"count", "count", "lower", true, "how many there are"},
	{"mem_limit", "bytes", "", false, "most that the process or group may use"},
	{"cgroup_usage", "bytes", "lower", false, "used by the control group"},
	{"mem_total", "bytes", "", false, "memory of the machine"},
	{"mem_used", "bytes", "lower", false, "memory of the machine in use"},
	{"mem_free", "bytes", "higher", false, "memory that nothing uses"},
	{"mem_available", "bytes", "higher", false, "what could be given to a new program without swapping"},
	{"mem_active", "bytes", "", false, "pages used lately"},
	{"mem_inactive", "bytes", "", false, "pages not used lately"},
	{"mem_wired", "bytes", "lower", false, "pages that may not be paged out"},
	{"mem_speculative", "bytes", "", false, "pages read ahead"},
	{"mem_throttled", "bytes", "", false, "pages whose writing is held back"},
	{"mem_purgeable", "bytes", "", false, "pages that may be emptied"},
	{"mem_file_backed", "bytes", "", false, "pages of files"},
	{"mem_anonymous", "bytes", "lower", false, "pages of no file"},
	{"mem_compressor", "bytes", "lower", false, "what the compressor takes"},
	{"zone_map", "bytes", "lower", false, "the kernel's zones"},
	{"zone_map_cap", "bytes", "", false, "limit of the kernel's zones"},
	{"free_ram", "bytes", "higher", false, "Android's sum of free and cached memory"},
	{"used_ram", "bytes", "lower", false, "Android's sum of used memory"},
	{"lost_ram", "bytes", "", false, "Android's total less all that it can account for: may be negative"},
	{"cached_pss", "bytes", "", false, "pss of cached processes"},
	{"cached_kernel", "bytes", "", false, "caches of the kernel"},
	{"used_pss", "bytes", "lower", false, "pss of processes in use"},
	{"used_kernel", "bytes", "lower", false, "used by the kernel"},
	{"zram_physical", "bytes", "lower", false, "memory that holds compressed swap"},
	{"zram_orig", "bytes", "", false, "size of the compressed pages before"},
	{"zram_compr", "bytes", "", false, "size of the compressed pages"},
	{"zswap", "bytes", "lower", false, "compressed swap of the process"},
	{"ksm", "bytes", "", false, "pages merged by KSM"},
	{"ion", "bytes", "lower", false, "ION buffers"},
	{"dmabuf", "bytes", "lower", false, "DMA-BUF buffers"},
	{"cached", "bytes", "", false, "pages of files kept in memory"},
	{"swap_total", "bytes", "", false, "swap of the machine"},
	{"swap_used", "bytes", "lower", false, "swap in use"},
	{"swap_free", "bytes", "higher", false, "swap that nothing uses"},
	{"kv_usage", "ppm", "lower", false, "share of the key-value cache in use"},
	{"kv_tokens", "count", "higher", false, "tokens that the key-value cache can hold"},
	{"requests_running", "count", "", false, "requests being served"},
	{"requests_waiting", "count", "", false, "requests in the queue"},
	{"l2_hit_rate", "ppm", "higher", false, "share of the accesses to the L2 cache that hit"},
	{"l2_throughput", "ppm", "", false, "L2 throughput, of its peak"},
	{"dram_throughput", "ppm", "", false, "throughput of device memory, of its peak"},
	{"achieved_occupancy", "ppm", "higher", false, "warps active, of the most a multiprocessor can hold"},
	{"compute_throughput", "ppm", "", false, "throughput of the multiprocessors, of their peak"},
	{"kernel_duration", "ns", "lower", false, "time of one launch of a kernel"},
	{"registers", "count", "", false, "registers of a thread"},
	{"dram_read", "bytes", "", false, "read from device memory"},
	{"dram_written", "bytes", "", false, "written to device memory"},
}

var metricIndex = func() map[string]*Metric {
	out := map[string]*Metric{}
	for i := range Metrics {
		out[Metrics[i].Name] = &Metrics[i]
	}
	return out
}()

// MetricOf gives the description of a metric; an unlisted one is bytes, neither direction better.
func MetricOf(name string) Metric {
	if m := metricIndex[name]; m != nil {
		return *m
	}
	return Metric{Name: name, Unit: "bytes"}
}
