package sample

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decode reads a toy format: a line "pid value" is a record, all else goes to the Log. The rows are "time,pid,value".
func decode(t *testing.T, text string) (rows string, noData int, err error) {
	t.Helper()
	in, err := source.NewInput("x", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder("x", "toy")
	l := source.NewLines(in)
	g := New(l, b)
	for l.Scan() {
		pid, value, ok := strings.Cut(string(l.Bytes()), "=")
		if !ok || len(pid) != 1 {
			g.Other(l.Bytes(), func() {})
			continue
		}
		p := table.Int{}
		if pid != "?" {
			p = table.Known(int64(pid[0] - '0'))
		}
		if value == "none" {
			g.Missing(l.Line(), "the toy has no value")
			continue
		}
		g.Record(p, table.Null, l.Line())
		b.Add(table.Sample{Scope: b.Text("process"), Name: b.Text(""), Metric: b.Text("rss"), Value: int64(value[0] - '0'), Line: l.Line()})
	}
	err = g.End("toys")
	part := b.Done()
	var out bytes.Buffer
	if err := table.Assemble([]*table.Part{part}).DumpCSV(&out, table.Samples); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		c := strings.Split(line, ",")
		rows += strings.TrimSuffix(c[0], "000000000") + "," + c[2] + "," + c[7] + " "
	}
	return strings.TrimSpace(rows), part.NoData, err
}

func TestLog(t *testing.T) {
	for _, c := range []struct {
		what, text, rows string
		noData           int
	}{
		{"no separator: each is a sample", "1=1\n1=2\n?=3\n?=4\n", "0,1,1 1,1,2 1,,3 2,,4", 0},
		{"several processes in one sample", "1700000000\n1=1\n2=2\n1700000005\n1=3\n2=4\n", "0,1,1 0,2,2 5,1,3 5,2,4", 0},
		{"a rule round the time", "========\n1700000000\n========\n1=1\n========\n1700000002\n========\n1=2\n", "0,1,1 2,1,2", 0},
		{"pid in the separator, and it stays", "### 1700000000 pid=7\n?=1\n### 1700000001\n?=2\n", "0,7,1 1,7,2", 0},
		{"pid in a prompt", "$ cat /proc/8/status\n?=1\n$ cat /proc/9/status\n?=2\n$ cat /proc/x/status\n$ cat /proc/12345678901/y\n", "0,8,1 0,9,2", 0},
		{"a failed sample", "1700000000\n1=1\n1700000001\ncat: /proc/1/x: No such file or directory\n1700000002\n1=2\n", "0,1,1 2,1,2", 1},
		{"two messages of one sample", "1700000000\nx: Permission denied\ny: Permission denied\n1700000001\n1=1\n", "0,1,1", 1},
		{"a message beside data", "1700000000\n1=1\ny: Permission denied\n1700000001\n1=1\n", "0,1,1 1,1,1", 0},
		{"messages without separators", "1=1\nx: No such process\nx: No such process\n", "0,1,1", 2},
		{"separators with nothing behind", "1700000000\n1700000001\n1=1\n1700000002\n", "0,1,1", 2},
		{"one moment told twice", "1700000000\n### 1700000000\n1=1\n", "0,1,1", 0},
		{"a record without figures", "1700000000\n1=none\n1700000001\n1=1\n2=none\n", "0,1,1", 1},
	} {
		rows, noData, err := decode(t, c.text)
		if rows != c.rows || noData != c.noData || err != nil {
			t.Errorf("%s\nwant: %s, %d without data\nhave: %s, %d, error %v", c.what, c.rows, c.noData, rows, noData, err)
		}
	}
}

func TestNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "x: held nothing: want toys",
		"junk\n":                           "x:1: held nothing: want toys",
		"junk\nx: No such process\n":       `x:2: held nothing: "x: No such process"`,
		"1=none\n":                         "x:1: held nothing: the toy has no value",
		strings.Repeat("y", 400) + "\n1=1": "",
	} {
		_, _, err := decode(t, text)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%.40q\nwant: %s\nhave: %v", text, want, err)
		}
	}
}
