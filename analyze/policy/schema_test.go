package policy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/memtide/memtide/analyze/policy"
)

var update = flag.Bool("update", false, "rewrite docs/policy.schema.json")

const docs = "../../docs/"

func TestSchemaIsInStep(t *testing.T) {
	want, err := policy.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(docs+"policy.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(docs + "policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), string(want)); diff != "" {
		t.Errorf("docs/policy.schema.json is out of step with the parser; if the change is meant: make golden\n%s", diff)
	}
}

// examples are the policies that docs/policy.md shows: its yaml blocks, and the one that uses every key.
func examples(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(docs + "policy.md")
	if err != nil {
		t.Fatal(err)
	}
	out := []string{full}
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	if len(out) < 8 {
		t.Fatalf("%d examples in docs/policy.md", len(out)-1)
	}
	return out
}

func TestExamplesParseAndFitTheSchema(t *testing.T) {
	schema := schemaOf(t)
	for _, text := range examples(t) {
		if !strings.Contains(text, "version: 1") {
			text = "version: 1\n" + text
		}
		p, err := policy.Parse("example.yaml", []byte(text))
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if len(p.Warnings()) > 0 {
			t.Errorf("%q\n%s", p.Warnings(), text)
		}
		for _, fault := range validate(schema, generic(t, text), "") {
			t.Errorf("schema: %s\n%s", fault, text)
		}
	}
}

// What the parser refuses for its form, the schema refuses too; what takes an understanding of the whole is the parser's alone.
func TestSchemaRefusesWhatTheParserRefuses(t *testing.T) {
	schema := schemaOf(t)
	beyond := []string{"stands in line", "contradicts line", "min is not below", "neither max nor min", "comes first", "built-in red line", "built_in is off", "always crossed",
		"more than one of", "name needs", "live_count is a count", "kv_usage is in ppm", "rss is in bytes", "more than any memory", "stands here and in line", "is one document",
		"anchor", "no YAML", "is empty", "tolerates nothing", "want absolute, relative", "want a date"}
	for _, c := range strict {
		if slices.ContainsFunc(beyond, func(b string) bool { return strings.Contains(c.want, b) }) {
			continue
		}
		if text := strings.Replace(c.text, "∑", "", 1); len(validate(schema, generic(t, text), "")) == 0 {
			t.Errorf("%s: the schema takes\n%s", c.name, text)
		}
	}
}

func schemaOf(t *testing.T) map[string]any {
	t.Helper()
	text, err := policy.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// generic reads YAML as an editor does.
func generic(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	js, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(js, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// validate knows as much of JSON Schema as policy files need.
func validate(s map[string]any, v any, path string) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, path+": "+fmt.Sprintf(format, args...)) }
	if want, ok := s["const"]; ok && !reflect.DeepEqual(want, v) {
		fault("%v is not %v", v, want)
	}
	if list, ok := s["enum"].([]any); ok && !slices.ContainsFunc(list, func(w any) bool { return reflect.DeepEqual(w, v) }) {
		fault("%v is none of %v", v, list)
	}
	if !isOf(s["type"], v) {
		fault("%v is no %v", v, s["type"])
		return faults
	}
	switch v := v.(type) {
	case string:
		if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
			fault("%q does not fit %s", v, p)
		}
	case float64:
		if least, ok := s["minimum"].(float64); ok && v < least {
			fault("%v is below %v", v, least)
		}
	case []any:
		for i, one := range v {
			faults = append(faults, validate(s["items"].(map[string]any), one, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case map[string]any:
		properties := s["properties"].(map[string]any)
		for key, one := range v {
			if p, ok := properties[key].(map[string]any); ok {
				faults = append(faults, validate(p, one, path+"."+key)...)
			} else {
				fault("unknown key %s", key)
			}
		}
		required, _ := s["required"].([]any)
		for _, key := range required {
			if _, ok := v[key.(string)]; !ok {
				fault("%s is missing", key)
			}
		}
	}
	return faults
}

func isOf(want, v any) bool {
	name := map[bool]string{true: "object"}[reflect.ValueOf(v).Kind() == reflect.Map]
	switch v := v.(type) {
	case string:
		name = "string"
	case []any:
		name = "array"
	case float64:
		name = "number"
		if v == float64(int64(v)) && want == "integer" {
			name = "integer"
		}
	}
	if list, ok := want.([]any); ok {
		return slices.Contains(list, any(name))
	}
	return want == nil || want == name
}
