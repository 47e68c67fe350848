package nsight

import (
	"strconv"
	"time"
)

// facts notes what the export says of itself. The table of names and values was called EXPORT_META_DATA until nsys
// 2023.2; META_DATA_CAPTURE, of newer versions, also holds the environment of the program, of which nothing is taken.
func (c *capture) facts() {
	export, capture := map[string]string{}, map[string]string{}
	keep := func(into map[string]string, wanted ...string) func(row) {
		return func(r row) {
			for _, w := range wanted {
				if string(r.text(0)) == w {
					into[w] = string(r.text(1))
				}
			}
		}
	}
	for _, t := range []string{"META_DATA_EXPORT", "EXPORT_META_DATA"} {
		c.scan(query{table: t, columns: []string{"name", "value"}}, keep(export, "EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION"))
	}
	c.scan(query{table: "META_DATA_CAPTURE", columns: []string{"name", "value"}}, keep(capture, "COLLECT_GPU_MEMORY_USAGE", "CUDA_SKIP_SOME_API_CALLS"))
	if v := export["EXPORT_PRODUCT_VERSION"]; v != "" {
		c.b.Fact("tool", "nsys "+v)
	} else {
		c.b.Fact("tool", "nsys")
	}
	if v := export["EXPORT_SCHEMA_VERSION"]; v != "" {
		c.b.Fact("schema", v)
	}
	c.b.Fact("clock", "trace")
	c.b.Fact("device_memory_tracing", c.tracing(capture["COLLECT_GPU_MEMORY_USAGE"]))
	if v := capture["CUDA_SKIP_SOME_API_CALLS"]; v != "" {
		c.b.Fact("calls_left_out", v)
	}
	c.scan(query{table: "TARGET_INFO_SESSION_START_TIME", columns: []string{"utcEpochNs"}}, func(r row) {
		if v := r.int(0); v.OK && v.V > 0 {
			c.b.Fact("start", time.Unix(0, v.V).UTC().Format(time.RFC3339Nano))
		}
	})
}

// tracing says whether memory events were asked for: a table is there only if it has rows, or if the export was told
// to write empty ones.
func (c *capture) tracing(asked string) string {
	switch {
	case c.t.has(memoryTable) && asked != "false":
		return "yes"
	case asked == "true":
		return "yes"
	case asked == "false":
		return "off"
	}
	return "unknown"
}

// told notes what the rows do not show: objects that were there before the capture, and sizes that were not traced.
func (c *capture) told() {
	objects, bytes := int64(0), int64(0)
	c.events.each(false, func(e *event) {
		if e.has&unexpected != 0 {
			objects++
			bytes = sum(bytes, e.size)
		}
	})
	if objects > 0 {
		c.b.Fact("preexisting_frees", strconv.FormatInt(objects, 10))
	}
	if bytes > 0 {
		c.b.Fact("preexisting_bytes", strconv.FormatInt(bytes, 10))
	}
	if !c.hasMemory {
		c.b.Fact("note", "the sizes of allocations are not known: take them with nsys profile --cuda-memory-usage=true")
	}
}
