package main

import (
	"archive/zip"
	"bytes"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/html"
	"github.com/memtide/memtide/report/json"
	"github.com/urfave/cli/v2"
)

// leastPage is what a page has without anything to tell.
const leastPage = 32 << 10

// pages are the flags of pages. Data says only whether there is to be any: it depends on the result.
func pages(c *cli.Context) (html.Options, error) {
	o := html.Options{Static: c.Bool("static")}
	size, ok := pageSize(c.String("max-size"))
	switch {
	case !ok || size > 1<<40:
		return o, usage("--max-size %s: want a size such as 8 MB or 512 KiB", c.String("max-size"))
	case size < leastPage:
		return o, usage("--max-size %s: want at least 32 KiB", c.String("max-size"))
	}
	o.MaxSize = size
	if c.Bool("embed-data") {
		o.Data = []byte{}
	}
	return o, nil
}

// pageUnits are those that a size may have; the longer endings come first.
var pageUnits = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// pageSize reads a number of bytes with its unit.
func pageSize(text string) (bytes int, ok bool) {
	for _, u := range pageUnits {
		if number, has := strings.CutSuffix(text, u.name); has {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			return int(v * u.bytes), err == nil && v >= 0 && v*u.bytes < 1<<62
		}
	}
	return 0, false
}

// paged writes the page, with the result in it if that is asked for.
func paged(o html.Options) renderer {
	return func(w io.Writer, doc *report.Doc) error {
		if o.Data != nil {
			var b bytes.Buffer
			if err := json.RenderGzip(&b, doc); err != nil {
				return err
			}
			o.Data = b.Bytes()
		}
		return html.Render(w, doc, o)
	}
}

// zipped puts a page into an archive under the name of the archive, for trackers that take no HTML. Nothing in it depends
// on when it was written.
func zipped(path string, page renderer) renderer {
	return func(w io.Writer, doc *report.Doc) error {
		base := filepath.Base(path)
		z := zip.NewWriter(w)
		f, err := z.CreateHeader(&zip.FileHeader{Name: strings.TrimSuffix(base, filepath.Ext(base)) + ".html", Method: zip.Deflate})
		if err != nil {
			return err
		}
		if err := page(f, doc); err != nil {
			return err
		}
		return z.Close()
	}
}
