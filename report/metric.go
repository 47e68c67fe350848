package report

import (
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// measures are the words of the field in the order of a table, with what they mean. A metric that is not here is
// shown under its own name, after these.
var measures = []struct{ name, meaning string }{
	{"rss", "Resident set size: all pages of the process that are in memory, shared ones in full. It counts shared pages once per process, so it must not be added over processes."},
	{"pss", "Proportional set size: private pages in full, each shared page divided by the number of processes that map it. It can be added over processes."},
	{"uss", "Unique set size: pages that only this process has; what ending it would give back."},
	{"private_dirty", "Private pages that were written to: they cannot be dropped and read again, only swapped."},
	{"shared_dirty", "Shared pages that were written to."},
	{"dirty", "Pages that were written to, private and shared; on Apple systems the part of memory that counts against the limit, with what is compressed."},
	{"private_clean", "Private pages that can be dropped and read again from their file."},
	{"shared_clean", "Shared pages that can be dropped and read again from their file."},
	{"anonymous", "Pages without a file behind them: heaps, stacks, and private copies of file pages."},
	{"swap", "Pages of the process that are in swap or in compressed memory."},
	{"swap_pss", "Swapped pages, each divided by the number of processes that share it."},
	{"footprint", "Apple's phys_footprint: dirty and compressed memory and what the kernel holds for the process; the system's limit is set on it."},
	{"compressed", "Pages that the system has compressed, at their size before."},
	{"gpu_used", "Memory of the device in use, by all that use it."},
	{"gpu_allocated", "Device memory that the program's allocator has handed out."},
	{"gpu_reserved", "Device memory that the program's allocator holds, handed out or not."},
	{"gpu_free", "Device memory not in use."},
	{"gpu_total", "Memory the device has."},
	{"heap_alloc", "What the allocator has handed out and not got back."},
	{"heap_size", "What the allocator has taken from the system."},
	{"heap_free", "What the allocator holds and nobody uses."},
	{"live_bytes", "Bytes allocated and not freed."},
	{"live_count", "Allocations made and not freed."},
	{"total_bytes", "Bytes allocated since the start, freed or not."},
	{"total_count", "Allocations made since the start, freed or not."},
	{"rss_anon", "The part of rss without a file behind it."},
	{"rss_file", "The part of rss that comes from files."},
	{"rss_shmem", "The part of rss that is shared memory."},
	{"vm_hwm", "The greatest rss so far, as the kernel kept it."},
	{"vss", "Virtual size: address space asked for, in memory or not."},
	{"locked", "Pages that must stay in memory."},
	{"count", "How many there are."},
	{"mem_total", "Memory of the system."},
	{"mem_free", "Memory that nothing uses."},
	{"mem_available", "What the kernel thinks could be given to a new program without swapping."},
	{"cached", "Pages of files kept in memory."},
}

// telling is the order in which one metric is chosen to speak for a process: what can be added and what cannot be
// dropped comes first.
var telling = []string{"pss", "rss", "footprint", "uss", "private_dirty", "dirty", "gpu_used", "gpu_allocated",
	"gpu_reserved", "heap_alloc", "live_bytes", "heap_size", "anonymous", "live_count", "count", "mem_available"}

// rank is the place of a metric in a table.
func rank(metric string) int {
	for i, m := range measures {
		if m.name == metric {
			return i
		}
	}
	return len(measures)
}

// choice is the place of a metric among those that speak for a process.
func choice(metric string) int {
	if i := slices.Index(telling, metric); i >= 0 {
		return i
	}
	return len(telling) + rank(metric)
}

// kindOf tells counts from bytes; every metric that counts pieces ends so.
func kindOf(metric string) unit.Kind {
	if metric == "count" || strings.HasSuffix(metric, "_count") {
		return unit.Count
	}
	return unit.Bytes
}

// headScopes are the scopes that are totals; all others are parts of one.
var headScopes = []string{"process", "system", "device"}

func isHead(s analyze.Subject) bool { return slices.Contains(headScopes, s.Scope) }

// label names a subject among others of its process: a total by its metric, a part by its name.
func label(s analyze.Subject) string {
	switch {
	case s.Name == "":
		return name(s.Metric)
	case isHead(s):
		return name(s.Name) + " " + name(s.Metric)
	}
	return name(s.Name)
}

// full names a subject where its process and metric are not clear from around it.
func full(s analyze.Subject) string {
	text := name(s.Metric)
	if s.Name != "" {
		text += " of " + name(s.Name)
	}
	return text
}

// processName stands for a process in headings.
func processName(process string) string {
	if process == "" {
		return "system"
	}
	return name(process)
}
