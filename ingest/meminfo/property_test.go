package meminfo

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// fixtureNames lists the fixtures of a format, those damaged on purpose apart.
func fixtureNames(t testing.TB, format string, bad bool) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(moduleRoot(t), "fixtures", format, "*.txt"))
	var out []string
	for _, f := range files {
		if strings.HasPrefix(filepath.Base(f), "bad-") == bad {
			out = append(out, format+"/"+filepath.Base(f))
		}
	}
	if len(out) == 0 {
		t.Fatalf("no fixtures of %s", format)
	}
	return out
}

var forms = []struct {
	format string
	decode decodeFunc
	sniff  func([]byte) bool
}{
	{"dumpsys-meminfo", Decode, Sniff},
	{"dumpsys-meminfo-checkin", DecodeCheckin, SniffCheckin},
	{"dumpsys-meminfo-compact", DecodeCompact, SniffCompact},
}

func TestFixturesAreClaimedByOneForm(t *testing.T) {
	for _, owner := range forms {
		for _, name := range append(fixtureNames(t, owner.format, false), fixtureNames(t, owner.format, true)...) {
			for _, f := range forms {
				if got := f.sniff([]byte(fixture(t, name))); got != (f.format == owner.format) {
					t.Errorf("%s: claimed by %s: %v", name, f.format, got)
				}
			}
		}
	}
}

func TestGoodFixturesAreClean(t *testing.T) {
	for _, f := range forms {
		for _, name := range fixtureNames(t, f.format, false) {
			r := read(t, f.decode, name, fixture(t, name))
			if r.err != nil || len(r.rows) == 0 {
				t.Errorf("%s: %d rows, %v", name, len(r.rows), r.err)
			}
			if text := r.messages(); text != "" && name != "dumpsys-meminfo/system-android6.txt" {
				t.Errorf("%s: want no problem, have\n%s", name, text)
			}
		}
	}
}

func TestLineEndsDoNotMatter(t *testing.T) {
	for _, f := range forms {
		for _, name := range fixtureNames(t, f.format, false) {
			lf := strings.ReplaceAll(fixture(t, name), "\r\n", "\n")
			a, b := read(t, f.decode, name, lf), read(t, f.decode, name, strings.ReplaceAll(lf, "\n", "\r\r\n"))
			if x, y := keys(a, true), keys(b, true); strings.Join(x, "\n") != strings.Join(y, "\n") {
				t.Errorf("%s: other rows with CR CR LF", name)
			}
		}
	}
}

// keys renders the rows without their times, and without their lines if asked.
func keys(r result, line bool) []string {
	var out []string
	for _, row := range r.rows {
		k := row["pid"] + "|" + row["process"] + "|" + row["scope"] + "|" + row["name"] + "|" + row["metric"] + "|" + row["value"]
		if line {
			k += "|" + row["line"]
		}
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// TestTruncationYieldsNoWrongRow cuts the fixtures at every byte: each row that is left must be one of the whole
// file, and where a row is missing there must be a word about it or the cut lies between two parts.
func TestTruncationYieldsNoWrongRow(t *testing.T) {
	for _, f := range forms {
		for _, name := range fixtureNames(t, f.format, false) {
			text := fixture(t, name)
			whole := map[string]bool{}
			for _, k := range keys(read(t, f.decode, name, text), false) {
				whole[k] = true
			}
			step := 1 + len(text)/6000*7
			for n := 0; n < len(text); n += step {
				r := read(t, f.decode, name, text[:n])
				for _, k := range keys(r, false) {
					if !whole[k] {
						t.Fatalf("%s cut at %d, behind %q: wrong row %s", name, n, clip([]byte(text[max(0, n-40):n])), k)
					}
				}
				if len(r.rows) == 0 && r.err == nil {
					t.Fatalf("%s cut at %d: no row and no error", name, n)
				}
			}
		}
	}
}

// TestConcatenation: two files after one another have the rows of both.
func TestConcatenation(t *testing.T) {
	for _, f := range forms {
		for _, name := range fixtureNames(t, f.format, false) {
			text := fixture(t, name)
			once := keys(read(t, f.decode, name, text), false)
			twice := keys(read(t, f.decode, name, text+text), false)
			want := append(append([]string(nil), once...), once...)
			sort.Strings(want)
			if strings.Join(twice, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: %d rows twice, want 2 x %d", name, len(twice), len(once))
			}
		}
	}
}

func fuzz(f *testing.F, form int) {
	for _, bad := range []bool{false, true} {
		for _, name := range fixtureNames(f, forms[form].format, bad) {
			f.Add(fixture(f, name))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := read(t, forms[form].decode, "fuzz", text)
		if r.err == nil && len(r.rows) == 0 {
			t.Error("no row and no error")
		}
		forms[form].sniff([]byte(text))
	})
}

func FuzzDecode(f *testing.F)        { fuzz(f, 0) }
func FuzzDecodeCheckin(f *testing.F) { fuzz(f, 1) }
func FuzzDecodeCompact(f *testing.F) { fuzz(f, 2) }
