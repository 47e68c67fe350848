package nsight

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

var update = flag.Bool("update", false, "build the captures of fixtures/nsys-sqlite and nsys-arrow from testdata/*.sql")

// built gives the bytes of the database that a script of testdata makes, in pages of 512 bytes.
func built(t testing.TB, script string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	return build(t, string(text))
}

func build(t testing.TB, sql string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "built.sqlite")
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Exec("PRAGMA page_size=512; PRAGMA journal_mode=OFF; BEGIN; " + sql + "; COMMIT; VACUUM")
	db.Close()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fixture reads a capture of fixtures/.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "fixtures", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFixtures: each database of fixtures/nsys-sqlite gives what its script gives. The bytes may differ: SQLite writes its
// own version into them.
func TestFixtures(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, s := range scripts {
		name := strings.TrimSuffix(filepath.Base(s), ".sql") + ".sqlite"
		data := built(t, filepath.Base(s))
		if *update {
			dir := filepath.Join("..", "..", "fixtures", "nsys-sqlite")
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
			if name == "memory.sqlite" {
				if err := os.WriteFile(filepath.Join(dir, "bad-cut.sqlite"), data[:len(data)/2], 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		have, want := decodeBytes(t, DecodeSQLite, "x", fixture(t, "nsys-sqlite/"+name)), decodeBytes(t, DecodeSQLite, "x", data)
		if a, b := printout(have), printout(want); a != b {
			t.Errorf("%s is not what %s makes; build it again with -update:\n%s\n%s", name, s, a, b)
		}
	}
}

// TestArrowFixtures: each stream of fixtures/nsys-arrow holds the tables of the database of its name.
func TestArrowFixtures(t *testing.T) {
	for _, name := range []string{"memory", "calls-2022"} {
		database := fixture(t, "nsys-sqlite/"+name+".sqlite")
		if *update {
			dir, data := filepath.Join("..", "..", "fixtures", "nsys-arrow"), arrows(t, database)
			for file, data := range map[string][]byte{name: data, "bad-cut": data[:len(data)/2]} {
				if err := os.WriteFile(filepath.Join(dir, file+".arrows"), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		sameRows(t, name, decodeBytes(t, DecodeArrow, "x", fixture(t, "nsys-arrow/"+name+".arrows")), database)
	}
}
