package walk_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	_ "github.com/memtide/memtide/report/internal/golden" // takes -update
	"github.com/memtide/memtide/report/internal/walk"
)

type word string

type inner struct {
	Name string
	P    *float64
	hide string
}

type outer struct {
	Kind  word
	Text  string
	List  []inner
	Map   map[string]float64
	Next  *inner
	N     int
	Nums  []float64
	Empty []string
}

func sample() outer {
	nan, one := math.NaN(), 1.0
	return outer{Kind: "leak", Text: "leak", List: []inner{{"a", &nan, "x"}, {"b", &one, "y"}}, Map: map[string]float64{"k": 1, "nan": nan},
		Next: &inner{Name: "c"}, N: 7, Nums: []float64{1, 2, math.Inf(1), 4}}
}

func TestStrings(t *testing.T) {
	var seen []string
	got := walk.Copy(sample(), walk.Editor{String: func(s string) string { seen = append(seen, s); return strings.ToUpper(s) }})
	if got.Kind != "leak" || got.Text != "LEAK" || got.List[1].Name != "B" || got.Next.Name != "C" || got.Map["K"] != 1 || got.N != 7 || got.List[0].hide != "" {
		t.Errorf("%+v", got)
	}
	if want := "leak a b k nan c"; strings.Join(seen, " ") != want {
		t.Errorf("order %q, want %q", strings.Join(seen, " "), want)
	}
	if got.Empty != nil {
		t.Error("a list that was nil is not")
	}
}

func TestFinite(t *testing.T) {
	got := walk.Copy(sample(), walk.Editor{Finite: true})
	if got.List[0].P != nil || *got.List[1].P != 1 || !reflect.DeepEqual(got.Map, map[string]float64{"k": 1}) ||
		!reflect.DeepEqual(got.Nums, []float64{1, 2}) || got.Empty == nil {
		t.Errorf("%+v", got)
	}
}

func TestCopyIsDeep(t *testing.T) {
	from := sample()
	got := walk.Copy(from, walk.Editor{})
	got.List[1].Name, *got.List[1].P, got.Map["k"], got.Next.Name = "z", 9, 9, "z"
	if from.List[1].Name != "b" || *from.List[1].P != 1 || from.Map["k"] != 1 || from.Next.Name != "c" {
		t.Errorf("the original was changed: %+v", from)
	}
}

// A field of which more is known has an editor of its own, lists in it too; without one it keeps its strings.
func TestFields(t *testing.T) {
	type inner struct{ Name, Kind string }
	type outer struct {
		Names []string
		Other string
		Inner inner
	}
	upper := func(text string) string { return "<" + text + ">" }
	got := walk.Copy(outer{[]string{"a", "b"}, "c", inner{"d", "e"}}, walk.Editor{String: upper,
		Fields: map[string]func(string) string{"outer.Names": func(string) string { return "x" }, "inner.Kind": nil}})
	if want := (outer{[]string{"x", "x"}, "<c>", inner{"<d>", "e"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
