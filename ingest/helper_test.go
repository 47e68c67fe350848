package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/memtide/memtide/ingest/table"
)

// smapsOf is a small process whose heap has a size in kB.
func smapsOf(kb int) string {
	var w strings.Builder
	for _, m := range []struct {
		header string
		kb     int
	}{{"55d000000000-55d000400000 rw-p 00000000 00:00 0                          [heap]", kb}, {"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]", 12}} {
		fmt.Fprintln(&w, m.header)
		for _, f := range []string{"Size", "Rss", "Pss", "Private_Dirty"} {
			fmt.Fprintf(&w, "%-15s %8d kB\n", f+":", m.kb)
		}
		for _, f := range []string{"Shared_Clean", "Shared_Dirty", "Private_Clean"} {
			fmt.Fprintf(&w, "%-15s %8d kB\n", f+":", 0)
		}
		fmt.Fprintln(&w, "VmFlags: rd wr mr mw me ac")
	}
	return w.String()
}

// logOf is a log of n samples, ten seconds apart.
func logOf(n int) string {
	var w strings.Builder
	for i := range n {
		fmt.Fprintf(&w, "### %d pid=7\n%s", 1795951515+10*i, smapsOf(100+i))
	}
	return w.String()
}

const csvText = "time_s,rss_kb\n0,100\n1,200\n2,300\n"

// tree writes files below a new folder and goes there, so that names are relative.
func tree(t testing.TB, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		folder := strings.HasSuffix(name, "/")
		if !folder {
			p = filepath.Dir(p)
		}
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder {
			continue
		}
		p = filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func gz(t testing.TB, text string) string {
	var w bytes.Buffer
	z := gzip.NewWriter(&w)
	mustWrite(t, z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func zst(t testing.TB, text string) string {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(e.EncodeAll([]byte(text), nil))
}

func zipOf(t testing.TB, members ...string) string {
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for i := 0; i < len(members); i += 2 {
		f, err := z.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, f, members[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func tarOf(t testing.TB, members ...string) string {
	var w bytes.Buffer
	z := tar.NewWriter(&w)
	for i := 0; i < len(members); i += 2 {
		if err := z.WriteHeader(&tar.Header{Name: members[i], Mode: 0o644, Size: int64(len(members[i+1])), Format: tar.FormatPAX}); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, z, members[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func mustWrite(t testing.TB, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// within fails a test that hangs.
func within[T any](t testing.TB, d time.Duration, do func() T) T {
	t.Helper()
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case v := <-done:
		return v
	case <-time.After(d):
		t.Fatalf("no answer in %v", d)
		panic("unreachable")
	}
}

type loaded struct {
	runs []*Run
	err  error
}

func load(t testing.TB, o Options, args ...string) loaded {
	t.Helper()
	return within(t, 20*time.Second, func() loaded { r, err := Load(args, o); return loaded{r, err} })
}

// say tells runs in words: name[inputs] rss of the process over time, problems, error.
func (l loaded) say() string {
	var w strings.Builder
	for _, r := range l.runs {
		fmt.Fprintf(&w, "%s [", r.Name)
		for i, in := range r.Inputs {
			if i > 0 {
				w.WriteByte(' ')
			}
			fmt.Fprintf(&w, "%s:%s", in.Path, in.Format)
		}
		fmt.Fprintf(&w, "] %s", r.Set.Clock)
		for _, s := range table.SeriesOf(r.Set) {
			if s.Scope == "process" && s.Metric == "rss" {
				fmt.Fprintf(&w, " %v", kib(s.Value))
			}
		}
		w.WriteByte('\n')
		for _, p := range r.Set.Problems() {
			fmt.Fprintf(&w, "  problem %s\n", p)
		}
	}
	if l.err != nil {
		fmt.Fprintf(&w, "error %v\n", l.err)
	}
	return w.String()
}

func kib(bytes []int64) []int64 {
	out := make([]int64, len(bytes))
	for i, b := range bytes {
		out[i] = b >> 10
	}
	return out
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if want = strings.TrimLeft(want, "\n"); got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}
