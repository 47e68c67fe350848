package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// jenkins is the policy under which Jenkins shows the files of a build: no script, no style but from files of its own.
const jenkins = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';"

// noScripts runs no script but lets the page have its style. (A browser whose scripts are switched off by a flag can
// neither print its document nor take a picture.)
const noScripts = "sandbox"

// browser is the first Chromium on this machine; the test is skipped if there is none.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium on this machine: `make test` installs it")
	return ""
}

// view opens an address in a browser without a window and gives what it printed: the rendered document, and its log.
func view(t *testing.T, url string, flags ...string) (dom, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,2000", "--user-data-dir=" + t.TempDir(),
		"--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000"}, flags...)
	cmd := exec.CommandContext(ctx, browser(t), append(args, url)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", url, err, errs.String())
	}
	return out.String(), errs.String()
}

// demo is the page of the demonstration, made by the program's own command line.
func demo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.html")
	var errs bytes.Buffer
	args := []string{"memtide", "compare", "--before", "../../fixtures/demo/before", "--after", "../../fixtures/demo/after", "-o", path}
	if code := run(args, nil, io.Discard, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return path
}

// site serves one page on this machine and notes what else is asked for.
func site(t *testing.T, page []byte, policy string) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var others []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/report.html" {
			if r.URL.Path != "/favicon.ico" { // the browser's own wish, not the page's
				mu.Lock()
				others = append(others, r.URL.Path)
				mu.Unlock()
			}
			http.NotFound(w, r)
			return
		}
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/report.html", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return others
	}
}

var console = regexp.MustCompile(`(?m)^.*(CONSOLE|Refused to|net::ERR).*$`)

// kept is how the browser says that a policy kept a style or script away.
var kept = regexp.MustCompile(`Content Security Policy|Blocked script execution|sandboxed`)

// TestPage opens the report as its readers do: from a disk, from a server, where scripts are off, and in Jenkins.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser(t)
	path := demo(t)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, policy string
		blocked      bool // the policy keeps the page's own style or script away, and the browser says so
	}{
		{name: "scripts on"},
		{name: "scripts off", policy: noScripts, blocked: true},
		{name: "jenkins", policy: jenkins, blocked: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, asked := site(t, page, c.policy)
			dom, log := view(t, url, "--dump-dom")
			saysVerdict(t, dom)
			if got := asked(); len(got) > 0 {
				t.Errorf("the page asked for %q", got)
			}
			for _, line := range console.FindAllString(log, -1) {
				if !(c.blocked && kept.MatchString(line)) {
					t.Errorf("console: %s", line)
				}
			}
		})
	}
	t.Run("from disk", func(t *testing.T) {
		dom, log := view(t, "file://"+path, "--dump-dom")
		saysVerdict(t, dom)
		if lines := console.FindAllString(log, -1); len(lines) > 0 {
			t.Errorf("console: %s", lines)
		}
	})
}

// saysVerdict looks for what the first screen must answer.
func saysVerdict(t *testing.T, dom string) {
	t.Helper()
	for _, want := range []string{`Memory got worse`, `<table`, `>rss<`, `>pss<`, `regression`, `95 % interval`, `<svg`} {
		if !strings.Contains(dom, want) {
			t.Errorf("the rendered page has no %s", want)
		}
	}
}

// TestPageIsDrawn looks at the picture: something is drawn, with scripts and style and without. MEMTIDE_SCREENSHOTS names
// a folder in which the pictures stay, to be looked at.
func TestPageIsDrawn(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser(t)
	page, err := os.ReadFile(demo(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, policy, flag string }{
		{name: "scripts-on"}, {name: "scripts-off", policy: noScripts}, {name: "jenkins", policy: jenkins}, {name: "dark", flag: "--blink-settings=preferredColorScheme=0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := site(t, page, c.policy)
			png := filepath.Join(t.TempDir(), c.name+".png")
			if dir := os.Getenv("MEMTIDE_SCREENSHOTS"); dir != "" {
				png = filepath.Join(dir, c.name+".png")
			}
			flags := []string{"--screenshot=" + png}
			if c.flag != "" {
				flags = append(flags, c.flag)
			}
			view(t, url, flags...)
			if n := colours(t, png); n < 8 {
				t.Errorf("the picture has %d colours: nothing was drawn", n)
			}
		})
	}
}
