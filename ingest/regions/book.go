package regions

import (
	"github.com/memtide/memtide/ingest/category"
	"github.com/memtide/memtide/ingest/sample"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// book holds the rows of one table until it is whole: one that the end of the file cuts gives no row, as its sums would
// be false, and whether it is of Android may be known only by its last name.
type book struct {
	b       *table.Builder
	l       *source.Lines
	log     *sample.Log
	rows    []table.Mapping
	owners  []owner // of the rows, where they have one each
	android bool
	first   int // line at which the table begins
	classes map[table.Sym]class
	ofAll   bool // which rules classes are of
}

type owner struct {
	pid  table.Int
	name table.Sym
}

type class struct{ category, subcategory table.Sym }

func newBook(in *source.Input, b *table.Builder) *book {
	l := source.NewLines(in)
	return &book{b: b, l: l, log: sample.New(l, b)}
}

// reset forgets the rows.
func (k *book) reset() { k.rows, k.owners = k.rows[:0], k.owners[:0] }

// drop forgets the rows of a table that is not whole, and says so.
func (k *book) drop(line int, why string) {
	if len(k.rows) > 0 {
		p := k.l.Pos(0)
		p.Line = line
		k.b.Problems.Add(p, "table dropped: %s (%d rows)", why, len(k.rows))
	}
	k.reset()
}

// write gives the rows of the process that was set last, or of the owner that each has, and forgets them.
func (k *book) write() {
	k.b.Fact("platform", map[bool]string{true: "Android", false: "Linux"}[k.android])
	rules := category.For(k.android)
	if k.classes == nil || k.ofAll != k.android {
		k.classes, k.ofAll = map[table.Sym]class{}, k.android
	}
	var before *table.Mapping
	for i := range k.rows {
		m := &k.rows[i]
		c := k.classify(rules, m.Path)
		if before != nil && m.HasRange && k.b.String(m.Path) == "" && m.Start == before.End && rules.Chained() != "" &&
			k.b.String(before.Category) == rules.Chained() {
			c = class{before.Category, before.Subcategory}
		}
		m.Category, m.Subcategory = c.category, c.subcategory
		if !m.SetDirty() {
			k.b.Problems.Count(source.Pos{File: k.b.File, Line: m.Line}, "want a sum of dirty below 2^63 bytes, have a larger one: it is left out")
		}
		if i < len(k.owners) {
			k.b.Process(k.owners[i].pid, k.owners[i].name)
		}
		k.b.Map(m)
		before = m
	}
	k.reset()
}

func (k *book) classify(rules category.Rules, path table.Sym) class {
	c, ok := k.classes[path]
	if !ok {
		full := rules.Classify(wholeName([]byte(k.b.String(path))))
		c.category = k.b.Text(full.Category)
		if full.Subcategory != "" {
			c.subcategory = k.b.Text(full.Subcategory)
		}
		k.classes[path] = c
	}
	return c
}

// folders give the names that pmap prints without their folder what the rules look for.
var folders = []struct{ starts, folder string }{
	{"memfd:", "/"}, {"SYSV", "/"}, {"[ shmid=", "/SYSV"}, {"dmabuf:", "/"}, {"zero (deleted)", "/dev/"}, {"kfd", "/dev/"}, {"renderD", "/dev/dri/"},
	{"nvidia0", "/dev/"}, {"nvidiactl", "/dev/"}, {"nvidia-uvm", "/dev/"}, {"kgsl-3d0", "/dev/"}, {"mali0", "/dev/"},
}

const bssMark = " [bss]"

// wholeName is the name that the kernel had for a mapping, as far as the tool's can be undone: showmap marks the .bss of
// a library with "[bss]" and old ones print "[anon]" for no name.
func wholeName(path []byte) []byte {
	if n := len(path) - len(bssMark); n > 0 && string(path[n:]) == bssMark {
		path = path[:n]
	}
	if string(path) == "[anon]" {
		return nil
	}
	for _, f := range folders {
		if len(path) >= len(f.starts) && string(path[:len(f.starts)]) == f.starts {
			return append([]byte(f.folder), path...)
		}
	}
	return path
}
