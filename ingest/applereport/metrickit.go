package applereport

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffMetricKit recognises a payload of MetricKit, of metrics or of diagnostics, and a bare call stack tree of one.
func SniffMetricKit(head []byte) bool {
	for _, key := range []string{`"timeStampBegin"`, `"timeStampEnd"`, `"memoryMetrics"`, `"applicationExitMetrics"`, `"signpostMetrics"`} {
		if holds(head, "{[", `"metaData"`, key) {
			return true
		}
	}
	return holds(head, "{[", `"callStackRootFrames"`) || holds(head, "{[", `"callStackTree"`)
}

// DecodeMetricKit reads payloads of MetricKit: samples of the process (footprint_peak, footprint_suspended), and of scope
// class the exits for memory and the memory of signposts. A payload is one moment, the end of its day.
func DecodeMetricKit(in *source.Input, b *table.Builder) error {
	r, err := open(in, b)
	if err != nil {
		return err
	}
	r.all()
	m := &metricKit{report: r}
	for _, root := range r.roots {
		if root.node().kind == '[' {
			root.each(func(_, p value) { m.payload(p) })
		} else {
			m.payload(root)
		}
	}
	if r.rows == 0 {
		return r.heldNothing("memoryMetrics, exits for memory or memory of signposts in a payload of MetricKit; call stacks tell of no memory")
	}
	return nil
}

type metricKit struct {
	*report
	grouping byte // what stands between thousands in this file; 0 where nothing tells
	decided  bool
}

func (m *metricKit) payload(p value) {
	meta := p.get("metaData")
	m.b.Snapshot(table.Stamp{Wall: m.wall(p.get("timeStampEnd")), Line: m.line(p)})
	m.b.Process(table.Int{}, m.sym(firstOf(meta.get("bundleIdentifier").text(), meta.get("bundleID").text())))
	m.fact("device", meta.get("deviceType"))
	m.fact("OS", meta.get("osVersion"))
	m.fact("app_version", p.get("appVersion"))
	m.fact("window_begin", p.get("timeStampBegin"))
	m.fact("window_end", p.get("timeStampEnd"))
	memory := p.get("memoryMetrics")
	m.measure("process", "", "footprint_peak", memory.get("peakMemoryUsage"))
	if s := memory.get("averageSuspendedMemory"); s.get("sampleCount").text() != "0" {
		m.measure("process", "", "footprint_suspended", s.get("averageValue"))
	}
	m.exits(p.get("applicationExitMetrics"))
	p.get("signpostMetrics").each(func(_, s value) {
		name := "signpost " + s.get("signpostCategory").text() + "/" + s.get("signpostName").text()
		m.measure("class", name, "footprint", s.get("signpostIntervalData", "signpostAverageMemory"))
	})
}

// exits writes how often memory ended the app; a key that is absent is not a 0.
func (m *metricKit) exits(exits value) {
	for _, where := range [][2]string{{"foregroundExitData", "foreground/"}, {"backgroundExitData", "background/"}} {
		for _, key := range []string{"MemoryResourceLimit", "MemoryPressure", "BadAccess"} {
			v := exits.get(where[0], "cumulative"+key+"ExitCount")
			m.sample("class", where[1]+key, "count", m.figure(v, "a count of exits"), v)
		}
	}
}

// measure writes a size that is printed in the language of the device.
func (m *metricKit) measure(scope, name, metric string, v value) {
	if !v.ok() || v.isNull() {
		return
	}
	if !m.decided {
		m.decided, m.grouping = true, groupingOf(m.doc)
	}
	n, ok := sizeIn(v.text(), m.grouping)
	if !ok {
		m.b.Problems.Add(m.at(v), "want a size with a unit that is known, such as 200,000 kB, have %s", clip(v.raw()))
		return
	}
	m.sample(scope, name, metric, n, v)
}
