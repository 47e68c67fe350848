package html

import (
	"bytes"
	"fmt"
	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/example"
	"os"
	"testing"
	"time"
)

func TestTmp(t *testing.T) {
	put := func(n string, d *report.Doc) {
		var b bytes.Buffer
		s := time.Now()
		if err := Render(&b, d); err != nil {
			t.Fatal(n, err)
		}
		fmt.Println(n, b.Len(), time.Since(s))
		os.WriteFile("/tmp/rt/"+n+".html", b.Bytes(), 0o644)
	}
	put("compare", report.New(example.Compare(), report.Options{}))
	put("single", report.New(example.Single(), report.Options{}))
	put("many", report.New(example.Many(40), report.Options{}))
	put("hostile", report.New(example.Hostile(), report.Options{}))
	put("empty", report.New(nil, report.Options{}))
	put("large", report.New(example.Large(200, 600), report.Options{}))
}
