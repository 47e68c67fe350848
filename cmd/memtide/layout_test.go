package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// misfits is a script that lists what does not fit the window: elements that reach beyond it (what scrolls by itself may), text
// that is cut off without a title that says it whole, and words of a drawing that lie on each other.
const misfits = `(() => {
	const wide = document.documentElement.clientWidth, out = new Set(), seen = e => e.checkVisibility() && !e.closest(".vh, .hidden") && e.getClientRects().length > 0;
	const say = (what, e) => out.add(what + ": <" + e.tagName.toLowerCase() + " class=\"" + (e.getAttribute("class") ?? "") + "\"> " + e.textContent.trim().slice(0, 60));
	const scrolls = e => { for (let p = e.parentElement; p; p = p.parentElement) if (/auto|scroll/.test(getComputedStyle(p).overflowX)) return true; return false };
	for (const e of document.body.querySelectorAll("*")) {
		if (!seen(e)) continue;
		const box = e.getBoundingClientRect(), style = getComputedStyle(e);
		if (box.width > 0 && (box.right > wide + 1 || box.left < -1) && !scrolls(e)) say("beyond the window", e);
		if (/hidden|clip/.test(style.overflowX) && !e.closest("svg") && e.scrollWidth > e.clientWidth + 1 && !e.title && e.textContent.trim()) say("cut off", e);
	}
	for (const svg of document.querySelectorAll("svg.plot, svg.lanes")) {
		if (!seen(svg)) continue;
		const boxes = [...svg.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width > 0);
		boxes.forEach(([e, a], i) => boxes.slice(i + 1).forEach(([f, b]) => {
			if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3) say("on “" + f.textContent.slice(0, 30) + "”", e);
		}));
	}
	if (document.documentElement.scrollWidth > wide) out.add("the page is " + document.documentElement.scrollWidth + " wide");
	return [...out].slice(0, 8).join("\n")
})()`

// gallery is a report of each family of captures, written as `make gallery` does.
func gallery(t *testing.T, flags ...string) (paths []string) {
	t.Helper()
	list, err := os.ReadFile(top + "/fixtures/gallery/list.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		part := strings.Split(line, "|")
		paths = append(paths, reportOf(t, part[0], append(strings.Fields(strings.ReplaceAll(part[2], "fixtures/", top+"/fixtures/")), flags...)...))
	}
	return paths
}

// TestLayout holds every page of the gallery against four widths of window, from a telephone to a desk, with all that can be
// opened open: in both languages, and with the drawings of the file as with those of the script.
func TestLayout(t *testing.T) {
	b := liveTab(t)
	for _, flags := range [][]string{nil, {"--static"}, {"--lang", "zh"}} {
		for _, path := range gallery(t, flags...) {
			b.open("file://" + path)
			b.do(`document.querySelectorAll("details").forEach(d => { d.open = true })`)
			for _, width := range []int{1280, 768, 390, 360} {
				b.size(width, 800)
				b.do(`(async () => { for (const f of document.querySelectorAll("figure")) { f.scrollIntoView(); await new Promise(r => setTimeout(r, 15)) } scrollTo(0, 0) })()`)
				if found, _ := b.do(misfits).(string); found != "" {
					t.Errorf("%s %v, %d wide:\n%s", filepath.Base(path), flags, width, found)
				}
			}
			b.clean()
		}
	}
}
