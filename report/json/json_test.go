package json_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	_ "github.com/memtide/memtide/report/internal/golden" // takes -update
	reportjson "github.com/memtide/memtide/report/json"
)

func render(t *testing.T, r *analyze.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := reportjson.Render(&b, report.New(r, report.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	first := render(t, example.Compare())
	var back analyze.Result
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(first), string(render(t, &back))); diff != "" {
		t.Errorf("not the same after reading it back (-first +second):\n%s", diff)
	}
	if *back.Deltas[0].Shift != *example.Compare().Deltas[0].Shift || back.Findings[0].Advice == "" {
		t.Error("values were lost")
	}
}

func TestEmptyListsAreLists(t *testing.T) {
	got := string(render(t, nil))
	for _, want := range []string{`"inputs": []`, `"series": []`, `"findings": []`, `"deltas": []`, `"problems": []`, `"warnings": []`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if !strings.Contains(string(render(t, &analyze.Result{Findings: []analyze.Finding{{}}})), `"evidence": []`) {
		t.Error("a finding without evidence has no list")
	}
}

func TestWhatIsNoNumberIsNull(t *testing.T) {
	r := &analyze.Result{Deltas: []analyze.Delta{{Shift: example.Of(math.NaN()), Before: analyze.Level{Values: []float64{1, math.Inf(1), 3}}}},
		Findings: []analyze.Finding{{Stats: map[string]float64{"p": math.NaN(), "growth": 1}}}}
	var back analyze.Result
	if err := json.Unmarshal(render(t, r), &back); err != nil {
		t.Fatal(err)
	}
	if back.Deltas[0].Shift != nil || len(back.Deltas[0].Before.Values) != 1 || len(back.Findings[0].Stats) != 1 {
		t.Errorf("%+v %+v", back.Deltas[0], back.Findings[0])
	}
	if !math.IsNaN(*r.Deltas[0].Shift) {
		t.Error("the original was changed")
	}
	render(t, example.Hostile())
}

func TestGzip(t *testing.T) {
	var a, b bytes.Buffer
	doc := report.New(example.Compare(), report.Options{})
	for _, w := range []io.Writer{&a, &b} {
		if err := reportjson.RenderGzip(w, doc); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two writings differ")
	}
	z, err := gzip.NewReader(&a)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || !bytes.Equal(plain, render(t, example.Compare())) || !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("%v, time %v, name %q, %d bytes", err, z.ModTime, z.Name, len(plain))
	}
}
