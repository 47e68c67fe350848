// Package json writes a result as JSON (schema memtide/result/1), to be read by programs and by memtide itself years
// later. Nothing is rounded, shortened or left out; what is not known is null, and an empty list is [].
package json

import (
	"compress/gzip"
	"encoding/json"
	"io"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/walk"
)

// Render writes the result of the report, indented and with a newline at its end. Numbers that JSON has no form for
// (not a number, infinite) are null. An error is one of w.
func Render(w io.Writer, doc *report.Doc) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(walk.Copy(doc.Result, walk.Editor{Finite: true}))
}

// RenderGzip writes what Render does, compressed. The header holds no time and no name: same result, same bytes.
func RenderGzip(w io.Writer, doc *report.Doc) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := Render(z, doc); err != nil {
		return err
	}
	return z.Close()
}
