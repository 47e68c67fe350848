package symbols_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/symbols"
	"github.com/memtide/memtide/ingest/table"
)

const buildID = "c915a5157b39553afea983ab2116993f0ef4ef41"

// Return addresses in testdata/app, as offsets in the file: behind the call of grab in fill, and of fill in _start.
const (
	grabAt, inFill, inStart = 0x144, 0x176, 0x197
	linkedFor               = 0x400000
)

// folder makes a folder of files: texts by name, "@file" for one of testdata.
func folder(t testing.TB, files map[string]string) symbols.Dir {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if source, ok := strings.CutPrefix(text, "@"); ok {
			var err error
			if data, err = os.ReadFile(filepath.Join("testdata", source)); err != nil {
				t.Fatal(err)
			}
		}
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return symbols.Dir{Path: dir, Name: "bin"}
}

func placed(module string, offset uint64) callstack.Frame {
	return callstack.Frame{Function: fmt.Sprintf("%s+0x%x", module, offset), Module: module}
}

func bare(address uint64) callstack.Frame {
	return callstack.Frame{Address: address, HasAddress: true}
}

// capture is a run with one site for each stack, leaf first, of process 7.
func capture(format string, stacks ...[]callstack.Frame) *table.Set {
	return captureOf(format, nil, stacks...)
}

func captureOf(format string, facts map[string]string, stacks ...[]callstack.Frame) *table.Set {
	b := table.NewBuilder("x", format)
	for k, v := range facts {
		b.Fact(k, v)
	}
	b.Snapshot(table.Stamp{})
	b.Process(table.Known(7), table.Null)
	for i, frames := range stacks {
		s := callstack.Add(b, frames, i+1)
		b.Site(table.Site{Class: s.Class, Stack: s.Leaf, LiveBytes: table.Known(8), LiveCount: table.Known(1), Line: i + 1})
	}
	return table.Assemble([]*table.Part{b.Done()})
}

// told gives the stacks of the sites of a run, one a line, leaf first, with the class before each.
func told(s *table.Set) string {
	var out strings.Builder
	for _, site := range table.SitesOf(s) {
		for _, k := range site.Stacks {
			fmt.Fprintf(&out, "%s:", site.Class)
			for _, c := range s.Calls(k.Stack) {
				out.WriteString(" " + c.Name())
				if c.SourceFile != "" {
					fmt.Fprintf(&out, "@%s:%d", filepath.Base(c.SourceFile), c.SourceLine.V)
				}
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%swant:\n%s", what, got, want)
	}
}

func problems(s *table.Set) string {
	var out strings.Builder
	for _, p := range s.Problems() {
		out.WriteString(p.String() + "\n")
	}
	return out.String()
}

// fill is the stack of the inlined calls in testdata/app.
const fill = "_ZN4pool5innerEm@app.cpp:12 _ZN4pool6middleEm@app.cpp:16 _ZN4pool4fillEi@app.cpp:20 _start@app.cpp:26\n"

// TestPlaces: offsets in the file and addresses it is linked for lead to the same functions, with what is inlined there.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		format         string
		fill, start    uint64
		leaf           uint64
		leafIs, reason string
	}{
		{"jemalloc-heap", inFill, inStart, grabAt, "_ZN4pool4grabEm@app.cpp:8", "return addresses; a probe on the entry is in its function"},
		{"heaptrack-raw", inFill - 1 + linkedFor, inStart - 1 + linkedFor, grabAt + linkedFor, "_ZN4pool4grabEm@app.cpp:8", "places of calls, as linked"},
		{"sanitizer", inFill - 1, inStart - 1, grabAt, "_ZN4pool4grabEm@app.cpp:8", "places of calls, from where the file is loaded"},
	} {
		s := capture(c.format, []callstack.Frame{placed("app", c.leaf), placed("app", c.fill), placed("app", c.start)})
		if n := symbols.Resolve(s, []symbols.Dir{folder(t, map[string]string{"usr/bin/app": "@app"})}, nil); n != 3 {
			t.Errorf("%s: %d frames got a name, want 3", c.format, n)
		}
		want(t, c.format+": "+c.reason, told(s), "_ZN4pool4grabEm: "+c.leafIs+" "+fill)
		want(t, "problems", problems(s)+strings.Join(s.Remarks(), ""), "")
	}
}

// TestEdges: the address behind a call that never returns is the first of the next function, and belongs to the one before.
func TestEdges(t *testing.T) {
	s := capture("jemalloc-heap", []callstack.Frame{placed("app", inFill), placed("app", 0x163)})
	symbols.Resolve(s, []symbols.Dir{folder(t, map[string]string{"app": "@app"})}, nil)
	if got := told(s); !strings.Contains(got, "_ZN4pool4fillEi@app.cpp:20 _ZN4pool4grabEm") {
		t.Errorf("%s", got)
	}
}

// TestMaps: bare addresses are placed by the mappings of the run, or by those in the folder; what has no file keeps its place.
func TestMaps(t *testing.T) {
	const maps = "7f0000000000-7f0000001000 r-xp 00000000 fe:00 9 /opt/app\n7f0000200000-7f0000300000 r-xp 00001000 fe:00 8 /lib/libx.so (deleted)\n7f0000400000-7f0000500000 rw-p 00000000 00:00 0 \n"
	stack := []callstack.Frame{bare(0x7f0000200010), bare(0x7f0000000000 + inFill), bare(0x7f0000000000 + inStart), bare(0x7f0000400000)}
	s := capture("bpftrace-events", stack)
	symbols.Resolve(s, []symbols.Dir{folder(t, map[string]string{"opt/app": "@app", "maps-7.txt": maps})}, nil)
	want(t, "stack", told(s), "libx.so+0x1010: libx.so+0x1010 "+strings.TrimSuffix(fill, "\n")+" 0x7f0000400000\n")
	want(t, "remarks", strings.Join(s.Remarks(), "\n"), "No file was given for these modules, so that their frames (number in brackets) have no name: libx.so (1).")

	other := capture("bpftrace-events", stack)
	symbols.Resolve(other, []symbols.Dir{folder(t, map[string]string{"opt/app": "@app", "maps-8.txt": maps})}, nil)
	if got := told(other); strings.Contains(got, "fill") {
		t.Errorf("the mappings of another process were used: %s", got)
	}
}

// TestBuilds: only the build that ran is used, and the others are told.
func TestBuilds(t *testing.T) {
	stack := []callstack.Frame{placed("app", inFill), placed("app", inStart)}
	wrong := strings.Repeat("00", 20)
	debug := ".build-id/" + buildID[:2] + "/" + buildID[2:] + ".debug"
	app, err := os.ReadFile("testdata/app")
	if err != nil {
		t.Fatal(err)
	}
	id := bytes.Index(app, []byte{0xc9, 0x15, 0xa5, 0x15})
	app[id] = 0xee
	twin := string(app)
	for _, c := range []struct {
		name     string
		files    map[string]string
		fact     string
		resolved bool
		problem  string
	}{
		{"right", map[string]string{"app": "@app"}, buildID + " app", true, ""},
		{"right by list", map[string]string{"app": "@app", "buildids.txt": buildID + " /opt/app\n"}, "", true, ""},
		{"wrong", map[string]string{"app": "@app"}, wrong + " app", false, "bin/app: want build id " + wrong + " of app, which the capture was taken of; this file has another\n"},
		{"two files, one right", map[string]string{"a/app": "@app", "b/app": twin}, buildID + " app", true, ""},
		{"two files", map[string]string{"a/app": "@app", "b/app": twin}, "", false, "bin/a/app: one of several files named app: none is used; give the one that ran, or its build id\n"},
		{"the same file twice", map[string]string{"a/app": "@app", "b/app": "@app"}, "", true, ""},
		{"debug file by link", map[string]string{"app": "@app.stripped", "debug/app.debug": "@app.debug"}, "", true, ""},
		{"debug file by build id", map[string]string{"app": "@app.stripped", debug: "@app.debug"}, "", true, ""},
		{"stripped", map[string]string{"app": "@app.stripped"}, "", false, "bin/app: has no symbols: it was stripped; give its debug file, or one built with symbols\n"},
		{"no binary", map[string]string{"app": "text"}, "", false, "bin/app: no ELF, Mach-O or PE file\n"},
		{"cut", map[string]string{"app": twin[:900]}, "", false, "bin/app: want an ELF file: "},
	} {
		facts := map[string]string{}
		if c.fact != "" {
			facts["build_id"] = c.fact
		}
		s := captureOf("jemalloc-heap", facts, stack, stack[:1])
		symbols.Resolve(s, []symbols.Dir{folder(t, c.files)}, nil)
		if got := strings.Contains(told(s), strings.TrimSuffix(fill, "\n")); got != c.resolved {
			t.Errorf("%s: resolved %v, want %v: %s", c.name, got, c.resolved, told(s))
		}
		if got := problems(s); !strings.HasPrefix(got, c.problem) || c.problem == "" && got != "" {
			t.Errorf("%s: problems %q, want %q", c.name, got, c.problem)
		}
	}
}

// TestNotCode: an offset outside the code, or a mapping where this build has none, is no place in it.
func TestNotCode(t *testing.T) {
	s := capture("jemalloc-heap", []callstack.Frame{placed("app", 0x90000)})
	symbols.Resolve(s, []symbols.Dir{folder(t, map[string]string{"app": "@app"})}, nil)
	want(t, "problems", problems(s), "bin/app: holds no code where the capture has it, such as at offset 0x90000: another build?\n")
	s = capture("bpftrace-events", []callstack.Frame{bare(0x7f0000000176)})
	symbols.Resolve(s, []symbols.Dir{folder(t, map[string]string{"app": "@app", "maps": "7f0000000000-7f0000001000 r-xp 00005000 fe:00 9 /opt/app\n"})}, nil)
	want(t, "stack", told(s), "app+0x5176: app+0x5176\n")
	want(t, "problems", problems(s), "bin/app: want code where app was mapped, from offset 0x5000 on; this file has none there: it is another build\n")
}

// jitRecord is a record of jitdump.
func jitRecord(kind uint32, values []uint64, text string) []byte {
	var body bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&body, binary.LittleEndian, v)
	}
	body.WriteString(text)
	head := binary.LittleEndian.AppendUint32(nil, kind)
	head = binary.LittleEndian.AppendUint32(head, uint32(16+body.Len()))
	return append(append(head, make([]byte, 8)...), body.Bytes()...)
}

func jitFile() string {
	head := append([]byte("DTiJ\x01\x00\x00\x00\x28\x00\x00\x00"), make([]byte, 28)...)
	lines := string(binary.LittleEndian.AppendUint64(nil, 0x5000)) + "\x09\x00\x00\x00\x00\x00\x00\x00a.js\x00" +
		string(binary.LittleEndian.AppendUint64(nil, 0x5010)) + "\x0a\x00\x00\x00\x00\x00\x00\x00\xff\x00"
	for _, r := range [][]byte{
		jitRecord(2, []uint64{0x5000, 2}, lines),
		jitRecord(0, []uint64{7, 0x5000, 0x5000, 0x40, 1}, "hot\x00code"),
		jitRecord(0, []uint64{7, 0x6000, 0x6000, 0x40, 2}, "moved away\x00code"),
		jitRecord(1, []uint64{7, 0, 0x6000, 0x7000, 0x40, 2}, ""),
		jitRecord(9, nil, ""),
	} {
		head = append(head, r...)
	}
	return string(head)
}

// TestJIT: code that a compiler wrote while the program ran is found by process; of what overlaps, the later is there.
func TestJIT(t *testing.T) {
	const perf = "1000 100 old\n1040 20 new\n0x2000 10 JS:*f a b\nbad\n3000 0 empty\n"
	stack := []callstack.Frame{bare(0x1041), bare(0x1061), bare(0x1040), bare(0x2008), bare(0x3000)}
	for name, dirs := range map[string][2][]symbols.Dir{
		"given":  {{folder(t, map[string]string{"perf-7.map": perf})}, nil},
		"beside": {nil, {folder(t, map[string]string{"perf-7.map": perf})}},
	} {
		s := capture("perf-script", stack)
		symbols.Resolve(s, dirs[0], dirs[1])
		want(t, name, told(s), "new: new old old JS:*f a b 0x3000\n")
		want(t, name+": problems", problems(s), "bin/perf-7.map:4: want START SIZE NAME of a JIT compiler's function\n")
	}
	s := capture("perf-script", stack)
	symbols.Resolve(s, nil, []symbols.Dir{folder(t, map[string]string{"perf-8.map": perf})})
	want(t, "another process", told(s), "0x1041: 0x1041 0x1061 0x1040 0x2008 0x3000\n")

	s = capture("perf-script", []callstack.Frame{bare(0x5004), bare(0x5018), bare(0x7003), bare(0x8000)})
	symbols.Resolve(s, []symbols.Dir{folder(t, map[string]string{"jit-7.dump": jitFile() + "\x00\x00\x00\x00\xff\x00\x00\x00cut off here"})}, nil)
	want(t, "jitdump", told(s), "hot: hot@a.js:9 hot@a.js:10 moved away 0x8000\n")
	want(t, "problems", problems(s), "bin/jit-7.dump: ends inside a record\n")
}

// TestNothing: without raw frames nothing is read, and with nothing to read all stays.
func TestNothing(t *testing.T) {
	s := capture("bcc-memleak", []callstack.Frame{{Function: "f+0x1", Module: "app"}, {Function: "main"}})
	symbols.Resolve(s, []symbols.Dir{{Path: filepath.Join(t.TempDir(), "none"), Name: "none"}}, nil)
	want(t, "problems", problems(s), "")
	s = capture("bcc-memleak", []callstack.Frame{bare(16)})
	symbols.Resolve(s, []symbols.Dir{{Path: filepath.Join(t.TempDir(), "none"), Name: "none"}}, nil)
	if got := problems(s); !strings.HasPrefix(got, "none: ") {
		t.Errorf("a folder that is not there: %q", got)
	}
	want(t, "stack", told(s), "0x10: 0x10\n")
}
