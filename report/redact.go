package report

import (
	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/internal/walk"
)

// Redact is a copy of a result without directories, user names and host names: each is replaced by a stand-in
// (dir1, user1, host1), the same one wherever it occurs. File names stay, and so do the directories that every
// system of a kind has (/system/lib64, /usr/lib), since they say nothing of a person and much about a mapping.
// Names of processes and packages stay too. Every string of the result is gone through, those in sentences included.
// The original is not changed; nil gives nil.
func Redact(result *analyze.Result) *analyze.Result {
	if result == nil {
		return nil
	}
	r := newRedactor()
	r.collect(result)
	return walk.Copy(result, walk.Editor{String: r.replace})
}

// collect learns what is to be hidden, in the order of the result, so that stand-ins are the same every time.
func (r *redactor) collect(result *analyze.Result) {
	for _, in := range result.Inputs {
		r.path(in.Path)
		r.run(in.Run)
		for _, f := range in.Facts {
			r.fact(f)
		}
	}
	for _, p := range result.Problems {
		r.path(p.File)
	}
	for _, f := range result.Findings {
		for _, e := range f.Evidence {
			r.path(e.File)
		}
		for _, frame := range f.Stack {
			r.frame(frame)
		}
	}
	for _, t := range result.Timeline {
		r.run(t.Run)
	}
	for _, v := range result.Series {
		r.run(v.Run)
	}
	walk.Copy(result, walk.Editor{String: func(text string) string { r.learn(text); return text }})
}
