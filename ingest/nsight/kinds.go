package nsight

import (
	"bytes"
	"slices"
	"strings"
)

// Kinds of records and of device work that hold nothing of memory in use: they give no rows, and nothing is said of them.
var (
	withoutRows = []string{"CommEvent", "SchedEvent", "DiagnosticEvent", "CudaEvent", "ThreadName"}
	deviceWork  = []string{"kernel", "memcpy", "memset", "sync", "cudaEventRecord"}
)

// unread counts a record that memtide does not read, by its kind. What nsys writes for memory events was seen in no file, so
// that a kind that is not known may be one.
func (r *records) unread(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	kind := kindOf(line)
	switch {
	case kind == "":
		r.b.Problems.Count(r.l.Pos(0), "want a record of nsys, have another line")
	case strings.Contains(strings.ToLower(kind), "mem"):
		r.b.Problems.Count(r.l.Pos(0), "records of kind %s are not read, and may be of memory: sizes need nsys export --type sqlite", kind)
	case !slices.Contains(withoutRows, kind):
		r.b.Problems.Count(r.l.Pos(0), "records of kind %s are not read: their layout is not known", kind)
	}
}

// kindOf names the kind of a record: the key beside its type, with that of the device's work where it is some that is not known. Names
// of what events refer to have their kind as a value. It is empty for a line that is no record.
func kindOf(line []byte) string {
	if value, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		if name, _, closed := bytes.Cut(value, []byte{'"'}); closed {
			return clipped(name)
		}
	}
	kind := nextKey(bytes.TrimPrefix(line, []byte(`{"Type":`)))
	if kind != "CudaEvent" {
		return kind
	}
	for _, w := range deviceWork {
		if member(line, w) != nil {
			return kind
		}
	}
	_ = pairs(member(line, kind), func(key, value []byte) {
		if value[0] == '{' {
			kind += "." + clipped(key)
		}
	})
	return kind
}

// nextKey is the first key in a text.
func nextKey(s []byte) string {
	_, after, ok := bytes.Cut(s, []byte{'"'})
	key, after, closed := bytes.Cut(after, []byte{'"'})
	if !ok || !closed || len(after) == 0 || after[0] != ':' {
		return ""
	}
	return clipped(key)
}

func clipped(key []byte) string {
	return strings.ToValidUTF8(string(key[:min(len(key), 60)]), "\ufffd")
}
