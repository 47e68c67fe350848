package report

import (
	"slices"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/walk"
)

// Redact is a copy of a result that does not say whose it is: directories, file names, runs, processes, users and hosts
// are replaced by stand-ins (dir1, file1.txt, run1, app1, user1, host1), the same one wherever the name occurs, in
// sentences too. A file keeps its ending and the word that says what it holds: file3-smaps.txt.gz.
//
// What stays: numbers, times, pids and hashes; the names of metrics, categories, classes, handles and devices; functions
// and modules in stacks; directories that every system of a kind has (/system/lib64, /usr/lib) and the files in them. A
// process or run whose name is a word of memtide's own sentences (system, leak) is replaced where it is named and stays
// inside sentences. The original is not changed; nil gives nil.
func Redact(result *analyze.Result) *analyze.Result {
	if result == nil {
		return nil
	}
	result = unquoted(result)
	r := newRedactor()
	r.collect(result)
	r.prepare()
	return walk.Copy(result, walk.Editor{String: r.text, Fields: r.fields()})
}

// unquoted is a result without lines of source.
func unquoted(result *analyze.Result) *analyze.Result {
	out := *result
	out.Findings = slices.Clone(result.Findings)
	for i := range out.Findings {
		out.Findings[i].Source = nil
	}
	return &out
}

// fixed are the fields that hold words of memtide itself, or hashes.
var fixed = []string{"Result.Schema", "Tool.Name", "Tool.Version", "Input.Side", "Input.Format", "Input.SHA256", "Input.Start", "Input.Clock",
	"Subject.Scope", "Subject.Metric", "Series.Side", "Series.Confidence", "Series.Severity", "Series.Basis", "Finding.Rule", "Finding.Severity",
	"Finding.Side", "Finding.Status", "Finding.Fingerprint", "Problem.Side", "Setting.Name", "Timeline.Side", "Check.Rule", "Check.Severity",
	"Check.Fingerprint", "PolicyRef.SHA256", "ChangePoint.Basis", "ChangePoint.Confidence", "Margin.Severity", "Margin.Side", "Margin.PeakOf", "Margin.Fingerprint", "StackDelta.State",
	"Lifetime.Side", "Peak.Side", "Reconciliation.Side", "Piece.Metric", "Viewer.Format", "Viewer.Unit", "Sight.Rule", "Fit.Side", "Coupling.Side", "Coupling.Form", "Coupling.Of", "Anchors.Side", "AlignAt.At", "Grain.Grain",
	"DeviceJoin.Clock", "JoinedSide.Side", "Merged.Rule", "Merged.Severity", "Merged.Fingerprint"}

// fields says what is done to the fields of which more is known than that they are text.
func (r *redactor) fields() map[string]func(string) string {
	out := map[string]func(string) string{"Subject.Process": r.app, "Input.Process": r.app,
		"Input.Path": r.file, "Problem.File": r.file, "Evidence.File": r.file, "PolicyRef.Path": r.file, "DeviceJoin.GPU": r.file, "DeviceJoin.CPU": r.file, "JoinedSide.File": r.file}
	for _, field := range []string{"BuildLevel.Build", "ChangePoint.Build", "ChangePoint.UndoneBy", "Drift.Against"} {
		out[field] = r.run
	}
	out["StackDelta.Run"], out["StackDelta.Process"], out["StackFrame.File"] = r.run, r.app, r.file
	out["Lifetime.Process"], out["Fact.Name"] = r.app, r.factName
	for _, owner := range []string{"Input", "Series", "Finding", "Timeline", "Margin", "Lifetime", "Peak", "Reconciliation", "Viewer", "Fit", "Relief", "Coupling", "JoinedSide", "Merged", "Anchors"} {
		out[owner+".Run"] = r.run
	}
	for _, f := range fixed {
		out[f] = nil
	}
	return out
}

// collect learns what is to be hidden, in the order of the result, so that stand-ins are the same every time.
func (r *redactor) collect(result *analyze.Result) {
	for _, in := range result.Inputs {
		r.path(in.Path)
		for _, p := range in.Process {
			learnWord(&r.apps, p)
		}
		for _, f := range in.Facts {
			r.fact(f)
		}
	}
	for _, p := range result.Problems {
		r.path(p.File)
	}
	if result.Policy != nil {
		r.path(result.Policy.Path)
	}
	for _, f := range result.Findings {
		for _, e := range f.Evidence {
			r.path(e.File)
		}
		r.frames(f.Stack, f.AllocStack, f.FreeStack)
		for i := range f.Grains {
			r.frames(f.Grains[i].Stack)
		}
		for i := range f.Held {
			r.frames(f.Held[i].Stack)
		}
		if f.Joined != nil {
			for i := range f.Joined.Sides {
				r.path(f.Joined.Sides[i].File)
				r.frames(f.Joined.Sides[i].Stack)
			}
		}
	}
	for _, p := range result.Peaks {
		for i := range p.Holders {
			r.frames(p.Holders[i].Stack)
		}
	}
	for _, l := range result.Lifetimes {
		learnWord(&r.apps, l.Process)
	}
	for _, s := range result.Stacks {
		learnWord(&r.apps, s.Process)
		for _, f := range s.Stack {
			r.path(f.File)
		}
	}
	r.collectRuns(result)
	learn := map[string]func(string) string{"Subject.Process": func(name string) string { learnWord(&r.apps, name); return name }}
	walk.Copy(result, walk.Editor{String: func(text string) string { r.learn(text); return text }, Fields: learn})
}

// collectRuns numbers the runs of each side from 1 on. A run that both sides have has one number: a sentence does not
// say which side it is about.
func (r *redactor) collectRuns(result *analyze.Result) {
	type of struct{ side, run string }
	var all []of
	for _, in := range result.Inputs {
		all = append(all, of{in.Side, in.Run})
	}
	for _, v := range result.Series {
		all = append(all, of{v.Side, v.Run})
	}
	for _, t := range result.Timeline {
		all = append(all, of{t.Side, t.Run})
	}
	for _, f := range result.Findings {
		all = append(all, of{f.Side, f.Run})
	}
	for _, m := range result.Redlines {
		all = append(all, of{m.Side, m.Run})
	}
	for _, s := range result.Stacks {
		all = append(all, of{"", s.Run})
	}
	for _, h := range result.Histories[:min(len(result.Histories), 1)] { // all have the same builds
		for _, b := range h.Builds {
			all = append(all, of{"build", b.Build})
		}
	}
	for _, h := range result.Histories {
		if h.Drift != nil && h.Drift.Release {
			all = append(all, of{"release", h.Drift.Against})
		}
	}
	sides := map[string]map[string]bool{}
	names := distinct(all, func(o of) string { return o.run })
	for _, o := range all {
		if sides[o.run] == nil {
			sides[o.run] = map[string]bool{}
		}
		sides[o.run][o.side] = true
	}
	most := map[string]int{}
	for _, run := range names {
		n := 0
		for side := range sides[run] {
			n = max(n, most[side])
		}
		for side := range sides[run] {
			most[side] = n + 1
		}
		r.addRun(run, n+1)
	}
}
