package perf

import (
	"bytes"

	"github.com/memtide/memtide/ingest/table"
)

// kind is what an event tells of memory.
type kind uint8

const (
	other kind = iota
	rssStat
	pageAlloc
	pageFree
	slabAlloc
	slabFree
	cacheAlloc
	cacheFree
	probe
	kinds
)

// readers make the rows of each kind.
var readers = [kinds]func(*trace, *header){
	rssStat: (*trace).rss, pageAlloc: (*trace).page, pageFree: (*trace).page, slabAlloc: (*trace).slab, slabFree: (*trace).slab,
	cacheAlloc: (*trace).slab, cacheFree: (*trace).slab, probe: (*trace).probed,
}

// kindOf sorts an event by its name, with its group or, as ftrace prints it, without.
func kindOf(event, payload []byte) kind {
	name := event
	if i := bytes.LastIndexByte(event, ':'); i >= 0 {
		name = event[i+1:]
		if string(event[:i]) != "kmem" {
			return probeOf(name, payload)
		}
	}
	switch string(name) {
	case "rss_stat":
		return rssStat
	case "mm_page_alloc":
		return pageAlloc
	case "mm_page_free":
		return pageFree
	case "kmalloc", "kmalloc_node":
		return slabAlloc
	case "kfree":
		return slabFree
	case "kmem_cache_alloc", "kmem_cache_alloc_node":
		return cacheAlloc
	case "kmem_cache_free":
		return cacheFree
	}
	return probeOf(name, payload)
}

// probeOf knows probes on the allocator by what their names begin with, and by an address of user space in brackets at the
// start of the payload; kprobes have an address of the kernel there, or a symbol.
func probeOf(name, payload []byte) kind {
	if len(payload) == 0 || payload[0] != '(' || callOf(name) == noCall {
		return other
	}
	end := bytes.IndexAny(payload, " )")
	if end < 0 { // the line is cut
		end = len(payload)
	}
	if v, ok := pointer(payload[1:end]); ok && v>>63 == 1 || !ok && !nearlyAddress(payload[1:end]) {
		return other
	}
	return probe
}

// nearlyAddress says whether a word is long and hexadecimal but for a few characters. The address of a probe is not used,
// so damage to it costs nothing.
func nearlyAddress(word []byte) bool {
	others := 0
	for _, c := range word {
		if c-'0' > 9 && c|0x20-'a' > 5 {
			others++
		}
	}
	return len(word) >= 8 && others <= 2
}

// words are the strings of the rows.
type words struct {
	process, empty, heap, page, kmalloc, alloc, free, realloc table.Sym
	metrics                                                   [4]table.Sym
}

func newWords(b *table.Builder) words {
	return words{process: b.Text("process"), empty: b.Text(""), heap: b.Text("heap"), page: b.Text("page"), kmalloc: b.Text("kmalloc"),
		alloc: b.Text("alloc"), free: b.Text("free"), realloc: b.Text("realloc"),
		metrics: [4]table.Sym{b.Text("rss_file"), b.Text("rss_anon"), b.Text("swap"), b.Text("rss_shmem")}}
}
