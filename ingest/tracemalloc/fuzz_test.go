package tracemalloc_test

import (
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// fuzz reads damaged captures: no panic, the same rows each time, and no more rows than the input can hold.
func fuzz(f *testing.F, format int) {
	for _, name := range fixtures(f, formats[format].name) {
		f.Add(fixture(f, formats[format].name, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, other := range formats {
			other.sniff(data)
		}
		r := decode(t, formats[format].decode, data)
		if rows := r.set.Len(table.Sites) + r.set.Len(table.Samples) + r.set.Len(table.Frames); rows > len(data)+1 {
			t.Errorf("%d rows of %d bytes", rows, len(data))
		}
		if again := decode(t, formats[format].decode, data); strings.Join(again.all(t), "\n") != strings.Join(r.all(t), "\n") {
			t.Error("the second time gives other rows")
		}
	})
}

func FuzzDecode(f *testing.F) { fuzz(f, 0) }
