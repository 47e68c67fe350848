package table_test

import (
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// two builds a run of two pids of one name, the second from a snapshot on.
func two(name string, from int) *table.Set {
	b := table.NewBuilder("run", "test")
	for i := range 10 {
		b.Snapshot(table.Stamp{Trace: table.Known(int64(i) * 1e9), Line: i + 1})
		for pid := int64(1); pid <= 2; pid++ {
			if pid == 1 && i >= 6 && from >= 6 || pid == 2 && i < from {
				continue
			}
			process := table.Null
			if name != "" {
				process = b.Text(name)
			}
			b.Process(table.Known(pid), process)
			b.Add(table.Sample{Scope: b.Text("process"), Name: b.Text(""), Metric: b.Text("rss"), Value: 1, Line: i + 1})
		}
	}
	return table.Assemble([]*table.Part{b.Done()})
}

func TestPidsAtTheSameTimeAreTwoProcesses(t *testing.T) {
	for _, c := range []struct {
		name string
		from int
		want [2]string
	}{
		{"app", 0, [2]string{"app (pid 1)", "app (pid 2)"}},
		{"", 3, [2]string{"pid 1", "pid 2"}},
		{"app", 6, [2]string{"app", "app"}}, // one after the other: a restart
		{"", 6, [2]string{"", ""}},
	} {
		s := table.SeriesOf(two(c.name, c.from))
		if len(s) != 2 || s[0].Process != c.want[0] || s[1].Process != c.want[1] {
			t.Errorf("%q from %d: %q and %q, want %q", c.name, c.from, s[0].Process, s[1].Process, c.want)
		}
	}
}
