// Package pprof reads heap profiles of the pprof family into sites: the protobuf that Go, tcmalloc, heapprofd and JAX write
// (format pprof), the text that came before it (pprof-legacy), and jemalloc's kind of that text (jemalloc-heap). A file is
// the heap of one process at one moment; the format package hands its stacks to callstack and its rows to table.
package pprof

import (
	"io"

	"github.com/google/pprof/profile"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// maxProfile is the largest profile that is held in memory: tens of times what a program of a million stacks writes.
const maxProfile = 512 << 20

// Sniff claims the bytes of a profile.proto (google/pprof, proto/profile.proto) that is not packed any more.
func Sniff(head []byte) bool { return looksLikeProfile(head, len(head) >= source.HeadSize) }

// Decode reads a profile of memory: one row of sites a stack, and heap_alloc, the sum of what is live. Positions count
// the bytes of the unpacked profile, from 1, in place of lines. The error is that of the reading, or says where the
// profile is damaged, or that it measures no memory.
func Decode(in *source.Input, b *table.Builder) error {
	data, err := io.ReadAll(io.LimitReader(in.Reader(), maxProfile+1))
	if err != nil {
		return err
	}
	if len(data) > maxProfile {
		return source.Errorf(in.At(1, 0), "want a profile of at most %d bytes", maxProfile)
	}
	samples, fault := layout(data)
	if fault != nil {
		return source.Errorf(in.At(fault.at+1, 0), "the profile is cut or damaged: %s", fault.text)
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return damaged(in, data, err)
	}
	return decodeProfile(in, b, p, samples)
}

// damaged finds the place of what the library does not like; it tells none itself.
func damaged(in *source.Input, data []byte, err error) error {
	if f := locate(data); f != nil {
		return source.Errorf(in.At(f.at+1, 0), "the profile is damaged: %s", f.text)
	}
	return source.Errorf(in.At(1, 0), "the profile is damaged: %v", err)
}
