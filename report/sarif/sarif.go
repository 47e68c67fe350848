// Package sarif writes what is wrong as SARIF 2.1.0 (OASIS, errata 01), minified, within the limits of GitHub's code
// scanning: 25,000 results, 1,000 locations of a result, 20 tags of a rule, 10 MB compressed. What does not fit is
// counted in a notification of the invocation.
package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

// schemaURI names the schema that the log follows.
const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// limits are GitHub's. Its 10 MB are of the compressed file; some room is kept for the other compressor.
var limits = struct{ results, locations, tags, bytes int }{25_000, 1_000, 20, 9_000_000}

// Render writes one run: a rule for each kind of issue, and the issues worst first, so that those that do not fit are
// the least. An error is one of w; the same Doc gives the same bytes.
func Render(w io.Writer, doc *report.Doc) error {
	issues := ruling.Issues(doc.Result)
	results, rules := fit(issues)
	log := log{Schema: schemaURI, Version: "2.1.0", Runs: []run{{
		Tool:        tool{driver{Name: "memtide", Version: label.Short(doc.Result.Tool.Version, 100), Rules: rules.list}},
		Invocations: []invocation{{Successful: true, Notifications: notifications(doc, len(issues)-len(results))}},
		Automation:  &automation{"memtide/" + command(doc) + "/"},
		Artifacts:   artifacts(doc),
		Results:     results,
		ColumnKind:  "unicodeCodePoints",
		Properties: map[string]any{"verdict": string(doc.Result.Verdict), "summary": ruling.Summary(doc.Result), "seed": fmt.Sprint(doc.Result.Seed),
			"command": label.Short(doc.Result.Command, 500), "issues": len(issues)},
	}}}
	text, err := encode(log)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// encode writes JSON without spaces; < and > of names stay readable.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// fit makes results until one of the limits is reached.
func fit(issues []ruling.Ruling) ([]json.RawMessage, *rulebook) {
	results, rules, size := []json.RawMessage{}, newRulebook(), newMeter()
	for _, i := range issues {
		if len(results) == limits.results || size.full() {
			break
		}
		text, err := encode(resultOf(i, rules.index(i)))
		if err != nil {
			continue // no field of a result can fail to be written
		}
		size.add(text)
		size.add([]byte(i.Rule)) // what its rule takes besides text that all rules share
		results = append(results, text)
	}
	return results, rules
}

// command is the first word of the command line: runs of different commands are categories of their own.
func command(doc *report.Doc) string {
	word, _, _ := strings.Cut(strings.TrimSpace(label.Clean(doc.Result.Command)), " ")
	for _, known := range []string{"analyze", "compare", "gate"} {
		if word == known {
			return word
		}
	}
	return "result"
}

// notifications say what the results do not: what was left out, and what of the captures could not be read.
func notifications(doc *report.Doc, left int) []notification {
	var out []notification
	add := func(level, format string, args ...any) {
		out = append(out, notification{Level: level, Message: message{Text: plain(fmt.Sprintf(format, args...))}})
	}
	if left > 0 {
		add("warning", "%d more issues, the least severe, are left out to keep within the limits of GitHub code scanning; the JSON result has all.", left)
	}
	if n := len(doc.Result.Problems); n > 0 {
		add("warning", "%d kinds of records of the captures could not be read as they should; the report lists them.", n)
	}
	for i, w := range doc.Result.Warnings {
		if i == mostWarnings {
			add("note", "%d more warnings are in the report.", len(doc.Result.Warnings)-i)
			break
		}
		add("note", "%s", label.Short(w, 1000))
	}
	return out
}

const mostWarnings = 20
