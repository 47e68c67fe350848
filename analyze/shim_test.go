//go:build linux

package analyze

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shop builds and runs what lies in fixtures/make/shim, in a folder of its own.
type shop struct {
	t        *testing.T
	gcc, dir string
}

func newShop(t *testing.T) shop {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not here")
	}
	return shop{t, gcc, t.TempDir()}
}

func (s shop) run(env []string, name string, args ...string) {
	s.t.Helper()
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), env...)
	if text, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
}

func (s shop) at(name string) string { return filepath.Join(s.dir, name) }

func (s shop) in(name string) string { return filepath.Join("..", "fixtures", "make", "shim", name) }

func (s shop) build(args ...string) {
	s.t.Helper()
	s.run(nil, s.gcc, slices.Concat([]string{"-Wall", "-Wextra", "-Werror", "-O1", "-fno-builtin", "-pthread"}, args)...)
}

// TestShimAndHooks builds the preloaded library and the hooks of fixtures/make/shim, lets a program with a leak write its events
// through each, and finds the leak, its line, and what was used behind its end.
func TestShimAndHooks(t *testing.T) {
	w := newShop(t)
	run, build, at, in := w.run, w.build, w.at, w.in
	const rounds = "4000" // a second: a machine that is busy elsewhere holds it up by a part of that only

	build("-fPIC", "-shared", "-o", at("preload.so"), in("preload.c"), "-ldl")
	build("-rdynamic", "-o", at("leaky"), in("leaky.c"))
	run([]string{"MEMTIDE_EVENTS=" + at("preload.ndjson"), "LD_PRELOAD=" + at("preload.so")}, at("leaky"), rounds)
	build("-DMEMTIDE_WRAP", "-include", in("hooks.h"), "-c", "-o", at("hooked.o"), in("leaky.c"))
	build("-o", at("hooked"), at("hooked.o"), in("hooks.c"))
	run([]string{"MEMTIDE_EVENTS=" + at("hooks.ndjson")}, at("hooked"), rounds)

	for file, want := range map[string][]string{"preload.ndjson": {"leaked keep_page"}, "hooks.ndjson": {"leaked keep_page", "use-after-free handler"}} {
		r := One([]Capture{read(t, false, at(file))}, Defaults())
		var got []string
		for _, f := range r.Findings {
			if f.Severity != "note" {
				got = append(got, f.Rule+" "+f.Subject.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", file, got, want)
		}
		f := r.Findings[0]
		if f.Stats["objects"] != 4000 || f.Stats["bytes"] != 4000*96 || f.Subject.Process == "" {
			t.Errorf("%s: %+v", file, f)
		}
		if file == "hooks.ndjson" && !strings.HasSuffix(f.Stack[0], "leaky.c:14") {
			t.Errorf("%s: the stack begins with %s", file, f.Stack[0])
		}
		if len(r.Problems) > 0 {
			t.Errorf("%s: %+v", file, r.Problems)
		}
	}
}

// TestShimOfThreads lets a program whose threads share objects write its log: with the hooks every case in which the end does not wait
// for the uses is told, and no other; preloaded, what orders its threads is in the log too.
func TestShimOfThreads(t *testing.T) {
	s := newShop(t)
	s.build("-DMEMTIDE_WRAP", "-include", s.in("hooks.h"), "-c", "-o", s.at("hooked.o"), s.in("races.c"))
	s.build("-DMEMTIDE_SYNC", "-o", s.at("hooked"), s.at("hooked.o"), s.in("hooks.c"), "-ldl")
	s.build("-o", s.at("plain"), s.in("races.c"))
	s.build("-fPIC", "-shared", "-o", s.at("preload.so"), s.in("preload.c"), "-ldl")
	cases := []string{"join", "semaphore", "condition", "mutex", "rwlock", "barrier", "atomic_flag", "atomic_count", "locked_count", "race_nothing", "race_flag", "race_two_locks", "race_early_post", "race_late_use"}
	for _, name := range cases {
		s.run([]string{"MEMTIDE_EVENTS=" + s.at(name)}, s.at("hooked"), name, "10")
		text, err := os.ReadFile(s.at(name))
		if err != nil {
			t.Fatal(err)
		}
		got, r := racesOf(t, text)
		if racy := strings.HasPrefix(name, "race_"); racy != (len(got) > 0) || racy && !strings.Contains(strings.Join(got, " "), "racy-release") && !strings.Contains(strings.Join(got, " "), "unordered") || len(r.Problems) > 0 {
			t.Errorf("%s: %q, %+v", name, got, r.Problems)
		}
	}
	s.run([]string{"MEMTIDE_EVENTS=" + s.at("preloaded"), "MEMTIDE_SYNC=1", "LD_PRELOAD=" + s.at("preload.so")}, s.at("plain"), "condition", "50")
	text, err := os.ReadFile(s.at("preloaded"))
	for _, op := range []string{"fork", "begin", "lock", "unlock", "signal", "wait", "join"} {
		if err != nil || !strings.Contains(string(text), `"op":"`+op+`"`) {
			t.Errorf("no %s in what was preloaded: %v", op, err)
		}
	}
	if got, r := racesOf(t, text); len(got) > 0 || len(r.Problems) > 0 {
		t.Errorf("preloaded: %q, %+v", got, r.Problems)
	}
}
