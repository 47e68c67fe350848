package junit_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"github.com/memtide/memtide/report/internal/golden"
	"github.com/memtide/memtide/report/junit"
)

func render(t *testing.T, r *analyze.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	golden.Check(t, "gate.junit.xml", []byte(render(t, example.Gate())))
	golden.Check(t, "single.junit.xml", []byte(render(t, example.Single())))
}

func TestSchema(t *testing.T) {
	for name, r := range map[string]*analyze.Result{"compare": example.Compare(), "single": example.Single(), "gate": example.Gate(), "hostile": example.Hostile(), "many": example.Many(50), "nothing": nil} {
		text := render(t, r)
		for _, fault := range check(text) {
			t.Errorf("%s: %s", name, fault)
		}
		if text != render(t, r) {
			t.Errorf("%s: two writings differ", name)
		}
		for _, barred := range []string{"timestamp=", "hostname=", "time="} {
			if strings.Contains(text, barred) {
				t.Errorf("%s holds %s", name, barred)
			}
		}
	}
}

// The check itself must be able to fail.
func TestCheckFinds(t *testing.T) {
	good := render(t, example.Gate())
	for _, c := range []struct{ what, old, new string }{
		{"required attribute", ` tests="1"`, ""}, {"unknown attribute", ` tests="1"`, ` tests="1" color="red"`}, {"count", ` failures="1"`, ` failures="2"`},
		{"unknown element", "system-out>", "system-log>"}, {"order", "<testcase name", "<properties></properties><testcase name"}, {"token", `name="verdict"`, `name=" verdict"`},
		{"number", ` errors="0"`, ` errors="no"`}, {"end", "</testsuites>", ""}, {"twice", "<system-out>", "<system-out></system-out><system-out>"}, {"text", "</properties>", "x</properties>"},
	} {
		if bad := strings.ReplaceAll(good, c.old, c.new); bad == good || len(check(bad)) == 0 {
			t.Errorf("%s: not found", c.what)
		}
	}
}

// Whatever a name holds, it stays inside of its attribute or body.
func TestHostileNames(t *testing.T) {
	for _, name := range append([]string{"]]>", "</failure>", "a\nb", "\x1b[31m", "%0A", "\xff\xfe", "\uFFFF", "\x00", "", "  ", strings.Repeat("x", 10_000), "&amp;", `"`}, example.Hostiles...) {
		text := render(t, hostile(name))
		if faults := check(text); len(faults) > 0 {
			t.Errorf("%.40q: %v", name, faults)
		}
		if strings.ContainsAny(text, "\x00\x1b\uFFFF") {
			t.Errorf("%.40q is written as it is", name)
		}
		if n := strings.Count(text, "<testcase "); n != 5 {
			t.Errorf("%.40q: %d cases, want 5", name, n)
		}
	}
}

func hostile(name string) *analyze.Result {
	s := analyze.Subject{Process: name, Scope: "process", Name: name, Metric: name}
	decisive := s
	decisive.Metric = "pss"
	return &analyze.Result{Verdict: analyze.Fail, Summary: name, Command: name, Tool: analyze.Tool{Name: name}, Policy: &analyze.PolicyRef{Path: name}, Inputs: []analyze.Input{{Path: name}},
		Series:   []analyze.Series{{Subject: s, Verdict: analyze.Leak, Reason: name, Run: name, Part: 1}, {Subject: s, Verdict: analyze.Verdict(name)}},
		Deltas:   []analyze.Delta{{Subject: decisive, Verdict: analyze.Regression, Note: name}},
		Findings: []analyze.Finding{{Rule: name, Class: name, Subject: s, Message: name, Stack: []string{name}, Advice: name, Evidence: []analyze.Evidence{{File: name}}, Stats: map[string]float64{name: 1}}}}
}

// A failed verdict is never green, and neither is one that rests on nothing.
func TestVerdictCase(t *testing.T) {
	some := []analyze.Series{{Verdict: analyze.Stable}}
	for _, c := range []struct {
		result *analyze.Result
		want   string
	}{
		{&analyze.Result{Verdict: analyze.Pass, Series: some}, `failures="0" errors="0" skipped="0"`},
		{&analyze.Result{Verdict: analyze.Fail, Series: some}, `failures="1" errors="0" skipped="0"`},
		{&analyze.Result{Verdict: analyze.Inconclusive, Series: some}, `failures="0" errors="0" skipped="1"`},
		{&analyze.Result{Verdict: analyze.Pass}, `failures="0" errors="1" skipped="0"`},
		{nil, `failures="0" errors="1" skipped="0"`},
	} {
		text := render(t, c.result)
		if want := fmt.Sprintf(`<testsuite name="memtide" id="0" tests="1" %s>`, c.want); !strings.Contains(text, want) {
			t.Errorf("%+v: no %s in\n%s", c.result, want, text)
		}
	}
}

// Names hold limits, and nothing that changes from build to build.
func TestNamesAreStable(t *testing.T) {
	names := func(r *analyze.Result) (out []string) {
		root, err := parse(render(t, r))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range root.children[0].children {
			for _, c := range s.children {
				out = append(out, c.attrs["name"])
			}
		}
		return out
	}
	r := example.Gate()
	before := names(r)
	for i := range r.Checks {
		r.Checks[i].Value = example.Of(float64(i) * 1e9)
		r.Checks[i].Outcome, r.Checks[i].Message = analyze.Fail, "now 1,234 MiB"
	}
	after := names(r)
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v\n%v", before, after)
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range example.Hostiles {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if faults := check(render(t, hostile(name))); len(faults) > 0 {
			t.Errorf("%q: %v", name, faults)
		}
	})
}

type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space")
	}
	return len(p), nil
}

func TestErrorOfTheWriter(t *testing.T) {
	for _, room := range []int{0, 50, 5000} {
		if err := junit.Render(&full{room}, report.New(example.Gate(), report.Options{})); err == nil {
			t.Errorf("no error with room for %d bytes", room)
		}
	}
}
