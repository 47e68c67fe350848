package applereport

import (
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffXCTest recognises the metrics of tests as xcresulttool prints them, in its present form and in the legacy one.
func SniffXCTest(head []byte) bool {
	return holds(head, "[", `"testIdentifier"`, `"testRuns"`) || holds(head, "{[", `"ActionTestPerformanceMetricSummary"`)
}

// DecodeXCTest reads the memory metrics of tests: a sample for each measurement, of the process that bears the name of the
// test, with the iteration; footprint_peak is a level, footprint_growth that within one iteration.
func DecodeXCTest(in *source.Input, b *table.Builder) error {
	r, err := open(in, b)
	if err != nil {
		return err
	}
	r.all()
	x := &xcTest{report: r, next: map[[2]string]int64{}}
	x.b.Snapshot(table.Stamp{Line: 1})
	for _, root := range r.roots {
		if root.node().kind == '[' {
			root.each(func(_, test value) { x.test(test) })
		}
		if r.rows == 0 {
			x.legacy(root, "", 0)
		}
	}
	if r.rows == 0 {
		return r.heldNothing("measurements of XCTMetric_Memory (add XCTMemoryMetric to measure(metrics:))")
	}
	return nil
}

type xcTest struct {
	*report
	next  map[[2]string]int64 // iterations so far, of a test and metric
	facts int
}

// memoryMetric tells what an identifier measures; empty for what is no memory.
func memoryMetric(id string) string {
	switch {
	case !strings.Contains(id, "XCTMetric_Memory"):
	case strings.HasSuffix(id, ".physical_peak"):
		return "footprint_peak"
	case strings.HasSuffix(id, ".physical"):
		return "footprint_growth"
	}
	return ""
}

func (x *xcTest) test(test value) {
	name := test.get("testIdentifier").text()
	test.get("testRuns").each(func(_, run value) {
		x.fact("device", run.get("device", "deviceName"))
		run.get("metrics").each(func(_, m value) {
			plain := func(v value) value { return v }
			x.metric(name, m, m.get("measurements"), plain)
		})
	})
}

// legacy looks for the summaries of the older form, in which each value is wrapped.
func (x *xcTest) legacy(v value, test string, depth int) {
	if depth > 200 {
		return
	}
	switch v.get("_type", "_name").text() {
	case "ActionTestSummary":
		test = firstOf(v.get("identifier", "_value").text(), test)
	case "ActionTestPerformanceMetricSummary":
		x.metric(test, v, v.get("measurements", "_values"), func(v value) value { return v.get("_value") })
		return
	}
	v.each(func(_, item value) {
		if k := item.node().kind; k == '{' || k == '[' {
			x.legacy(item, test, depth+1)
		}
	})
}

// metric writes the measurements of a metric. Those of a second run of the test, on another device or configuration, count
// on.
func (x *xcTest) metric(test string, m, measurements value, unwrap func(value) value) {
	metric := memoryMetric(unwrap(m.get("identifier")).text())
	if metric == "" {
		return
	}
	unit, ok := units[strings.ToLower(unwrap(m.get("unitOfMeasurement")).text())]
	if !ok {
		x.b.Problems.Add(x.at(m), "want a unit of memory such as kB, have %q", clip([]byte(unwrap(m.get("unitOfMeasurement")).text())))
		return
	}
	x.b.Process(table.Int{}, x.sym(test))
	key := [2]string{test, metric}
	measurements.each(func(_, item value) {
		i := x.next[key]
		x.next[key]++
		v := scaled(unwrap(item).text(), unit)
		if !v.OK {
			x.b.Problems.Add(x.at(item), "want a measurement, have %s: it is left out", clip(item.raw()))
			return
		}
		x.sampleAt(table.Sample{Scope: x.word("process"), Name: x.word(""), Metric: x.word(metric), Line: x.line(item), Iteration: table.Known(i), At: i}, v)
	})
	for _, fact := range []string{"baselineAverage", "maxPercentRegression"} {
		if v := unwrap(m.get(fact)); v.ok() && x.facts < 64 {
			x.facts++
			x.fact(fact+" of "+test+" "+metric, v)
		}
	}
}
