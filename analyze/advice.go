package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze/stat"
)

// AdviceConfig holds the thresholds of the advice on kernels; shares are of 1.
type AdviceConfig struct {
	On bool

	Memory     float64 // throughput of device memory from which a kernel is bound by it
	Idle       float64 // throughput below which a unit has little to do
	Compute    float64 // throughput of the multiprocessors from which a kernel is bound by them
	Hits       float64 // share of hits in the L2 cache below which data is read again
	Occupancy  float64 // share of warps below which a multiprocessor waits
	Registers  float64 // of a thread, from which they bound the occupancy
	ShortNS    float64 // a launch below this is mostly launching
	LaunchesOf int     // launches of a short kernel from which fusing them pays
}

// DefaultAdvice are the thresholds in force unless a policy says otherwise. The reasons stand in docs/methods.md.
var DefaultAdvice = AdviceConfig{On: true, Memory: 0.6, Idle: 0.4, Compute: 0.6, Hits: 0.5, Occupancy: 0.3, Registers: 128, ShortNS: 10_000, LaunchesOf: 10}

// kernel is the counters of one kernel, as medians over its launches; -1 for what was not measured.
type kernel struct {
	process, name string
	launches      int
	l2Hits        float64
	dram          float64
	compute       float64
	occupancy     float64
	registers     float64
	durationNS    float64
	evidence      Evidence
}

// advices is the decision table: what a kernel would gain from, when, and why. The first that applies in each group is told.
var advices = []struct {
	group, class string
	applies      func(kernel, AdviceConfig) bool
	why          func(kernel, AdviceConfig) string
	try          string
}{
	{"traffic", "tiling", func(k kernel, c AdviceConfig) bool {
		return k.dram >= c.Memory && k.l2Hits >= 0 && k.l2Hits < c.Hits
	}, func(k kernel, c AdviceConfig) string {
		return fmt.Sprintf("device memory is at %s of its peak (from %s on it is the bound) and only %s of the accesses hit the L2 cache (below %s data is read again)", percent(k.dram), percent(c.Memory), percent(k.l2Hits), percent(c.Hits))
	}, "Tile it so that what is read once is used while it is in shared memory or L2."},
	{"traffic", "fusion", func(k kernel, c AdviceConfig) bool {
		return k.dram >= c.Memory && k.compute >= 0 && k.compute < c.Idle
	}, func(k kernel, c AdviceConfig) string {
		return fmt.Sprintf("device memory is at %s of its peak and the multiprocessors only at %s (below %s they wait for it)", percent(k.dram), percent(k.compute), percent(c.Idle))
	}, "Fuse it with the kernels before and behind it, so that what lies between them is not written and read again."},
	{"traffic", "fusion", func(k kernel, c AdviceConfig) bool {
		return k.durationNS >= 0 && k.durationNS < c.ShortNS && k.launches >= c.LaunchesOf
	}, func(k kernel, c AdviceConfig) string {
		return fmt.Sprintf("it takes %.3g µs a launch (below %.3g µs launching is much of it) and is launched %d times", k.durationNS/1e3, c.ShortNS/1e3, k.launches)
	}, "Fuse these launches, or capture them in a graph once and replay it."},
	{"precision", "lower-precision", func(k kernel, c AdviceConfig) bool { return k.compute >= c.Compute && k.dram >= 0 && k.dram < c.Memory }, func(k kernel, c AdviceConfig) string {
		return fmt.Sprintf("the multiprocessors are at %s of their peak (from %s on they are the bound) and device memory at %s", percent(k.compute), percent(c.Compute), percent(k.dram))
	}, "Use a lower precision that the tensor cores take, if the result allows it."},
	{"occupancy", "registers", func(k kernel, c AdviceConfig) bool {
		return k.occupancy >= 0 && k.occupancy < c.Occupancy && k.registers >= c.Registers
	}, func(k kernel, c AdviceConfig) string {
		return fmt.Sprintf("only %s of the warps are active (below %s a multiprocessor waits) and a thread takes %.0f registers (from %.0f on they bound it)", percent(k.occupancy), percent(c.Occupancy), k.registers, c.Registers)
	}, "Let a thread take fewer registers: smaller tiles, launch bounds, or splitting the kernel."},
	{"occupancy", "batching", func(k kernel, c AdviceConfig) bool {
		return k.occupancy >= 0 && k.occupancy < c.Occupancy && k.dram >= 0 && k.dram < c.Idle && k.compute < c.Idle
	}, func(k kernel, c AdviceConfig) string {
		return fmt.Sprintf("only %s of the warps are active (below %s a multiprocessor waits), and neither device memory (%s) nor the multiprocessors (%s) are busy", percent(k.occupancy), percent(c.Occupancy), percent(k.dram), percent(max(k.compute, 0)))
	}, "Give it more work at once: a larger batch, or several requests together."},
}

func percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }

// mostKernels bounds the kernels that get advice: those that take most time.
const mostKernels = 20

// advise holds the kernels of a capture against the decision table.
func (r *Result) advise(c *Capture, tracks []*track, o AdviceConfig) {
	if !o.On {
		return
	}
	for _, k := range kernels(tracks) {
		told := map[string]bool{}
		for _, a := range advices {
			if told[a.group] || !a.applies(k, o) {
				continue
			}
			told[a.group] = true
			s := Subject{Process: k.process, Scope: "kernel", Name: k.name}
			f := Finding{Rule: "advice", Class: a.class, Severity: "note", Side: c.Side, Run: c.Name, Subject: s, Evidence: []Evidence{k.evidence}, Warnings: []string{}, Advice: a.try,
				Message: fmt.Sprintf("%s: %s.", k.name, a.why(k, o)), Stats: k.stats(), settled: true}
			f.Fingerprint = fingerprint(f.Rule, s, a.class)
			r.Findings = append(r.Findings, f)
		}
	}
}

func (k kernel) stats() map[string]float64 {
	out := map[string]float64{"launches": float64(k.launches)}
	for name, v := range map[string]float64{"l2_hit_rate": k.l2Hits, "dram_throughput": k.dram, "compute_throughput": k.compute, "achieved_occupancy": k.occupancy, "registers": k.registers, "kernel_duration": k.durationNS} {
		if v >= 0 {
			out[name] = v
		}
	}
	return out
}

// kernels gathers the counters by kernel, those that take most time first.
func kernels(tracks []*track) []kernel {
	index := map[string]*kernel{}
	var order []*kernel
	for _, k := range tracks {
		if k.subject.Scope != "kernel" || len(k.y) == 0 || strings.HasPrefix(k.subject.Metric, "live_") {
			continue
		}
		key := k.subject.Process + "\x00" + k.subject.Name
		one := index[key]
		if one == nil {
			one = &kernel{process: k.subject.Process, name: k.subject.Name, l2Hits: -1, dram: -1, compute: -1, occupancy: -1, registers: -1, durationNS: -1, evidence: k.place(0)}
			index[key] = one
			order = append(order, one)
		}
		one.launches = max(one.launches, len(k.y))
		v := stat.Median(k.y)
		switch k.subject.Metric {
		case "l2_hit_rate":
			one.l2Hits = v / 1e6
		case "dram_throughput":
			one.dram = v / 1e6
		case "compute_throughput":
			one.compute = v / 1e6
		case "achieved_occupancy":
			one.occupancy = v / 1e6
		case "registers":
			one.registers = v
		case "kernel_duration":
			one.durationNS = v
		}
	}
	slices.SortStableFunc(order, func(a, b *kernel) int {
		return cmp.Compare(b.durationNS*float64(b.launches), a.durationNS*float64(a.launches))
	})
	var out []kernel
	for _, k := range order[:min(len(order), mostKernels)] {
		out = append(out, *k)
	}
	return out
}
