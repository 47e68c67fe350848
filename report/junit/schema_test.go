package junit_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// shape is what junit-10.xsd (Jenkins' xUnit plugin) says of an element, made stricter where the schema of Ant's JUnit
// task is: the order of the children, types of attributes, texts that are tokens.
type shape struct {
	children   []string // in their order
	required   []string
	optional   []string
	token      []string // attributes: not empty, no space at the ends, none twice
	number     []string // attributes
	text, once bool     // text is allowed; a child may be there once only
}

var shapes = map[string]shape{
	"testsuites": {children: []string{"testsuite"}, optional: []string{"name", "time", "tests", "failures", "errors"}, number: []string{"tests", "failures", "errors"}},
	"testsuite": {children: []string{"properties", "testcase", "system-out", "system-err"}, required: []string{"name", "tests", "failures", "errors"},
		optional: []string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"}, token: []string{"name"},
		number: []string{"tests", "failures", "errors", "skipped", "id"}},
	"properties": {children: []string{"property"}},
	"property":   {required: []string{"name", "value"}, token: []string{"name"}},
	"testcase": {children: []string{"skipped", "error", "failure", "system-out", "system-err"}, required: []string{"name", "classname"}, optional: []string{"time", "group"},
		token: []string{"name", "classname"}, once: true},
	"skipped":    {optional: []string{"type", "message"}, text: true},
	"error":      {required: []string{"type"}, optional: []string{"message"}, text: true},
	"failure":    {required: []string{"type"}, optional: []string{"message"}, text: true},
	"system-out": {text: true},
	"system-err": {text: true},
}

// element is a parsed element.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	text     string
}

func parse(text string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	root := &element{name: "document"}
	open := []*element{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{name: t.Name.Local, attrs: map[string]string{}}
			for _, a := range t.Attr {
				if _, twice := e.attrs[a.Name.Local]; twice {
					return nil, fmt.Errorf("%s has %s twice", e.name, a.Name.Local)
				}
				e.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(t)
		}
	}
}

// check lists what is wrong with a document.
func check(text string) []string {
	root, err := parse(text)
	if err != nil {
		return []string{err.Error()}
	}
	if len(root.children) != 1 || root.children[0].name != "testsuites" {
		return []string{"the root is not testsuites"}
	}
	faults := root.children[0].faults()
	for _, s := range root.children[0].children {
		faults = append(faults, s.counts()...)
	}
	return faults
}

func (e *element) faults() []string {
	s, known := shapes[e.name]
	if !known {
		return []string{"unknown element " + e.name}
	}
	out := e.attributes(s)
	at := 0
	seen := map[string]bool{}
	for _, c := range e.children {
		i := slices.Index(s.children, c.name)
		if i < at {
			out = append(out, fmt.Sprintf("%s in %s is out of place", c.name, e.name))
		}
		if at = i; s.once && seen[c.name] {
			out = append(out, fmt.Sprintf("%s in %s twice", c.name, e.name))
		}
		seen[c.name] = true
		out = append(out, c.faults()...)
	}
	if !s.text && strings.TrimSpace(e.text) != "" {
		out = append(out, e.name+" has text")
	}
	return out
}

func (e *element) attributes(s shape) []string {
	var out []string
	for _, name := range s.required {
		if _, ok := e.attrs[name]; !ok {
			out = append(out, e.name+" has no "+name)
		}
	}
	for name, value := range e.attrs {
		if !slices.Contains(s.required, name) && !slices.Contains(s.optional, name) {
			out = append(out, e.name+" may not have "+name)
		}
		if slices.Contains(s.token, name) && (value == "" || strings.Join(strings.Fields(value), " ") != value) {
			out = append(out, fmt.Sprintf("%s %s %q is no token", e.name, name, value))
		}
		if n, err := strconv.Atoi(value); slices.Contains(s.number, name) && (err != nil || n < 0) {
			out = append(out, fmt.Sprintf("%s %s %q is no number", e.name, name, value))
		}
	}
	return out
}

// counts holds the totals of a suite against its cases.
func (e *element) counts() []string {
	have := map[string]int{}
	for _, c := range e.children {
		if c.name == "testcase" {
			have["tests"]++
			for _, outcome := range c.children {
				have[map[string]string{"failure": "failures", "error": "errors", "skipped": "skipped"}[outcome.name]]++
			}
		}
	}
	var out []string
	for _, name := range []string{"tests", "failures", "errors", "skipped"} {
		if e.attrs[name] != strconv.Itoa(have[name]) {
			out = append(out, fmt.Sprintf("%s says %s %s, has %d", e.attrs["name"], name, e.attrs[name], have[name]))
		}
	}
	return out
}
