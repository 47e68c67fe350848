package main

import (
	"strings"
	"testing"
)

const messages = `{"config": {"scanner_name": "govulncheck"}}
{"osv": {"id": "GO-1"}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.2.0", "trace": [{"module": "example.org/a", "version": "v1.0.0"}]}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.2.0", "trace": [{"module": "example.org/a", "version": "v1.0.0", "package": "example.org/a/p", "function": "F"}]}}
{"finding": {"osv": "GO-2", "fixed_version": "v1.26.9", "trace": [{"module": "stdlib", "version": "v1.26.8", "package": "net/http"}]}}
`

func TestReadAndJudge(t *testing.T) {
	found, err := read(strings.NewReader(messages))
	if err != nil || len(found) != 2 || found[0].depth != "called" || found[1].depth != "imported" {
		t.Fatalf("%v %v", found, err)
	}
	var b strings.Builder
	if err := judge(&b, found); err == nil || !strings.Contains(b.String(), "GO-1: example.org/a v1.0.0 (called): require at least v1.2.0") {
		t.Errorf("a module's fault passes: %v\n%s", err, b.String())
	}
	if err := judge(&b, found[1:]); err != nil {
		t.Errorf("a fault of the standard library breaks: %v", err)
	}
}

func TestCutStreamIsAnError(t *testing.T) {
	if _, err := read(strings.NewReader(messages[:len(messages)-20])); err == nil {
		t.Error("no error")
	}
}
