package nsight

import "strings"

// op is what an event does to an object.
type op uint8

const (
	opNone op = iota
	opAlloc
	opFree
	opCreate
	opDestroy
	opMark
	opRefused // a request that failed for want of memory: a fault, no event
)

var opNames = [...]string{opAlloc: "alloc", opFree: "free", opCreate: "create", opDestroy: "destroy", opMark: "mark", opRefused: ""}

// class is the kind of an object.
type class uint8

const (
	noClass class = iota
	pageable
	pinned
	gpuMemory
	gpuArray
	gpuManaged
	gpuStatic
	gpuManagedStatic
	gpuUnknown
	cudaEvent
	cudaStream
	cudaGraph
	cudaGraphExec
	cudaMempool
	numClasses
)

var classNames = [numClasses]string{
	pageable: "pageable-host", pinned: "pinned-host", gpuMemory: "gpu-memory", gpuArray: "gpu-array", gpuManaged: "gpu-managed",
	gpuStatic: "gpu-static", gpuManagedStatic: "gpu-managed-static", gpuUnknown: "gpu-unknown", cudaEvent: "cuda-event",
	cudaStream: "cuda-stream", cudaGraph: "cuda-graph", cudaGraphExec: "cuda-graph-exec", cudaMempool: "cuda-mempool",
}

// kinds are the classes of CUDA_GPU_MEMORY_USAGE_EVENTS.memKind (ENUM_CUDA_MEM_KIND), 0 to 7.
var kinds = [...]class{pageable, pinned, gpuMemory, gpuArray, gpuManaged, gpuStatic, gpuManagedStatic, gpuUnknown}

// onDevice says whether memory of a class counts for the device's gpu_used: the host cannot hold it.
func (c class) onDevice() bool { return c == gpuMemory || c == gpuArray || c == gpuStatic }

// onHost says whether the device of an event of a class means nothing.
func (c class) onHost() bool { return c == pageable || c == pinned }

// api is what a call of the CUDA runtime or driver does when it succeeds.
type api struct {
	op    op
	class class
}

// apis are the calls that make and release what memtide counts, by their whole names without the suffixes of versions.
var apis = index([]calls{
	{api{opAlloc, gpuMemory}, "cudaMalloc cudaMallocPitch cudaMalloc3D cudaMallocManaged cudaMallocAsync cudaMallocFromPoolAsync cuMemAlloc cuMemAllocPitch cuMemAllocManaged cuMemAllocAsync cuMemAllocFromPoolAsync"},
	{api{opFree, gpuMemory}, "cudaFree cudaFreeAsync cuMemFree cuMemFreeAsync"},
	{api{opAlloc, gpuArray}, "cudaMallocArray cudaMalloc3DArray cudaMallocMipmappedArray cuArrayCreate cuArray3DCreate cuMipmappedArrayCreate"},
	{api{opFree, gpuArray}, "cudaFreeArray cudaFreeMipmappedArray cuArrayDestroy cuMipmappedArrayDestroy"},
	{api{opAlloc, pinned}, "cudaHostAlloc cudaMallocHost cuMemHostAlloc cuMemAllocHost"},
	{api{opFree, pinned}, "cudaFreeHost cuMemFreeHost"},
	{api{opNone, noClass}, "cuMemCreate"}, // virtual memory management: not counted, but it can be refused
	{api{opCreate, cudaEvent}, "cudaEventCreate cudaEventCreateWithFlags cuEventCreate"},
	{api{opDestroy, cudaEvent}, "cudaEventDestroy cuEventDestroy"},
	{api{opCreate, cudaStream}, "cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority cuStreamCreate cuStreamCreateWithPriority"},
	{api{opDestroy, cudaStream}, "cudaStreamDestroy cuStreamDestroy"},
	{api{opCreate, cudaGraph}, "cudaGraphCreate cudaStreamEndCapture cudaGraphClone cuGraphCreate cuStreamEndCapture cuGraphClone"},
	{api{opDestroy, cudaGraph}, "cudaGraphDestroy cuGraphDestroy"},
	{api{opCreate, cudaGraphExec}, "cudaGraphInstantiate cudaGraphInstantiateWithFlags cudaGraphInstantiateWithParams cuGraphInstantiate cuGraphInstantiateWithFlags cuGraphInstantiateWithParams"},
	{api{opDestroy, cudaGraphExec}, "cudaGraphExecDestroy cuGraphExecDestroy"},
	{api{opCreate, cudaMempool}, "cudaMemPoolCreate cuMemPoolCreate"},
	{api{opDestroy, cudaMempool}, "cudaMemPoolDestroy cuMemPoolDestroy"},
})

// calls are those that do the same.
type calls struct {
	api
	names string
}

func index(list []calls) map[string]api {
	out := map[string]api{}
	for _, l := range list {
		for _, n := range strings.Fields(l.names) {
			out[n] = l.api
		}
	}
	return out
}

// refusable says whether error 2 of a call is a refused request for memory.
func (a api) refusable() bool { return a.op == opAlloc || a.op == opNone }

// driverCall tells calls of the driver (cuMemAlloc) from those of the runtime (cudaMalloc).
func driverCall(name string) bool {
	return strings.HasPrefix(name, "cu") && !strings.HasPrefix(name, "cuda")
}

// plainName takes the suffixes of versions and of per-thread streams off: cudaMalloc_v3020, cuMemAllocAsync_ptsz.
func plainName(s string) string {
	for {
		i := strings.LastIndexByte(s, '_')
		if i <= 0 {
			return s
		}
		switch suffix := s[i+1:]; {
		case suffix == "ptsz", suffix == "ptds":
		case len(suffix) > 1 && suffix[0] == 'v' && strings.Trim(suffix[1:], "0123456789") == "":
		default:
			return s
		}
		s = s[:i]
	}
}
