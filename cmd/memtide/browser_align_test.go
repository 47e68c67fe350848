package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/report/html"
)

// scenario writes a series of a process that starts for so many seconds, and then repeats a step, so many kB more each time.
func scenario(t *testing.T, path string, warm, round float64, grows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("time_s,iteration,rss_kb,pss_kb,mark\n")
	marks := map[float64]string{0: "begin", warm: "login", warm + 120: "logout"}
	for i := range 600 {
		at, n, kb := float64(i)/2, "", 100_000+int(20_000*min(1, float64(i)/2/warm))
		if at >= warm {
			k := int((at-warm)/round) + 1
			n, kb = fmt.Sprint(k), kb+k*grows
		}
		fmt.Fprintf(&b, "%g,%s,%d,%d,%s\n", at, n, kb+i%7*40, kb*4/5+i%5*30, marks[at])
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// scenarios is the page of a scenario that began to grow, and takes longer to start and for each step.
func scenarios(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "scenario.html")
	args := append([]string{"memtide", "compare", "--before", scenario(t, filepath.Join(dir, "before.csv"), 10, 2, 0),
		"--after", scenario(t, filepath.Join(dir, "after.csv"), 25, 3, 60), "-o", out}, flags...)
	var errs strings.Builder
	if code := run(args, nil, io.Discard, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return out
}

// pick chooses in the first chart's list.
const pick = `{const s = document.querySelector("figure .tools select"); s.value = %q; s.dispatchEvent(new Event("change"))}`

// said is what the first chart says of its axis to those who do not see it: where its lines and marks are.
const said = `document.querySelector("figure .live").getAttribute("aria-description")`

// Charts are aligned at what both sides have, from the tools of a chart, by keys, and by a link.
func TestChartsAlign(t *testing.T) {
	if !html.Charts() {
		t.Skip("this build has no ECharts: `make charts` brings it")
	}
	b := liveTab(t)
	path := scenarios(t)
	live(t, b, path)
	shows := func(step, script, want string) {
		t.Helper()
		b.wait("the first chart is drawn", `document.querySelector("figure.on canvas") !== null`)
		if got := b.do(script); got != want {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	const (
		start   = "aligned at start; before from 1 s to 4.992 min; after from 1 s to 4.992 min; login 10 s; logout 2.167 min; login 25 s; logout 2.417 min"
		atLogin = "aligned at login; before from −9 s to 4.825 min; after from −24 s to 4.575 min; begin −10 s; logout 2 min"
	)
	b.wait("the first chart is drawn", `document.querySelector("figure.on canvas") !== null`)
	shows("what can be chosen", `[...document.querySelector("figure .tools select").options].map(o => o.value).join()`, "start,iteration,mark:begin,mark:login,mark:logout,iterations")
	shows("from the start", said, start)
	shot(b, "align-start")
	b.do(fmt.Sprintf(pick, "mark:login"))
	shows("at a mark", said, atLogin)
	shows("it is told", `document.querySelector("[role=status]").textContent`, atLogin)
	shot(b, "align-mark")
	hash, _ := b.do(`location.hash`).(string)
	if !strings.HasPrefix(hash, "#chart-") || !strings.HasSuffix(hash, "&align=mark%3Alogin") {
		t.Errorf("the address has %q", hash)
	}
	b.do(fmt.Sprintf(pick, "iteration"))
	b.do(`{const n = document.querySelector("figure .tools input[type=number]"); n.value = "20"; n.dispatchEvent(new Event("change"))}`)
	shows("at an iteration", said, "aligned at iteration 20; before from −47 s to 4.192 min; after from −81 s to 3.625 min; begin −48 s; login −38 s; logout 82 s; login −57 s; logout 63 s")
	b.do(fmt.Sprintf(pick, "iterations"))
	shows("by iteration", said, "the axis counts iterations; before from 1 to 145; after from 1 to 92")
	shot(b, "align-iterations")
	b.do(`document.querySelector("figure .live").focus()`)
	b.press("ArrowRight", "ArrowRight")
	b.wait("the value at an iteration is told", `document.querySelector("[role=status]").textContent.startsWith("at iteration ") && document.querySelector("[role=status]").textContent.includes("before: ")`)
	b.do(`document.querySelector("figure .live").dispatchEvent(new KeyboardEvent("keydown", {key: "PageDown", shiftKey: true, bubbles: true}))`)
	b.wait("the figures of the span are told", `/^[0-9.]+ iterations selected\. before: from .*, median .*; after: .*; medians differ by /.test(document.querySelector("figure output").textContent)`)
	shot(b, "align-selected")
	b.press("z")
	b.wait("zoom and alignment are in the address", `/#chart-[0-9a-f]+:[0-9.]+-[0-9.]+&align=iterations$/.test(location.href)`)
	zoomed, _ := b.do(`location.hash`).(string)
	b.clean()
	live(t, b, path+zoomed)
	b.wait("a link leads to the zoom and the alignment", `document.querySelector("figure .tools select").value === "iterations" && location.hash === `+fmt.Sprintf("%q", zoomed))
	live(t, b, path+hash)
	shows("a link to a mark", said, atLogin)
	live(t, b, path+strings.Replace(hash, "login", "gone", 1))
	shows("a link to what is not there", said, start)
	b.do(`(async () => { for (const f of document.querySelectorAll("figure")) { f.scrollIntoView(); await new Promise(r => setTimeout(r, 60)) } })()`)
	b.do(fmt.Sprintf(pick, "mark:login"))
	b.wait("all charts follow", `(all => all.length > 1 && all.every(s => s.value === "mark:login"))([...document.querySelectorAll("figure.on select")])`)
	b.clean()
}

// What the file is drawn as is what its script begins with; without a script it is the drawing that says what 0 is.
func TestAlignedFile(t *testing.T) {
	b := liveTab(t)
	for _, c := range []struct {
		width          int
		dark           bool
		lang           string
		login, counted string
	}{
		{1280, false, "en", "aligned at login; before from −9 s to 4.825 min; after from −24 s to 4.575 min; begin −10 s; logout 2 min", "the axis counts iterations; before from 1 to 145; after from 1 to 92"},
		{390, true, "zh", "已对齐于 login; 变更前 自 −9 s 至 4.825 min; 变更后 自 −24 s 至 4.575 min; begin −10 s; logout 2 min", "横轴按迭代计数; 变更前 自 1 至 145; 变更后 自 1 至 92"},
	} {
		b.size(c.width, 900)
		b.media(c.dark, "")
		fits := func(what string) {
			if w, _ := b.do(`document.documentElement.scrollWidth`).(float64); int(w) > c.width {
				t.Errorf("%s: the page is %v wide, want %d", what, w, c.width)
			}
			shot(b, fmt.Sprintf("aligned-%s-%d", what, c.width))
		}
		b.open("file://" + scenarios(t, "--align", "mark:login", "--static", "--lang", c.lang))
		if got := b.do(`[...document.querySelectorAll("figure svg.plot text")].filter(e => e.textContent.trim() === "login").length`); got == 0.0 {
			t.Error("the drawing does not say what 0 is")
		}
		b.do(`document.querySelector("figure").scrollIntoView()`)
		fits("static")
		if !html.Charts() {
			continue
		}
		live(t, b, scenarios(t, "--align", "mark:login", "--lang", c.lang))
		b.do(`document.querySelector("figure").scrollIntoView()`)
		b.wait("the first chart is drawn", `document.querySelector("figure.on canvas") !== null`)
		if got := b.do(said); got != c.login {
			t.Errorf("as in the file: %v, want %v", got, c.login)
		}
		fits("live")
		b.do(fmt.Sprintf(pick, "start"))
		if hash, _ := b.do(`location.hash`).(string); !strings.HasSuffix(hash, "&align=start") {
			t.Errorf("the address has %q", hash)
		}
		b.do(fmt.Sprintf(pick, "iterations"))
		if got := b.do(said); got != c.counted {
			t.Errorf("by iteration: %v, want %v", got, c.counted)
		}
		fits("iterations")
		b.clean()
	}
}
