package report

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
)

// redacted hides in texts what the texts themselves and the inputs give away.
func redacted(inputs []string, texts ...string) []string {
	r := &analyze.Result{Warnings: texts}
	for _, path := range inputs {
		r.Inputs = append(r.Inputs, analyze.Input{Path: path})
	}
	return Redact(r).Warnings
}

func TestRedactTexts(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a path", "/home/alice/src/a.so", "dir1/file1.so"},
		{"a path in a sentence", "see /home/alice/src/a.so, line 3", "see dir1/file1.so, line 3"},
		{"a path at the end of a sentence", "It is /home/alice/src/a.so.", "It is dir1/file1.so."},
		{"after a colon", "path:/opt/acme/x.so", "path:dir1/file1.so"},
		{"in an annotation", "[anon:dalvik-/opt/acme/boot.art]", "[anon:dalvik-dir1/file1.art]"},
		{"in an archive", "/data/app/x/base.apk!/lib/a.so", "dir1/file1.so"},
		{"with a mark of the kernel", "/opt/acme/x.so (deleted)", "dir1/file1.so (deleted)"},
		{"a drive", `C:\Users\bob\x\a.txt`, `dir1\file1.txt`},
		{"a share", `\\fileserver\team\a.txt`, `dir1\file1.txt`},
		{"from home", "~/captures/a.txt", "dir1/file1.txt"},
		{"two paths", "/opt/a/x against /opt/b/x", "dir1/file1 against dir2/file1"},
		{"a known place", "/system/lib64/libc.so", "/system/lib64/libc.so"},
		{"a place below a known one", "/usr/lib/acme/x.so", "dir1/file1.so"},
		{"a device", "/dev/kgsl-3d0", "/dev/kgsl-3d0"},
		{"a folder under the root", "/secret/x", "dir1/file1"},
		{"a user by name", "/home/alice/x and alice, ALICE and alice_old but not malice", "dir1/file1 and user1, user1 and user1_old but not malice"},
		{"an address", "taken on bob@build-7.example", "taken on user1@host1"},
		{"a kernel's host", "Linux zeppelin 5.15.0 #1", "Linux host1 5.15.0 #1"},
		{"a server", "http://intra.example:80/x", "http://host1:80/x"},
		{"a user that is none", "root@localhost /root/x", "root@localhost /root/file1"},
		{"no path", "I/O 1/2 and/or kB/s at 10:30", "I/O 1/2 and/or kB/s at 10:30"},
		{"in a place of everybody", "/tmp/acme.smaps and /tmp", "/tmp/file1-smaps and /tmp"},
		{"with what tells its kind", "/opt/acme/alice-smaps-2031.txt.gz", "dir1/file1-smaps.txt.gz"},
		{"a system's place below one that is not", "/apex/com.android.art/lib64/libart.so and /apex/com.android.art/acme/x.so", "/apex/com.android.art/lib64/libart.so and dir1/file1.so"},
		{"a name of ours", "/opt/acme/meminfo.txt", "dir1/meminfo.txt"},
		{"an ending that is a name", "/opt/acme/heap.zeppelin", "dir1/file1-heap"},
		{"a version", "/opt/acme/libacme.so.6.1", "dir1/file1.so"},
		{"before or after", "the before/after table", "the before/after table"},
		{"a region", "[anon:scudo:primary]", "[anon:scudo:primary]"},
		{"nothing", "", ""},
	} {
		if got := redacted(nil, c.in)[0]; got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestRedactRelativeInputs(t *testing.T) {
	got := redacted([]string{"acme/run-3/a.txt", "after/b.txt", "c.txt"},
		"acme/run-3/a.txt:7", "nothing in acme/run-3", "nothing in acme/run-3.", "acme/other/a.txt", "acme is a word", "after/b.txt", "xacme/run-3/a.txt")
	want := "dir1/file1.txt:7|nothing in dir1|nothing in dir1.|dir2/file1.txt|acme is a word|after/file2.txt|xacme/run-3/file1.txt"
	// The numbers go by first use, the inputs' own paths being the first.
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestRedactFacts(t *testing.T) {
	r := &analyze.Result{Inputs: []analyze.Input{{Path: "a", Facts: []analyze.Fact{
		{Name: "Hostname", Value: "zeppelin"}, {Name: "user", Value: "dave"}, {Name: "user", Value: "root"}, {Name: "model", Value: "dave"}, {Name: "host_os", Value: "it"}}}}}
	var got []string
	for _, f := range Redact(r).Inputs[0].Facts {
		got = append(got, f.Value)
	}
	if want := "host1 user1 root user1 it"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", strings.Join(got, " "), want)
	}
}

func TestRedactFrames(t *testing.T) {
	r := &analyze.Result{Findings: []analyze.Finding{{Stack: []string{"decode (src/core/codec.c:12)", "std::vector<int>::push_back", "libx.so!run+0x12"}}}}
	if got, want := strings.Join(Redact(r).Findings[0].Stack, "|"), "decode (dir1/file1.c:12)|std::vector<int>::push_back|libx.so!run+0x12"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Many inputs with many folders must not make redaction slow: it looks up, it does not try each.
func TestRedactManyFolders(t *testing.T) {
	r := &analyze.Result{}
	for i := range 3000 {
		path := "/home/alice/" + strings.Repeat("x", i%7) + "/" + strings.Repeat("d/", i%40) + string(rune('a'+i%26)) + "/f.smaps"
		r.Inputs = append(r.Inputs, analyze.Input{Path: path})
		r.Warnings = append(r.Warnings, "nothing in "+path)
	}
	for i, w := range Redact(r).Warnings {
		if strings.Contains(w, "alice") || !strings.HasSuffix(w, "/file1-smaps") {
			t.Fatalf("%d: %q", i, w)
		}
	}
}

// The names of runs and processes are replaced in their fields whatever they are, and in sentences unless they are
// words that memtide uses itself.
func TestRedactRunsAndProcesses(t *testing.T) {
	leak := func(process string) analyze.Subject {
		return analyze.Subject{Process: process, Scope: "process", Metric: "pss"}
	}
	r := Redact(&analyze.Result{
		Inputs: []analyze.Input{{Side: "before", Run: "base-1.2", Path: "base-1.2/a.txt", Process: []string{"com.acme.mail"}},
			{Side: "after", Run: "leak", Path: "leak/a.txt"}, {Side: "after", Run: "acme/two", Path: "acme/two/a.txt"}},
		Series:   []analyze.Series{{Side: "after", Run: "leak", Subject: leak("com.acme.mail")}, {Side: "after", Run: "base-1.2", Subject: leak("system")}},
		Timeline: []analyze.Timeline{{Side: "after", Run: "acme/two", Subject: leak("com.acme.mail:sync")}},
		Findings: []analyze.Finding{{Side: "before", Run: "base-1.2", Rule: "growth", Class: "heap of com.acme.mail", Message: "COM.ACME.MAIL:sync leaks in base-1.2, not in acme/two."}},
		Redlines: []analyze.Margin{{Side: "after", Run: "leak", Line: "limit of com.acme.mail", Subject: leak("")}},
		Warnings: []string{"The system has a leak; com.acme.mailer has none, nor has base-1.2b."},
	})
	got := []string{r.Inputs[0].Run, r.Inputs[1].Run, r.Inputs[2].Run, r.Series[0].Run, r.Series[1].Run, r.Timeline[0].Run, r.Findings[0].Run, r.Redlines[0].Run,
		r.Inputs[0].Process[0], r.Series[0].Subject.Process, r.Series[1].Subject.Process, r.Timeline[0].Subject.Process, r.Redlines[0].Subject.Process,
		r.Findings[0].Class, r.Findings[0].Message, r.Redlines[0].Line, r.Warnings[0], r.Series[0].Subject.Scope}
	want := []string{"run1", "run2", "run3", "run2", "run1", "run3", "run1", "run2", "app1", "app1", "app2", "app3", "", "heap of app1",
		"app3 leaks in run1, not in dir3.", "limit of app1", "The system has a leak; com.acme.mailer has none, nor has base-1.2b.", "process"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %q, want %q", i, got[i], want[i])
		}
	}
}

// The name of a test stands in the names of its facts too.
func TestRedactFactNames(t *testing.T) {
	r := Redact(&analyze.Result{Inputs: []analyze.Input{{Path: "a", Process: []string{"PerfTests/testScroll()"}, Facts: []analyze.Fact{
		{Name: "baselineAverage of PerfTests/testScroll() footprint_peak", Value: "1"}, {Name: "baselineAverage of Other/test() footprint_peak", Value: "2"}, {Name: "page_size", Value: "3"}}}}})
	var got []string
	for _, f := range r.Inputs[0].Facts {
		got = append(got, f.Name)
	}
	if want := "baselineAverage of app1 footprint_peak|baselineAverage of app2 footprint_peak|page_size"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}
