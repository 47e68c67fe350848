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
		{"a path", "/home/alice/src/a.so", "dir1/a.so"},
		{"a path in a sentence", "see /home/alice/src/a.so, line 3", "see dir1/a.so, line 3"},
		{"a path at the end of a sentence", "It is /home/alice/src/a.so.", "It is dir1/a.so."},
		{"after a colon", "path:/opt/acme/x.so", "path:dir1/x.so"},
		{"in an annotation", "[anon:dalvik-/opt/acme/boot.art]", "[anon:dalvik-dir1/boot.art]"},
		{"in an archive", "/data/app/x/base.apk!/lib/a.so", "dir1/a.so"},
		{"with a mark of the kernel", "/opt/acme/x.so (deleted)", "dir1/x.so (deleted)"},
		{"a drive", `C:\Users\bob\x\a.txt`, `dir1\a.txt`},
		{"a share", `\\fileserver\team\a.txt`, `dir1\a.txt`},
		{"from home", "~/captures/a.txt", "dir1/a.txt"},
		{"two paths", "/opt/a/x against /opt/b/x", "dir1/x against dir2/x"},
		{"a known place", "/system/lib64/libc.so", "/system/lib64/libc.so"},
		{"a place below a known one", "/usr/lib/acme/x.so", "dir1/x.so"},
		{"a device", "/dev/kgsl-3d0", "/dev/kgsl-3d0"},
		{"a folder under the root", "/secret/x", "dir1/x"},
		{"a user by name", "/home/alice/x and alice, ALICE and alice_old but not malice", "dir1/x and user1, user1 and user1_old but not malice"},
		{"an address", "taken on bob@build-7.example", "taken on user1@host1"},
		{"a kernel's host", "Linux zeppelin 5.15.0 #1", "Linux host1 5.15.0 #1"},
		{"a server", "http://intra.example:80/x", "http://host1:80/x"},
		{"a user that is none", "root@localhost /root/x", "root@localhost /root/x"},
		{"no path", "I/O 1/2 and/or kB/s at 10:30", "I/O 1/2 and/or kB/s at 10:30"},
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
	want := "dir1/a.txt:7|nothing in dir1|nothing in dir1.|dir2/other/a.txt|acme is a word|after/b.txt|xacme/run-3/a.txt"
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
	if got, want := strings.Join(Redact(r).Findings[0].Stack, "|"), "decode (dir1/codec.c:12)|std::vector<int>::push_back|libx.so!run+0x12"; got != want {
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
		if strings.Contains(w, "alice") || !strings.HasSuffix(w, "/f.smaps") {
			t.Fatalf("%d: %q", i, w)
		}
	}
}
