package policy

import (
	"bytes"
	"encoding/json"
)

// schema is the part of JSON Schema (draft 2020-12) that a policy needs. Fields are in the order in which they are written.
type schema struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        any        `json:"type,omitempty"`
	Const       any        `json:"const,omitempty"`
	Enum        []any      `json:"enum,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Minimum     *int       `json:"minimum,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Additional  *bool      `json:"additionalProperties,omitempty"`
}

// properties are written in the order of the table of keys.
type properties []property

type property struct {
	key string
	of  schema
}

// MarshalJSON writes the properties as an object.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(one.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.of)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// JSONSchema is the JSON Schema of policy files, for editors: what the parser takes, and why each key is there. The parser
// refuses more: rules that contradict each other, units that do not fit the metric.
func JSONSchema() ([]byte, error) {
	top := mapping(topKeys)
	top.Schema, top.ID, top.Title = "https://json-schema.org/draft/2020-12/schema", "memtide-policy-1", "memtide policy"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(top)
	return b.Bytes(), err
}

func mapping(fields []field) schema {
	closed := false
	s := schema{Type: "object", Additional: &closed}
	for _, f := range fields {
		s.Properties = append(s.Properties, property{f.key, of(f)})
		if f.required {
			s.Required = append(s.Required, f.key)
		}
	}
	return s
}

func of(f field) schema {
	var s schema
	switch {
	case f.list:
		items := mapping(f.fields)
		s = schema{Type: "array", Items: &items}
	case f.kind == nil:
		s = mapping(f.fields)
	default:
		s = f.kind.schema()
	}
	s.Description = f.doc
	return s
}

func (k *kind) schema() schema {
	switch {
	case k == one:
		return schema{Const: 1}
	case k == onOff:
		return schema{Enum: []any{true, false, "on", "off"}}
	case len(k.words) > 0:
		var words []any
		for _, w := range k.words {
			words = append(words, w)
		}
		return schema{Enum: words}
	case k == whole:
		least := 1
		return schema{Type: "integer", Minimum: &least}
	}
	s := schema{Type: "string", Pattern: "^(" + k.pattern + ")$"}
	if k.number {
		s.Type = []string{"string", "number"}
	}
	return s
}
