package analyze

import (
	"slices"
	"strings"
)

// kind is what growth of a process is of, where its other figures tell.
type kind struct {
	class, words string
	note         bool   // it is no loss of memory
	most         string // the severity is at most this
}

// kindOf tells growth of the program's own memory from what only looks like it: memory that moves between RAM and swap, files
// that are mapped, and an allocator that keeps what it was given back (Matias et al. 2016: heap in use grows where memory is
// lost, RSS where it is held).
func (r *Result) kindOf(lead *Series, parts []*Series) kind {
	of := r.peers(lead)
	switch {
	case strings.HasPrefix(lead.Subject.Metric, "swap") && of.calm(sumOf(lead.Subject.Metric)):
		return kind{class: "swapped-out", note: true, words: "What was swapped out left resident memory: both together do not grow."}
	case of.calm(sumOf(lead.Subject.Metric)) && (of.is(Falling, "swap") || of.is(Falling, "swap_pss")):
		return kind{class: "swapped-in", note: true, words: "It came back from swap: both together do not grow."}
	case strings.HasSuffix(lead.Subject.Metric, "_swap") && !of.is(Leak, resident(lead.Subject.Metric)):
		return kind{class: "swapped-out", words: "Resident memory alone does not show it: what grows is swapped out."}
	case of.calm("anonymous", "rss_anon", "pss_anon", "heap_alloc") && (of.is(Leak, "rss_file") || of.is(Leak, "pss_file") || slices.ContainsFunc(parts, (*Series).ofFiles)):
		return kind{class: "file-backed", most: "warning", words: "It is mapped files, not the heap: anonymous memory does not grow, and clean pages of files can be dropped by the kernel."}
	case lead.Subject.Metric != "heap_alloc" && of.calm("heap_alloc"):
		return kind{class: "fragmentation", most: "warning", words: "The heap in use does not grow: the allocator keeps or scatters what it was given back, or memory outside of it grows."}
	}
	return kind{class: classOf(lead)}
}

func sumOf(metric string) string {
	for _, s := range sums {
		if metric == s.resident || metric == s.swapped {
			return s.metric
		}
	}
	return ""
}

func resident(sum string) string {
	for _, s := range sums {
		if sum == s.metric {
			return s.resident
		}
	}
	return ""
}

// peerGroup is the totals of one process by metric.
type peerGroup map[string]*Series

func (r *Result) peers(of *Series) peerGroup {
	out := peerGroup{}
	for i := range r.Series {
		if s := &r.Series[i]; s.Subject.Scope == "process" && s.Subject.Process == of.Subject.Process && s.Side == of.Side && s.Run == of.Run && s.Part == of.Part {
			out[s.Subject.Metric] = s
		}
	}
	return out
}

func (g peerGroup) is(v Verdict, metric string) bool {
	return g[metric] != nil && g[metric].Verdict == v
}

// calm says whether at least one of the metrics was judged, and none that was may grow.
func (g peerGroup) calm(metrics ...string) bool {
	judged := false
	for _, m := range metrics {
		if s := g[m]; s != nil {
			if s.Verdict == Leak || s.Verdict == Undetermined {
				return false
			}
			judged = true
		}
	}
	return judged
}

// ofFiles says whether a part is memory with a file behind it, which the kernel can drop.
func (s *Series) ofFiles() bool {
	return s.Subject.Scope == "category" && (s.Subject.Name == "file" || s.Subject.Name == "mapped file" || strings.HasSuffix(s.Subject.Name, " mmap"))
}
