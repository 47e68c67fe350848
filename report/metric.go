package report

import (
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/report/unit"
)

// What the metrics are (their order in tables, what they count, what they mean) is said by ingest/table. Here is only
// which of them a reader sees first.

// telling is the order in which one metric is chosen to speak for a process or for the machine: what can be added and
// what cannot be dropped comes first.
var telling = []string{"pss", "rss", "footprint", "uss", "private_dirty", "dirty", "gpu_used", "gpu_allocated",
	"gpu_reserved", "heap_alloc", "live_bytes", "heap_size", "anonymous", "live_count", "count", "mem_available", "used_ram", "free_ram", "mem_free"}

// leading are the metrics that a first table always has; the other firsts follow if there is room. What is in neither
// list is in the table of other measures, unless it got worse.
var (
	leading = []string{"rss", "pss", "uss", "footprint", "gpu_used", "gpu_allocated", "private_dirty", "swap"}
	firsts  = []string{"dirty", "shared_dirty", "swap_pss", "compressed", "heap_alloc", "gpu_reserved", "anonymous",
		"live_bytes", "heap_size", "cgroup_usage", "mem_available", "mem_free", "used_ram", "free_ram", "used_kernel", "swap_used", "mem_total", "swap_total", "swap_free"}
)

// rank is the place of a metric in a table; those that nobody listed come last.
func rank(metric string) int {
	if i := slices.IndexFunc(table.Metrics, func(m table.Metric) bool { return m.Name == metric }); i >= 0 {
		return i
	}
	return len(table.Metrics)
}

// choice is the place of a metric among those that speak for a process.
func choice(metric string) int {
	if i := slices.Index(telling, metric); i >= 0 {
		return i
	}
	return len(telling) + rank(metric)
}

// kindOf tells what a metric counts.
func kindOf(metric string) unit.Kind {
	switch table.MetricOf(metric).Unit {
	case "count":
		return unit.Count
	case "ppm":
		return unit.Share
	case "ns":
		return unit.Time
	}
	return unit.Bytes
}

// kindWords tell the IDs of tables of one kind from those of another.
var kindWords = map[unit.Kind]string{unit.Bytes: "", unit.Count: "-counts", unit.Share: "-shares", unit.Time: "-times"}

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
	if s.Metric == "count" && s.Name != "" {
		return name(s.Name)
	}
	text := name(s.Metric)
	if text == "" {
		return name(s.Name)
	}
	if s.Name != "" {
		text += " of " + name(s.Name)
	}
	return text
}
