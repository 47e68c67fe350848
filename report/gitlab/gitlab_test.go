package gitlab_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/gitlab"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
)

func render(t *testing.T, r *analyze.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gitlab.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	golden.Check(t, "gate.codequality.json", render(t, example.Gate()))
	golden.Check(t, "compare.codequality.json", render(t, example.Compare()))
}

type violation struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// breaches are the rules of GitLab's format.
func breaches(text []byte) []string {
	var list []violation
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil || list == nil {
		return []string{fmt.Sprint("no array: ", err)}
	}
	var out []string
	seen := map[string]bool{}
	for i, v := range list {
		path := v.Location.Path
		for what, ok := range map[string]bool{
			"description": strings.TrimSpace(v.Description) != "" && !strings.ContainsFunc(v.Description, unicode.IsControl),
			"check_name":  strings.HasPrefix(v.Check, "memtide/") && len(v.Check) > len("memtide/"),
			"fingerprint": v.Fingerprint != "" && !seen[v.Fingerprint],
			"severity":    slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, v.Severity),
			"path":        path != "" && !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "./") && !slices.Contains(strings.Split(path, "/"), ".."),
			"begin":       v.Location.Lines.Begin >= 1,
		} {
			if !ok {
				out = append(out, fmt.Sprintf("%d: %s: %+v", i, what, v))
			}
		}
		seen[v.Fingerprint] = true
	}
	return out
}

func named(name string) *analyze.Result {
	s := analyze.Subject{Process: name, Scope: name, Name: name, Metric: name}
	return &analyze.Result{Verdict: analyze.Fail, Summary: name, Findings: []analyze.Finding{{Rule: name, Severity: name, Subject: s, Message: name, Advice: name, Evidence: []analyze.Evidence{{File: name}}}},
		Checks: []analyze.Check{{Name: name, Rule: name, Message: name, Subject: s, Outcome: analyze.Fail, Fingerprint: name}, {Name: name, Rule: name, Outcome: analyze.Fail}}}
}

func TestRules(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "single": example.Single(), "gate": example.Gate(), "hostile": example.Hostile(), "many": example.Many(20), "nothing": nil} {
		text := render(t, r)
		for _, b := range breaches(text) {
			t.Errorf("%s: %s", name, b)
		}
		if !bytes.Equal(text, render(t, r)) {
			t.Errorf("%s: two writings differ", name)
		}
	}
	for _, name := range append([]string{"]]>", "</failure>", "a\nb", "%0A", "\x1b[0m", "\xff", "", "../../x", "/etc/passwd", strings.Repeat("x", 10_000)}, example.Hostiles...) {
		for _, b := range breaches(render(t, named(name))) {
			t.Errorf("%.40q: %s", name, b)
		}
	}
	if text := render(t, &analyze.Result{Verdict: analyze.Pass, Series: []analyze.Series{{}}}); string(text) != "[]\n" {
		t.Errorf("nothing wrong is %q", text)
	}
}

func TestSeverities(t *testing.T) {
	var list []violation
	if err := json.Unmarshal(render(t, example.Gate()), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range list {
		got = append(got, v.Check+" "+v.Severity)
	}
	want := []string{"memtide/growth blocker", "memtide/regression major", "memtide/regression info", "memtide/finding info"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range example.Hostiles {
		f.Add(s)
	}
	f.Add(" ") // nothing to see
	f.Fuzz(func(t *testing.T, name string) {
		for _, b := range breaches(render(t, named(name))) {
			t.Errorf("%q: %s", name, b)
		}
	})
}
