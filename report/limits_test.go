package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// What was made and never ended is the first thing that a summary says it cannot settle.
func TestNeverEndedIsSaidFirst(t *testing.T) {
	v := seriesOf("process", "", analyze.Undetermined, 0)
	v.N, v.Reason = 100, "one pass cannot tell growth from work"
	s := newStory(&analyze.Result{Series: []analyze.Series{v}, Warnings: []string{"cut short", "count of cuda-event: 2 of 2 were never ended by the end of the capture."}})
	section := s.limits()
	items := section.Blocks[0].(*List).Items
	if section.Brief < 2 || len(items) < 3 || !strings.Contains(items[0].Text, "2 of 2 were never ended") {
		t.Errorf("%d of %v", section.Brief, items)
	}
}

// A headline that the only finding says is not said again below it.
func TestTheHeadlineIsNotRepeated(t *testing.T) {
	text := "Out of memory on GPU 1: asked for 4.94 GiB, 91.2 MiB were free on the device."
	r := &analyze.Result{Verdict: analyze.Fail, Summary: text, Findings: []analyze.Finding{{Rule: "fault", Class: "gpu-oom", Severity: "critical", Message: text}}}
	if got := newStory(r).findingsText(); got != "1 critical finding." {
		t.Error(got)
	}
}

// The two tables of the allocator say of which moment they are in the head of their rows, since a terminal has no captions.
func TestTablesOfTheAllocatorSayWhen(t *testing.T) {
	sub := analyze.Subject{Scope: "device", Name: "GPU 0", Metric: "gpu_inactive"}
	r := &analyze.Result{Series: []analyze.Series{{Subject: sub, Last: 5, Max: 5}}, Findings: []analyze.Finding{{Rule: "fault", Class: "gpu-oom", Stats: map[string]float64{"inactive": 5}}}}
	var heads []string
	for _, b := range newStory(r).allocator().Blocks {
		heads = append(heads, b.(*Table).Columns[0].Title)
	}
	if got := strings.Join(heads, ", "); got != "at the end, when refused" {
		t.Error(got)
	}
}
