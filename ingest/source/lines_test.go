package source

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func input(t testing.TB, r io.Reader) *Input {
	t.Helper()
	in, err := NewInput("x", r)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func lines(t testing.TB, r io.Reader) (out []string, l *Lines) {
	l = NewLines(input(t, r))
	for l.Scan() {
		out = append(out, string(l.Bytes()))
		if l.Line() != len(out) {
			t.Errorf("line %d is numbered %d", len(out), l.Line())
		}
	}
	return out, l
}

func TestLines(t *testing.T) {
	long := strings.Repeat("0123456789", 300_000)
	for _, c := range []struct {
		text  string
		want  []string
		ended bool
	}{
		{"", nil, false},
		{"\n", []string{""}, true},
		{"a", []string{"a"}, false},
		{"a\n", []string{"a"}, true},
		{"a\nb", []string{"a", "b"}, false},
		{"a\r\nb\r\n", []string{"a", "b"}, true},
		{"a\r\r\n\r\nb\r", []string{"a", "", "b"}, false},
		{"a\rb\n", []string{"a\rb"}, true},
		{"\x00\xff\n\n\n", []string{"\x00\xff", "", ""}, true},
		{long + "\n" + long + "\r\nend", []string{long, long, "end"}, false},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(c.text), "bytewise": iotest.OneByteReader(strings.NewReader(c.text)),
			"with EOF": iotest.DataErrReader(strings.NewReader(c.text))} {
			if name == "bytewise" && len(c.text) > 1000 {
				continue
			}
			got, l := lines(t, r)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s %.20q: %d lines, want %d", name, c.text, len(got), len(c.want))
			}
			if len(got) > 0 && l.Ended() != c.ended {
				t.Errorf("%s %.20q: ended %v, want %v", name, c.text, l.Ended(), c.ended)
			}
			if l.Err() != nil || l.in.LongLine != 0 {
				t.Errorf("%s %.20q: %v, long line %d", name, c.text, l.Err(), l.in.LongLine)
			}
		}
	}
}

// TestLinesAtBufferEnds moves a line end over every place near the ends of the buffer.
func TestLinesAtBufferEnds(t *testing.T) {
	for _, around := range []int{4096, HeadSize, 2 * HeadSize, chunkSize} {
		for n := around - 3; n <= around+3; n++ {
			text := strings.Repeat("a", n) + "\r\n" + "b\n" + strings.Repeat("c", n)
			got, _ := lines(t, strings.NewReader(text))
			if !slices.Equal(got, []string{text[:n], "b", text[n+4:]}) {
				t.Errorf("line of %d: wrong", n)
			}
		}
	}
}

// endless gives n bytes without a line end, then rest.
func endless(n int64, rest string) io.Reader {
	return io.MultiReader(io.LimitReader(repeat('x'), n), strings.NewReader(rest))
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func TestLinesBound(t *testing.T) {
	in := input(t, endless(maxLine+5<<20, "\nafter\nend"))
	l := NewLines(in)
	if !l.Scan() || len(l.Bytes()) != maxLine || !l.Ended() {
		t.Fatalf("first line has %d bytes, want %d", len(l.Bytes()), maxLine)
	}
	if in.LongLine != 1 {
		t.Errorf("long line %d, want 1", in.LongLine)
	}
	for i, want := range []string{"after", "end"} {
		if !l.Scan() || string(l.Bytes()) != want || l.Line() != i+2 {
			t.Errorf("line %d: %.20q, want %q", l.Line(), l.Bytes(), want)
		}
	}
	if l.Scan() || l.Err() != nil {
		t.Errorf("more behind the end, or %v", l.Err())
	}
	if len(l.buf) > maxLine+2*chunkSize {
		t.Errorf("buffer of %d bytes", len(l.buf))
	}
}

func TestLinesErrors(t *testing.T) {
	broken := errors.New("broken")
	got, l := lines(t, io.MultiReader(strings.NewReader(strings.Repeat("a\n", HeadSize)), iotest.ErrReader(broken)))
	if len(got) != HeadSize || l.Err() != broken {
		t.Errorf("%d lines, %v", len(got), l.Err())
	}
	_, l = lines(t, io.MultiReader(strings.NewReader(strings.Repeat("a\n", HeadSize)), idle{}))
	if l.Err() != io.ErrNoProgress {
		t.Errorf("an input that gives nothing: %v", l.Err())
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestAhead: whole lines taken from what is ahead count, and the rest goes on behind them.
func TestAhead(t *testing.T) {
	l := NewLines(input(t, strings.NewReader("one\ntwo\nthree\nfour\nfive")))
	l.Scan()
	if n := bytes.IndexByte(l.Ahead(), 'f'); n != len("two\nthree\n") {
		t.Fatalf("ahead %q", l.Ahead())
	}
	l.Skip(len("two\nthree\n"), 2)
	for _, want := range []struct {
		text string
		line int
	}{{"four", 4}, {"five", 5}} {
		if !l.Scan() || string(l.Bytes()) != want.text || l.Line() != want.line || l.Pos(3) != (Pos{"x", want.line, 3}) {
			t.Errorf("%q at %v, want %v", l.Bytes(), l.Pos(3), want)
		}
	}
}

func TestSkippedLinesOfASection(t *testing.T) {
	in := input(t, strings.NewReader("a\nb"))
	in.Skip = 41
	l := NewLines(in)
	l.Scan()
	if l.Line() != 42 {
		t.Errorf("line %d, want 42", l.Line())
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 3)
	f.Fuzz(func(t *testing.T, text []byte, chunk int) {
		chunk = 1 + chunk&0xff
		var joined []string
		l := NewLines(input(t, &chunked{text, chunk}))
		for l.Scan() {
			joined = append(joined, string(l.Bytes()))
		}
		want := strings.Split(string(text), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		for i := range want {
			want[i] = strings.TrimRight(want[i], "\r")
		}
		if !slices.Equal(joined, want) {
			t.Errorf("%q, want %q", joined, want)
		}
	})
}

type chunked struct {
	text  []byte
	chunk int
}

func (c *chunked) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), c.chunk)], c.text)
	c.text = c.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
