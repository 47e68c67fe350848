package ingest

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

func report(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../fixtures/bugreport/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func formatsOf(s *table.Set) string {
	var out []string
	for _, f := range s.Files {
		out = append(out, f.Format+":"+strconv.Itoa(f.Snapshots))
	}
	return strings.Join(out, " ")
}

// TestBugReport: every section goes to its format, with the line it stands on, at the time of the report.
func TestBugReport(t *testing.T) {
	text := report(t)
	tree(t, map[string]string{"report.txt": text})
	got := load(t, Options{}, "report.txt")
	if got.err != nil || len(got.runs) != 1 {
		t.Fatal(got.say())
	}
	set := got.runs[0].Set
	if f := formatsOf(set); f != "proc-meminfo:1 procrank:1 showmap:1 dumpsys-meminfo:1" {
		t.Errorf("sections: %s", f)
	}
	if set.Clock != "wall" || set.Start != table.Known(1768426337*1e9) {
		t.Errorf("clock %s, start %v", set.Clock, set.Start)
	}
	want(t, "problems", problemsOf(got.runs[0]), `
report.txt:35: a section LIBRANK holds nothing that is known
report.txt:55: a section SHOW MAP holds nothing that is known (2 times)
`)
	if in := got.runs[0].Inputs; len(in) != 1 || in[0].Format != "bugreport" || in[0].Bytes != int64(len(text)) {
		t.Errorf("inputs %+v", in)
	}
	lines := strings.Split(text, "\n")
	for _, s := range table.SeriesOf(set) {
		if len(s.Value) != 1 {
			t.Errorf("%v: %v", s.Subject, s.Value)
		}
		if s.Process == "com.example.app" && s.Scope == "process" && s.Metric == "pss" {
			// showmap stands before procrank and dumpsys in the list of formats
			if place := s.At(0); s.Value[0] != 11218<<10 || !strings.Contains(lines[place.Line-1], "TOTAL") || !strings.Contains(lines[place.Line-1], "540308") {
				t.Errorf("pss %v at %v: %q", s.Value, place, lines[place.Line-1])
			}
		}
	}
}

func problemsOf(r *Run) string {
	var w strings.Builder
	for _, p := range r.Set.Problems() {
		w.WriteString(p.String() + "\n")
	}
	return w.String()
}

// TestBugReportZip: the report in an archive, a tombstone beside it, other files passed over.
func TestBugReportZip(t *testing.T) {
	tombstone, err := os.ReadFile("../fixtures/android-tombstone/abort.txt")
	if err != nil {
		t.Fatal(err)
	}
	archive := zipOf(t, "main_entry.txt", "bugreport.txt", "bugreport.txt", report(t), "FS/data/tombstones/tombstone_00", string(tombstone), "version.txt", "2.0", "systrace.txt", "\x00\x01")
	tree(t, map[string]string{"r.zip": archive})
	got := load(t, Options{}, "r.zip")
	if got.err != nil || len(got.runs) != 1 {
		t.Fatal(got.say())
	}
	set := got.runs[0].Set
	if f := formatsOf(set); f != "proc-meminfo:1 procrank:1 showmap:1 dumpsys-meminfo:1 android-tombstone:1" {
		t.Errorf("sections: %s", f)
	}
	if in := got.runs[0].Inputs; len(in) != 1 || in[0].Format != "bugreport" {
		t.Errorf("inputs %+v", in)
	}
	if want := []string{"r.zip!/main_entry.txt", "r.zip!/version.txt", "r.zip!/systrace.txt"}; !slices.Equal(got.runs[0].Skipped, want) {
		t.Errorf("skipped %q", got.runs[0].Skipped)
	}
	if set.Len(table.Faults) != 1 {
		t.Errorf("%d faults", set.Len(table.Faults))
	}
	if f := set.Files[0].Name; f != "r.zip!/bugreport.txt" {
		t.Errorf("the rows are of %s", f)
	}
}

// TestBugReports side by side are one run, in the order of their times.
func TestBugReports(t *testing.T) {
	later := strings.ReplaceAll(strings.Replace(report(t), "2026-01-14 21:32:17", "2026-01-14 22:32:17", 1), "11218", "12218")
	tree(t, map[string]string{"d/z.txt": report(t), "d/a.txt": later})
	got := load(t, Options{}, "d")
	for _, s := range table.SeriesOf(got.runs[0].Set) {
		if s.Process == "com.example.app" && s.Scope == "process" && s.Metric == "pss" {
			if !slices.Equal(kib(s.Value), []int64{11218, 12218}) || s.TimeNS[1] != 3600e9 {
				t.Errorf("%v at %v", kib(s.Value), s.TimeNS)
			}
			return
		}
	}
	t.Error(got.say())
}

func TestBugReportWithoutMemory(t *testing.T) {
	tree(t, map[string]string{"r.txt": "== dumpstate: 2026-01-14 21:32:17\n------ PROCRANK (procrank) ------\nsu: not found\n"})
	want(t, "report", load(t, Options{}, "r.txt").say(), "error r.txt: held nothing: a bug report without a section of memory\n")
}

func TestSectionTitles(t *testing.T) {
	for line, title := range map[string]string{
		"------ SHOW MAP 1 (init) (/system/xbin/su root showmap -q 1) ------": "SHOW MAP 1", "------ MEMORY INFO (/proc/meminfo) ------": "MEMORY INFO",
		"------ 0.051s was the duration of 'PROCRANK' ------": "", "------ 0.051s was the duration of 'SHOW MAP 1 (init)' ------": "",
		"DUMP OF SERVICE HIGH meminfo:": "meminfo", "DUMP OF SERVICE CRITICAL window:": "window", "DUMP OF SERVICE meminfo:": "meminfo", "DUMP OF SERVICE NORMAL gfxinfo:": "gfxinfo",
		"-------- -------- --------": "", "": "",
	} {
		if got := string(sectionTitle([]byte(line))); got != title {
			t.Errorf("%q: %q, want %q", line, got, title)
		}
	}
}
