package torch

// word is the number of a string that a snapshot is made of: a key, or one of the fixed values.
type word = int64

const (
	wSegments word = iota
	wTraces
	wSettings
	wAnnotations
	wOverflowed
	wAction
	wAddr
	wSize
	wFrames
	wTime
	wFree
	wStage
	wName
	wDevice
	wAddress
	wTotalSize
	wBlocks
	wRequested
	wState
	wHistory
	wRealSize
	wFilename
	wLine
	wStream
	wSegmentType
	wSegmentPool
	wPool
	wExpandable
	numKeys // what follows are values
)

const (
	vAlloc word = numKeys + iota
	vFreeRequested
	vFreeCompleted
	vSegmentAlloc
	vSegmentMap
	vSegmentFree
	vSegmentUnmap
	vSnapshot
	vWorkspace
	vAnnotate
	vOOM
	vInactive
	vStart
	vSmall
	vAllocated
	vAwaiting
	vPending
	numWords
)

// words are the strings of snapshots that torch 1.12 to 2.9 write (torch/csrc/cuda/Module.cpp, memorySnapshot, and
// torch/cuda/memory.py).
var words = [numWords]string{
	wSegments: "segments", wTraces: "device_traces", wSettings: "allocator_settings", wAnnotations: "external_annotations",
	wOverflowed: "trace_alloc_overflowed",
	wAction:     "action", wAddr: "addr", wSize: "size", wFrames: "frames", wTime: "time_us", wFree: "device_free",
	wStage: "stage", wName: "name", wDevice: "device",
	wAddress: "address", wTotalSize: "total_size", wBlocks: "blocks",
	wRequested: "requested_size", wState: "state", wHistory: "history", wRealSize: "real_size",
	wFilename: "filename", wLine: "line",
	wStream: "stream", wSegmentType: "segment_type", wSegmentPool: "segment_pool_id", wPool: "pool_id", wExpandable: "is_expandable",
	vAlloc: "alloc", vFreeRequested: "free_requested", vFreeCompleted: "free_completed", vSegmentAlloc: "segment_alloc", vSegmentMap: "segment_map",
	vSegmentFree: "segment_free", vSegmentUnmap: "segment_unmap", vSnapshot: "snapshot", vWorkspace: "workspace_snapshot", vAnnotate: "annotate", vOOM: "oom",
	vInactive: "inactive", vStart: "START", vSmall: "small",
	vAllocated: "active_allocated", vAwaiting: "active_awaiting_free", vPending: "active_pending_free",
}

var wordOf = func() map[string]word {
	out := map[string]word{}
	for i, s := range words {
		out[s] = word(i)
	}
	return out
}()
