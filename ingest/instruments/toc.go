package instruments

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// toc reads a table of contents: it says whose memory the exports of the same run tell of, and what else can be exported.
type toc struct {
	*document
	inTarget bool
	track    string
	runs     int
	targets  interned[processOf]
	worth    []string // XPaths of what tells of memory
}

// DecodeTOC reads the facts of a run from the result of `xctrace export --toc`: target_process, target_pid, device, OS,
// version, template, start and duration_s. It has no rows, and says which exports have.
func DecodeTOC(in *source.Input, b *table.Builder) error {
	t := &toc{document: &document{}}
	t.s, t.b = newStream(in), b
	for t.next() {
		if !t.text() {
			t.take()
			t.s.pos += t.size
		}
	}
	if t.s.err != nil {
		return t.s.err
	}
	if !t.closed {
		t.truncated()
	}
	t.facts()
	return source.Errorf(in.At(1, 1), "held nothing: a table of contents has no rows; %s", t.advice())
}

// summary are elements whose text is a fact.
var summary = map[string]string{
	"start-date": "start", "duration": "duration_s", "instruments-version": "version", "template-name": "template",
}

// text takes an element of text alone.
func (t *toc) text() bool {
	fact, ok := summary[string(t.tag.name)]
	if !ok || t.tag.end {
		return false
	}
	words, whole := t.whole("</" + string(t.tag.name) + ">")
	switch {
	case !whole:
		t.s.pos = t.s.end
	case len(words) > 0 && t.runs == 1:
		t.b.Fact(fact, string(unescape(clip(words))))
	}
	return true
}

func (t *toc) take() {
	tag := &t.tag
	attribute := func(name string) string { return string(unescape(tag.value(name))) }
	switch string(tag.name) {
	case "trace-toc":
		t.root, t.closed = "trace-toc", tag.end || tag.empty
	case "run":
		if !tag.end {
			t.runs++
			t.run = attribute("number")
		}
	case "target":
		t.inTarget = !tag.end && !tag.empty
	case "device":
		if t.inTarget && t.runs == 1 {
			t.device(attribute("model"), attribute("platform"), attribute("os-version"))
		}
	case "process":
		if t.inTarget && !tag.end {
			t.target(attribute("name"))
		}
	case "table":
		t.table(attribute("schema"))
	case "track":
		t.track = attribute("name")
	case "detail":
		t.detail(attribute("name"))
	}
}

func (t *toc) device(model, platform, version string) {
	if model != "" {
		t.b.Fact("device", model)
	}
	if os := strings.TrimSpace(platform + " " + version); os != "" {
		t.b.Fact("OS", os)
	}
}

// target is the process that was recorded; a recording of all processes has none.
func (t *toc) target(name string) {
	p := processOf{name: t.b.Text(name)}
	if n, ok := decimal(t.tag.value("pid")); ok && n < 1<<31-1 {
		p.pid = table.Known(int64(n))
	}
	if name != "" || p.pid.OK {
		t.targets.put(p)
	}
}

func (t *toc) table(schema string) {
	for i := range tableKinds {
		if k := &tableKinds[i]; k.schema == schema && k.needs[len(k.needs)-1] != labelRole {
			t.export(fmt.Sprintf(`data/table[@schema="%s"]`, schema))
		}
	}
}

func (t *toc) detail(name string) {
	for i := range detailKinds {
		if detailKinds[i].name == name {
			t.export(fmt.Sprintf(`tracks/track[@name="%s"]/details/detail[@name="%s"]`, clip([]byte(t.track)), name))
			return
		}
	}
}

func (t *toc) export(path string) {
	const most = 8
	if len(t.worth) < most {
		t.worth = append(t.worth, fmt.Sprintf(`/trace-toc/run[@number="%s"]/%s`, clip([]byte(t.run)), path))
	}
}

func (t *toc) facts() {
	t.b.Fact("tool", "xctrace")
	if len(t.targets.list) != 1 {
		return // of several runs or processes: it is not known which one an export tells of
	}
	p := t.targets.list[0]
	if name := t.b.String(p.name); name != "" {
		t.b.Fact("target_process", name)
	}
	if p.pid.OK {
		t.b.Fact("target_pid", fmt.Sprint(p.pid.V))
	}
}

func (t *toc) advice() string {
	if len(t.worth) == 0 {
		return "it lists no table and no detail that tells of memory: record with Activity Monitor, Allocations, Leaks or VM Tracker"
	}
	return "export what tells of memory with `xctrace export --input FILE --xpath PATH`: " + strings.Join(t.worth, ", ")
}
