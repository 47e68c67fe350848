// Package openmetrics writes the figures of a result as an OpenMetrics 1.0 exposition: for GitLab's metrics report, a
// push gateway or a text-file collector. GitLab compares the values as text, so sizes are whole bytes.
package openmetrics

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

// Render writes, for each process and category (and the machine and its devices), the steady median, the peak, the
// slope of growth and the verdict, then the verdict of the whole and the number of issues. Mappings are left out: there
// are thousands, and a monitoring system keeps each label for ever. What is not known has no sample. An error is one of
// w; the same Doc gives the same bytes.
func Render(w io.Writer, doc *report.Doc) error {
	set := newMetricset()
	set.levels(doc)
	set.growth(doc)
	set.whole(doc)
	out := bufio.NewWriter(w)
	for _, f := range set.sorted() {
		f.write(out)
	}
	out.WriteString("# EOF\n")
	return out.Flush()
}

// whole adds the verdict of the result and how many issues of each severity there are.
func (m *metricset) whole(doc *report.Doc) {
	verdict := string(doc.Result.Verdict)
	if ruling.Empty(doc.Result) {
		verdict = "inconclusive"
	}
	f := m.family("mem_verdict", "stateset", "", "Verdict of the whole result.")
	for _, state := range []string{"fail", "inconclusive", "pass"} {
		f.add(bit(state == verdict), pair{"mem_verdict", state})
	}
	counts := map[string]int{}
	for _, i := range ruling.Issues(doc.Result) {
		if i.Outcome == ruling.Broken {
			counts[i.Severity]++
		}
	}
	f = m.family("mem_issues", "gauge", "", "Findings and broken rules of the policy, by severity.")
	for _, s := range []string{"critical", "note", "warning"} {
		f.add(float64(counts[s]), pair{"severity", s})
	}
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// number writes whole numbers without a point and others with one or an exponent, as the specification wants.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// quote writes the value of a label or, without the quotes, a help text.
func quote(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// value is a name of a capture as the value of a label.
func value(text string) string { return label.Short(text, 200) }
