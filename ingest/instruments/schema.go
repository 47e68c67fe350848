package instruments

import (
	"bytes"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// role is what a column is for.
type role int

const (
	timeRole role = iota
	durationRole
	processRole
	pidRole
	threadRole
	opRole
	labelRole
	objectRole
	sizeRole
	stackRole
	numRoles
)

// roles tell a column by its mnemonic, else by its engineering type, since columns differ between versions of Xcode in
// place and sometimes in name.
var roles = [numRoles]struct{ mnemonics, types string }{
	timeRole:     {"time start timestamp", "start-time sample-time event-time"},
	durationRole: {"duration", "duration"},
	processRole:  {"process", "process"},
	pidRole:      {"pid", "pid"},
	threadRole:   {"thread start-thread", "thread"},
	opRole:       {"operation event-type", "vm-op gpu-memory-event-name"},
	labelRole:    {"label name", "metal-object-label signpost-name"},
	objectRole:   {"address identifier", "address os-signpost-identifier"},
	sizeRole:     {"size", "size-in-bytes"},
	stackRole:    {"backtrace", "backtrace tagged-backtrace"},
}

// tableKind is a schema whose rows are read.
type tableKind struct {
	schema  string
	needs   []role
	metrics []columnMetric
	row     func(*document)
}

type columnMetric struct{ mnemonic, metric string }

var tableKinds = []tableKind{
	{"sysmon-process", []role{timeRole}, processMetrics, (*document).levelRow},
	{"activity-monitor-process-live", []role{timeRole}, processMetrics, (*document).levelRow},
	{"metal-resource-allocations", []role{timeRole, opRole, sizeRole}, nil, (*document).metalRow},
	{"metal-current-allocated-size", []role{timeRole, sizeRole}, nil, (*document).metalLevelRow},
	{"virtual-memory", []role{timeRole, opRole}, nil, (*document).faultRow},
	{"os-signpost", []role{timeRole, labelRole}, nil, (*document).markRow},
	{"OSSignpostIntervals", []role{timeRole, labelRole}, nil, (*document).markRow},
	{"PointsOfInterestEvents", []role{timeRole, labelRole}, nil, (*document).markRow},
}

var processMetrics = []columnMetric{
	{"memory-physical-footprint", "footprint"}, {"memory-anonymous", "anonymous"}, {"memory-compressed", "compressed"}, {"memory-purgeable", "purgeable"},
	{"memory-real-private", "uss"}, {"memory-real-shared", "rss_shared"}, {"memory-resident-size", "rss"}, {"memory-real", "rss"}, {"memory-virtual-size", "vss"},
}

// plan is a schema: where in its rows stands what is read.
type plan struct {
	schema  string
	columns int
	table   *tableKind // nil: its rows are not read
	at      [numRoles]int
	metrics []metricColumn
	warned  bool
}

type metricColumn struct {
	column int
	metric table.Sym
}

// column is one of a schema.
type column struct{ mnemonic, engineeringType string }

// schema reads the schema of a node.
func (d *document) schema() {
	d.s.count(d.s.pos)
	start := d.s.line
	content, ok := d.whole("</schema>")
	if !ok {
		d.s.pos = d.s.end
		return
	}
	columns := columnsOf(content)
	p := &plan{schema: string(unescape(d.tag.value("name"))), columns: len(columns)}
	d.plan = p
	d.schemas = note(d.schemas, p.schema)
	for i := range tableKinds {
		if tableKinds[i].schema == p.schema {
			p.table = &tableKinds[i]
		}
	}
	if p.table == nil {
		return
	}
	p.place(columns, d.b)
	if p.table.schema == "virtual-memory" {
		d.b.Fact("partial", "true")
	}
	for _, r := range p.table.needs {
		if p.at[r] < 0 {
			d.b.Problems.Add(d.s.in.At(start, 0), "want a column %s in the schema %s, have none: its rows are not read", strings.ReplaceAll(roles[r].mnemonics, " ", " or "), p.schema)
			p.table = nil
			return
		}
	}
}

func columnsOf(s []byte) (out []column) {
	var t tag
	for i := 0; ; {
		n := bytes.IndexByte(s[i:], '<')
		if n < 0 {
			return out
		}
		end := t.parse(s, i+n)
		if end < 0 {
			return out
		}
		i = end
		words, _, _ := bytes.Cut(s[i:], []byte("<"))
		switch {
		case t.end:
		case t.is("col"):
			out = append(out, column{})
		case len(out) == 0:
		case t.is("mnemonic"):
			out[len(out)-1].mnemonic = string(bytes.TrimSpace(words))
		case t.is("engineering-type"):
			out[len(out)-1].engineeringType = string(bytes.TrimSpace(words))
		}
	}
}

// place finds the columns of all roles and metrics.
func (p *plan) place(columns []column, b *table.Builder) {
	for r := range roles {
		p.at[r] = find(columns, roles[r].mnemonics, func(c column) string { return c.mnemonic })
		if p.at[r] < 0 {
			p.at[r] = find(columns, roles[r].types, func(c column) string { return c.engineeringType })
		}
	}
	for _, m := range p.table.metrics {
		if i := find(columns, m.mnemonic, func(c column) string { return c.mnemonic }); i >= 0 {
			p.metrics = append(p.metrics, metricColumn{i, b.Text(m.metric)})
		}
	}
}

// find gives the first column that has one of the words, the first word before the others; -1 if there is none.
func find(columns []column, words string, of func(column) string) int {
	for w := range strings.FieldsSeq(words) {
		for i, c := range columns {
			if of(c) == w {
				return i
			}
		}
	}
	return -1
}
