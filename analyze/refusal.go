package analyze

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// roomsFollow is behind what everybody reads in the detail of a gpu-oom: figures of what was free in the segments follow.
const roomsFollow = ", inactive "

// outOfMemory tells of a request for device memory that was refused; nothing where its size or the device is not known.
func outOfMemory(process string, f *table.FaultRow) string {
	free := figuresOf(f.Detail)
	device, known := free["device"]
	if f.Kind != "gpu-oom" || !known || !f.Size.OK {
		return ""
	}
	text := fmt.Sprintf("out of memory on GPU %.0f: asked for %s", device, mebibytes(float64(f.Size.V)))
	if v, ok := free["device_free"]; ok {
		text += fmt.Sprintf(", %s were free on the device", mebibytes(v))
	}
	if process != "" {
		return process + ": " + text + "."
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// refused says of a request for device memory that was refused whether free memory in pieces was the cause: it was, if as much as
// was asked for was free in the allocator's own segments.
func (f *Finding) refused(detail string, size table.Int) {
	free := figuresOf(detail)
	for name, v := range free {
		f.Stats[name] = v
	}
	inactive, known := free["inactive"]
	if !known || !size.OK || size.V == 0 {
		return
	}
	fitting, largest, asked, slack := free["fitting"], free["largest_free"], float64(size.V), free["slack"]
	f.Message = fmt.Sprintf("%s. %s", strings.TrimSuffix(f.Message, "."), fmt.Sprintf("Inside the segments that the allocator held %s were free, the largest block that can serve it has %s. ", mebibytes(inactive), mebibytes(largest)))
	switch {
	case largest >= asked && slack == 0:
		f.Stats["fragmentation"] = 0
		f.Message += "A block was large enough, so fragmentation is not the cause."
		f.Advice = "See what forbids the block: a limit of the process (set_per_process_memory_fraction), max_split_size_mb, or work on another stream that is not done."
	case largest < asked && fitting >= asked && inactive-slack >= asked:
		f.Stats["fragmentation"] = 1
		f.Message += fmt.Sprintf("Fragmentation is the cause: %s of it could serve the request, but in pieces; in one piece it would have fit.", mebibytes(fitting))
		f.Advice = fragmentedAdvice(detail)
	case largest < asked && inactive-slack >= asked:
		f.Stats["fragmentation"] = 1
		f.Message += fmt.Sprintf("It would have fit into them, but only %s could serve the request: the rest is of other streams, of private pools (CUDA graphs, MemPool), or in segments for requests of another size.", mebibytes(fitting))
		f.Advice = "Free what the other stream or pool keeps (torch.cuda.empty_cache gives back whole segments only), share one stream or one graph pool, or set expandable_segments:True."
	case largest < asked && inactive-slack+free["device_free"] >= asked:
		f.Stats["fragmentation"] = 1
		f.Message += fmt.Sprintf("With the %s that the device had free it would have fit in one piece: fragmentation is part of the cause.", mebibytes(free["device_free"]))
		f.Advice = fragmentedAdvice(detail)
	case inactive+free["device_free"] < asked:
		f.Stats["fragmentation"] = 0
		f.Message += "In one piece it would not have fit either: fragmentation is not the cause, the device was full."
		f.Advice = "Less must be held at that moment: see what held it; smaller batches, activation checkpointing or offloading buy room, settings of the allocator do not."
	default:
		f.Message += fmt.Sprintf("What was free is known to within %s only, as blocks were freed later: whether fragmentation is the cause cannot be said.", mebibytes(slack))
	}
}

// fragmentedAdvice is what helps against free memory in pieces. Expandable segments are the first thing, unless they are in use.
func fragmentedAdvice(detail string) string {
	if strings.HasSuffix(detail, ", expandable") {
		return "Expandable segments are in use and still hold free memory in pieces: allocate what lives long before what lives short, and keep sizes alike (pad batches), so that blocks can be used again."
	}
	return "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; where that is not possible, max_split_size_mb keeps large blocks whole. Allocate what lives long before what lives short."
}

// figuresOf reads the figures of a detail: "GPU 1, device_free 95682560, inactive 139390976".
func figuresOf(detail string) map[string]float64 {
	out := map[string]float64{}
	for _, part := range strings.Split(detail, ", ") {
		name, text, ok := strings.Cut(part, " ")
		if name == "GPU" {
			name = "device"
		}
		if v, err := strconv.ParseInt(text, 10, 64); ok && err == nil {
			out[name] = float64(v)
		}
	}
	return out
}
