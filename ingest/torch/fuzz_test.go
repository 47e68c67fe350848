package torch

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// chunked gives so many bytes a read.
type chunked struct {
	data  []byte
	chunk int
}

func (c *chunked) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), c.chunk)], c.data)
	if c.data = c.data[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// formats of this package, with the names of their fixtures.
var formats = []struct {
	name   string
	sniff  func([]byte) bool
	decode decoder
}{
	{"torch-snapshot", SniffSnapshot, DecodeSnapshot},
	{"torch-trace", SniffTrace, DecodeTrace},
	{"torch-memory-timeline", SniffTimeline, DecodeTimeline},
}

// TestSniff: each capture is claimed by its format and by no other of the package.
func TestSniff(t *testing.T) {
	for _, of := range formats {
		for i, data := range fixtures(t, of.name) {
			for _, f := range formats {
				if got := f.sniff(data); got != (f.name == of.name) {
					t.Errorf("%s, capture %d: claimed by %s: %v", of.name, i, f.name, got)
				}
			}
		}
	}
	for _, text := range []string{"", "{", "[", "\x80", "\x80\x04}.", "[[1, 2, 3]]", "[[1, 7, 3, 4]]", `{"segments": [{"id": 0, "text": "words"}]}`, `{"traceEvents": [{"ph": "X"}]}`, `[{"a": 1}]`} {
		for _, f := range formats {
			if f.sniff([]byte(text)) {
				t.Errorf("%q is claimed by %s", text, f.name)
			}
		}
	}
}

// hold decodes any bytes and checks what must be true of every result: rows are bounded by the bytes, levels are not
// below 0, there is an error where there is no row, places lie in the input, and the same bytes give the same rows.
func hold(t *testing.T, f decoder, data []byte) {
	t.Helper()
	r, part := decodeFrom(t, f, "x", bytes.NewReader(data))
	if (r.err == nil) != part.HasRows() {
		t.Fatalf("error %v, rows %v", r.err, part.HasRows())
	}
	for id, most := range map[table.ID]int{table.Events: 1, table.Samples: 4, table.Sites: 1, table.Faults: 1, table.Frames: 1} {
		if n := r.set.Len(id); n > most*len(data) {
			t.Fatalf("%d rows of %s from %d bytes", n, table.Schemas[id].Name, len(data))
		}
	}
	for _, p := range r.set.Problems() {
		if p.Line < 0 || p.Line > len(data)+1 || p.Column > len(data)+1 {
			t.Fatalf("%v, the input has %d bytes", p, len(data))
		}
	}
	for _, one := range table.SeriesOf(r.set) {
		if slices.Min(one.Value) < 0 {
			t.Fatalf("%v is below 0", one.Subject)
		}
	}
	if again, _ := decodeFrom(t, f, "x", &chunked{data, 13}); fmt.Sprint(again.err, again.problems, again.facts) != fmt.Sprint(r.err, r.problems, r.facts) {
		t.Fatalf("%v %q, then %v %q", r.err, r.problems, again.err, again.problems)
	}
}

func fuzz(f *testing.F, format string, decode decoder) {
	for _, data := range fixtures(f, format) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { hold(t, decode, data) })
}

func FuzzSnapshot(f *testing.F) { fuzz(f, "torch-snapshot", DecodeSnapshot) }
func FuzzTrace(f *testing.F)    { fuzz(f, "torch-trace", DecodeTrace) }
func FuzzTimeline(f *testing.F) { fuzz(f, "torch-memory-timeline", DecodeTimeline) }

// TestCuts cuts each capture at every byte; TestMutations damages them in the ways of disks and editors.
func TestCuts(t *testing.T) {
	for _, of := range formats {
		for _, data := range fixtures(t, of.name) {
			for n := 0; n < len(data); n += 1 + len(data)/4000 {
				hold(t, of.decode, data[:n])
			}
		}
	}
}

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, of := range formats {
		all := fixtures(t, of.name)
		for range 500 {
			data := slices.Clone(all[r.IntN(len(all))])
			for range 1 + r.IntN(4) {
				data = mutate(r, data, all[r.IntN(len(all))])
			}
			hold(t, of.decode, data)
		}
	}
}

const alphabet = "0123456789-.eE{}[]()\",:ue\x94\x8c\x00\xff\n\r\\"

func mutate(r *rand.Rand, data, other []byte) []byte {
	if len(data) < 2 {
		return slices.Clone(other)
	}
	i := r.IntN(len(data) - 1)
	j := min(len(data), i+1+r.IntN(200))
	switch r.IntN(6) {
	case 0:
		data[i] = alphabet[r.IntN(len(alphabet))]
	case 1:
		return slices.Delete(data, i, j)
	case 2:
		return slices.Insert(data, i, slices.Clone(data[i:j])...)
	case 3:
		return data[:i]
	case 4:
		return append(data[:i:i], other[r.IntN(len(other)):]...)
	case 5:
		return slices.Insert(data, i, []byte("99999999999999999999")[:1+r.IntN(19)]...)
	}
	return data
}

// TestHostile: sizes that are claimed and not there, nesting without end, and numbers beyond all.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, text := range []string{
		"\x80\x04}(\x8d\xff\xff\xff\xff\xff\xff\xff\x7fsegments", "\x80\x04}(X\xff\xff\xff\xffsegments", "\x80\x04\x8b\xff\xff\xff\xff", "\x80\x04\x8a\xff",
		"\x80\x04}r\xff\xff\xff\xff.", "\x80\x04}j\xff\xff\xff\xff.", "\x80\x04" + strings.Repeat("](", 1<<18), "\x80\x04" + strings.Repeat("}(", 1<<18),
		"\x80\x04" + strings.Repeat("K\x01", 1<<21), "\x80\x04u", "\x80\x04(u", "\x80\x04K\x01(K\x01u.", "\x80\x04a", "\x80\x04](a", "\x80\x04s", "\x80\x040", "\x80\x041", "\x80\x04\x94", "\x80\x04p\n", "\x80\x04g1\n",
		deep, `{"segments":` + deep, `{"traceEvents":` + deep, `{"a":` + deep, strings.Repeat(`{"a":`, 1<<18), `{"segments": [1e999, -99999999999999999999, NaN, "\ud800"]}`,
		`[[9223372036854775807, 2, 9223372036854775807, 0], [0, 2, 9223372036854775807, 0], [1, 2, -9223372036854775807, 0]]`,
	} {
		for _, f := range formats {
			hold(t, f.decode, []byte(text))
		}
	}
}

// TestStacksInPieces: a stack that grows frame by frame would be kept once for each of its lengths.
func TestStacksInPieces(t *testing.T) {
	var w bytes.Buffer
	p := newPickler(&w)
	p.dict(func() {
		p.text("segments")
		p.op(opEmptyList)
		frame := p.frame("f", "f.py", 1)
		for range 100_000 {
			p.get(frame)
			p.op(opAppend)
		}
	})
	p.stop()
	in, err := source.NewInput("x", &w)
	if err != nil {
		t.Fatal(err)
	}
	if err := DecodeSnapshot(in, table.NewBuilder("x", "x")); err == nil {
		t.Error("want an error")
	}
}
