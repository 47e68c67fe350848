package mallocinfo_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/mallocinfo"
	"github.com/memtide/memtide/ingest/table"
)

// TestDamagedWord: a word of the document that is none any more either leaves every row there or is told as a problem.
func TestDamagedWord(t *testing.T) {
	for _, file := range []string{"one.xml", "two-heaps.xml", "loop.log"} {
		text := string(fixture(t, "malloc-info", file))
		whole := decode(t, mallocinfo.Decode, []byte(text))
		for _, at := range regexp.MustCompile(`[a-z]+|[0-9]+`).FindAllStringIndex(text, -1) {
			r := decode(t, mallocinfo.Decode, []byte(text[:at[0]]+"@"+text[at[0]+1:]))
			if r.err == nil && r.set.Len(table.Samples) < whole.set.Len(table.Samples) && slices.Equal(r.problems, whole.problems) {
				t.Errorf("%s:%d: a damaged %q took rows and was not told", file, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]])
			}
		}
	}
}
