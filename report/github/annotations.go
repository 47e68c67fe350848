// Package github writes what GitHub Actions shows: annotations (workflow commands for the log of a step), and the
// report as Markdown for a comment on a pull request and for the summary of a step, each within its limit of size.
package github

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

// most is how many annotations of one level GitHub keeps of a step; it drops the others without a word.
const most = 10

// Annotations writes workflow commands, worst first: at most 10 errors (critical) and 10 warnings, then one notice with
// the verdict that counts the others: notes, what is excused, open or fixed, and what did not fit. An error is one of
// w; the same Doc gives the same bytes.
func Annotations(w io.Writer, doc *report.Doc) error {
	out := bufio.NewWriter(w)
	left := &remainder{}
	written := map[string]int{}
	for _, i := range ruling.Issues(doc.Result) {
		level := levels[i.Severity]
		switch {
		case i.Outcome != ruling.Broken:
			left.count(string(i.Outcome))
		case level == "":
			left.count(i.Severity)
		case written[level] == most:
			left.count(level)
		default:
			written[level]++
			out.WriteString(annotation(level, i))
		}
	}
	text := ruling.Summary(doc.Result) + left.text()
	if !ruling.Empty(doc.Result) {
		text = verdicts[string(doc.Result.Verdict)] + text
	}
	out.WriteString(command("notice", "memtide", "", 0, text))
	return out.Flush()
}

// levels are the commands for what is worth one.
var levels = map[string]string{"critical": "error", "warning": "warning"}

var verdicts = map[string]string{"pass": "Pass. ", "fail": "Fail. ", "inconclusive": "Inconclusive. "}

func annotation(level string, i ruling.Ruling) string {
	file, line := "", int64(0)
	if len(i.Places) > 0 {
		file, line = i.Places[0].Path(), i.Places[0].Line
	}
	text := i.Message
	if i.Advice != "" {
		text += "\nTry: " + i.Advice
	}
	return command(level, label.Short("memtide "+i.Rule+" "+i.Status, 120), file, line, text)
}

// command writes one workflow command: ::name file=…,line=…,title=…::message.
func command(name, title, file string, line int64, text string) string {
	var b strings.Builder
	b.WriteString("::" + name + " ")
	if file != "" {
		fmt.Fprintf(&b, "file=%s,line=%d,", property(file), line)
	}
	b.WriteString("title=" + property(strings.TrimSpace(title)) + "::" + data(text) + "\n")
	return b.String()
}

// data escapes the message of a command, property one of its values: the runner ends the one at a line break, the
// other also at a comma or colon, and reads % as the start of an escape.
func data(text string) string     { return dataEscaper.Replace(text) }
func property(text string) string { return propertyEscaper.Replace(text) }

var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// remainder counts what has no annotation of its own.
type remainder struct {
	counts map[string]int
}

func (r *remainder) count(what string) {
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[what]++
}

// words are what is counted, in the order of the sentence.
var words = []struct{ key, one, many string }{
	{"error", "more error", "more errors"}, {"warning", "more warning", "more warnings"}, {"note", "note", "notes"},
	{string(ruling.Open), "not settled", "not settled"}, {string(ruling.Excused), "excused by the policy", "excused by the policy"}, {string(ruling.Held), "fixed", "fixed"},
}

func (r *remainder) text() string {
	var parts []string
	for _, w := range words {
		switch n := r.counts[w.key]; {
		case n == 1:
			parts = append(parts, "1 "+w.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, w.many))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " Not annotated: " + strings.Join(parts, ", ") + "; the report has them."
}
