package gpu

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

// TestDamagedWord: a number that is none any more either leaves every row there or is told as a problem. UUIDs are names: one
// is as good as another.
func TestDamagedWord(t *testing.T) {
	number := regexp.MustCompile(`[0-9]+`)
	for _, f := range formats {
		files := fixtures(t, f.name)
		for _, file := range slices.Sorted(maps.Keys(files)) {
			text := files[file]
			if strings.HasPrefix(file, "bad-") {
				continue
			}
			whole := decode(t, f.decode, "x", text)
			for _, at := range number.FindAllStringIndex(text[:min(len(text), 12000)], -1) {
				if strings.HasSuffix(text[:at[0]], `uuid="u-`) {
					continue
				}
				r := decode(t, f.decode, "x", text[:at[0]]+"x"+text[at[0]+1:])
				if r.err == nil && r.set.Len(table.Samples) < whole.set.Len(table.Samples) && slices.Equal(r.problems, whole.problems) {
					line := 1 + strings.Count(text[:at[0]], "\n")
					t.Errorf("%s/%s:%d: a damaged %q took %d rows and was not told", f.name, file, line, text[at[0]:at[1]], whole.set.Len(table.Samples)-r.set.Len(table.Samples))
				}
			}
		}
	}
}
