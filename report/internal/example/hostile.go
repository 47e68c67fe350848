package example

import (
	"math"
	"strings"

	"github.com/memtide/memtide/analyze"
)

// Hostiles are names that must stay names in every renderer.
var Hostiles = []string{
	`</script><svg onload=alert(1)>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title></style></svg><script>alert(1)</script>`,
	"| a | b |\n|---|---|", "`code` **bold** [link](http://evil.example/) @somebody #1 <b>", "\x1b[31mred\x1b[0m\x07", "\u202egpj.exe\u202c", "&lt;script&gt;",
	"javascript:alert(1)", "{{.}}", "\x00\xff\xfe", "😀👩\u200d💻", strings.Repeat("long", 2500), "$(rm -rf)", "=HYPERLINK(1)",
}

// Hostile is a result in which every string is one of Hostiles and no number is well.
func Hostile() *analyze.Result {
	r := Compare()
	i := 0
	next := func() string {
		i++
		return Hostiles[i%len(Hostiles)]
	}
	r.Summary, r.Command, r.Tool.Name = next(), next(), next()
	for k := range r.Inputs {
		in := &r.Inputs[k]
		in.Path, in.Format, in.Device, in.SHA256, in.Start = next(), next(), next(), next(), next()
		in.Process, in.Facts = []string{next()}, []analyze.Fact{{Name: next(), Value: next()}}
	}
	for k := range r.Deltas {
		d := &r.Deltas[k]
		d.Note = next()
		if d.Subject.Scope != "process" {
			d.Subject.Name = next()
		}
		d.Shift, d.ShiftHi, d.Relative = Of(math.NaN()), Of(math.Inf(1)), Of(math.Inf(-1))
	}
	for k := range r.Series {
		v := &r.Series[k]
		v.Subject.Name, v.Reason, v.Run, v.Verdict = next(), next(), next(), analyze.Verdict(next())
		v.First, v.Last, v.Growth = math.MinInt64, math.MaxInt64, Of(math.NaN())
	}
	for k := range r.Findings {
		f := &r.Findings[k]
		f.Rule, f.Class, f.Message, f.Advice, f.Fingerprint, f.Severity = next(), next(), next(), next(), next(), next()
		f.Stack, f.Warnings = []string{next(), next()}, []string{next()}
		f.Evidence = []analyze.Evidence{{File: next(), Line: -1}}
		f.Stats = map[string]float64{next(): math.NaN(), next(): 1}
	}
	for k := range r.Problems {
		r.Problems[k].File, r.Problems[k].Message = next(), next()
	}
	r.Warnings = []string{next(), next()}
	for k := range r.Method {
		r.Method[k] = analyze.Setting{Name: next(), Value: next(), Meaning: next()}
	}
	for k := range r.Timeline {
		r.Timeline[k].Run = next()
		r.Timeline[k].Mid[2] = math.NaN()
	}
	return r
}
