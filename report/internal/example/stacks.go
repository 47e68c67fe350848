package example

import "github.com/memtide/memtide/analyze"

// Stacks is a comparison of heap profiles: one call chain grew, one shrank, one is new, and some are not listed.
func Stacks() *analyze.Result {
	r := Compare()
	chain := func(frames ...string) []analyze.StackFrame {
		var out []analyze.StackFrame
		for _, f := range frames {
			out = append(out, analyze.StackFrame{Function: f, Module: "/data/app/lib/libgallery.so"})
		}
		return out
	}
	level := func(bytes, objects int64) *analyze.StackLevel {
		return &analyze.StackLevel{Bytes: &bytes, Objects: &objects}
	}
	for _, row := range []struct {
		stack         []analyze.StackFrame
		before, after *analyze.StackLevel
		rest          int
	}{
		{chain("malloc", "gallery::Cache::add", "gallery::Loader::decode", "thread_start"), level(40*mib, 900), level(61*mib, 1400), 0},
		{chain("malloc", "gallery::Thumbs::make", "gallery::Loader::decode", "thread_start"), level(9*mib, 300), level(2*mib, 60), 0},
		{chain("operator new", "gallery::Log::line", "main"), level(0, 0), level(3*mib, 44_000), 0},
		{nil, level(12*mib, 7000), level(12*mib, 7000), 812},
	} {
		r.Stacks = append(r.Stacks, analyze.StackDelta{Process: app, Stack: row.stack, Before: row.before, After: row.after, Rest: row.rest})
	}
	r.Findings[0].Stack = []string{"malloc", "gallery::Cache::add (cache.cpp:41)", "gallery::Loader::decode (loader.cpp:7)", "thread_start"}
	return r
}
