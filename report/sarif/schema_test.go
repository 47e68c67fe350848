package sarif_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// holder is a public module that carries the OASIS schema (errata 01) as a string; only that string is used, and
// nothing of it is linked or kept.
const (
	holder     = "github.com/owenrumney/go-sarif/v3@v3.3.1"
	holderFile = "pkg/report/v210/sarif/schema.go"
)

// loadSchema fetches the schema of SARIF 2.1.0, or skips the test where there is no network and no module cache.
func loadSchema(t *testing.T) *schema {
	t.Helper()
	c := exec.Command("go", "mod", "download", "-json", holder)
	c.Dir = t.TempDir()
	out, err := c.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil || module.Dir == "" {
		t.Skipf("the schema cannot be had here (go mod download %s: %v); the rules written down in this package are tested", holder, err)
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(holderFile)))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("`"))
	text = text[:bytes.LastIndexByte(text, '`')]
	s := &schema{patterns: map[string]*regexp.Regexp{}}
	if err := json.Unmarshal(text, &s.root); err != nil {
		t.Fatal(err)
	}
	if id := s.root["id"]; id != "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json" {
		t.Fatalf("another schema: %v", id)
	}
	return s
}

// schema validates by those keywords of JSON Schema draft 4 that the schema of SARIF uses; any other is a fault.
type schema struct {
	root     map[string]any
	patterns map[string]*regexp.Regexp
}

type object = map[string]any

var silent = []string{"description", "title", "default", "id", "$schema", "definitions"}

func (s *schema) validate(text []byte) []string {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return []string{err.Error()}
	}
	return s.check("$", s.root, v)
}

func (s *schema) check(at string, rule object, v any) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(rule)) {
		if slices.Contains(silent, key) {
			continue
		}
		k, known := keywords[key]
		if !known {
			out = append(out, at+": the schema uses "+key)
			continue
		}
		out = append(out, k(s, at, rule, rule[key], v)...)
	}
	return out
}

func fault(ok bool, at, format string, args ...any) []string {
	if ok {
		return nil
	}
	return []string{at + ": " + fmt.Sprintf(format, args...)}
}

type keyword func(s *schema, at string, rule object, want, v any) []string

var keywords map[string]keyword

// TestMain fills the table, which refers to itself.
func TestMain(m *testing.M) {
	keywords = map[string]keyword{
		"$ref": func(s *schema, at string, _ object, want, v any) []string {
			name := strings.TrimPrefix(want.(string), "#/definitions/")
			return s.check(at, s.root["definitions"].(object)[name].(object), v)
		},
		"type": func(_ *schema, at string, _ object, want, v any) []string {
			types, many := want.([]any)
			if !many {
				types = []any{want}
			}
			return fault(slices.ContainsFunc(types, func(t any) bool { return is(t.(string), v) }), at, "%T is no %v", v, want)
		},
		"enum": func(_ *schema, at string, _ object, want, v any) []string {
			return fault(slices.ContainsFunc(want.([]any), func(w any) bool { return reflect.DeepEqual(w, v) }), at, "%v is none of %v", v, want)
		},
		"required":             required,
		"properties":           properties,
		"additionalProperties": additional,
		"items":                items,
		"uniqueItems":          unique,
		"minItems": func(_ *schema, at string, _ object, want, v any) []string {
			list, ok := v.([]any)
			return fault(!ok || float64(len(list)) >= want.(float64), at, "%d items, want %v", len(list), want)
		},
		"minimum": func(_ *schema, at string, _ object, want, v any) []string {
			n, ok := v.(float64)
			return fault(!ok || n >= want.(float64), at, "%v is below %v", v, want)
		},
		"maximum": func(_ *schema, at string, _ object, want, v any) []string {
			n, ok := v.(float64)
			return fault(!ok || n <= want.(float64), at, "%v is above %v", v, want)
		},
		"pattern": func(s *schema, at string, _ object, want, v any) []string {
			text, ok := v.(string)
			return fault(!ok || s.pattern(want.(string)).MatchString(text), at, "%q does not match %v", v, want)
		},
		"format": format,
		"anyOf":  someOf(func(n int) bool { return n > 0 }),
		"oneOf":  someOf(func(n int) bool { return n == 1 }),
	}
	os.Exit(m.Run())
}

func (s *schema) pattern(p string) *regexp.Regexp {
	if s.patterns[p] == nil {
		s.patterns[p] = regexp.MustCompile(p)
	}
	return s.patterns[p]
}

func is(kind string, v any) bool {
	n, number := v.(float64)
	switch kind {
	case "object":
		_, ok := v.(object)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "null":
		return v == nil
	case "integer":
		return number && n == float64(int64(n))
	}
	return number && kind == "number"
}

func required(_ *schema, at string, _ object, want, v any) []string {
	o, ok := v.(object)
	var out []string
	for _, name := range want.([]any) {
		_, has := o[name.(string)]
		out = append(out, fault(!ok || has, at, "no %v", name)...)
	}
	return out
}

func properties(s *schema, at string, _ object, want, v any) []string {
	o, _ := v.(object)
	var out []string
	for name, rule := range want.(object) {
		if value, has := o[name]; has {
			out = append(out, s.check(at+"."+name, rule.(object), value)...)
		}
	}
	return out
}

func additional(s *schema, at string, rule object, want, v any) []string {
	o, _ := v.(object)
	named, _ := rule["properties"].(object)
	var out []string
	for name, value := range o {
		if _, known := named[name]; known {
			continue
		}
		if allowed, plain := want.(bool); plain {
			out = append(out, fault(allowed, at, "unknown member %s", name)...)
			continue
		}
		out = append(out, s.check(at+"."+name, want.(object), value)...)
	}
	return out
}

func items(s *schema, at string, _ object, want, v any) []string {
	list, _ := v.([]any)
	var out []string
	for i, item := range list {
		out = append(out, s.check(fmt.Sprintf("%s[%d]", at, i), want.(object), item)...)
	}
	return out
}

func unique(_ *schema, at string, _ object, want, v any) []string {
	list, _ := v.([]any)
	seen := map[string]bool{}
	for _, item := range list {
		text, _ := json.Marshal(item)
		if want == true && seen[string(text)] {
			return fault(false, at, "%s twice", text)
		}
		seen[string(text)] = true
	}
	return nil
}

func format(_ *schema, at string, _ object, want, v any) []string {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	u, err := url.Parse(text)
	switch want {
	case "uri":
		return fault(err == nil && u.IsAbs(), at, "%q is no URI: %v", text, err)
	case "uri-reference":
		return fault(err == nil && !strings.ContainsAny(text, " \\^`{}|\"<>"), at, "%q is no reference: %v", text, err)
	}
	return fault(false, at, "format %v is not known here", want)
}

func someOf(enough func(int) bool) keyword {
	return func(s *schema, at string, _ object, want, v any) []string {
		n := 0
		for _, rule := range want.([]any) {
			if len(s.check(at, rule.(object), v)) == 0 {
				n++
			}
		}
		return fault(enough(n), at, "%d alternatives fit", n)
	}
}
