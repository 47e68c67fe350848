package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrote runs compare over the demonstration and gives the output, with what was said.
func wrote(t *testing.T, name string, flags ...string) (path, said string, code int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	var errs bytes.Buffer
	args := append([]string{"memtide", "compare", "--before", top + "/fixtures/demo/before", "--after", top + "/fixtures/demo/after", "-o", path}, flags...)
	code = run(args, strings.NewReader(""), io.Discard, &errs)
	return path, errs.String(), code
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestStaticPageHasNoScript(t *testing.T) {
	path, _, _ := wrote(t, "a.html", "--static")
	if page := content(t, path); strings.Contains(page, "<script") || strings.Contains(page, "script-src") || len(page) > 600_000 {
		t.Errorf("%d bytes with a script", len(page))
	}
	path, _, _ = wrote(t, "a.html")
	if page := content(t, path); !strings.Contains(page, "<script>") || !strings.Contains(page, "script-src 'sha256-") && !strings.Contains(page, "script-src &#39;sha256-") {
		t.Error("no script, or no hash of it")
	}
}

// The archive holds the page under its own name, and is the same every time.
func TestZip(t *testing.T) {
	path, said, code := wrote(t, "ticket-7.zip", "--static")
	again, _, _ := wrote(t, "ticket-7.zip", "--static")
	if code != 0 || content(t, path) != content(t, again) {
		t.Fatalf("exit code %d, or two archives differ: %s", code, said)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if len(z.File) != 1 || z.File[0].Name != "ticket-7.html" {
		t.Fatalf("%v", z.File)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(f)
	plain, _, _ := wrote(t, "ticket-7.html", "--static")
	if err != nil || string(page) != content(t, plain) {
		t.Errorf("not the page: %v", err)
	}
}

// A page with its data stands for its captures, as the JSON does; one without says why it cannot.
func TestPagesAreReadAgain(t *testing.T) {
	whole, _, _ := wrote(t, "r.json")
	want := verdictOf(t, whole)
	for _, name := range []string{"r.html", "r.zip"} {
		path, said, code := wrote(t, name, "--embed-data")
		if code != 0 {
			t.Fatalf("%s: %s", name, said)
		}
		if got := verdictOf(t, path); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		path, _, _ = wrote(t, name)
		var errs bytes.Buffer
		if code := run([]string{"memtide", "compare", "--before", path, "--after", whole}, nil, io.Discard, &errs); code != exitInput || !strings.Contains(errs.String(), "--embed-data can be read again") {
			t.Errorf("%s without data: exit code %d, %s", name, code, errs.String())
		}
	}
	path, _, _ := wrote(t, "r.html", "--embed-data")
	page := content(t, path)
	at := strings.Index(page, string(resultStart)) + len(resultStart)
	for _, damaged := range []string{page[:at+100], page[:at+9] + "!" + page[at+10:], page[:at] + "AAAA" + page[at+4:]} {
		if err := os.WriteFile(path, []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		if code := run([]string{"memtide", "compare", "--before", path, "--after", whole}, strings.NewReader(""), io.Discard, &errs); code != exitInput || !strings.Contains(errs.String(), "r.html: the ") {
			t.Errorf("damaged: exit code %d, %s", code, errs.String())
		}
	}
}

// verdictOf is what a report says when it is compared with itself.
func verdictOf(t *testing.T, path string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run([]string{"memtide", "compare", "--before", path, "--after", path}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return strings.ReplaceAll(out.String(), filepath.Base(path), "FILE")
}

func TestMaxSize(t *testing.T) {
	path, _, code := wrote(t, "a.html", "--max-size", "200 kB")
	if page := content(t, path); code != 0 || len(page) > 200_000 || !strings.Contains(page, "Left out of this file") {
		t.Errorf("exit code %d, %d bytes", code, len(page))
	}
	for size, want := range map[string]string{"lots": "want a size", "-5 MB": "want a size", "10": "at least 32 KiB", "1e30 GB": "want a size"} {
		if _, said, code := wrote(t, "a.html", "--max-size", size); code != 2 || !strings.Contains(said, want) {
			t.Errorf("--max-size %s: exit code %d, %s", size, code, said)
		}
	}
	path, said, code := wrote(t, "a.html", "--max-size", "33 KiB")
	if _, err := os.Stat(path); err == nil || code != exitInput || !strings.Contains(said, "at most 33792 are allowed") {
		t.Errorf("exit code %d, %v, %s", code, err, said)
	}
}

func TestPageSizes(t *testing.T) {
	for text, want := range map[string]int{"8 MB": 8_000_000, "8MB": 8_000_000, "512 KiB": 512 << 10, "1.5 MiB": 3 << 19, "4096": 4096, "4096 B": 4096, "2 GB": 2_000_000_000} {
		if got, ok := pageSize(text); !ok || got != want {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
}
