package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// recipe is one of docs/ci: a script, the file that calls it, what the CI system sets, and what the script promises.
type recipe struct {
	name, caller string
	env          []string // {dir} stands for the checkout
	reports      []string // endings of memory/report/memory.*
}

var recipesOfCI = []recipe{
	{"github", "github.yml", []string{"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE={dir}", "GITHUB_STEP_SUMMARY={dir}/../summary.md", "GITHUB_OUTPUT={dir}/../output"},
		[]string{"html", "json.gz", "sarif", "github.txt", "summary.md", "comment.md"}},
	{"gitlab", "gitlab.yml", []string{"GITLAB_CI=true", "CI_PROJECT_DIR={dir}", "CI_DEFAULT_BRANCH=main", "CI_COMMIT_BRANCH=main"},
		[]string{"html", "json.gz", "junit.xml", "codequality.json", "prom", "txt"}},
	{"jenkins", "Jenkinsfile", []string{"JENKINS_URL=x", "WORKSPACE={dir}", "BUILD_NUMBER=7"}, []string{"html", "json.gz", "junit.xml", "txt"}},
}

// build is one build of a program under CI: the runs of both sides, and the exit code it must end with.
type build struct {
	name       string
	base, head []string // folders or files of captures, one a run
	env        []string
	policy     string // docs/ci/memory.yaml if empty
	code       int
}

const (
	passes    = "fixtures/demo/before"
	regresses = "fixtures/demo/after"
)

var builds = []build{
	{name: "pass", base: []string{passes, passes}, head: []string{passes}},
	{name: "regression", base: []string{passes, passes}, head: []string{regresses, regresses}, code: 1},
	{name: "no baseline", head: []string{passes}},
	{name: "no baseline, over a limit", head: []string{regresses}, code: 1},
	{name: "no baseline, though required", head: []string{passes}, env: []string{"MEMTIDE_REQUIRE_BASELINE=1"}, code: 3},
	{name: "much is wrong", base: []string{"calm.csv"}, head: []string{"crowd.csv"}, policy: "version: 1\n", code: 1},
	{name: "nothing captured", base: []string{passes}, code: 3},
	{name: "one capture of two unreadable", base: []string{passes}, head: []string{passes, "fixtures/demo/SOURCE.md"}, code: 3},
	{name: "nothing decided", head: []string{"short.csv"}, policy: "version: 1\n", code: 4},
	{name: "faulty policy", base: []string{passes}, head: []string{passes}, policy: "version: 1\nlimit: 5\n", code: 2},
}

// TestRecipes runs the scripts of docs/ci as each system runs them: in the checkout, in a shell of its own, with its variables.
func TestRecipes(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
	for _, r := range recipesOfCI {
		for _, b := range builds {
			t.Run(r.name+"/"+b.name, func(t *testing.T) {
				t.Parallel()
				dir := b.checkout(t)
				out, code := r.run(t, dir, b.env)
				if code != b.code {
					t.Fatalf("exit code %d, want %d\n%s", code, b.code, out)
				}
				r.check(t, dir, out, b)
			})
		}
	}
}

// checkout lays out what the scripts find: policy, captures, and a report of the build before.
func (b *build) checkout(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	policy := b.policy
	if policy == "" {
		policy = string(read(t, top+"/docs/ci/memory.yaml"))
	}
	put(t, dir+"/memory.yaml", policy)
	put(t, dir+"/memory/report/memory.html", "of an earlier build")
	put(t, dir+"/memory/report/memory.junit.xml", "of an earlier build")
	for side, runs := range map[string][]string{"base": b.base, "head": b.head} {
		for i, from := range runs {
			into := fmt.Sprintf("%s/memory/%s/run-%d", dir, side, i+1)
			switch text, made := madeUp[from]; {
			case made:
				put(t, into+"/"+from, text())
			case strings.HasSuffix(from, ".md"):
				put(t, into+"/notes.md", string(read(t, top+"/"+from)))
			default:
				if err := os.CopyFS(into, os.DirFS(top+"/"+from)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return dir
}

// madeUp are captures that no fixture has: 400 processes at rest, the same of which all grow, and one of two samples.
var madeUp = map[string]func() string{
	"calm.csv":  func() string { return crowd(400, 10, 0) },
	"crowd.csv": func() string { return crowd(400, 10, 2048) },
	"short.csv": func() string { return crowd(1, 2, 0) },
}

func crowd(processes, samples, growth int) string {
	var b strings.Builder
	b.WriteString("time_s,process,rss_kb\n")
	for k := range samples {
		for p := range processes {
			fmt.Fprintf(&b, "%d,%s%d,%d\n", k, strings.Repeat("com.example.service.", 8), p, 20_000+growth*k+(k*7+p*3)%5*4)
		}
	}
	return b.String()
}

func (r *recipe) run(t *testing.T, dir string, env []string) (string, int) {
	t.Helper()
	script, err := filepath.Abs(top + "/docs/ci/" + r.name + ".sh")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", script)
	c.Dir = filepath.Dir(dir) // the scripts find the checkout by themselves
	c.Env = os.Environ()
	for _, v := range slices.Concat(r.env, env) {
		c.Env = append(c.Env, strings.ReplaceAll(v, "{dir}", dir))
	}
	out, err := c.CombinedOutput()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return string(out), failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

// check holds what the script left behind against what it promises.
func (r *recipe) check(t *testing.T, dir, out string, b build) {
	t.Helper()
	judged := b.code != 2 && b.code != 3
	var want []string
	for _, ending := range r.reports {
		if judged {
			want = append(want, "memory."+ending)
		}
	}
	slices.Sort(want)
	if have := names(t, dir+"/memory/report"); !slices.Equal(have, want) {
		t.Fatalf("reports %q, want %q\n%s", have, want, out)
	}
	for _, name := range want {
		for ending, well := range wellFormed {
			if strings.HasSuffix(name, ending) {
				if err := well(read(t, dir+"/memory/report/"+name), b.code); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	if said := strings.Contains(strings.ToLower(out), "no baseline in memory/base"); said != (len(b.base) == 0) {
		t.Errorf("of a missing baseline it says %v:\n%s", said, out)
	}
	switch r.name {
	case "github":
		checkGitHub(t, dir, out, b, judged)
	case "gitlab":
		checkBaseline(t, dir, b)
	}
}

// checkGitHub looks at what the runner takes from a step: its log, its summary and its outputs.
func checkGitHub(t *testing.T, dir, out string, b build, judged bool) {
	t.Helper()
	if errs, warnings := strings.Count(out, "\n::error "), strings.Count(out, "\n::warning "); errs > 10 || warnings > 10 || b.code != 0 && b.code != 4 && !strings.Contains(out, "::error ") {
		t.Errorf("%d errors and %d warnings in the log:\n%s", errs, warnings, out)
	}
	if judged && !strings.Contains(out, string(read(t, dir+"/memory/report/memory.github.txt"))) {
		t.Errorf("the log has not the annotations:\n%s", out)
	}
	if b.name == "much is wrong" && (strings.Count(out, "::error ") != 10 || !bytes.Contains(read(t, dir+"/memory/report/memory.comment.md"), []byte("**Left out for length:**"))) {
		t.Error("there is so much wrong that annotations and comment must be cut, and they are not")
	}
	summary := read(t, dir+"/../summary.md")
	if len(summary) == 0 || len(summary) > 1<<20 || judged && !bytes.Equal(summary, read(t, dir+"/memory/report/memory.summary.md")) {
		t.Errorf("a summary of %d bytes", len(summary))
	}
	want := fmt.Sprintf("code=%d\nbaseline=%s\n", b.code, map[bool]string{true: "yes", false: "no"}[len(b.base) > 0])
	if have := string(read(t, dir+"/../output")); have != want {
		t.Errorf("outputs %q, want %q", have, want)
	}
}

// checkBaseline: on the default branch a build that passes is the new baseline, any other leaves it as it was.
func checkBaseline(t *testing.T, dir string, b build) {
	t.Helper()
	want := len(b.base)
	if b.code == 0 {
		want = len(b.head)
	}
	if have := names(t, dir+"/memory/base"); len(have) != want {
		t.Errorf("the baseline has %q, want %d runs", have, want)
	}
}

var (
	annotated = regexp.MustCompile(`^(::(error|warning|notice) [^\n]*\n)+$`)
	outside   = regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:)?//`)
)

// wellFormed says of each ending what a system asks of such a file.
var wellFormed = map[string]func(text []byte, code int) error{
	"html": func(text []byte, _ int) error {
		return unless(bytes.HasPrefix(bytes.ToLower(text), []byte("<!doctype html>")) && !outside.Match(text) && len(text) < 2<<20, "no page that stands alone in 2 MB")
	},
	"json.gz": func(text []byte, code int) error {
		var r struct{ Verdict string }
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err == nil {
			err = json.NewDecoder(z).Decode(&r)
		}
		return errors.Join(err, unless((r.Verdict == "pass") == (code == 0) && (r.Verdict == "fail") == (code == 1), "verdict "+r.Verdict))
	},
	"sarif": func(text []byte, code int) error {
		var s struct {
			Version string
			Runs    []struct{ Results []struct{ Level string } }
		}
		err := json.Unmarshal(text, &s)
		return errors.Join(err, unless(err != nil || s.Version == "2.1.0" && len(s.Runs) == 1 && (code != 1 || len(s.Runs[0].Results) > 0) && len(s.Runs[0].Results) <= 25_000, "no such run"))
	},
	"github.txt": func(text []byte, _ int) error {
		errs, warnings := bytes.Count(text, []byte("::error ")), bytes.Count(text, []byte("::warning "))
		return unless(annotated.Match(text) && errs <= 10 && warnings <= 10, fmt.Sprintf("%d errors, %d warnings:\n%s", errs, warnings, text))
	},
	"summary.md": func(text []byte, _ int) error { return unless(len(text) <= 1<<20, "over 1 MiB") },
	"comment.md": func(text []byte, _ int) error {
		return unless(len(text) <= 64<<10 && bytes.HasPrefix(text, []byte("<!-- memtide -->\n")), fmt.Sprintf("%d bytes, or no mark", len(text)))
	},
	"junit.xml": func(text []byte, code int) error {
		var s struct {
			Suites []struct {
				Failures int `xml:"failures,attr"`
				Cases    []struct {
					Name string `xml:"name,attr"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		err, failures, cases := xml.Unmarshal(text, &s), 0, 0
		for _, suite := range s.Suites {
			failures, cases = failures+suite.Failures, cases+len(suite.Cases)
		}
		return errors.Join(err, unless(cases > 0 && (failures > 0) == (code == 1), fmt.Sprintf("%d failures in %d cases", failures, cases)))
	},
	"codequality.json": func(text []byte, code int) error {
		var all []struct {
			Description, Fingerprint, Severity string
			Check                              string `json:"check_name"`
			Location                           struct {
				Path  string
				Lines struct{ Begin int }
			}
		}
		err, seen := json.Unmarshal(text, &all), map[string]bool{}
		for _, v := range all {
			if v.Description == "" || v.Check == "" || seen[v.Fingerprint] || filepath.IsAbs(v.Location.Path) || v.Location.Lines.Begin < 1 {
				err = errors.Join(err, fmt.Errorf("%+v", v))
			}
			seen[v.Fingerprint] = true
		}
		return errors.Join(err, unless(code != 1 || len(all) > 0, "nothing is wrong"))
	},
	"prom": func(text []byte, _ int) error {
		return unless(bytes.HasSuffix(text, []byte("\n# EOF\n")) && bytes.Contains(text, []byte("mem_verdict")), "no end, or no verdict")
	},
	"memory.txt": func(text []byte, _ int) error { return unless(len(text) > 0, "empty") },
}

func unless(ok bool, what string) error {
	if ok {
		return nil
	}
	return errors.New(what)
}

// TestCapture takes two runs of a program with docs/ci/capture.sh and sends them through a recipe, first without a baseline,
// then as a baseline of their own.
func TestCapture(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/PID/smaps here")
	}
	b := build{}
	dir := b.checkout(t)
	capture := func(args ...string) error {
		script, err := filepath.Abs(top + "/docs/ci/capture.sh")
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("sh", append([]string{script}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		t.Logf("%s", out)
		return err
	}
	put(t, dir+"/memory/head/run-9/smaps-1-1.txt", "of an earlier build")
	if err := capture("memory/head", "2", "0.1", "sleep", "1"); err != nil {
		t.Fatal(err)
	}
	if runs := names(t, dir+"/memory/head"); !slices.Equal(runs, []string{"run-1", "run-2"}) {
		t.Fatalf("runs %q", runs)
	}
	for _, run := range []string{"run-1", "run-2"} {
		if files := names(t, dir+"/memory/head/"+run); len(files) < 2 {
			t.Errorf("%s has %q", run, files)
		}
	}
	gitlab := &recipesOfCI[1]
	for _, want := range []string{"no baseline", "runs are the baseline now"} {
		if out, code := gitlab.run(t, dir, nil); code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, out)
		}
	}
	if capture("memory/head", "1", "0.1", "false") == nil || capture("memory/head", "1", "0.1", "sh", "-c", "sleep 0.5; exit 3") == nil {
		t.Error("a program that fails gives a capture")
	}
}

var (
	reportName = regexp.MustCompile(`memory/report/memory\.([a-z.]*[a-z])`)
	linked     = regexp.MustCompile(`\]\(([^)#:]+)\)`)
)

// TestCallers: the files that call the scripts are YAML, name scripts and reports that there are, and what they run is shell.
func TestCallers(t *testing.T) {
	for _, r := range recipesOfCI {
		text := string(read(t, top+"/docs/ci/"+r.caller))
		for _, m := range reportName.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(r.reports, m[1]) {
				t.Errorf("%s: %s.sh writes no memory.%s", r.caller, r.name, m[1])
			}
		}
		for _, call := range []string{"sh ci/capture.sh memory/head ", "sh ci/" + r.name + ".sh"} {
			if !strings.Contains(text, call) {
				t.Errorf("%s does not call %q", r.caller, call)
			}
		}
		if !strings.HasSuffix(r.caller, ".yml") {
			if strings.Count(text, "{") != strings.Count(text, "}") || strings.Count(text, "(") != strings.Count(text, ")") {
				t.Errorf("%s: brackets do not pair", r.caller)
			}
			continue
		}
		var doc map[string]any
		if err := yaml.UnmarshalWithOptions([]byte(text), &doc, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", r.caller, err)
		}
		commands := commandsOf(doc)
		if len(commands) < 3 {
			t.Fatalf("%s runs only %q", r.caller, commands)
		}
		for _, c := range commands {
			if out, err := exec.Command("sh", "-n", "-c", c).CombinedOutput(); err != nil && !errors.Is(err, exec.ErrNotFound) {
				t.Errorf("%s: %v %s\n%s", r.caller, err, out, c)
			}
		}
	}
}

// commandsOf finds what a workflow runs: the values of run and script, at any depth.
func commandsOf(v any) (out []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			text, is := value.(string)
			list, isList := value.([]any)
			switch {
			case key == "run" && is:
				out = append(out, text)
			case key == "script" && isList:
				for _, line := range list {
					out = append(out, fmt.Sprint(line))
				}
			default:
				out = append(out, commandsOf(value)...)
			}
		}
	case []any:
		for _, value := range v {
			out = append(out, commandsOf(value)...)
		}
	}
	return out
}

// TestLinksOfCI: what docs/ci.md points to is there, and it points to every file of docs/ci.
func TestLinksOfCI(t *testing.T) {
	var have []string
	for _, m := range linked.FindAllStringSubmatch(string(read(t, top+"/docs/ci.md")), -1) {
		if _, err := os.Stat(top + "/docs/" + m[1]); err != nil {
			t.Error(err)
		}
		have = append(have, m[1])
	}
	for _, name := range names(t, top+"/docs/ci") {
		if !slices.Contains(have, "ci/"+name) {
			t.Errorf("docs/ci.md does not name ci/%s", name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// names lists a folder; none if it is not there.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}
