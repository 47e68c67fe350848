package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"
)

func utf16Of(text string, order binary.ByteOrder) string {
	var w bytes.Buffer
	for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		_ = binary.Write(&w, order, u)
	}
	return w.String()
}

func TestContainers(t *testing.T) {
	log := logOf(2)
	inner := zipOf(t, "a.log", log)
	tree(t, map[string]string{
		"plain": log, "crlf": strings.ReplaceAll(log, "\n", "\r\n"), "bom": "\xef\xbb\xbf" + log, "utf16le": utf16Of(log, binary.LittleEndian), "utf16be": utf16Of(log, binary.BigEndian),
		"x.gz": gz(t, log), "x.zst": zst(t, log), "x.gz.gz": gz(t, gz(t, log)), "two.gz": gz(t, logOf(1)) + gz(t, strings.Replace(logOf(1), "1795951515", "1795951525", 1)),
		"x.zip": zipOf(t, "dir/", "", "dir/a.log", log, "README", "no capture"), "zip.zip": zipOf(t, "inner.zip", inner), "x.tar": tarOf(t, "a.log", log), "x.tgz": gz(t, tarOf(t, "./a.log", log)),
		"tar.zip": zipOf(t, "a.tgz", gz(t, tarOf(t, "b.log", log))), "utf16.gz": gz(t, utf16Of(log, binary.LittleEndian)),
		"abs.tar": tarOf(t, "/etc/passwd", log, "../../up.log", strings.ReplaceAll(log, "17959515", "17959516")),
	})
	for name, file := range map[string]string{
		"plain": "", "crlf": "", "bom": "", "utf16le": "", "utf16be": "", "x.gz": "", "x.zst": "", "x.gz.gz": "", "two.gz": "",
		"x.zip": "!/dir/a.log", "zip.zip": "!/inner.zip!/a.log", "x.tar": "!/a.log", "x.tgz": "!/a.log", "tar.zip": "!/a.tgz!/b.log", "utf16.gz": "",
	} {
		got := load(t, Options{}, name)
		rss := "[112 113]"
		if name == "two.gz" {
			rss = "[112 112]"
		}
		want, problem := name+" ["+name+":smaps] wall "+rss+"\n", ""
		if name == "x.zip" {
			problem = "  problem x.zip!/README: no capture that memtide knows: skipped\n"
		}
		if got.say() != want+problem {
			t.Errorf("%s:\n%s", name, got.say())
		} else if f := got.runs[0].Set.Files[0].Name; f != name+file {
			t.Errorf("%s: the rows are of %s", name, f)
		}
	}
	abs := load(t, Options{}, "abs.tar")
	if len(abs.runs) != 1 || abs.runs[0].Set.Files[0].Name != "abs.tar!/etc/passwd" || abs.runs[0].Set.Files[1].Name != "abs.tar!/up.log" {
		t.Errorf("absolute names:\n%s", abs.say())
	}
}

// TestHashes: bytes and SHA-256 are those of the file as it lies there.
func TestHashes(t *testing.T) {
	log := logOf(1)
	tree(t, map[string]string{"plain": log, "x.zip": zipOf(t, "a", log)})
	for _, name := range []string{"plain", "x.zip"} {
		in := load(t, Options{}, name).runs[0].Inputs[0]
		text, err := os.ReadFile(name)
		if err != nil || in.Bytes != int64(len(text)) || len(in.SHA256) != 64 {
			t.Errorf("%s: %+v, want %d bytes", name, in, len(text))
		}
	}
}

// TestCutArchives: what stands before the end of a cut archive is read, and the end is told.
func TestCutArchives(t *testing.T) {
	log := logOf(40)
	whole := gz(t, log)
	packed := zst(t, log)
	archive := tarOf(t, "a.log", logOf(3), "b.log", strings.ReplaceAll(logOf(30), "17959515", "17959516"))
	tree(t, map[string]string{"cut.gz": whole[:len(whole)*3/4], "cut.zst": packed[:len(packed)-3], "cut.tar": archive[:len(archive)/2], "cut.zip": zipOf(t, "a", log)[:300], "head.gz": whole[:12], "tail.gz": whole + "garbage"})
	for name, problem := range map[string]string{"cut.gz": "cut.gz: cut or damaged: unexpected EOF", "cut.tar": "cut or damaged: unexpected EOF", "tail.gz": "tail.gz: cut or damaged: "} {
		got := load(t, Options{}, name)
		if got.err != nil || len(got.runs) != 1 || !strings.Contains(got.say(), problem) {
			t.Errorf("%s: %s", name, got.say())
			continue
		}
		if n := got.runs[0].Set.Files[0].Snapshots; n < 3 || name == "tail.gz" && n != 40 {
			t.Errorf("%s: %d snapshots", name, n)
		}
	}
	for _, name := range []string{"cut.zip", "head.gz", "cut.zst"} {
		if got := load(t, Options{}, name); len(got.runs) != 0 && name != "cut.zst" || got.err == nil && !strings.Contains(got.say(), "cut or damaged") {
			t.Errorf("%s: %s", name, got.say())
		}
	}
}

// zeros gives n bytes of nothing, packed.
func zeros(t testing.TB, head string, n int64) string {
	t.Helper()
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, head)
		_, _ = io.CopyN(w, zero{}, n)
		w.Close()
	}()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestBombs: what unpacks out of all proportion is refused, early, and with little memory.
func TestBombs(t *testing.T) {
	bomb := gz(t, zeros(t, logOf(1), 100<<20))
	tree(t, map[string]string{
		"bomb.gz": bomb, "bomb.zip": zipOf(t, "a.log", logOf(1)+strings.Repeat("\x00", 100<<20)), "inner.zip": zipOf(t, "x.gz", bomb), "nothing.zip": zipOf(t, "zeros", strings.Repeat("\x00", 100<<20), "a.log", logOf(1)),
		"folder/bomb.gz": bomb, "folder/good.log": logOf(2),
	})
	for _, name := range []string{"bomb.gz", "bomb.zip", "inner.zip"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := load(t, Options{}, name)
		runtime.ReadMemStats(&after)
		if !errors.Is(got.err, errBomb) || len(got.runs) > 0 {
			t.Errorf("%s: %s", name, got.say())
		}
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 400<<20 {
			t.Errorf("%s took %d MiB", name, grown>>20)
		}
	}
	if got := load(t, Options{}, "folder"); got.err != nil || !strings.Contains(got.say(), "folder/bomb.gz: unpacks to more than 400 times") || !strings.Contains(got.say(), "[112 113]") {
		t.Errorf("folder: %s", got.say())
	}
	if got := load(t, Options{}, "nothing.zip"); got.err != nil || !strings.Contains(got.say(), "[112]") {
		t.Errorf("a member that is no capture is not unpacked: %s", got.say())
	}
}

// TestLyingZip: the sizes in an archive's directory are not believed, and members may not share their bytes for ever.
func TestLyingZip(t *testing.T) {
	member := logOf(1) + strings.Repeat("\x00", 20<<20)
	var members []string
	for i := range 12 {
		members = append(members, string(rune('a'+i)), member)
	}
	honest := zipOf(t, members...)
	lying := []byte(honest)
	for at := 0; ; {
		i := bytes.Index(lying[at:], []byte("PK\x01\x02"))
		if i < 0 {
			break
		}
		at += i + 4
		binary.LittleEndian.PutUint32(lying[at+20:], 1) // uncompressed size
	}
	tree(t, map[string]string{"honest.zip": honest, "lying.zip": string(lying)})
	if got := load(t, Options{}, "honest.zip"); !errors.Is(got.err, errBomb) {
		t.Errorf("honest: %s", got.say())
	}
	if got := load(t, Options{}, "lying.zip"); got.err == nil && !strings.Contains(got.say(), "cut or damaged") {
		t.Errorf("lying: %s", got.say())
	}
}

// TestSparseTar: the holes of a sparse member are not read for ever.
func TestSparseTar(t *testing.T) {
	var w bytes.Buffer
	z := tar.NewWriter(&w)
	text := logOf(1)
	body := "1\n0\n" + itoa(len(text)) + "\n"
	body += strings.Repeat("\x00", 512-len(body)) + text
	h := &tar.Header{Name: "GNUSparseFile.0/a.log", Mode: 0o644, Size: int64(len(body)), Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"X.GNU.sparse.major": "1"}}
	if err := z.WriteHeader(h); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, z, body)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	// archive/tar writes no sparse files: the records that make this one are put in by hand.
	records := pax("GNU.sparse.major", "1") + pax("GNU.sparse.minor", "0") + pax("GNU.sparse.name", "a.log") + pax("GNU.sparse.realsize", "1099511627776")
	tree(t, map[string]string{"sparse.tar": sparse(t, w.Bytes(), records)})
	got := load(t, Options{}, "sparse.tar")
	if !errors.Is(got.err, errBomb) {
		t.Errorf("%s", got.say())
	}
}

func itoa(n int) string { return string(binaryDecimal(n)) }

func binaryDecimal(n int) []byte {
	if n < 10 {
		return []byte{byte('0' + n)}
	}
	return append(binaryDecimal(n/10), byte('0'+n%10))
}

func pax(key, value string) string {
	n := len(key) + len(value) + 3
	for total := n + len(itoa(n)); ; total++ {
		if s := itoa(total) + " " + key + "=" + value + "\n"; len(s) == total {
			return s
		}
	}
}

// sparse puts records in place of those in the first block of extended headers.
func sparse(t testing.TB, archive []byte, records string) string {
	t.Helper()
	if archive[156] != 'x' {
		t.Fatal("no extended header")
	}
	block := make([]byte, 512)
	copy(block, records)
	copy(archive[512:1024], block)
	copy(archive[124:136], []byte(octal(len(records))))
	copy(archive[148:156], "        ")
	sum := 0
	for _, c := range archive[:512] {
		sum += int(c)
	}
	copy(archive[148:156], []byte(octal(sum)[5:]+"\x00 "))
	return string(archive)
}

func octal(n int) string {
	s := ""
	for range 11 {
		s = string(rune('0'+n&7)) + s
		n >>= 3
	}
	return s + "\x00"
}

func TestDepth(t *testing.T) {
	text := logOf(1)
	for range 6 {
		text = gz(t, text)
	}
	tree(t, map[string]string{"deep.gz": text})
	want(t, "deep", load(t, Options{}, "deep.gz").say(), "error deep.gz: want at most 3 archives inside each other\n")
}

func TestEncryptedZip(t *testing.T) {
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	f, err := z.CreateHeader(&zip.FileHeader{Name: "secret.log", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, f, logOf(1))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	text := w.Bytes()
	text[6] |= 1
	i := bytes.Index(text, []byte("PK\x01\x02"))
	text[i+8] |= 1
	tree(t, map[string]string{"x.zip": string(text)})
	want(t, "encrypted", load(t, Options{}, "x.zip").say(), "error x.zip!/secret.log: cannot be unpacked: it is encrypted\n")
}

// TestManyErrors: each damaged member is told.
func TestManyErrors(t *testing.T) {
	tree(t, map[string]string{"x.zip": zipOf(t, "a", "", "b", gz(t, "x")[:5], "good", logOf(1), "c", "\x7fELF")})
	want(t, "errors", load(t, Options{}, "x.zip").say(), `
x.zip [x.zip:smaps] wall [112]
  problem x.zip!/a:1:1: held nothing: the file is empty
  problem x.zip!/b: cut or damaged: unexpected EOF; what stands before that is read
  problem x.zip!/c: an ELF binary (or core file), not a capture
`)
}

// FuzzLoad reads any bytes as a file: no panic, no hang.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{logOf(2), gz(f, logOf(1)), zst(f, logOf(1)), zipOf(f, "a", logOf(1), "b.gz", gz(f, csvText)), tarOf(f, "a", csvText), utf16Of(csvText, binary.BigEndian)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		runs, err := Side("-", Options{Stdin: bytes.NewReader(text)})
		if (len(runs) == 0) == (err == nil) {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
	})
}
