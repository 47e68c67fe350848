package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// arrowDir splits the streams of a fixture into the files of a folder, a file for each table.
func arrowDir(t *testing.T, fixture string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "fixtures", "nsys-arrow", fixture))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for r := bytes.NewReader(data); r.Len() > 0; {
		from, err := ipc.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := from.Schema().Metadata().GetValue("table_name")
		var file bytes.Buffer
		to := ipc.NewWriter(&file, ipc.WithSchema(arrow.NewSchema(from.Schema().Fields(), nil)))
		for from.Next() {
			if err := to.Write(from.Record()); err != nil {
				t.Fatal(err)
			}
		}
		if err := to.Close(); err != nil || from.Err() != nil {
			t.Fatal(err, from.Err())
		}
		out["run_arwdir/"+name+".arrow"] = file.String()
	}
	return out
}

// TestArrowDir: a folder of Arrow files is one run, alone or beside others; one of its files is refused with the advice.
func TestArrowDir(t *testing.T) {
	files := arrowDir(t, "memory.arrows")
	files["file/x.arrow"] = "ARROW1\x00\x00"
	tree(t, files)
	if got := load(t, Options{}, "run_arwdir").say(); !strings.Contains(got, "[run_arwdir:nsys-arrowdir]") || strings.Contains(got, "error") {
		t.Errorf("folder: %s", got)
	}
	for _, name := range []string{"run_arwdir/StringIds.arrow", "file/x.arrow"} {
		if got := load(t, Options{}, name).say(); !strings.Contains(got, "error "+name+": an Arrow file of one table") || !strings.Contains(got, "arrowdir") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
