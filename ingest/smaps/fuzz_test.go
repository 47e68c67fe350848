package smaps_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// hold decodes any bytes and checks what must be true of every result.
func hold(t *testing.T, text []byte) {
	t.Helper()
	lines := 1 + strings.Count(string(text), "\n")
	for _, decode := range []decoder{smaps.Decode, smaps.DecodeMaps} {
		in, err := source.NewInput("x", strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		b := table.NewBuilder("x", "smaps")
		err = decode(in, b)
		part := b.Done()
		if (err == nil) != part.HasRows() {
			t.Fatalf("error %v, rows %v", err, part.HasRows())
		}
		s := table.Assemble([]*table.Part{part})
		if s.Len(table.Mappings) > lines || s.Len(table.Samples) > 60*lines {
			t.Fatalf("%d mappings, %d samples from %d lines", s.Len(table.Mappings), s.Len(table.Samples), lines)
		}
		for _, p := range s.Problems() {
			if p.Line < 1 || p.Line > lines {
				t.Fatalf("%v, the text has %d lines", p, lines)
			}
		}
		for _, one := range append(table.SeriesOf(s), table.MappingSeriesOf(s)...) {
			if slices.Min(one.Value) < 0 {
				t.Fatalf("%v is below 0", one.Subject)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range fixtures(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(hold)
}

// TestMutations damages the fixtures in the ways of serial lines and disks. It reaches more than the fuzzer does, whose
// counters for the libraries behind table cost a hundred times what is measured.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	all := fixtures(t)
	var texts [][]byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		texts = append(texts, []byte(all[name]))
	}
	for range 1000 {
		text := slices.Clone(texts[r.IntN(len(texts))])
		for range 1 + r.IntN(5) {
			text = mutate(r, text, texts[r.IntN(len(texts))])
		}
		hold(t, text)
	}
}

const alphabet = "0123456789abcdefX:- \n\t\r\x00\xff[]kB"

func mutate(r *rand.Rand, text, other []byte) []byte {
	if len(text) < 2 {
		return other
	}
	i := r.IntN(len(text) - 1)
	j := min(len(text), i+1+r.IntN(200))
	switch r.IntN(6) {
	case 0:
		text[i] = alphabet[r.IntN(len(alphabet))]
	case 1:
		return slices.Delete(text, i, j)
	case 2:
		return slices.Insert(text, i, text[i:j]...)
	case 3:
		return text[:i]
	case 4:
		return append(text[:i:i], other[r.IntN(len(other)):]...)
	case 5:
		return slices.Insert(text, i, []byte("99999999999999999999")[:1+r.IntN(19)]...)
	}
	return text
}
