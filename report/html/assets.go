package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"strings"
)

// assets are what pages are made of. assets/echarts.min.js is built from the npm registry's package by `make echarts`
// and is no part of the repository: without it the charts of a page stay as they are drawn in the file.
//
//go:embed page.html style.css assets
var assets embed.FS

// asset is an embedded file; one that is not there is empty.
func asset(name string) []byte {
	text, err := fs.ReadFile(assets, name)
	if err != nil {
		return nil
	}
	return text
}

// script is what a page can do beside being read: its parts, in the order of their names, are one function.
func script() string {
	var b strings.Builder
	parts, _ := fs.Glob(assets, "assets/script/*.js")
	for _, name := range parts {
		b.Write(asset(name))
	}
	return b.String()
}

// Charts says whether this build has the library for charts that can be zoomed.
func Charts() bool { return len(asset("assets/echarts.min.js")) > 0 }

// code is what runs in a page, and what it works on.
type code struct {
	scripts []string
	data    []block
}

// block is text that does not run.
type block struct{ id, kind, text string }

// html is the code as elements. The texts of scripts are our own and those of blocks hold no <, so that none ends its element.
func (c *code) html() template.HTML {
	var b strings.Builder
	for _, d := range c.data {
		b.WriteString(`<script type="` + d.kind + `" id="` + d.id + `">` + d.text + "</script>\n")
	}
	for _, s := range c.scripts {
		b.WriteString("<script>" + s + "</script>\n")
	}
	return template.HTML(b.String())
}

// policy allows this page's own style and scripts, by their hashes, and nothing else: no image, no request.
func policy(style string, scripts []string) string {
	p := "default-src 'none'; "
	if len(scripts) > 0 {
		p += "script-src"
		for _, s := range scripts {
			p += " " + hash(s)
		}
		p += "; "
	}
	return p + "style-src " + hash(style) + "; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
