package policy_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/analyze/policy"
)

const mib = 1 << 20

var today = time.Date(2027, 3, 31, 15, 0, 0, 0, time.UTC)

// line is a series of pss (or what the subject says) of so many samples a minute apart, as an earlier result.
func line(subject string, values ...float64) analyze.Timeline {
	parts := strings.Split(subject, "|")
	l := analyze.Timeline{Run: "run", Subject: analyze.Subject{Process: parts[0], Scope: parts[1], Name: parts[2], Metric: parts[3]}}
	for i, v := range values {
		l.TimeS = append(l.TimeS, 60*float64(i))
		l.Min, l.Mid, l.Max = append(l.Min, v*mib), append(l.Mid, v*mib), append(l.Max, v*mib)
	}
	return l
}

func rising(n int, from, step float64) (out []float64) {
	for i := range n {
		out = append(out, from+step*float64(i)+0.01*math.Sin(float64(i*i)))
	}
	return out
}

func run(name string, lines ...analyze.Timeline) []analyze.Capture {
	for i := range lines {
		lines[i].Run = name
	}
	return []analyze.Capture{{Name: name, Earlier: &analyze.Result{Timeline: lines}, Inputs: []analyze.Input{{Run: name, Path: name, Format: "test"}}}}
}

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("p.yaml", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// judged holds one run, or two sides, against a policy.
func judged(t *testing.T, text string, sides ...[]analyze.Capture) *analyze.Result {
	t.Helper()
	p := parse(t, text)
	var r *analyze.Result
	if len(sides) == 2 {
		r = analyze.Compare(sides[0], sides[1], p.Options(analyze.Defaults()))
	} else {
		r = analyze.One(slices.Concat(sides...), p.Options(analyze.Defaults()))
	}
	p.Judge(r, today)
	return r
}

const app = "app|process||pss"

func outcomes(r *analyze.Result) string {
	var out []string
	for _, c := range r.Checks {
		text := c.Rule + " " + string(c.Outcome)
		if c.Excused != "" {
			text += " excused"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestJudge(t *testing.T) {
	flat, leak := line(app, rising(60, 100, 0)...), line(app, rising(60, 100, 1)...) // 60 MiB/h
	grew := analyze.Subject{Process: "app", Scope: "process", Metric: "pss"}.Fingerprint("growth")
	known := func(day string) string {
		return fmt.Sprintf("known:\n  - fingerprint: %q\n    reason: ticket 5\n    expires: %s\n", grew, day)
	}
	for _, c := range []struct {
		name, policy, want string
		verdict            analyze.Outcome
		sides              [][]analyze.Capture
	}{
		{"empty policy, nothing measured", "", "", analyze.Inconclusive, nil},
		{"empty policy, healthy", "", "finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"empty policy, leak", "", "finding fail", analyze.Fail, [][]analyze.Capture{run("a", leak)}},
		{"empty policy, too short", "", "finding inconclusive", analyze.Inconclusive, [][]analyze.Capture{run("a", line(app, 5))}},
		{"too short, and it shall pass", "on_inconclusive: pass\n", "finding inconclusive", analyze.Inconclusive, [][]analyze.Capture{run("a", line(app, 5))}},
		{"leak, but only critical ones count", "fail_on: critical\n", "finding pass excused", analyze.Pass, [][]analyze.Capture{run("a", line(app, rising(60, 1000, 1)...))}},
		{"limit kept", "limits: [{metric: pss, max: 200 MiB}]\n", "limit pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"limit broken", "limits: [{metric: pss, max: 99 MiB}]\n", "limit fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", flat)}},
		{"limit of a snapshot kept", "limits: [{metric: pss, max: 99 MiB}]\n", "limit pass", analyze.Pass, [][]analyze.Capture{run("a", line(app, 5))}},
		{"limit less severe than it minds", "limits: [{metric: pss, max: 99 MiB, severity: note}]\n", "limit pass excused, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"limit of what is not told", "limits: [{metric: pss, max: 50 % of mem_total}]\n", "limit inconclusive, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"the same, and it fails on that", "on_inconclusive: fail\nlimits: [{metric: pss, max: 50 % of mem_total}]\n", "limit inconclusive, finding pass", analyze.Inconclusive, [][]analyze.Capture{run("a", flat)}},
		{"limit in one of two runs broken", "limits: [{metric: pss, max: 120 MiB}]\n", "limit fail, finding fail", analyze.Fail, [][]analyze.Capture{slices.Concat(run("a", flat), run("b", leak))}},
		{"limit of a share, in parts per million", "limits: [{metric: kv_usage, scope: pool, max: 900000}]\n", "limit fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", flat, line("app|pool|KV cache|kv_usage", 0.9, 0.91))}},
		{"min undercut", "limits: [{metric: mem_free, scope: system, min: 100 MiB}]\n", "limit fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", flat, line("|system||mem_free", 300, 50))}},
		{"pattern that fits nothing", "limits: [{metric: rss, max: 1 MiB}]\n", "finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"pattern that must fit something", "limits: [{metric: rss, max: 1 MiB, require: true}]\n", "require fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", flat)}},
		{"it must, whatever fail_on is", "fail_on: critical\ngrowth: [{metric: rss, max: 1 MiB/h, require: true, severity: note}]\n", "require fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", flat)}},
		{"growth within the limit", "growth: [{metric: pss, max: 70 MiB/h}]\n", "growth pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak)}},
		{"growth over the limit", "growth: [{metric: pss, max: 50 MiB/h}]\n", "growth fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", leak)}},
		{"growth of the run", "growth: [{metric: pss, max: 55 MiB}]\n", "growth pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak)}},
		{"growth of the run over the limit", "growth: [{metric: pss, max: 40 MiB}]\n", "growth fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", leak)}},
		{"first rule", "growth: [{metric: pss, process: a*, max: 70 MiB/h}, {metric: \"*\", max: 1 MiB/h}]\n", "growth pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak)}},
		{"growth allowed until today", "growth: [{metric: pss, max: 70 MiB/h, expires: 2027-03-31}, {metric: \"*\", max: 1 MiB/h}]\n", "growth pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak)}},
		{"growth allowed until yesterday", "growth: [{metric: pss, max: 70 MiB/h, expires: 2027-03-30}, {metric: \"*\", max: 1 MiB/h}]\n", "growth fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", leak)}},
		{"growth allowed by one that holds longer", "growth: [{metric: pss, max: 1 MiB/h, expires: 2027-03-30}, {metric: \"*\", max: 70 MiB/h, expires: 2027-04-30}]\n", "growth pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak)}},
		{"growth allowed until yesterday, no other rule", "growth: [{metric: pss, max: 70 MiB/h, expires: 2027-03-30}]\n", "finding fail", analyze.Fail, [][]analyze.Capture{run("a", leak)}},
		{"growth that could not be seen", "growth: [{metric: pss, max: 1 KiB/h}]\n", "growth inconclusive, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"growth of what is too short", "growth: [{metric: pss, max: 1 MiB/h}]\n", "growth inconclusive, finding inconclusive", analyze.Inconclusive, [][]analyze.Capture{run("a", line(app, 5, 6))}},
		{"iterations that are not counted", "growth: [{metric: pss, max: 1 MiB/iteration}]\n", "growth inconclusive, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"known", known("2027-03-31"), "finding pass excused", analyze.Pass, [][]analyze.Capture{run("a", leak)}},
		{"known no longer", known("2027-03-30"), "finding fail, known fail", analyze.Fail, [][]analyze.Capture{run("a", leak)}},
		{"expired, and gone", known("2027-03-30"), "finding pass, known fail", analyze.Fail, [][]analyze.Capture{run("a", flat)}},
		{"known, and gone", known("2027-03-31"), "finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat)}},
		{"comparison of the same", "", "regression pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat), run("a", flat)}},
		{"regression", "", "regression fail, finding pass", analyze.Fail, [][]analyze.Capture{run("a", flat), run("b", line(app, rising(60, 150, 0)...))}},
		{"regression that is tolerated", "regressions: [{metric: pss, absolute: 60 MiB, relative: 1 %}]\n", "regression pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat), run("b", line(app, rising(60, 150, 0)...))}},
		{"single runs may differ by more", "regressions: [{metric: pss, single_run: 60 %}]\n", "regression inconclusive, finding pass", analyze.Pass, [][]analyze.Capture{run("a", flat), run("b", line(app, rising(60, 150, 0)...))}},
		{"leak on both sides", "", "regression inconclusive, finding pass excused, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak), run("b", line(app, rising(60, 101, 1)...))}},
		{"leak on both sides, minded", "on_kept: fail\n", "regression inconclusive, finding fail", analyze.Fail, [][]analyze.Capture{run("a", leak), run("b", line(app, rising(60, 101, 1)...))}},
		{"leak that is mended", "", "regression pass, finding pass", analyze.Pass, [][]analyze.Capture{run("a", leak), run("b", flat)}},
		{"nothing in common", "", "", analyze.Inconclusive, [][]analyze.Capture{run("a", line("app|process||rss", 5)), run("b", line("app|pool|x|rss", 5))}},
	} {
		r := judged(t, c.policy, c.sides...)
		if have := outcomes(r); have != c.want && c.name != "nothing in common" {
			t.Errorf("%s: %s, want %s", c.name, have, c.want)
		}
		if r.Verdict != c.verdict || r.Summary == "" {
			t.Errorf("%s: %s (%s), want %s", c.name, r.Verdict, r.Summary, c.verdict)
		}
		for _, k := range r.Checks {
			if k.Name == "" || k.Message == "" || k.Severity == "" {
				t.Errorf("%s: %+v", c.name, k)
			}
		}
		if r.Policy == nil || r.Policy.Path != "p.yaml" || len(r.Policy.SHA256) != 64 {
			t.Errorf("%s: policy %+v", c.name, r.Policy)
		}
	}
}

func TestJudgeWarns(t *testing.T) {
	flat := run("a", line(app, rising(60, 100, 0)...))
	for text, want := range map[string]string{
		"limits: [{metric: rss, process: x*, max: 1 MiB}]\n":                                    "max rss in x* (p.yaml:2) fits nothing in what was measured.",
		"growth: [{metric: pss, max: 1 KiB/h}]\n":                                               "Not decided: app: pss: no growth is certain, but this capture would not have shown less than ",
		"known: [{fingerprint: \"0123456789abcdef\", reason: ticket 5, expires: 2030-01-01}]\n": "The known finding 0123456789abcdef (ticket 5, p.yaml:2) is not there any more: its exception can be taken out.",
	} {
		if r := judged(t, text, flat); !strings.Contains(strings.Join(r.Warnings, "\n"), want) {
			t.Errorf("%q, want %q", r.Warnings, want)
		}
	}
}

// Check names hold no value and no run, so that a CI system can follow them from build to build.
func TestCheckNamesAreStable(t *testing.T) {
	names := func(r *analyze.Result) (out []string) {
		for _, c := range r.Checks {
			out = append(out, c.Name+" "+c.Fingerprint)
		}
		return out
	}
	text := "limits: [{metric: pss, max: 500 MiB}]\ngrowth: [{metric: pss, max: 1 GiB/h}]\n"
	a, b := names(judged(t, text, run("a", line(app, rising(60, 100, 1)...)))), names(judged(t, text, run("b", line(app, rising(90, 90, 2)...))))
	if !slices.Equal(a, b) || len(a) != 3 {
		t.Errorf("%q, %q", a, b)
	}
}

// Whatever a policy says, a result in which nothing was measured does not pass.
func TestNothingMeasuredNeverPasses(t *testing.T) {
	for _, text := range []string{"", full[len("# every key\nversion: 1\n"):], "on_inconclusive: pass\non_kept: pass\nfail_on: critical\n", "redlines: {built_in: off}\n"} {
		p := parse(t, text)
		for name, r := range map[string]*analyze.Result{
			"zero": {}, "one": analyze.One(nil, p.Options(analyze.Defaults())), "compare": analyze.Compare(nil, nil, p.Options(analyze.Defaults())),
			"before only": analyze.Compare(run("a", line(app, rising(60, 100, 0)...)), nil, p.Options(analyze.Defaults())),
		} {
			p.Judge(r, today)
			if r.Verdict == analyze.Pass || r.Verdict == "" {
				t.Errorf("%q: %s passes: %s", text, name, r.Summary)
			}
		}
	}
}

func TestStarterPasses(t *testing.T) {
	odd := line("we\"ird: #\u2028 *name\\|process||rss", rising(60, 50, 0.5)...)
	for name, c := range map[string][]analyze.Capture{
		"healthy":        run("a", line(app, rising(60, 100, 0)...)),
		"leak":           run("a", line(app, rising(60, 100, 1)...)),
		"snapshot":       run("a", line(app, 100)),
		"odd name":       run("a", odd, line(app, rising(60, 1, 1)...)),
		"no process":     run("a", line("|process||rss", rising(60, 100, 1)...)),
		"peak elsewhere": run("a", line("app|process||rss", rising(60, 100, 0)...), line("app|process||vm_hwm", rising(60, 900, 0)...)),
		"handles":        run("a", line("app|handle|fds|count", rising(60, 100, 1)...)),
		"device":         run("a", line("|device|NVIDIA A100-SXM4-80GB|gpu_used", rising(60, 75000, 20)...)),
		"part that leaks": run("a", line(app, rising(60, 300, 0)...), line("app|category|heap|pss", rising(60, 100, 1)...),
			line("app|category|file|pss", rising(60, 200, -1)...)),
	} {
		made := analyze.One(c, analyze.Defaults())
		text, err := policy.Starter(made, today)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, err := policy.Parse("p.yaml", text)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		r := analyze.One(c, p.Options(analyze.Defaults()))
		p.Judge(r, today)
		if r.Verdict != analyze.Pass {
			t.Errorf("%s: %s: %s\n%s", name, r.Verdict, r.Summary, text)
		}
		if again, _ := policy.Starter(made, today); string(again) != string(text) {
			t.Errorf("%s: two starters differ", name)
		}
		r = analyze.One(c, p.Options(analyze.Defaults()))
		if p.Judge(r, today.AddDate(0, 0, 1)); (r.Verdict == analyze.Fail) != (len(made.Findings) > 0) {
			t.Errorf("%s: the day after it expires: %s: %s\n%s", name, r.Verdict, r.Summary, text)
		}
	}
	if _, err := policy.Starter(analyze.One(nil, analyze.Defaults()), today); err == nil {
		t.Error("a policy was made of nothing")
	}
}
