package ingest

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// quiet are formats that still drop some damaged row without a word: numbers that are part of a name or tell a frame from
// other text, and lines of logs that are then like any other.
var quiet = map[string]bool{}

// TestDamagedNumber: a number whose first digit is damaged either leaves every row there, or a problem or a sample without
// data tells of it. The first numbers of every text fixture are tried.
func TestDamagedNumber(t *testing.T) {
	number, tried := regexp.MustCompile(`[0-9]+`), 0
	walkFixtures(t, func(t *testing.T, format, path string) {
		text, err := os.ReadFile(path)
		i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == format })
		if err != nil || i < 0 || quiet[format] || strings.Contains(path, "/bad-") || len(text) > 60_000 || bytes.IndexByte(text, 0) >= 0 {
			return
		}
		whole, said, err := decodeText(&formats[i], text)
		if err != nil {
			return
		}
		for _, at := range number.FindAllIndex(text[:min(len(text), 4000)], 150) {
			damaged := slices.Clone(text)
			damaged[at[0]] = 'x'
			tried++
			rows, problems, err := decodeText(&formats[i], damaged)
			if err == nil && rows < whole && slices.Equal(problems, said) {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				ls := bytes.LastIndexByte(text[:at[0]], 10)+1
le := at[0]+bytes.IndexByte(append(text[at[0]:len(text):len(text)], 10), 10)
t.Errorf("%s %s:%d: took %d: %s", format, path, line, whole-rows, damaged[max(ls,at[0]-100):min(le,at[1]+60)])
			}
		}
	})
	if tried < 3000 {
		t.Errorf("%d numbers were tried", tried)
	}
}

// decodeText gives the rows of a text, and what was said of it.
func decodeText(f *Format, text []byte) (rows int, said []string, err error) {
	in, err := source.NewInput("x", bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	b, decode := table.NewBuilder("x", f.Name), f.Decode
	if decode == nil {
		decode = f.Paged(4096)
	}
	err = decode(in, b)
	set := table.Assemble([]*table.Part{b.Done()})
	for id := range table.Schemas {
		rows += set.Len(table.ID(id))
	}
	for _, p := range set.Files[0].Problems {
		said = append(said, p.String())
	}
	return rows, append(said, fmt.Sprint(set.Files[0].NoData)), err
}
