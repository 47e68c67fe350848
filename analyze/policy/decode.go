package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// place is where something stands in the file.
type place struct{ line, column int }

// value is a scalar that was read as its kind says.
type value struct {
	of any
	at place
}

// object is a mapping: its scalars, its lists and mappings, and where it begins.
type object struct {
	at      place
	keys    map[string]place // all that stand there, also those with a faulty value
	scalars map[string]value
	objects map[string][]object
}

func (o object) has(key string) bool { _, ok := o.keys[key]; return ok }

// text is the string of a key, or a default.
func (o object) text(key, otherwise string) string {
	if v, ok := o.scalars[key]; ok {
		return v.of.(string)
	}
	return otherwise
}

// date is the zero time where the key is absent.
func (o object) date(key string) time.Time {
	if v, ok := o.scalars[key]; ok {
		return v.of.(time.Time)
	}
	return time.Time{}
}

func (o object) flag(key string, otherwise bool) bool {
	if v, ok := o.scalars[key]; ok {
		return v.of.(bool)
	}
	return otherwise
}

// decoder reads one policy file.
type decoder struct {
	file  string
	lines []string
	errs  Errors
}

// maxSize bounds a policy file: one that is larger was not written by a person, and the time of the parser is not linear.
const maxSize = 64 << 10

// document gives the top of the file, or false where there is none that could be read.
func (d *decoder) document(data []byte) (top ast.Node, ok bool) {
	if len(data) > maxSize {
		d.errorf(place{1, 1}, "a policy has at most %d bytes, this file has %d", maxSize, len(data))
		return nil, false
	}
	if p, deep := nested(d.lines); deep {
		d.errorf(p, "nested too deep: a policy has at most three levels")
		return nil, false
	}
	file, err := parse(data)
	var syntax yaml.Error
	switch {
	case errors.As(err, &syntax) && syntax.GetToken() != nil:
		d.errorf(at(syntax.GetToken()), "no YAML: %s", syntax.GetMessage())
		return nil, false
	case err != nil:
		d.errorf(place{1, 1}, "no YAML: %v", err)
		return nil, false
	}
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType:
		case top != nil:
			d.errorf(begin(doc.Body), "a policy is one document, this is a second one")
		default:
			top = doc.Body
		}
	}
	if top == nil {
		d.errorf(place{1, 1}, "the policy is empty; the least one is: version: 1")
	}
	return top, top != nil
}

// nested finds a place where brackets or list marks stand in each other by the hundred: the time that the parser takes grows
// with the square of that.
func nested(lines []string) (place, bool) {
	const most = 200
	depth := 0
	for i, line := range lines {
		for k, c := range []byte(line) {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth > most {
				return place{i + 1, k + 1}, true
			}
		}
		if strings.Count(line, "- ") > most {
			return place{i + 1, 1}, true
		}
	}
	return place{}, false
}

// parse guards against a parser that gives up by a panic on what is no YAML at all.
func parse(data []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

func at(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{1, 1}
	}
	return place{t.Position.Line, t.Position.Column}
}

// begin is where a node begins; of a mapping that is its first key.
func begin(n ast.Node) place {
	switch n := n.(type) {
	case nil:
		return place{1, 1}
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return begin(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return begin(n.Key)
	}
	return at(n.GetToken())
}

// object reads a mapping by its table.
func (d *decoder) object(n ast.Node, fields []field) object {
	o := object{at: begin(n), keys: map[string]place{}, scalars: map[string]value{}, objects: map[string][]object{}}
	pairs, ok := d.pairs(n)
	if !ok {
		d.errorf(o.at, "want keys and values, have %s", describe(n))
		return o
	}
	for _, pair := range pairs {
		key := keyOf(pair.Key)
		where := begin(pair.Key)
		if first, twice := o.keys[key]; twice {
			d.errorf(where, "key %q stands here and in line %d", key, first.line)
			continue
		}
		o.keys[key] = where
		f := find(fields, key)
		if f == nil {
			d.errorf(where, "unknown key %q%s", key, d.meant(key, fields))
			continue
		}
		d.field(&o, f, pair.Value, where)
	}
	for _, f := range fields {
		if f.required && !o.has(f.key) {
			d.errorf(o.at, "%q is missing: %s", f.key, wanted(&f))
		}
	}
	return o
}

func (d *decoder) pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func keyOf(n ast.MapKeyNode) string {
	if t := n.GetToken(); t != nil {
		return t.Value
	}
	return n.String()
}

func find(fields []field, key string) *field {
	for i := range fields {
		if fields[i].key == key {
			return &fields[i]
		}
	}
	return nil
}

// meant names the nearest key, or else all of them.
func (d *decoder) meant(key string, fields []field) string {
	if near := nearest(key, keysOf(fields)); near != "" {
		return near
	}
	return "; the keys here are " + strings.Join(keysOf(fields), ", ")
}

func wanted(f *field) string {
	switch {
	case f.list:
		return "a list"
	case f.kind == nil:
		return "keys and values"
	case len(f.kind.words) > 0:
		return "one of " + strings.Join(f.kind.words, ", ")
	}
	return f.kind.what
}

// field reads the value of one key.
func (d *decoder) field(o *object, f *field, n ast.Node, key place) {
	switch {
	case f.list:
		d.list(o, f, n, key)
	case f.kind == nil:
		o.objects[f.key] = []object{d.object(n, f.fields)}
	default:
		if v, ok := d.scalar(f, n, key); ok {
			o.scalars[f.key] = v
		}
	}
}

func (d *decoder) list(o *object, f *field, n ast.Node, key place) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		d.errorf(where(n, key), "%s: want a list, have %s", f.key, describe(n))
		return
	}
	for _, entry := range s.Values {
		o.objects[f.key] = append(o.objects[f.key], d.object(entry, f.fields))
	}
}

// where is the place of a value; one that is not there is at its key.
func where(n ast.Node, key place) place {
	if n == nil || n.Type() == ast.NullType {
		return key
	}
	return begin(n)
}

// scalar reads one value as its kind says. The text counts, not what YAML would make of it: a fingerprint may look like a number.
func (d *decoder) scalar(f *field, n ast.Node, key place) (value, bool) {
	p := where(n, key)
	text, ok := scalarText(n)
	if !ok {
		d.errorf(p, "%s: want %s, have %s", f.key, wanted(f), describe(n))
		return value{}, false
	}
	if words := f.kind.words; len(words) > 0 && !slices.Contains(words, text) {
		d.errorf(p, "%s: want %s, have %q%s", f.key, wanted(f), text, nearest(text, words))
		return value{}, false
	}
	if strings.TrimSpace(text) == "" {
		d.errorf(p, "%s: want %s, have nothing", f.key, wanted(f))
		return value{}, false
	}
	if f.kind.exact && !regexp.MustCompile(`^(`+f.kind.pattern+`)$`).MatchString(text) {
		d.errorf(p, "%s: want %s, have %q", f.key, wanted(f), text)
		return value{}, false
	}
	v, err := f.kind.parse(text)
	if err != nil {
		d.errorf(p, "%s: want %s: %v", f.key, wanted(f), err)
		return value{}, false
	}
	return value{v, p}, true
}

func scalarText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimRight(n.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// describe says what stands where something else was wanted.
func describe(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		return "an anchor, alias or tag, which a policy does not use"
	}
	if text, ok := scalarText(n); ok {
		return fmt.Sprintf("%q", text)
	}
	return "something else"
}
