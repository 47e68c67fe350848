package meminfo

import (
	"fmt"
	"strings"
	"testing"
)

// mark finds the sign ∑ in a text: the text without it, and "line:column" of where it stood.
func mark(t *testing.T, text string) (plain, at string) {
	t.Helper()
	before, after, ok := strings.Cut(text, "∑")
	if !ok {
		t.Fatal("no mark in the text")
	}
	line := strings.Count(before, "\n")
	column := len(before) - (strings.LastIndex(before, "\n") + 1)
	return before + after, fmt.Sprintf("%d:%d", line+1, column+1)
}

const (
	short10 = `                   Pss  Private  Private     Swap     Heap     Heap     Heap
                 Total    Dirty    Clean    Dirty     Size    Alloc     Free
                ------   ------   ------   ------   ------   ------   ------
`
	short11 = `                   Pss  Private  Private  SwapPss      Rss     Heap     Heap     Heap
                 Total    Dirty    Clean    Dirty    Total     Size    Alloc     Free
                ------   ------   ------   ------   ------   ------   ------   ------
`
	start = "** MEMINFO in pid 77 [app] **\n"
	rows  = `  Native Heap       10        8        1        0       40       30       10
      Unknown        5        4        0        0
        TOTAL       15       12        1        0       40       30       10
`
)

// TestProblems: a damaged line is named where it is damaged, and gives no row.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"letter in a figure", start + short10 + strings.Replace(rows, "       10        8", "       ∑1o        8", 1), `want a figure in kB, have "1o`},
		{"negative size", start + short10 + strings.Replace(rows, "       10        8", "       ∑-9        8", 1), "want a size in kB, have -9"},
		{"figures missing", start + short10 + strings.Replace(rows, "        5        4        0        0", "        ∑5        4", 1), `want 4 or 7 figures behind "Unknown", have 2`},
		{"no label", start + short10 + strings.Replace(rows, "      Unknown        5", "                     ∑5", 1), "want a label and 7 figures"},
		{"beyond bytes", start + short10 + strings.Replace(rows, "        5        4", " ∑9223372036854775000        4", 1), "want a size in kB, have 9223372036854775000"},
		{"beyond int64", start + short10 + strings.Replace(rows, "        5        4", " ∑92233720368547750000        4", 1), "want a figure in kB"},
		{"object", start + short10 + rows + " Objects\n       Views:       ∑many\n", `want a figure behind "Views", have "       many"`},
		{"pid", "∑** MEMINFO in pid 99999999999999999999 [app] **\n" + short10 + rows, "want a pid"},
	} {
		text, at := mark(t, c.text)
		r := read(t, Decode, "x", text)
		if c.name == "pid" {
			at = "1:19"
		}
		if got := r.messages(); !strings.Contains(got, c.want) || !strings.Contains(got, "x:"+at+":") {
			t.Errorf("%s: want %q at %s, have\n%s", c.name, c.want, at, got)
		}
	}
}

func TestRowsAroundADamagedOneStay(t *testing.T) {
	r := read(t, Decode, "x", start+short10+strings.Replace(rows, "       10        8", "       1o        8", 1))
	if got := r.value("scope=process;metric=pss"); got != "15360" {
		t.Errorf("pss of the process is %q", got)
	}
	if got := r.value("scope=category;name=Unknown;metric=pss"); got != "5120" {
		t.Errorf("pss of Unknown is %q", got)
	}
	if got := len(r.where("name=Native Heap")); got != 0 {
		t.Errorf("%d rows of the damaged line", got)
	}
}

// TestRSS: the App Summary tells it, else the column adds up to it; a damaged column does not.
func TestRSS(t *testing.T) {
	table := `  Native Heap       10        8        1        2       40       40       30       10
      Unknown        5        4        0        0       60
        TOTAL       17       12        1        2       17       40       30       10
`
	summary := ` App Summary
                       Pss(KB)                        Rss(KB)
                        ------                         ------
         Native Heap:        8                             40
             Unknown:                                      60

           TOTAL PSS:       17            TOTAL RSS:      107       TOTAL SWAP PSS:        2
`
	for _, c := range []struct{ name, text, want string }{
		{"sum", start + short11 + table, "102400"},
		{"summary", start + short11 + table + summary, "109568"},
		{"damaged", start + short11 + strings.Replace(table, "       60\n", "       6o\n", 1), ""},
		{"damaged, summary", start + short11 + strings.Replace(table, "       60\n", "       6o\n", 1) + summary, "109568"},
		{"no column", start + short10 + rows, ""},
	} {
		if got := read(t, Decode, "x", c.text).value("scope=process;metric=rss"); got != c.want {
			t.Errorf("%s: rss %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTotalThatRowsMissIsToldOnce(t *testing.T) {
	r := read(t, Decode, "x", start+short10+strings.Replace(rows, "      Unknown        5        4        0        0\n", "", 1))
	if got := r.messages(); !strings.Contains(got, "x:6: the TOTAL row has a pss of 15 kB, but the rows and its swap add up to 10 kB") {
		t.Errorf("want the sum that does not hold, have %q", got)
	}
}

func TestColumns(t *testing.T) {
	for _, c := range []struct{ name, text, where, want string }{
		{"Swap", start + short10 + rows, "scope=process;metric=swap", "0"},
		{"SwapPss", start + strings.Replace(short10, "    Swap", " SwapPss", 1) + rows, "scope=process;metric=swap_pss", "0"},
		{"SwapPss is no Swap", start + strings.Replace(short10, "    Swap", " SwapPss", 1) + rows, "scope=process;metric=swap", ""},
		{"Swapped", start + strings.Replace(short10, "    Swap", " Swapped", 1) + rows, "scope=process;metric=swap", "0"},
		{"bracket", start + short10 + strings.Replace(rows, "        5        4 ", "     5(6)     4(3) ", 1), "name=Unknown;metric=private_dirty", "4096"},
		{"uss", start + short10 + rows, "scope=process;metric=uss", "13312"},
		{"no shared, no dirty", start + short10 + rows, "scope=process;metric=dirty", ""},
		{"vendor's label", start + short10 + strings.Replace(rows, "      Unknown", "  GL2 mtrack ", 1), "name=GL2 mtrack;metric=pss", "5120"},
		{"no pid line", short10 + rows, "scope=process;metric=pss;pid=;process=", "15360"},
		{"pid in the mark", "==== 2026-11-29 11:25:24,005 pid=31 ====\n" + short10 + rows, "scope=process;metric=pss;pid=31", "15360"},
		{"name with colons", strings.Replace(start, "[app]", "[a:b:org.x.S0:6]", 1) + short10 + rows, "scope=process;metric=pss;process=a:b:org.x.S0:6", "15360"},
		{"no indents", strings.ReplaceAll(start+short10+rows, "\n  ", "\n"), "scope=category;name=Native Heap;metric=heap_free", "10240"},
	} {
		r := read(t, Decode, "x", c.text)
		if got := r.value(c.where); got != c.want {
			t.Errorf("%s: %s is %q, want %q\n%s", c.name, c.where, got, c.want, r.messages())
		}
	}
}

func TestUnknownColumnIsNamedOnce(t *testing.T) {
	text := start + strings.Replace(short10, "    Swap", "Squeezed", 1) + rows
	r := read(t, Decode, "x", text+strings.Replace(text, "77", "78", 1))
	if got := r.messages(); got != `x:4: unknown column "Squeezed Dirty" (2 times)` {
		t.Errorf("have %s", got)
	}
	if got := len(r.where("scope=process;metric=pss")); got != 2 {
		t.Errorf("%d processes, want 2", got)
	}
}

// TestBlocksThatAreNotWhole: a table without its TOTAL row is dropped wherever it stands.
func TestBlocksThatAreNotWhole(t *testing.T) {
	half := strings.SplitAfter(rows, "\n")[0]
	other := strings.Replace(start, "77", "78", 1) + short10 + rows
	for _, c := range []struct {
		name, text, problem string
		processes           int
	}{
		{"exception behind a part", start + short10 + half + "Got IoException! timeout\n" + other, "want the TOTAL row of the process that begins in line 1, have the next part", 1},
		{"next block", start + short10 + half + other, "have the next part", 1},
		{"end of the file", other + start + short10 + half, "have the end of the file", 1},
		{"end in a line", other + start + short10 + rows + " Objects\n       Views:     1", "want the rest of the last line of the process", 1},
		{"end in the summary", other + start + short10 + rows + " App Summary\n         Native Heap:        8\n", "want the TOTAL line of the App Summary", 1},
		{"fewer parts than before", start + short10 + rows + " Objects\n               Views:        1\nUptime: 1\n" + start + short10 + rows, "want the parts after the last one of the process that begins in line 11", 1},
	} {
		r := read(t, Decode, "x", c.text)
		if got := len(r.where("scope=process;metric=pss")); got != c.processes || !strings.Contains(r.messages(), c.problem) {
			t.Errorf("%s: %d processes, want %d; want %q in\n%s", c.name, got, c.processes, c.problem, r.messages())
		}
	}
}

func TestSummaryWithoutItsTotalIsDropped(t *testing.T) {
	text := start + short10 + rows + " App Summary\n         Native Heap:        8\n Objects\n               Views:        3         ViewRootImpl:        1\n"
	r := read(t, Decode, "x", text)
	if len(r.where("scope=summary")) != 0 || r.value("name=Views") != "3" || !strings.Contains(r.messages(), "the lines of the summary are dropped") {
		t.Errorf("have %v\n%s", keys(r, true), r.messages())
	}
}

func TestBareSummary(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/summary-loop.txt"))
	for where, want := range map[string]string{
		"scope=process;metric=pss;time_ns=0":                    "108467200",
		"scope=process;metric=rss;time_ns=30000000000":          "191651840",
		"scope=process;metric=swap_pss;time_ns=30000000000":     "41984",
		"scope=summary;name=Native Heap;metric=pss;time_ns=0":   "24965120",
		"scope=summary;name=Private Other;metric=rss;time_ns=0": "",
		"scope=summary;name=Unknown;metric=rss;time_ns=0":       "5890048",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
}

func TestSummaryOfAndroid10(t *testing.T) {
	text := " App Summary\n                       Pss(KB)\n                        ------\n           Java Heap:     6004\n       Private Other:      -20\n \n               TOTAL:    66935      TOTAL SWAP (KB):        7\n"
	r := read(t, Decode, "x", text)
	for where, want := range map[string]string{"scope=process;metric=pss": "68541440", "scope=process;metric=swap": "7168", "scope=summary;name=Java Heap;metric=pss": "6148096",
		"scope=summary;name=Private Other;metric=pss": "-20480", "metric=rss": ""} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q\n%s", where, got, want, r.messages())
		}
	}
}

func TestAndroid2(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/process-android2-crlf.txt"))
	for where, want := range map[string]string{
		"pid=208;scope=process;metric=heap_size":     "9968640",
		"scope=process;metric=pss":                   "5084160",
		"scope=process;metric=dirty":                 "12230656",
		"scope=process;metric=uss":                   "",
		"scope=category;name=Other;metric=dirty":     "8015872",
		"scope=category;name=Other;metric=heap_size": "",
		"scope=category;name=Dalvik Heap;metric=pss": "940032",
		"scope=class;name=ViewRoots;metric=count":    "1",
		"scope=class;name=Death Recipients":          "1",
		"scope=pool;name=SQL heap;metric=live_bytes": "128000",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if got := r.values("scope=process;metric=dirty", "line"); len(got) != 1 || got[0] != "13" {
		t.Errorf("dirty of the process is of line %v, want 13", got)
	}
}

func TestAndroid42(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/process-android42.txt"))
	for where, want := range map[string]string{
		"pid=12581;scope=process;metric=pss":                 "15656960",
		"scope=process;metric=dirty":                         "19871744",
		"scope=category;name=Native;metric=heap_alloc":       "3903488",
		"scope=category;name=.apk mmap;metric=private_dirty": "0",
		"scope=class;name=OpenSSL Sockets;metric=count":      "0",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
}

func TestObjectsOfAndroid14(t *testing.T) {
	r := read(t, Decode, "x", fixture(t, "dumpsys-meminfo/process-android14.txt"))
	for where, want := range map[string]string{
		"scope=class;name=Local Binders;metric=count":              "21",
		"scope=class;name=Parcel count;metric=count":               "37",
		"scope=pool;name=Parcel memory;metric=live_bytes":          "9216",
		"scope=pool;name=SQL PAGECACHE_OVERFLOW;metric=live_bytes": "47104",
		"scope=subcategory;name=.App art;metric=rss":               "266240",
		"scope=process;metric=rss":                                 "120002560",
		"scope=process;metric=pss":                                 "61516800",
	} {
		if got := r.value(where); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if got := len(r.where("scope=pool")); got != 4 {
		t.Errorf("%d pools, want 4: databases and assets are not stored", got)
	}
}
