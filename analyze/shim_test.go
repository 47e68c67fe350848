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

// TestShimAndHooks builds the preloaded library and the hooks of fixtures/make/shim, lets a program with a leak write its events
// through each, and finds the leak, its line, and what was used behind its end.
func TestShimAndHooks(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not here")
	}
	src, dir := filepath.Join("..", "fixtures", "make", "shim"), t.TempDir()
	run := func(env []string, name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), env...)
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	in := func(name string) string { return filepath.Join(src, name) }
	flags := []string{"-Wall", "-Wextra", "-Werror", "-O1", "-fno-builtin", "-pthread"}
	build := func(args ...string) { t.Helper(); run(nil, gcc, slices.Concat(flags, args)...) }

	build("-fPIC", "-shared", "-o", at("preload.so"), in("preload.c"), "-ldl")
	build("-rdynamic", "-o", at("leaky"), in("leaky.c"))
	run([]string{"MEMTIDE_EVENTS=" + at("preload.ndjson"), "LD_PRELOAD=" + at("preload.so")}, at("leaky"))
	build("-DMEMTIDE_WRAP", "-include", in("hooks.h"), "-c", "-o", at("hooked.o"), in("leaky.c"))
	build("-o", at("hooked"), at("hooked.o"), in("hooks.c"))
	run([]string{"MEMTIDE_EVENTS=" + at("hooks.ndjson")}, at("hooked"))

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
		if f.Stats["objects"] != 400 || f.Stats["bytes"] != 400*96 || f.Subject.Process == "" {
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
