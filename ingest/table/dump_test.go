package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
)

func hostile() *Set {
	b := newTest("a,b.txt", "f").at(0, 1).process(7, "na\"me,\nline")
	b.sample("pool", "bad \xff\xfe utf", "live_bytes", -1, 1).sample("pool", "<&> \u2028 \x00", "live_bytes", 1<<63-1, 2)
	b.process(0, "").sample("process", "", "rss", 3, 3)
	b.Map(&Mapping{Start: 1<<64 - 1, End: 1<<64 - 1, HasRange: true, Line: 4, Path: b.Text("")})
	return sets(b)
}

func TestDumpCSV(t *testing.T) {
	got := csvOf(t, hostile(), Samples)
	want(t, "samples", got, `
time_ns,iteration,pid,process,scope,name,metric,value,file,line
0,,7,"na""me,
line",pool,bad � utf,live_bytes,-1,"a,b.txt",1
0,,7,"na""me,
line",pool,<&> `+"\u2028 \x00"+`,live_bytes,9223372036854775807,"a,b.txt",2
0,,,,process,,rss,3,"a,b.txt",3
`)
	all, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil || len(all) != 4 || all[1][3] != "na\"me,\nline" {
		t.Errorf("read back: %q, %v", all, err)
	}
	if m := csvOf(t, hostile(), Mappings); !strings.Contains(m, "0,,,18446744073709551615,18446744073709551615,,,,,,,") {
		t.Errorf("mappings:\n%s", m)
	}
}

func TestDumpCSVOfSeveralSets(t *testing.T) {
	var w bytes.Buffer
	if err := DumpCSV(&w, Samples, hostile(), sets(), hostile()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(w.String(), "time_ns"); n != 1 {
		t.Errorf("%d header lines", n)
	}
	if n := strings.Count(w.String(), "process,,rss"); n != 2 {
		t.Errorf("%d runs", n)
	}
}

func TestDumpJSON(t *testing.T) {
	var w bytes.Buffer
	if err := hostile().DumpJSON(&w, Samples); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(w.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), w.String())
	}
	for i, want := range []struct {
		name, process any
		value         string
	}{{"bad \ufffd utf", "na\"me,\nline", "-1"}, {"<&> \u2028 \x00", "na\"me,\nline", "9223372036854775807"}, {"", nil, "3"}} {
		var row map[string]any
		d := json.NewDecoder(strings.NewReader(lines[i]))
		d.UseNumber()
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%v: %s", err, lines[i])
		}
		if row["name"] != want.name || row["process"] != want.process || row["value"].(json.Number).String() != want.value || row["line"].(json.Number).String() != strconv.Itoa(i+1) || len(row) != len(Schemas[Samples].Columns) {
			t.Errorf("%s", lines[i])
		}
	}
}

type full struct{ n int }

var errFull = errors.New("disk full")

func (w *full) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestDumpErrors: an error of the output is told by every writer.
func TestDumpErrors(t *testing.T) {
	b := newTest("a", "f").at(0, 1)
	for i := range 10_000 {
		b.sample("process", "", "rss", int64(i), i)
	}
	s := sets(b)
	for name, write := range map[string]func() error{
		"csv": func() error { return s.DumpCSV(&full{1000}, Samples) }, "json": func() error { return s.DumpJSON(&full{1000}, Samples) },
	} {
		if err := write(); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
