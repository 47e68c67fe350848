package ingest

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// pidsOf lists the pids of all series.
func pidsOf(l loaded) []int64 {
	var out []int64
	for _, r := range l.runs {
		for _, s := range table.SeriesOf(r.Set) {
			if s.PID.OK && !slices.Contains(out, s.PID.V) {
				out = append(out, s.PID.V)
			}
		}
	}
	return out
}

func TestStdin(t *testing.T) {
	log := logOf(2)
	for name, text := range map[string]string{"plain": log, "gzip": gz(t, log), "zip": zipOf(t, "a", log), "tar": tarOf(t, "a", log)} {
		want(t, name, load(t, Options{Stdin: strings.NewReader(text)}, "-").say(), "- [-:smaps] wall [112 113]\n")
		want(t, name, side(t, Options{Stdin: strings.NewReader(text)}, "-").say(), "- [-:smaps] wall [112 113]\n")
	}
	want(t, "empty", load(t, Options{Stdin: strings.NewReader("")}, "-").say(), "error -:1:1: held nothing: the file is empty\n")
	want(t, "none", load(t, Options{}, "-").say(), "error -: there is no standard input\n")
	got := load(t, Options{Stdin: strings.NewReader("100 50 20 1 0 30 0\n")}, "-").say()
	if strings.Contains(got, "empty") || !strings.Contains(got, "statm counts pages") {
		t.Errorf("statm from a pipe, which cannot be read twice: %s", got)
	}
}

func TestDevices(t *testing.T) {
	tree(t, map[string]string{"d/smaps_1": smapsOf(1)})
	if err := os.Symlink("/dev/zero", "d/zero"); err != nil {
		t.Skip(err)
	}
	want(t, "folder", load(t, Options{}, "d").say(), "d [d/smaps_1:smaps] order [13]\n  problem d/zero: no capture that memtide knows: skipped\n")
	if got := load(t, Options{}, "d/zero"); got.err == nil || !strings.Contains(got.err.Error(), "no capture that memtide knows") {
		t.Errorf("named: %s", got.say())
	}
}

// TestHeldNothing: the first problem of a capture that held nothing is part of what is said, and how many there are.
func TestHeldNothing(t *testing.T) {
	for _, c := range []struct {
		message string
		ps      []source.Problem
		want    string
	}{
		{"held nothing: want events", nil, "x:1: held nothing: want events"},
		{"held nothing: want events", []source.Problem{{Pos: source.Pos{File: "x", Line: 2, Column: 7}, Message: "want a number, have \"-5\""}}, "x:1: held nothing: want events; its first problem: 2:7: want a number, have \"-5\""},
		{"held nothing: want events", []source.Problem{{Pos: source.Pos{File: "x"}, Message: "a bomb"}, {Message: "b"}}, "x:1: held nothing: want events; its first problem: a bomb; problems in all: 2"},
		{"held nothing: want version 1", []source.Problem{{Message: "want version 1: the document is left out"}}, "x:1: held nothing: want version 1"},
		{"cut", []source.Problem{{Message: "a bomb"}}, "x:1: cut"},
	} {
		if have := withReason(source.Errorf(source.Pos{File: "x", Line: 1}, "%s", c.message), c.ps).Error(); have != c.want {
			t.Errorf("have %s\nwant %s", have, c.want)
		}
	}
	if withReason(nil, []source.Problem{{Message: "a bomb"}}) != nil {
		t.Error("an error of nothing")
	}
}

func TestRefusals(t *testing.T) {
	two := smapsOf(1) + "MemTotal: 100 kB\nMemFree: 50 kB\n" + status("7", "50")
	tree(t, map[string]string{"empty": "", "text": "hello\nworld\n", "binary": "\x00\x01\x02\xff", "two": two, "x.nsys-rep": "QDSTRM\x00\x01", "core": "\x7fELF\x02", "cat": "cat: /proc/7/smaps: Permission denied\n"})
	for name, say := range map[string]string{
		"empty":      "error empty:1:1: held nothing: the file is empty\n",
		"text":       "error text:1:1: no capture that memtide knows, it begins with \"hello\"; see `memtide formats`, or name one with --format\n",
		"x.nsys-rep": "error x.nsys-rep: a report of Nsight Systems that only nsys reads: export it with `nsys export --type sqlite FILE`\n",
		"core":       "error core: an ELF binary (or core file), not a capture\n",
	} {
		want(t, name, load(t, Options{}, name).say(), say)
	}
	got := load(t, Options{}, "two").say()
	for _, word := range []string{"error two:1:1: claimed by several formats: ", "smaps", "proc-status", "--format"} {
		if !strings.Contains(got, word) {
			t.Errorf("two formats: %q lacks %q", got, word)
		}
	}
	want(t, "two as smaps", strings.SplitN(load(t, Options{Format: "smaps"}, "two").say(), "\n", 2)[0], "two [two:smaps] order [13]")
	want(t, "unknown format", load(t, Options{Format: "nonsense"}, "two").say(), "error two: unknown format \"nonsense\"; `memtide formats` lists them\n")
	if got := load(t, Options{Format: "smaps"}, "cat").say(); !strings.Contains(got, `held nothing: "cat: /proc/7/smaps: Permission denied"`) {
		t.Errorf("no data: %s", got)
	}
}

// TestPageSize: statm counts pages, whose size another file of the run tells.
func TestPageSize(t *testing.T) {
	smaps := strings.ReplaceAll(smapsOf(1), "Rss:", "KernelPageSize:       16 kB\nRss:")
	tree(t, map[string]string{"d/smaps_1": smaps, "d/statm_1": "1000 50 20 1 0 30 0\n", "alone/statm_1": "1000 50 20 1 0 30 0\n"})
	got := load(t, Options{}, "d")
	if len(got.runs) != 1 || len(got.runs[0].Inputs) != 2 {
		t.Fatalf("%s", got.say())
	}
	var shared []int64
	for _, s := range table.SeriesOf(got.runs[0].Set) {
		if s.Metric == "rss_shared" {
			shared = append(shared, s.Value...)
		}
	}
	if !slices.Equal(shared, []int64{20 * 16384}) {
		t.Errorf("rss_shared %v", shared)
	}
	if got := load(t, Options{}, "alone"); got.err == nil || !strings.Contains(got.err.Error(), "page") {
		t.Errorf("alone: %s", got.say())
	}
}

// TestProgress counts the bytes of every file once it is read.
func TestProgress(t *testing.T) {
	tree(t, map[string]string{"a": logOf(3)})
	var n int64
	load(t, Options{Progress: func(b int64) { n += b }}, "a")
	if n != int64(len(logOf(3))) {
		t.Errorf("%d bytes of %d", n, len(logOf(3)))
	}
}

// TestDeterministic: the same files give the same tables, on any number of cores.
func TestDeterministic(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files["d/smaps-"+itoa(100+i%3)+"-"+itoa(1795951515+i)] = smapsOf(i + 1)
		files["d/status-"+itoa(100+i%3)+"-"+itoa(1795951515+i)] = status(itoa(100+i%3), itoa(i+1))
	}
	tree(t, files)
	var first string
	for range 5 {
		got := load(t, Options{}, "d")
		var w bytes.Buffer
		for id := table.ID(0); id < table.NumTables; id++ {
			if err := got.runs[0].Set.DumpCSV(&w, id); err != nil {
				t.Fatal(err)
			}
		}
		if first == "" {
			first = w.String()
		}
		if w.String() != first {
			t.Fatal("the tables differ from time to time")
		}
	}
}

func TestLongLine(t *testing.T) {
	tree(t, map[string]string{"long": smapsOf(1) + strings.Repeat("x", 65<<20) + "\n" + smapsOf(2)})
	want(t, "long", load(t, Options{}, "long").say(), "long [long:smaps] order [13 14]\n  problem long:19: want lines of at most 64 MiB: this one lost its rest\n")
}

func TestLeaves(t *testing.T) {
	e := source.Errorf(source.Pos{File: "a"}, "x")
	if got := leaves(nil); len(got) != 0 {
		t.Error(got)
	}
	if got := leaves(&unreadable{"a", os.ErrPermission}); len(got) != 1 || got[0].Error() != "a: permission denied" {
		t.Error(got)
	}
	if got := leaves(join3(e, join3(e, io.EOF, nil), nil)); len(got) != 2 {
		t.Error(got)
	}
}

func join3(a, b, c error) error { return multi{a, b, c} }

type multi []error

func (m multi) Error() string   { return "several" }
func (m multi) Unwrap() []error { return m }
