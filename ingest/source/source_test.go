package source

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPositions(t *testing.T) {
	for want, p := range map[string]Pos{"a": {"a", 0, 0}, "a:3": {"a", 3, 0}, "a:3:7": {"a", 3, 7}} {
		if p.String() != want {
			t.Errorf("%v, want %s", p, want)
		}
	}
	err := Errorf(Pos{"a", 3, 7}, "want %d", 5)
	if e := new(Error); !errors.As(err, &e) || err.Error() != "a:3:7: want 5" || e.Line != 3 {
		t.Error(err)
	}
}

func TestProblems(t *testing.T) {
	var ps Problems
	ps.Add(Pos{"a", 9, 1}, "late")
	for i := range 3 {
		ps.Count(Pos{"a", 2 + i, 1}, "unknown field %q", "X")
	}
	ps.Add(Pos{"a", 1, 0}, "early")
	var got []string
	for _, p := range ps.List() {
		got = append(got, p.String())
	}
	want := []string{"a:1: early", `a:2:1: unknown field "X" (3 times)`, "a:9:1: late"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestProblemsBound: a file of bad lines gives a short list that still counts them all.
func TestProblemsBound(t *testing.T) {
	var ps Problems
	ps.Count(Pos{"a", 1, 0}, "often")
	for i := range 5000 {
		ps.Add(Pos{"a", 10 + i, 0}, "problem %d", i)
		ps.Count(Pos{"a", 10 + i, 0}, "often")
		ps.Count(Pos{"a", 10 + i, 0}, "new %d", i)
	}
	list, n := ps.List(), 0
	for _, p := range list {
		n += p.Count
	}
	if len(list) != maxProblems+1 || n != 1+3*5000 {
		t.Errorf("%d problems with %d counts", len(list), n)
	}
	if last := list[len(list)-1]; last.Line == 0 || !strings.Contains(last.Message, "not listed") {
		t.Errorf("last: %v", last)
	}
}

func TestInput(t *testing.T) {
	text := strings.Repeat("0123456789", HeadSize/4)
	in := input(t, strings.NewReader(text))
	if len(in.Head) != HeadSize {
		t.Errorf("head of %d bytes", len(in.Head))
	}
	all, err := io.ReadAll(in.Reader())
	if err != nil || string(all) != text {
		t.Errorf("%d bytes of %d, %v", len(all), len(text), err)
	}
	if in.At(2, 3) != (Pos{"x", 2, 3}) {
		t.Error(in.At(2, 3))
	}
	broken := errors.New("broken")
	if _, err := NewInput("x", io.MultiReader(strings.NewReader("abc"), errReader{broken})); err != broken {
		t.Errorf("error of the reader: %v", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
