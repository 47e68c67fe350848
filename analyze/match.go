package analyze

import (
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Metrics are the metrics that memtide knows, with their units. A capture may hold others.
func Metrics() []table.Metric { return table.Metrics }

// Match chooses subjects by patterns in which * stands for any text, none included. An empty pattern fits everything.
type Match struct{ Process, Scope, Name, Metric string }

// Fits says whether all four patterns fit.
func (m Match) Fits(s Subject) bool {
	return fitsOrAny(m.Process, s.Process) && fitsOrAny(m.Scope, s.Scope) && fitsOrAny(m.Name, s.Name) && fitsOrAny(m.Metric, s.Metric)
}

// Covers says whether all that o fits, m fits too. It may miss that of two patterns with several stars.
func (m Match) Covers(o Match) bool {
	covers := func(a, b string) bool {
		return a == "" || b != "" && Glob(a, b) || b == "" && strings.Trim(a, "*") == ""
	}
	return covers(m.Process, o.Process) && covers(m.Scope, o.Scope) && covers(m.Name, o.Name) && covers(m.Metric, o.Metric)
}

func fitsOrAny(pattern, text string) bool { return pattern == "" || Glob(pattern, text) }

// Glob says whether a text fits a pattern in which * stands for any text. It takes time in proportion to the product of
// both lengths at most.
func Glob(pattern, text string) bool {
	p, i := 0, 0
	star, resume := -1, 0
	for i < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, i
			p++
		case p < len(pattern) && pattern[p] == text[i]:
			p, i = p+1, i+1
		case star >= 0:
			resume++
			p, i = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
