package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
)

// events writes a log of a service over two minutes: what one of its calls allocates stays, if it leaks. Names are those of
// its process and frames.
func events(t *testing.T, path string, leaks bool, process string, frames ...string) string {
	t.Helper()
	var b strings.Builder
	line := func(fields map[string]any) {
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	line(map[string]any{"schema": "memtide-events/1", "process": process, "pid": 7})
	for i := range 2400 {
		at, addr := i*50_000_000, fmt.Sprintf("%#x", 4096*(i+1))
		if leaks && i%4 == 0 {
			line(map[string]any{"ts_ns": at, "op": "alloc", "addr": addr, "size": 4096, "stack": append([]string{"keep_forever"}, frames...)})
			continue
		}
		line(map[string]any{"ts_ns": at, "op": "alloc", "addr": addr, "size": 1024 + 512*(i%2), "stack": append([]string{[]string{"parse", "cache_put"}[i%2]}, frames...)})
		if i >= 100 && (!leaks || (i-100)%4 != 0) {
			line(map[string]any{"ts_ns": at + 1000, "op": "free", "addr": fmt.Sprintf("%#x", 4096*(i-99))})
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// service is the page of a service that began to leak, compared with itself before.
func service(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	frames := []string{"handle_request", "serve", "main"}
	out := filepath.Join(dir, "service.html")
	args := append([]string{"memtide", "compare", "--before", events(t, filepath.Join(dir, "before.ndjson"), false, "service", frames...),
		"--after", events(t, filepath.Join(dir, "after.ndjson"), true, "service", frames...), "-o", out}, flags...)
	var errs strings.Builder
	if code := run(args, nil, io.Discard, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return out
}

// live opens a page from the disk and waits until its script is done.
func live(t *testing.T, b *tab, path string) {
	t.Helper()
	b.open("file://" + path)
	b.wait("the script is done", `document.documentElement.dataset.ready === "1"`)
}

// shot keeps a picture in the folder that MEMTIDE_SCREENSHOTS names, to be looked at.
func shot(b *tab, name string) {
	if dir := os.Getenv("MEMTIDE_SCREENSHOTS"); dir != "" {
		b.picture(filepath.Join(dir, name+".png"), false)
	}
}

func liveTab(t *testing.T) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	return openTab(t, 1280, 900)
}

// TestVerdictToStack goes the way of a reader: from the verdict to the finding, to its series, to its stack, and back by a link.
func TestVerdictToStack(t *testing.T) {
	b := liveTab(t)
	path := service(t)
	live(t, b, path)
	b.do(`document.querySelector('a[href="#findings"]').click()`)
	b.wait("the findings are in view", `document.getElementById("findings").getBoundingClientRect().top < innerHeight`)
	shot(b, "path-1-findings")
	finding := `[...document.querySelectorAll("article.finding")].find(a => a.dataset.chain)`
	b.wait("a finding has its stack in the graph", finding+` !== undefined`)
	b.do(finding + `.querySelector('a[href^="#series-"]').click()`)
	b.wait("its series is shown", `document.querySelector("#explore figure") !== null`)
	shot(b, "path-2-series")
	b.do(finding + `.querySelector('a[href^="#stack-"]').click()`)
	b.wait("its stack is shown", `document.querySelector(".flame .detail").textContent.includes("keep_forever") && document.activeElement.classList.contains("graph")`)
	shot(b, "path-3-stack")
	b.press("ArrowUp")
	b.wait("the caller is told", `document.querySelector(".flame .detail b").textContent.startsWith("handle_request")`)
	hash, _ := b.do(`location.hash`).(string)
	b.clean()
	live(t, b, path+hash)
	b.wait("the link leads there again", `document.querySelector(".flame .detail").textContent.includes("keep_forever")`)
	print, _ := b.do(`"#finding=" + encodeURIComponent(document.querySelector("article.finding[data-chain]").dataset.print)`).(string)
	live(t, b, path+print)
	b.wait("a link leads to the finding", `document.activeElement.matches("article.finding")`)
	b.clean()
}

// Every table can be sorted, filtered and copied; nothing of it needs a mouse.
func TestTablesAreAlive(t *testing.T) {
	b := liveTab(t)
	live(t, b, demo(t))
	first := `document.querySelector("#answer-totals tbody tr th").textContent`
	was := b.do(first)
	b.do(`document.querySelector("#answer-totals thead .sort").focus()`)
	b.press("Enter", "Enter")
	if b.do(first) == was || b.do(`document.querySelector("#answer-totals th[aria-sort]").ariaSort`) != "descending" {
		t.Errorf("not sorted: first is %v", b.do(first))
	}
	b.press("Enter")
	if got := b.do(first); got != was {
		t.Errorf("the third press gives %v, want the order as written: %v", got, was)
	}
	b.do(`{const f = document.querySelector("#explore input"); f.value = "[heap]"; f.dispatchEvent(new Event("input"))}`)
	if b.do(`[...document.querySelectorAll("#explore tbody tr")].every(r => r.textContent.includes("[heap]")) && document.querySelectorAll("#explore tbody tr").length > 0`) != true {
		t.Error("not filtered")
	}
	b.do(`Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { window.copied = t }}})`)
	b.do(`document.querySelector('[aria-label^="Copy CSV: Process"]').click()`)
	b.wait("copied", `window.copied !== undefined`)
	csv, _ := b.do(`window.copied`).(string)
	if lines := strings.Split(csv, "\r\n"); len(lines) < 6 || !strings.HasPrefix(lines[0], "measure,before (bytes),") || !strings.HasPrefix(lines[1], "rss,1") {
		t.Errorf("CSV: %q", csv)
	}
	b.clean()
}

// Charts are drawn in place of the drawings in the file, and can be zoomed, measured and read by keys.
func TestChartsAreAlive(t *testing.T) {
	if !html.Charts() {
		t.Skip("this build has no ECharts: `make charts` brings it")
	}
	b := liveTab(t)
	live(t, b, demo(t))
	b.wait("the first chart is drawn", `document.querySelector("figure.on canvas") !== null`)
	b.do(`document.querySelector("figure .live").focus()`)
	b.press("ArrowRight", "ArrowRight")
	b.wait("the value is told", `document.querySelector("[role=status]").textContent.includes("after: ")`)
	b.do(`document.querySelector("figure .live").dispatchEvent(new KeyboardEvent("keydown", {key: "PageDown", shiftKey: true, bubbles: true}))`)
	b.wait("the selection is measured", `document.querySelector("figure output").textContent.includes("selected. before")`)
	b.press("z")
	b.wait("the zoom is in the address", `/#chart-[0-9a-f]+:[0-9.]+-[0-9.]+$/.test(location.href)`)
	b.do(`[...document.querySelectorAll("figure.on .tools button")].find(x => x.textContent === "Log").click()`)
	shot(b, "chart-zoomed")
	b.clean()
}

// Charts over builds too: a build is read by keys and leads to its row, which may stand on another page of its table; a link
// leads to the zoomed chart.
func TestCoursesAreAlive(t *testing.T) {
	if !html.Charts() {
		t.Skip("this build has no ECharts: `make charts` brings it")
	}
	b := liveTab(t)
	path := reportOf(t, "history", "history", top+"/fixtures/demo/history")
	live(t, b, path)
	b.wait("the course is drawn", `document.querySelector("#answer figure.on canvas") !== null`)
	b.do(`document.querySelector("#answer figure .live").focus()`)
	b.press("ArrowRight", "ArrowRight")
	b.wait("the build is told", `document.querySelector("[role=status]").textContent.startsWith("build-103: ")`)
	b.press("Enter")
	b.wait("its row is reached", `document.activeElement.id === "builds-1-build-103" && location.hash === "#builds-1-build-103"`)
	b.do(`document.querySelector("#answer figure .tools a").click()`)
	b.wait("the change leads to its row", `document.activeElement.id === "builds-1-build-112"`)
	id, _ := b.do(`document.querySelector("#answer figure").id`).(string)
	live(t, b, path+"#"+id+":4-8")
	b.wait("a link leads to the zoom", `location.hash.endsWith(":4-8")`)
	b.clean()
}

// What is not of the program's own stays text, whatever stands in a capture.
func TestHostileNamesAreInert(t *testing.T) {
	b := liveTab(t)
	dir := t.TempDir()
	bad := `</script><img src=x onerror="document.title='hit'"><script>document.title='hit'</script>`
	frames := []string{bad, "'\"><svg onload=document.title='hit'>", "\u202egpj.exe\u202c", strings.Repeat("long", 2500), "🦀::<T as 😀>", "main"}
	out := filepath.Join(dir, "hostile.html")
	args := []string{"memtide", "compare", "--before", events(t, filepath.Join(dir, "a.ndjson"), false, bad, frames...),
		"--after", events(t, filepath.Join(dir, "b.ndjson"), true, bad, frames...), "-o", out, "--embed-data"}
	if code := run(args, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	live(t, b, out)
	b.do(`(async () => { for (const f of document.querySelectorAll("figure")) { f.scrollIntoView(); await new Promise(r => setTimeout(r, 50)) } })()`)
	b.do(`document.querySelectorAll("#explore tbody a").forEach(a => a.click())`)
	time.Sleep(300 * time.Millisecond)
	if title := b.do(`document.title`); title == "hit" {
		t.Error("a name in a capture ran")
	}
	if n := b.do(`document.querySelectorAll("img, main svg[onload], main script").length`); n != 0.0 {
		t.Errorf("%v elements out of names", n)
	}
	if w, _ := b.do(`document.documentElement.scrollWidth`).(float64); w > 1280 {
		t.Errorf("long names make the page %v wide", w)
	}
	shot(b, "hostile")
	b.clean()
}

// TestStates looks at the page light, dark, narrow and printed.
func TestStates(t *testing.T) {
	b := liveTab(t)
	for _, path := range []string{demo(t), service(t)} {
		name := strings.TrimSuffix(filepath.Base(path), ".html")
		for _, c := range []struct {
			name          string
			dark          bool
			width, height int
		}{{"light", false, 1280, 900}, {"dark", true, 1280, 900}, {"narrow", false, 360, 740}, {"narrow-dark", true, 360, 740}} {
			b.size(c.width, c.height)
			b.media(c.dark, "")
			live(t, b, path)
			if w, _ := b.do(`document.documentElement.scrollWidth`).(float64); int(w) > c.width {
				t.Errorf("%s %s: the page is %v wide", name, c.name, w)
			}
			b.do(`(async () => { for (const f of document.querySelectorAll("figure")) { f.scrollIntoView(); await new Promise(r => setTimeout(r, 60)) } scrollTo(0, 0) })()`)
			if dir := os.Getenv("MEMTIDE_SCREENSHOTS"); dir != "" {
				b.picture(filepath.Join(dir, name+"-"+c.name+".png"), true)
			}
			b.clean()
		}
		b.size(1280, 900)
		b.media(false, "")
		live(t, b, path)
		b.media(false, "print")
		if b.do(`[...document.querySelectorAll(".tools, .live, .graph, #explore")].every(e => e.offsetParent === null) && [...document.querySelectorAll("figure svg")].every(e => e.closest("details:not([open])") || e.matches(".narrow") || e.getBoundingClientRect().width > 0)`) != true {
			t.Errorf("%s: controls are printed, or drawings are not", name)
		}
		b.clean()
	}
}

// TestAccessibility lets axe-core look at the page, with all that the script adds.
func TestAccessibility(t *testing.T) {
	axe, err := os.ReadFile("../../out/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("axe-core is not installed: `make tools-for-tests` does")
	}
	b := liveTab(t)
	for _, path := range []string{demo(t), service(t), scenarios(t, "--align", "mark:login"), reportOf(t, "history", "history", top+"/fixtures/demo/history")} {
		for _, dark := range []bool{false, true} {
			b.media(dark, "")
			live(t, b, path)
			b.do(`(async () => { document.querySelectorAll("details").forEach(d => { d.open = true }); document.querySelector("#explore tbody a")?.click(); for (const f of document.querySelectorAll("figure")) { f.scrollIntoView(); await new Promise(r => setTimeout(r, 60)) } })()`)
			time.Sleep(2600 * time.Millisecond) // what a link led to is tinted for a while
			b.do(string(axe) + `; 0`)
			found, _ := b.do(`(async () => (await axe.run(document)).violations.map(v => v.id + " (" + v.impact + "): " + v.help + "\n" + v.nodes.slice(0, 4).map(n => "    " + n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 300)).join("\n")).join("\n"))()`).(string)
			if found != "" {
				t.Errorf("%s, dark %v: %s", filepath.Base(path), dark, found)
			}
			b.clean()
		}
	}
}

// A table of 5,000 series opens at once and answers at once: only a page of it is in the document.
func TestManySeriesStaySmooth(t *testing.T) {
	b := liveTab(t)
	dir := t.TempDir()
	result := filepath.Join(dir, "demo.json")
	if code := run([]string{"memtide", "compare", "--before", top + "/fixtures/demo/before", "--after", top + "/fixtures/demo/after", "-o", result}, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	r, err := earlier(result)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6000 {
		d := r.Deltas[0]
		d.Subject.Scope, d.Subject.Name = "mapping", fmt.Sprintf("/data/app/lib/libplugin%04d.so", i)
		r.Deltas = append(r.Deltas, d)
	}
	var page bytes.Buffer
	began := time.Now()
	if err := html.Render(&page, report.New(r, report.Options{}), html.Options{}); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d > 4*time.Second { // 2 s and half as much again for a machine that does other work too
		t.Errorf("written in %v", d)
	}
	path := filepath.Join(dir, "many.html")
	if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	live(t, b, path)
	opened, _ := b.do(`performance.getEntriesByType("navigation")[0].domComplete`).(float64)
	rows, _ := b.do(`document.querySelectorAll("#explore tbody tr").length`).(float64)
	took := func(step string) float64 {
		ms, _ := b.do(`(() => { const from = performance.now(); ` + step + `; document.body.offsetHeight; return performance.now() - from })()`).(float64)
		return ms
	}
	turn := took(`[...document.querySelectorAll("#explore button")].find(x => x.textContent.startsWith("Next")).click()`)
	sort := took(`document.querySelectorAll("#explore thead .sort")[1].click()`)
	filter := took(`{const f = document.querySelector("#explore input"); f.value = "plugin42"; f.dispatchEvent(new Event("input"))}`)
	t.Logf("%d kB opens in %.0f ms; next page %.0f ms, sorting %.0f ms, filtering %.0f ms", page.Len()/1000, opened, turn, sort, filter)
	if opened > 3000 || rows > 100 || max(turn, sort, filter) > 400 {
		t.Errorf("slow: opens in %.0f ms, %v rows at a time, next page %.0f ms, sorting %.0f ms, filtering %.0f ms", opened, rows, turn, sort, filter)
	}
	if got := b.do(`document.querySelector("#explore .count").textContent`); got != "100 of 5,000" {
		t.Errorf("filtered: %v", got)
	}
	b.clean()
}
