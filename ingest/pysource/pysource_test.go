package pysource_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/pysource"
)

const program = `import torch  # 1

KEEP = []

def fill(
    n=3,  # 6
):
    """Text with def inner(): in it,
    and 'quotes' (brackets [
    """
    KEEP.append(
        bytearray(
            1000 * n,  # 13
        )
    )  # 15
    for i in range(n): KEEP.append(i)

class Cache(dict):
    @property
    async def insert(self, key):
        if key:
            x = "a#b" + \
                f"{key!r:>{self['w']}} {'}'}" + f'{key["x"]}'
            return x

        def inner(): return [0] * 10
	
        return inner()  # 28
    other = lambda self: KEEP

done = [fill(), r"\"]", b'(']
`

func source(t testing.TB, files map[string]string) *pysource.Sources {
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := pysource.New([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStatements: a line leads to the function and to the whole statement that covers it.
func TestStatements(t *testing.T) {
	for ending, text := range map[string]string{"LF": program, "CR LF": strings.ReplaceAll(program, "\n", "\r\n")} {
		s := source(t, map[string]string{"app/main.py": text})
		for line, want := range map[int]string{
			1:  "<module>, line 1: import torch",
			6:  "<module>, lines 5 to 7: def fill(n=3,):",
			9:  `fill, lines 8 to 10: """Text with def inner(): in it,`,
			13: "fill, lines 11 to 15: KEEP.append(bytearray(1000 * n,))",
			15: "fill, lines 11 to 15: KEEP.append(bytearray(1000 * n,))",
			16: "fill, line 16: for i in range(n): KEEP.append(i)",
			23: `Cache.insert, lines 22 to 23: x = "a#b" + f"{key!r:>{self['w']}} {'}'}" + f'{key["x"]}'`,
			24: "Cache.insert, line 24: return x",
			26: "Cache.insert.inner, line 26: def inner(): return [0] * 10",
			28: "Cache.insert, line 28: return inner()",
			29: "Cache, line 29: other = lambda self: KEEP",
			31: `<module>, line 31: done = [fill(), r"\"]", b'(']`,
		} {
			got := s.At("/somewhere/else/app/main.py", line, -1, 0)
			if len(got) < 3 || !strings.HasPrefix(got[0], want) {
				t.Errorf("%s, line %d: %q, want %s", ending, line, got, want)
			}
		}
		for _, line := range []int{0, 2, 25, 33, 1 << 30} {
			if got := s.At("main.py", line, -1, 0); got != nil {
				t.Errorf("line %d: %q", line, got)
			}
		}
	}
}

// TestQuoted: three lines, the one asked for marked; with columns the expression in place of the statement.
func TestQuoted(t *testing.T) {
	s := source(t, map[string]string{"main.py": program})
	got := strings.Join(s.At("main.py", 16, 23, 37), "\n")
	want := "fill, line 16: KEEP.append(i)\n  15      )  # 15\n> 16      for i in range(n): KEEP.append(i)\n  17  "
	if got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	if got := s.At("main.py", 16, 30, 1000); got == nil || !strings.HasPrefix(got[0], "fill, line 16: for i") {
		t.Errorf("columns behind the end of the line: %q", got)
	}
}

// TestWhichFile: the file with most of the path in common; of two that fit equally none.
func TestWhichFile(t *testing.T) {
	s := source(t, map[string]string{"a/util.py": "a = 1\n", "b/util.py": "b = 1\n", "src/b/deep.py": "deep = 1\n"})
	for name, want := range map[string]string{"/srv/b/util.py": "b = 1", `C:\x\a\util.py`: "a = 1", "util.py": "", "/usr/lib/none.py": "", "/x/deep.py": "deep = 1"} {
		got := strings.Join(s.At(name, 1, -1, 0), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// FuzzAt: any text has statements that lie in it, in order.
func FuzzAt(f *testing.F) {
	f.Add(program, 13)
	f.Add("def f(:\n '''", 2)
	f.Add("x = f\"{\n\"\"\"\\", 1)
	f.Fuzz(func(t *testing.T, text string, line int) {
		s := source(t, map[string]string{"x.py": text})
		got := s.At("x.py", line, -1, 0)
		if n := strings.Count(text, "\n") + 1; got != nil && (line < 1 || line > n || len(got) < 2 || len(got) > 4) {
			t.Errorf("line %d of %d: %q", line, n, got)
		}
	})
}
