// Package instruments reads what Apple's Instruments lets out of its documents: the XML of `xctrace export` (tables with a
// schema, track details, the table of contents) and the text of Edit > Copy and Deep Copy. It is a family of formats of
// ingest, beside the others.
//
// The XML is that of Xcode 14 to 27 and is read by a tokenizer of its own: exports of a gigabyte are common, their
// Regions Map is not well-formed (an attribute is called resident-%), and nothing that stands for text may be expanded
// but the five predefined entities and numbers.
package instruments

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffTable recognises a result of `xctrace export --xpath` that holds tables with a schema.
func SniffTable(head []byte) bool {
	root := rootOf(head)
	return root == "trace-query-result" && !isDetail(head)
}

// SniffDetail recognises a result of `xctrace export --xpath` that holds track details: rows whose values are attributes.
func SniffDetail(head []byte) bool {
	switch rootOf(head) {
	case "trace-query-result":
		return isDetail(head)
	case "trace-toc":
		return bytes.Contains(head, []byte("<row "))
	}
	return false
}

// SniffTOC recognises the result of `xctrace export --toc`.
func SniffTOC(head []byte) bool {
	return rootOf(head) == "trace-toc" && !bytes.Contains(head, []byte("<row "))
}

// isDetail looks for what comes first: a schema or a path below data, or a row with attributes or a path below tracks.
func isDetail(head []byte) bool {
	if bytes.Contains(head, []byte("<schema")) {
		return false
	}
	return bytes.Contains(head, []byte("<row ")) || bytes.Contains(head, []byte("/tracks"))
}

// rootOf is the name of the root element behind declaration, comments and document type; empty if there is none.
func rootOf(head []byte) string {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		if len(head) < 2 || head[0] != '<' {
			return ""
		}
		if head[1] != '?' && head[1] != '!' {
			var t tag
			if t.parse(head, 0) < 0 || t.end {
				return ""
			}
			return string(t.name)
		}
		end := markupEnd(head)
		if end < 0 {
			return ""
		}
		head = head[end:]
	}
}

// DecodeTable reads tables with a schema: samples of sysmon-process, activity-monitor-process-live and
// metal-current-allocated-size, events of metal-resource-allocations, virtual-memory and signposts. Times are those of the
// trace. A document without any of them held nothing.
func DecodeTable(in *source.Input, b *table.Builder) error { return decode(in, b) }

// DecodeDetail reads track details: sites and samples of the Allocations List, of Statistics and of Leaks, mappings of the
// Regions Map of VM Tracker. A detail is one moment without a time.
func DecodeDetail(in *source.Input, b *table.Builder) error { return decode(in, b) }
