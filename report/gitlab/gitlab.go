// Package gitlab writes what is wrong as a Code Quality report of GitLab: the part of the Code Climate format that
// GitLab reads (docs.gitlab.com, "Code Quality report format").
package gitlab

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/ruling"
)

// violation is one entry of the report; GitLab ignores all else.
type violation struct {
	Description string   `json:"description"`
	Check       string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int64 `json:"begin"`
}

// Render writes an array with what is wrong now, worst first. What the comparison found fixed is left out: GitLab
// holds the report against that of the target branch and says itself what is gone. An error is one of w; the same Doc
// gives the same bytes.
func Render(w io.Writer, doc *report.Doc) error {
	out := []violation{}
	for _, i := range ruling.Issues(doc.Result) {
		if i.Outcome != ruling.Held {
			out = append(out, violationOf(i))
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

func violationOf(i ruling.Ruling) violation {
	v := violation{Description: i.Message, Check: "memtide/" + i.Rule, Fingerprint: i.Fingerprint, Severity: severity(i), Location: location{"unknown", lines{1}}}
	if len(i.Places) > 0 {
		v.Location = location{i.Places[0].Path(), lines{i.Places[0].Line}}
	}
	if i.Advice != "" {
		v.Description += " Try: " + i.Advice
	}
	v.Description = cmp.Or(strings.TrimSpace(v.Description), v.Check) // GitLab refuses an empty one
	return v
}

var severities = map[string]string{"critical": "critical", "warning": "major", "note": "minor"}

// severity is blocker where a policy demands something critical that does not hold, and info where nothing is settled
// or the policy lets it through.
func severity(i ruling.Ruling) string {
	switch {
	case i.Outcome != ruling.Broken:
		return "info"
	case i.Policy && i.Severity == "critical":
		return "blocker"
	}
	return severities[i.Severity]
}
