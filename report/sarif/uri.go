package sarif

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

// uri writes a path as a relative reference (RFC 3986): all but unreserved characters and slashes are percent-encoded,
// the colon too, since one in the first segment would make it a scheme.
func uri(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// mostArtifacts is how many captures are listed with their hashes.
const mostArtifacts = 1000

func artifacts(doc *report.Doc) []artifact {
	var out []artifact
	seen := map[artifactLocation]bool{}
	for _, in := range doc.Result.Inputs[:min(len(doc.Result.Inputs), mostArtifacts)] {
		at := artifactLocation{uri(ruling.Place{File: label.Clean(in.Path)}.Path())}
		if seen[at] {
			continue // SARIF wants an artifact once
		}
		seen[at] = true
		a := artifact{Location: at, Length: max(in.Bytes, -1)}
		if in.SHA256 != "" {
			a.Hashes = map[string]string{"sha-256": label.Short(in.SHA256, 64)}
		}
		out = append(out, a)
	}
	return out
}
