package junit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

// whole is the suite of the verdict, with what a reader needs to take the run again as its properties.
func whole(doc *report.Doc) *suite {
	r := doc.Result
	s := &suite{Name: "memtide", Properties: &properties{}}
	for _, p := range []property{
		{"tool", doc.Tool}, {"command", label.Short(r.Command, 500)}, {"seed", strconv.FormatUint(r.Seed, 10)}, {"verdict", string(r.Verdict)}, {"schema", r.Schema},
	} {
		s.Properties.add(p.Name, p.Value)
	}
	if r.Policy != nil {
		s.Properties.add("policy", label.Short(r.Policy.Path, 300)+" sha256 "+r.Policy.SHA256)
	}
	for i, in := range r.Inputs[:min(len(r.Inputs), most)] {
		s.Properties.add(fmt.Sprintf("input %d", i+1), label.Short(strings.TrimSpace(in.Side+" "+in.Path)+" sha256 "+in.SHA256, 500))
	}
	if more := len(r.Inputs) - most; more > 0 {
		s.Properties.add("inputs not listed", strconv.Itoa(more))
	}
	for _, m := range r.Method {
		s.Properties.add("threshold "+label.Short(m.Name, 100), label.Short(m.Value, 200))
	}
	s.Properties.add("problems in the captures", strconv.Itoa(len(r.Problems)))
	s.put(verdict(doc))
	return s
}

// most is how many inputs are listed by name.
const most = 100

func verdict(doc *report.Doc) testcase {
	r := doc.Result
	c := testcase{Name: "verdict", Class: "mem.verdict"}
	text := ruling.Summary(r)
	switch {
	case ruling.Empty(r):
		c.Error = &told{"nothing-measured", text, body(text)}
	case r.Verdict == "pass":
		out := text
		c.Out = &out
	case r.Verdict == "fail":
		c.Failure = &told{"verdict", text, body(text)}
	default:
		c.Skipped = &told{"inconclusive", text, body(text)}
	}
	return c
}
