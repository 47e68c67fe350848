package analyze

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// BuiltInRedlines are the names of the lines that are in force without a policy.
var BuiltInRedlines = []string{"A100-80GB", "H100-80GB", "L40S-48GB", "mem-limit", "gpu-total", "android-heap", "android-low-memory"}

// devices are the red lines of devices, told by their product name and, where that leaves a choice, by their memory. GB is 10^9
// bytes, as on the product: 84 to 88 % of what the driver offers.
var devices = []struct {
	name  string
	fits  func(product string, total float64) bool
	limit float64
}{
	{"A100-80GB", func(p string, total float64) bool {
		return strings.Contains(p, "A100") && (strings.Contains(p, "80GB") || total > 75e9)
	}, 75e9},
	{"H100-80GB", func(p string, total float64) bool {
		return strings.Contains(p, "H100") && !strings.Contains(p, "NVL") && (strings.Contains(p, "80GB") || total > 75e9 && total < 90e9)
	}, 72e9},
	{"L40S-48GB", func(p string, _ float64) bool { return strings.Contains(p, "L40S") }, 42e9},
}

// builtIn are the lines that hold for a capture without anybody asking for them, changed as the configuration says.
func (h *holder) builtIn() []line {
	if !h.c.BuiltIn {
		return nil
	}
	devices := h.deviceLines()
	lines := slices.Concat(devices, h.deviceTotals(devices), h.memoryLimits(), h.androidLines())
	lines = slices.DeleteFunc(lines, func(l line) bool { v, ok := h.c.Replace[l.Name]; return ok && v == 0 })
	for i := range lines {
		if v, ok := h.c.Replace[lines[i].Name]; ok {
			lines[i].Limit, lines[i].Of = v, ""
		}
	}
	return lines
}

// deviceLines finds the devices whose memory in use was measured. A slice of a device (MIG) has no line.
func (h *holder) deviceLines() []line {
	var out []line
	seen := map[string]bool{}
	for _, k := range h.tracks {
		s := k.subject
		if s.Scope != "device" || s.Metric != "gpu_used" || seen[s.Name] || strings.Contains(s.Name, "MIG") {
			continue
		}
		seen[s.Name] = true
		total, _ := h.total("gpu_total", s)
		for _, d := range devices {
			if d.fits(s.Name, total) {
				of := Subject{Scope: "device", Name: s.Name, Metric: "gpu_used"}
				out = append(out, line{Redline: Redline{Name: d.name, Limit: d.limit}, fits: func(s Subject) bool { s.Process = ""; return s == of }, whole: true, decimal: true})
			}
		}
	}
	return out
}

// limited are the metrics that a stated limit is held against by the system that states it: Apple's footprint, a control
// group's usage.
var limited = []string{"footprint", "cgroup_usage"}

// memoryLimits are the limits that a capture names beside what they hold for.
func (h *holder) memoryLimits() []line {
	var out []line
	seen := map[Subject]bool{}
	for _, k := range h.tracks {
		of := k.subject
		if of.Metric != "mem_limit" || seen[of] {
			continue
		}
		seen[of] = true
		out = append(out, line{Redline: Redline{Name: "mem-limit", Limit: 1, Of: "mem_limit"}, fits: func(s Subject) bool {
			ok := slices.Contains(limited, s.Metric)
			s.Metric = of.Metric
			return ok && s == of
		}})
	}
	return out
}

// deviceTotals are the whole of each device that has no line of its own: nothing can cross them, and the time until they are reached is
// what a user asks for.
func (h *holder) deviceTotals(own []line) []line {
	var out []line
	for _, k := range h.tracks {
		of := k.subject
		used := of
		used.Metric = "gpu_used"
		if of.Scope != "device" || of.Metric != "gpu_total" || of.Process != "" || slices.ContainsFunc(own, func(l line) bool { return l.fits(used) }) {
			continue
		}
		out = append(out, line{Redline: Redline{Name: "gpu-total", Severity: "warning", Limit: 1, Of: "gpu_total"}, whole: true, fits: func(s Subject) bool {
			return s.Scope == "device" && s.Metric == "gpu_used" && s.Name == of.Name
		}})
	}
	return out
}

// androidLines are the limits in the Tuning line of dumpsys meminfo: the heap an app may have, with and without
// android:largeHeap, and the free memory below which the system is short of it: a note, since a phone in use often is.
func (h *holder) androidLines() []line {
	heap, large, short := h.capture.tuning()
	var out []line
	if heap > 0 {
		limit := heap
		if large > heap && h.highest("heap_alloc", "Dalvik Heap") > heap {
			limit = large // only an app with a large heap gets there
		}
		out = append(out, Redline{Name: "android-heap", Severity: "warning", Limit: limit, Match: Match{Process: "*", Scope: "category", Name: "Dalvik Heap", Metric: "heap_alloc"}}.own())
	}
	if short > 0 {
		out = append(out, Redline{Name: "android-low-memory", Severity: "note", Limit: short, Below: true, Match: Match{Scope: "system", Metric: "free_ram"}}.own())
	}
	return out
}

func (h *holder) highest(metric, name string) float64 {
	top := 0.0
	for _, k := range h.tracks {
		if k.subject.Metric == metric && k.subject.Name == name && len(k.y) > 0 {
			top = max(top, slices.Max(k.y))
		}
	}
	return top
}

// tuning reads "256 (large 512), oom 322,560K, …", or "256,512,322560,…" of the compact form: MiB, MiB, KiB. What is not there is 0.
func (c *Capture) tuning() (heap, large, short float64) {
	for _, f := range c.facts() {
		if f.Name != "tuning" {
			continue
		}
		numbers := strings.FieldsFunc(strings.ReplaceAll(f.Value, "(large ", ""), func(r rune) bool { return r == ' ' || r == ')' })
		if !strings.Contains(f.Value, " ") {
			numbers = strings.Split(f.Value, ",")
		}
		figure := func(i int) float64 {
			if i >= len(numbers) {
				return 0
			}
			v, err := strconv.ParseUint(strings.Trim(strings.ReplaceAll(numbers[i], ",", ""), "K"), 10, 32)
			if err != nil {
				return 0
			}
			return float64(v)
		}
		heap, large = figure(0)*(1<<20), figure(1)*(1<<20)
		short = figure(2) * 1024
		if i := slices.Index(numbers, "oom"); i >= 0 {
			short = figure(i+1) * 1024
		}
	}
	return heap, large, short
}

func (c *Capture) facts() []Fact {
	var out []Fact
	if c.Set != nil {
		for _, f := range c.Set.Facts() {
			out = append(out, Fact(f))
		}
		return out
	}
	for _, in := range c.Inputs {
		out = append(out, in.Facts...)
	}
	return out
}

// stepwise says whether values hold until the next one: those that were summed up from events do, sampled ones move between
// the samples.
func (c *Capture) stepwise() bool {
	return c.Set != nil && c.Set.Clock == "trace" && c.Set.Len(table.Events) > 0
}

// limit is the level of a line for one subject, if the capture tells all it takes.
func (h *holder) limit(l line, s Subject) (float64, bool) {
	if l.Of == "" {
		return l.Limit, true
	}
	total, ok := h.total(l.Of, s)
	return l.Limit * total, ok
}

// total finds the least value of a total that holds for a subject: that of the same thing, of the same device or process, or of
// the machine.
func (h *holder) total(metric string, s Subject) (float64, bool) {
	for _, near := range []func(o Subject) bool{
		func(o Subject) bool { return o.Process == s.Process && o.Scope == s.Scope && o.Name == s.Name },
		func(o Subject) bool { return o.Scope == s.Scope && o.Name == s.Name && s.Scope == "device" },
		func(o Subject) bool { return o.Process == s.Process && o.Scope == "process" },
		func(o Subject) bool { return o.Scope == "system" && metric != "gpu_total" && h.only(metric) },
	} {
		least, found := 0.0, false
		for _, k := range h.tracks {
			if k.subject.Metric != metric || !near(k.subject) || len(k.y) == 0 {
				continue
			}
			if v := slices.Min(k.y); v > 0 && (!found || v < least) {
				least, found = v, true
			}
		}
		if found {
			return least, true
		}
	}
	return 0, false
}

// only says whether the machine has one total of a kind: of several control groups none speaks for a process.
func (h *holder) only(metric string) bool {
	names := map[string]bool{}
	for _, k := range h.tracks {
		if k.subject.Metric == metric && k.subject.Scope == "system" {
			names[k.subject.Name] = true
		}
	}
	return len(names) == 1
}
