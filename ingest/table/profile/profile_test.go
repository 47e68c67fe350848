package profile_test

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/ingest/table/profile"
)

// chain is "root;…;leaf" as calls, leaf first.
func chain(text string) iter.Seq[*table.Call] {
	var out []table.Call
	for i, f := range strings.Split(text, ";") {
		out = append(out, table.Call{ID: int64(i + 1), Function: f, Module: "app", SourceFile: f + ".c", SourceLine: table.Known(int64(10 + i))})
	}
	slices.Reverse(out)
	return calls(out...)
}

func calls(list ...table.Call) iter.Seq[*table.Call] {
	return func(yield func(*table.Call) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

func values(v ...int64) (out [profile.NumTypes]table.Int) {
	for i, x := range v {
		out[i] = table.Known(x)
	}
	return out
}

// example has two chains that share a caller, one with a kind and device, and one of which no objects are known.
func example() *profile.Profile {
	return &profile.Profile{Name: "run", Process: "app", TimeNanos: table.Known(1.7e18), Samples: []profile.Sample{
		{Process: "app", Calls: chain("main;work;make"), Values: values(100, 2)},
		{Process: "app", Calls: chain("main;work"), Values: values(50, 1), Kind: "buffer", Device: "1"},
		{Process: "app", Calls: calls(table.Call{Address: 0xabc0, HasAddress: true}, table.Call{Module: "libz.so"}), Values: values(7)},
	}}
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPprof(t *testing.T) {
	text := written(t, example().Pprof)
	if again := written(t, example().Pprof); again != text {
		t.Error("the same profile gives other bytes")
	}
	p, err := pprof.ParseData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.SampleType) != 2 || p.SampleType[0].Type != "inuse_space" || p.SampleType[0].Unit != "bytes" || p.SampleType[1].Type != "inuse_objects" || p.TimeNanos != 1.7e18 || p.DefaultSampleType != "inuse_space" {
		t.Errorf("types %v %v, default %q, time %d", p.SampleType[0], p.SampleType[1], p.DefaultSampleType, p.TimeNanos)
	}
	if len(p.Comments) != 1 || !strings.HasPrefix(p.Comments[0], "inuse_objects is not known of 1 of 3 stacks") {
		t.Errorf("comments %q", p.Comments)
	}
	if len(p.Sample) != 3 || len(p.Location) != 5 || len(p.Function) != 5 || p.Mapping[0].File != "app" || p.Mapping[1].File != "libz.so" {
		t.Fatalf("%d samples, %d locations, %d functions", len(p.Sample), len(p.Location), len(p.Function))
	}
	s := p.Sample[1]
	line := s.Location[0].Line[0]
	if s.Value[0] != 50 || s.Value[1] != 1 || s.Label["kind"][0] != "buffer" || s.Label["device"][0] != "1" || s.Label["process"] != nil || line.Function.Name != "work" || line.Function.Filename != "work.c" || line.Line != 11 {
		t.Errorf("%+v, leaf %+v", s, line)
	}
	if l := p.Sample[2].Location; l[0].Address != 0xabc0 || l[0].Line[0].Function.Name != "0xabc0" || l[1].Line[0].Function.Name != "libz.so" || l[1].Mapping.File != "libz.so" {
		t.Errorf("nameless: %+v %+v", l[0], l[1])
	}
}

func TestFolded(t *testing.T) {
	p := example()
	p.Samples = append(p.Samples, profile.Sample{Calls: chain("main;work"), Process: "app", Values: values(1)}, profile.Sample{Process: "app", Values: values(9)},
		profile.Sample{Process: "app", Calls: calls(table.Call{Function: "f(La;\nb)"}), Values: values(3)}, profile.Sample{Process: "app", Calls: chain("nothing"), Values: values(0)})
	have := written(t, func(w io.Writer) error { return p.Folded(w, profile.InuseSpace) })
	want := "[libz.so];0xabc0 7\n[no stack] 9\ndevice 1;kind buffer;main;work 50\nf(La: b) 3\nmain;work 1\nmain;work;make 100\n"
	if have != want {
		t.Errorf("have\n%swant\n%s", have, want)
	}
	p.Samples[0].Values = values(-5)
	if err := p.Folded(io.Discard, profile.InuseSpace); err == nil || !strings.Contains(err.Error(), "-5 at main;work;make") {
		t.Errorf("below 0: %v", err)
	}
}

// Equal stacks are one line, added.
func TestFoldedAdds(t *testing.T) {
	p := &profile.Profile{Samples: []profile.Sample{{Calls: chain("a;b"), Values: values(1)}, {Calls: chain("a;b"), Values: values(2)}}}
	if have := written(t, func(w io.Writer) error { return p.Folded(w, profile.InuseSpace) }); have != "a;b 3\n" {
		t.Errorf("%q", have)
	}
}

// The file has what src/lib/file-format-spec.ts of speedscope asks for: as many weights as samples, which add up to the end, and
// numbers of frames that are there.
func TestSpeedscope(t *testing.T) {
	p := example()
	p.First = profile.InuseObjects
	var f struct {
		Schema string `json:"$schema"`
		Shared struct {
			Frames []struct {
				Name, File string
				Line       int
			}
		}
		Profiles []struct {
			Type, Name, Unit     string
			StartValue, EndValue int64
			Samples              [][]int
			Weights              []int64
		}
		ActiveProfileIndex int
	}
	text := written(t, p.Speedscope)
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != "https://www.speedscope.app/file-format-schema.json" || len(f.Profiles) != 2 || f.ActiveProfileIndex != 1 || f.Profiles[0].Unit != "bytes" || f.Profiles[1].Unit != "none" {
		t.Fatalf("%s", text)
	}
	for i, one := range f.Profiles {
		sum := int64(0)
		for k, stack := range one.Samples {
			sum += one.Weights[k]
			for _, n := range stack {
				if n < 0 || n >= len(f.Shared.Frames) {
					t.Errorf("frame %d of %d", n, len(f.Shared.Frames))
				}
			}
		}
		if one.Type != "sampled" || len(one.Weights) != len(one.Samples) || one.StartValue != 0 || sum != one.EndValue || sum != []int64{157, 3}[i] {
			t.Errorf("%s: %d samples, %d weights, %d to %d", one.Name, len(one.Samples), len(one.Weights), one.StartValue, one.EndValue)
		}
	}
	first := f.Profiles[0].Samples[0]
	if root, leaf := f.Shared.Frames[first[0]], f.Shared.Frames[first[len(first)-1]]; root.Name != "main" || leaf.Name != "make" || leaf.File != "make.c" || leaf.Line != 12 {
		t.Errorf("root %v, leaf %v", root, leaf)
	}
}

// Several processes are told apart in every form.
func TestProcesses(t *testing.T) {
	p := &profile.Profile{Samples: []profile.Sample{{Process: "x", Calls: chain("main"), Values: values(1)}, {Process: "y", Calls: chain("main"), Values: values(2)}}}
	if have := written(t, func(w io.Writer) error { return p.Folded(w, profile.InuseSpace) }); have != "process x;main 1\nprocess y;main 2\n" {
		t.Errorf("%q", have)
	}
	out, err := pprof.ParseData([]byte(written(t, p.Pprof)))
	if err != nil || out.Sample[1].Label["process"][0] != "y" {
		t.Errorf("%v %v", out, err)
	}
}
