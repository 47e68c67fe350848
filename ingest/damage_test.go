package ingest

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// damage is a way in which a text goes bad at a number, which is at [at[0], at[1]); nil where it does not apply. Of a file
// each step-th number is damaged in this way.
type damage struct {
	name  string
	step  int
	apply func(text []byte, at [2]int) []byte
}

var damages = []damage{
	{"x", 1, func(text []byte, at [2]int) []byte { return splice(text, at[0], at[0]+1, "x") }},
	{"NUL", 2, func(text []byte, at [2]int) []byte { return splice(text, at[0], at[0]+1, "\x00") }},
	{"minus", 2, func(text []byte, at [2]int) []byte { return splice(text, at[0], at[0], "-") }},
	{"25 digits", 2, func(text []byte, at [2]int) []byte { return splice(text, at[0], at[1], strings.Repeat("9", 25)) }},
	{"line twice", 2, func(text []byte, at [2]int) []byte {
		from, to := lineOf(text, at[0])
		return splice(text, from, from, string(text[from:to])+"\n")
	}},
	{"cut line", 2, func(text []byte, at [2]int) []byte {
		from, to := lineOf(text, at[0])
		if at[1]-from < (to-from)/2 { // a stub is like any other line
			return nil
		}
		return splice(text, at[1], to, "")
	}},
	{"string", 1, func(text []byte, at [2]int) []byte {
		if !isJSONNumber(text, at) {
			return nil
		}
		return splice(text, at[0], at[1], `"x`+string(text[at[0]:at[1]])+`"`)
	}},
	{"null", 1, func(text []byte, at [2]int) []byte {
		if !isJSONNumber(text, at) {
			return nil
		}
		return splice(text, at[0], at[1], "null")
	}},
}

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

// lineOf is where the line of a place begins and where it ends, before its line end.
func lineOf(text []byte, at int) (from, to int) {
	from = bytes.LastIndexByte(text[:at], '\n') + 1
	if to = bytes.IndexByte(text[at:], '\n'); to < 0 {
		return from, len(text)
	}
	return from, at + to
}

// isJSONNumber says whether a number is a value of JSON as a whole.
func isJSONNumber(text []byte, at [2]int) bool {
	before, after := bytes.TrimRight(text[:at[0]], " \t\r\n"), bytes.TrimLeft(text[at[1]:], " \t\r\n")
	start := bytes.TrimLeft(text, " \t\r\n")[0]
	return (start == '{' || start == '[') && len(before) > 0 && strings.IndexByte(":,[", before[len(before)-1]) >= 0 &&
		len(after) > 0 && strings.IndexByte(",]}", after[0]) >= 0
}

// noLoss are damages that take rows of the tables and no record that can be told from another: what they leave is whole
// and means something else. They are patterns of "FORMAT DAMAGE: LINE", the line as it is then.
var noLoss = []struct{ pattern, reason string }{
	{`^(ncu-csv|nsys-stats|nsys-jsonlines) [^c]`, "the number is in the name of a metric or a call, or is that of a call: by another name it is one that is not counted"},
	{`^gpu-prom .*uuid="u-[^12]`, "the uuid is a name: by another the figure is that of another card"},
	{`^(footprint-json|jetsam|kscrash|metrickit|torch-trace) null: `, "null says that a figure is not known, and makes no row"},
	{`^heaptrack(-raw)? line twice: [tai] `, "frames and blocks are numbered by the place of their lines: with one more, others are meant"},
	{`^heaptrack cut line: i `, "an address may have no function"},
	{`^(jemalloc-heap|pprof-legacy) cut line: .*@`, "a stack may end at any address"},
	{`^malloc-history cut line: `, "a stack may end at any call"},
	{`^(smaps|proc-maps|pmap|showmap) cut line: `, "a mapping may have no name"},
	{`^memtide-events cut line: `, "the last columns may be left out"},
	{`^(mtrace|perf-script) cut line: .*(- 0|ret=0|ptr=0)$`, "freeing the address 0 or getting it does nothing"},
	{`^bpftrace-events cut line: .* realloc 0x`, "the block from before may be left out; an address may be short"},
	{`^compute-sanitizer cut line: .*Leaked 16 bytes at 0x7$`, "a block may have no name; an address may be short"},
	{`^dumpsys-meminfo cut line: `, "the last columns are blank in most rows, and lines of pairs may have one"},
	{`^kernel-oom cut line: .*Task in /jobs/13$`, "what makes it a line of the report is behind the cut"},
	{`^vllm-log cut line: .*pid=50\d?\)?(\x1b\[0;0m?)?( INFO 12-31( [\d:]*)?( \[[\w.:]*)?)?$`, "all that it tells is behind the cut"},
	{`^torch-trace cut line: .*"Bytes"`, "the cut took whole keys: what is left is an event without totals"},
}

// walkTexts visits the fixtures of text that are good and not large.
func walkTexts(t *testing.T, visit func(t *testing.T, f *Format, path string, text []byte)) {
	walkFixtures(t, func(t *testing.T, format, path string) {
		text, err := os.ReadFile(path)
		i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == format })
		if err == nil && i >= 0 && !strings.Contains(path, "/bad-") && len(text) <= 60_000 && bytes.IndexByte(text, 0) < 0 {
			visit(t, &formats[i], path, text)
		}
	})
}

// TestDamage: a number that is damaged, a line that is cut or doubled, a value of another type either leaves every row
// there, or a problem or a sample without data tells of it. The first numbers of every text fixture are tried.
func TestDamage(t *testing.T) {
	number, tried := regexp.MustCompile(`[0-9]+`), 0
	walkTexts(t, func(t *testing.T, f *Format, path string, text []byte) {
		whole, said, err := decodeText(f, text)
		if err != nil {
			return
		}
		for n, at := range number.FindAllIndex(text[:min(len(text), 4000)], 150) {
			for _, d := range damages {
				if n%d.step != 0 {
					continue
				}
				damaged := d.apply(text, [2]int(at))
				if damaged == nil {
					continue
				}
				tried++
				rows, problems, err := decodeText(f, damaged)
				from, to := lineOf(damaged, at[0])
				what := fmt.Sprintf("%s %s: %s", f.Name, d.name, damaged[from:to])
				if err == nil && rows < whole && slices.Equal(problems, said) && !isNoLoss(what) {
					t.Errorf("%s:%d: %d rows were lost and it was not told: %.200q", path, 1+bytes.Count(text[:at[0]], []byte("\n")), whole-rows, what)
				}
			}
		}
	})
	if tried < 20_000 {
		t.Errorf("%d damages were tried", tried)
	}
}

func isNoLoss(what string) bool {
	return slices.ContainsFunc(noLoss, func(n struct{ pattern, reason string }) bool { return regexp.MustCompile(n.pattern).MatchString(what) })
}

// decodeText gives the rows of a text, and what was said of it.
func decodeText(f *Format, text []byte) (rows int, said []string, err error) {
	in, err := source.NewInput("x", bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	b, decode := table.NewBuilder("x", f.Name), f.Decode
	if decode == nil {
		decode = f.Paged(4096)
	}
	err = decode(in, b)
	set := table.Assemble([]*table.Part{b.Done()})
	for id := range table.Schemas {
		rows += set.Len(table.ID(id))
	}
	for _, p := range set.Files[0].Problems {
		said = append(said, p.String())
	}
	return rows, append(said, fmt.Sprint(set.Files[0].NoData)), err
}
