package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

func of1(process, scope, metric string, pid int64) analyze.Series {
	return analyze.Series{Run: "r", Subject: analyze.Subject{Process: process, Scope: scope, Metric: metric}, PID: &pid, N: 60, Last: mib, Verdict: analyze.Stable}
}

func TestProcessNames(t *testing.T) {
	system := of1("", "system", "mem_free", 0)
	for _, c := range []struct {
		name   string
		series []analyze.Series
		want   string // processes, and whether the machine is beside them
	}{
		{"a process without a name, one pid", []analyze.Series{of1("", "process", "pss", 9203), of1("", "process", "rss", 9203)}, "pid 9203"},
		{"of several pids", []analyze.Series{of1("", "process", "pss", 1), of1("", "process", "pss", 2)}, "process"},
		{"the machine alone", []analyze.Series{system}, "whole system"},
		{"the machine beside a process without a name", []analyze.Series{of1("", "process", "pss", 7), system}, "pid 7 + system"},
		{"a process that is called system", []analyze.Series{of1("system", "process", "pss", 929), system}, "system + system"},
		{"a named one", []analyze.Series{of1("com.example", "process", "pss", 7)}, "com.example"},
	} {
		s := newStory(&analyze.Result{Series: c.series})
		var got []string
		for _, p := range s.processes {
			got = append(got, s.processName(p))
		}
		text := strings.Join(got, " ")
		if s.system {
			text += " + system"
		}
		if text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
	nameless := newStory(&analyze.Result{Series: []analyze.Series{{Subject: analyze.Subject{Scope: "process", Metric: "pss"}}}})
	if got := nameless.processName("") + ", " + nameless.heading("") + ", " + nameless.heading(machine) + ", " + nameless.heading("surfaceflinger"); got != "process, Process, Whole system, surfaceflinger" {
		t.Errorf("%q", got)
	}
}

// A comparison pairs the only process of one side with the only one of the other; its series and lines follow.
func TestPairedProcessesHaveOneName(t *testing.T) {
	d := head("pss", mib, 2*mib, analyze.Regression)
	before, after := of1("app", "process", "pss", 1), of1("", "process", "pss", 2)
	before.Side, after.Side = "before", "after"
	line1, line2 := line(0, 1, 2), line(0, 1, 2)
	line1.Side, line1.Subject, line2.Side, line2.Subject = "before", before.Subject, "after", after.Subject
	r := &analyze.Result{Deltas: []analyze.Delta{d}, Series: []analyze.Series{before, after}, Timeline: []analyze.Timeline{line1, line2}}
	s := newStory(r)
	if len(s.seriesOf["app"]) != 2 || len(s.chart("app", "pss", false).Lines) != 2 {
		t.Errorf("%d series", len(s.seriesOf["app"]))
	}
	if r.Series[1].Subject.Process != "" {
		t.Error("the result itself was changed")
	}
}

func TestRunsAreCalledByWhatDiffers(t *testing.T) {
	run := func(side, run string) analyze.Series {
		v := of1("app", "process", "pss", 1)
		v.Side, v.Run = side, run
		return v
	}
	s := newStory(&analyze.Result{Series: []analyze.Series{run("before", "ab/before/run1.csv"), run("before", "ab/before/run2.csv"), run("after", "ab/after")}})
	for _, c := range []struct {
		v    analyze.Series
		want string
	}{{run("before", "ab/before/run1.csv"), "before run1.csv"}, {run("after", "ab/after"), "after"}, {run("", "unheard/of"), "unheard/of"}} {
		if got := s.runLabel(c.v); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{{nil, ""}, {[]string{"a/b/c"}, "a/b/"}, {[]string{"a/b/c", "a/x"}, "a/"}, {[]string{"/a", "b"}, ""}, {[]string{"one", "two"}, ""}, {[]string{"/a/b", "/a/bc"}, "/a/"}} {
		if got := commonDir(c.paths); got != c.want {
			t.Errorf("commonDir(%q) = %q, want %q", c.paths, got, c.want)
		}
	}
}
