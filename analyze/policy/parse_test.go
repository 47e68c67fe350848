package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/analyze/policy"
)

// faults lists what Parse refuses, as line:column message.
func faults(t *testing.T, text string) []string {
	t.Helper()
	_, err := policy.Parse("p.yaml", []byte(text))
	if err == nil {
		return nil
	}
	var all policy.Errors
	if !errors.As(err, &all) {
		t.Fatalf("%T: %v", err, err)
	}
	var out []string
	for _, e := range all {
		if e.File != "p.yaml" {
			t.Errorf("file %q", e.File)
		}
		out = append(out, fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Message))
	}
	return out
}

// A mark ∑ in the text stands where the fault must be told; it is taken out before the text is parsed.
var strict = []struct{ name, text, want string }{
	{"unknown key", "version: 1\n∑limitt:\n  - metric: rss\n", `unknown key "limitt"; did you mean "limits"?`},
	{"unknown key far from all", "version: 1\n∑colour: red\n", `unknown key "colour"; the keys here are version, fail_on`},
	{"unknown key in a rule", "version: 1\nlimits:\n  - metric: rss\n    max: 1 MiB\n    ∑proces: app\n", `unknown key "proces"; did you mean "process"?`},
	{"unknown red line", "version: 1\nredlines:\n  ∑A100-80G: 70 GB\n", `unknown key "A100-80G"; did you mean "A100-80GB"?`},
	{"no version", "∑fail_on: note\n", `"version" is missing: version 1`},
	{"another version", "version: ∑2\n", `version: want version 1, have "2"`},
	{"wrong severity", "version: 1\nfail_on: ∑warnin\n", `fail_on: want one of note, warning, critical, have "warnin"; did you mean "warning"?`},
	{"wrong outcome", "version: 1\non_inconclusive: ∑ignore\n", `on_inconclusive: want one of pass, warn, fail, have "ignore"`},
	{"key twice", "version: 1\nfail_on: note\n∑fail_on: warning\n", `key "fail_on" stands here and in line 2`},
	{"no unit", "version: 1\nlimits:\n  - metric: rss\n    max: ∑512\n", `rss is in bytes: want a size such as 512 MiB`},
	{"bare letter", "version: 1\nlimits:\n  - metric: rss\n    max: ∑75G\n", `"75G" may mean 75 GB (75000000000 B) or 75 GiB (80530636800 B): write one of them`},
	{"wrong case", "version: 1\nlimits:\n  - metric: rss\n    max: ∑75 mb\n", `unknown unit "mb"; did you mean "MB"?`},
	{"no such unit", "version: 1\nlimits:\n  - metric: rss\n    max: ∑75 pages\n", `unknown unit "pages"; the units are B kB`},
	{"negative", "version: 1\nlimits:\n  - metric: rss\n    max: ∑-1 MiB\n", `it must not be negative`},
	{"absurd", "version: 1\nlimits:\n  - metric: rss\n    max: ∑99999999 TiB\n", `more than any memory has`},
	{"rate as a limit", "version: 1\nlimits:\n  - metric: rss\n    max: ∑1 MiB/h\n", `"1 MiB/h" is a rate; it belongs under growth`},
	{"share of nothing", "version: 1\nlimits:\n  - metric: rss\n    max: ∑90 %\n", `"90 %" of what? write: 90 % of mem_limit`},
	{"share of what is no total", "version: 1\nlimits:\n  - metric: rss\n    max: ∑90 % of pss\n", `a share of "pss": want one of gpu_total, mem_total, mem_limit`},
	{"size of a share", "version: 1\nlimits:\n  - metric: kv_usage\n    max: ∑1 MiB\n", `kv_usage is in ppm: want a number without a unit`},
	{"size of a count", "version: 1\nlimits:\n  - metric: live_count\n    max: ∑1 MiB\n", `live_count is a count: want a number without a unit`},
	{"neither max nor min", "version: 1\nlimits:\n  - ∑metric: rss\n", `the limit has neither max nor min`},
	{"no metric", "version: 1\nlimits:\n  - ∑max: 1 MiB\n", `"metric" is missing: a name or pattern`},
	{"share of growth", "version: 1\ngrowth:\n  - metric: rss\n    max: ∑2 %\n", `growth is limited in bytes or counts, not in shares`},
	{"unknown time", "version: 1\ngrowth:\n  - metric: rss\n    max: ∑2 MiB/week\n", `unknown time "week"; want s, min, h, d or iteration`},
	{"tolerance without a figure", "version: 1\nregressions:\n  - ∑metric: rss\n", `want absolute, relative or single_run`},
	{"relative without a sign", "version: 1\nregressions:\n  - metric: rss\n    relative: ∑2\n", `relative: want a share such as 2 %: have "2"`},
	{"share as absolute", "version: 1\nregressions:\n  - metric: rss\n    absolute: ∑2 %\n", `"2 %" is a share: write relative: 2 %`},
	{"fingerprint too short", "version: 1\nknown:\n  - fingerprint: ∑abc\n    reason: x\n    expires: 2030-01-01\n", `fingerprint: want a fingerprint of 16 digits and letters a to f, have "abc"`},
	{"no reason", "version: 1\nknown:\n  - ∑fingerprint: 0123456789abcdef\n    expires: 2030-01-01\n", `"reason" is missing`},
	{"empty reason", "version: 1\nknown:\n  - fingerprint: 0123456789abcdef\n    reason: ∑\"\"\n    expires: 2030-01-01\n", `reason: want a text, have nothing`},
	{"no end", "version: 1\nknown:\n  - ∑fingerprint: 0123456789abcdef\n    reason: x\n", `"expires" is missing: a date such as 2027-03-31`},
	{"no such day", "version: 1\nknown:\n  - fingerprint: 0123456789abcdef\n    reason: x\n    expires: ∑2030-02-30\n", `expires: want a date`},
	{"known twice", "version: 1\nknown:\n  - {fingerprint: 0123456789abcdef, reason: x, expires: 2030-01-01}\n  - ∑{fingerprint: 0123456789abcdef, reason: x, expires: 2030-01-01}\n", `the finding 0123456789abcdef stands in line 3 too`},
	{"list wanted", "version: 1\n∑limits: \n", `limits: want a list, have nothing`},
	{"list wanted, mapping found", "version: 1\nlimits:\n  ∑metric: rss\n", `limits: want a list, have keys and values`},
	{"scalar wanted", "version: 1\nlimits:\n  - metric: ∑[rss]\n    max: 1 MiB\n", `metric: want a name or pattern, have a list`},
	{"no iterations", "version: 1\nlimits:\n  - metric: rss\n    max: 1 MiB\n    every: ∑0\n", `every: want a number of iterations, have "0"`},
	{"name without scope", "version: 1\nlimits:\n  - metric: count\n    ∑name: fds\n    max: 1\n", `name needs a scope beside it`},
	{"two scopes", "version: 1\nlimits:\n  - ∑metric: rss\n    category: heap\n    device: x\n    max: 1 MiB\n", `more than one of category, mapping, device and scope`},
	{"same limit twice", "version: 1\nlimits:\n  - metric: rss\n    max: 1 MiB\n  - ∑metric: rss\n    process: \"*\"\n    max: 2 MiB\n", `contradicts line 3: the same pattern has another limit there`},
	{"min above max", "version: 1\nlimits:\n  - ∑metric: rss\n    max: 1 MiB\n    min: 2 MiB\n", `min is not below the max of line 3`},
	{"title twice", "version: 1\nlimits:\n  - {title: a, metric: rss, max: 1 MiB}\n  - ∑{title: a, metric: pss, max: 1 MiB}\n", `the title "a" stands in line 3 too`},
	{"title of a built-in line", "version: 1\nlimits:\n  - ∑{title: A100-80GB, metric: gpu_used, max: 1 MiB}\n", `that of a built-in red line`},
	{"rule never reached", "version: 1\ngrowth:\n  - metric: rss\n    max: 1 MiB/h\n  - ∑metric: rss\n    process: db*\n    max: 2 MiB/h\n", `contradicts line 3, which fits all that this rule fits and comes first`},
	{"rule that ends before the one that hides it", "version: 1\ngrowth:\n  - {metric: rss, max: 1 MiB/h, expires: 2030-02-01}\n  - ∑{metric: rss, process: db*, max: 2 MiB/h, expires: 2030-02-01}\n", `contradicts line 3`},
	{"tolerance never reached", "version: 1\nregressions:\n  - metric: \"*\"\n    relative: 2 %\n  - ∑metric: rss\n    relative: 3 %\n", `contradicts line 3`},
	{"line off and not", "version: 1\nredlines:\n  built_in: off\n  A100-80GB: ∑70 GB\n", `A100-80GB is given a limit, but built_in is off`},
	{"line at 0", "version: 1\nredlines:\n  A100-80GB: ∑0 B\n", `a line at 0 B is always crossed`},
	{"alias", "version: 1\nfail_on: ∑&a note\n", `have an anchor, alias or tag, which a policy does not use`},
	{"two documents", "version: 1\n---\n∑version: 1\n", `a policy is one document`},
	{"not a mapping", "∑- version\n", `want keys and values, have a list`},
	{"empty", "∑", `the policy is empty`},
	{"a comment only", "∑# nothing\n", `the policy is empty`},
	{"no YAML", "version: 1\nlimits: ∑[\n", `no YAML: `},
}

func TestParseIsStrict(t *testing.T) {
	for _, c := range strict {
		before, after, ok := strings.Cut(c.text, "∑")
		if !ok {
			t.Fatalf("%s: no mark", c.name)
		}
		line := 1 + strings.Count(before, "\n")
		column := len(before) - strings.LastIndex(before, "\n")
		place := fmt.Sprintf("%d:%d ", line, column)
		have := faults(t, before+after)
		if len(have) == 0 || !strings.HasPrefix(have[0], place) || !strings.Contains(have[0], c.want) {
			t.Errorf("%s: %q, want %s%s", c.name, have, place, c.want)
		}
		if len(have) > 1 {
			t.Errorf("%s: more than one fault: %q", c.name, have)
		}
	}
}

func TestParseTellsAllFaults(t *testing.T) {
	have := faults(t, "version: 3\nfail_on: loud\nlimits:\n  - metric: rss\n    max: 5\n  - metrik: pss\n")
	var places []string
	for _, f := range have {
		p, _, _ := strings.Cut(f, " ")
		places = append(places, p)
	}
	if got := strings.Join(places, " "); got != "1:10 2:10 5:10 6:5 6:5 6:5" {
		t.Errorf("%s\n%s", got, strings.Join(have, "\n"))
	}
}

func TestErrorShowsTheLine(t *testing.T) {
	_, err := policy.Parse("p.yaml", []byte("version: 1\nlimits:\n  - metric: rss\n    max: 75G\n"))
	want := "p.yaml:4:10: max: want a size such as 512 MiB, a count, or a share such as 90 % of mem_limit: \"75G\" may mean 75 GB (75000000000 B) or 75 GiB (80530636800 B): write one of them\n        max: 75G\n             ^"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

func TestUnlistedMetricIsAWarning(t *testing.T) {
	p, err := policy.Parse("p.yaml", []byte("version: 1\nlimits:\n  - metric: rsss\n    max: 5 MiB\n"))
	if err != nil || len(p.Warnings()) != 1 || p.Warnings()[0] != `p.yaml:3:13: memtide does not list a metric "rsss"; did you mean "rss"?` {
		t.Errorf("%v %v", err, p.Warnings())
	}
}

func TestParseIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 60000), "braces": strings.Repeat("{a: ", 16000), "lists": strings.Repeat("- ", 30000), "large": strings.Repeat("#\n", 40000),
	} {
		start := time.Now()
		if have := faults(t, text); len(have) != 1 {
			t.Errorf("%s: %.200q", name, have)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s took %s", name, d)
		}
	}
}

// FuzzParse holds that a policy is read or refused with places, in no time, whatever it holds.
func FuzzParse(f *testing.F) {
	for _, c := range strict {
		f.Add(strings.Replace(c.text, "∑", "", 1))
	}
	f.Add(full)
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		p, err := policy.Parse("p.yaml", []byte(text))
		var all policy.Errors
		if (err == nil) == (p == nil) || err != nil && !errors.As(err, &all) {
			t.Fatalf("%v %T", p, err)
		}
		for _, e := range all {
			if e.Line < 1 || e.Column < 1 || e.Message == "" {
				t.Errorf("%+v", e)
			}
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("took %s for %d bytes", d, len(text))
		}
	})
}

const full = `# every key
version: 1
fail_on: critical
on_inconclusive: fail
on_kept: pass
limits:
  - title: budget
    metric: rss
    process: app*
    max: 512 MiB
    min: 1 MiB
    every: 10
    severity: warning
    require: true
  - {metric: gpu_used, device: "*A100*", max: 90 % of gpu_total}
  - {metric: count, scope: handle, name: fds, max: 1000}
  - {metric: pss, category: Native Heap, max: 75.5 GB}
  - {metric: rss, mapping: "*.so", max: 5 MiB}
growth:
  - metric: pss
    process: app
    max: 1 MiB/h
    severity: note
  - {metric: rss, max: 4 MiB, require: off}
  - {metric: footprint, max: 100 KiB/iteration}
  - {metric: count, scope: handle, max: 0.5/min}
regressions:
  - {metric: pss, absolute: 4 MiB, relative: 2.5 %, single_run: 10%}
  - {metric: rss, category: "*", single_run: 20 %}
known:
  - fingerprint: 0123456789012345
    reason: "ticket 5"
    expires: 2030-01-01
redlines:
  built_in: on
  A100-80GB: 78 GB
  L40S-48GB: off
`
