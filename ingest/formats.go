package ingest

import (
	"github.com/memtide/memtide/ingest/android"
	"github.com/memtide/memtide/ingest/applereport"
	"github.com/memtide/memtide/ingest/appletools"
	"github.com/memtide/memtide/ingest/bpftrace"
	"github.com/memtide/memtide/ingest/computesanitizer"
	"github.com/memtide/memtide/ingest/event"
	"github.com/memtide/memtide/ingest/fault"
	"github.com/memtide/memtide/ingest/gometrics"
	"github.com/memtide/memtide/ingest/gpu"
	"github.com/memtide/memtide/ingest/heaptrack"
	"github.com/memtide/memtide/ingest/instruments"
	"github.com/memtide/memtide/ingest/mallocinfo"
	"github.com/memtide/memtide/ingest/massif"
	"github.com/memtide/memtide/ingest/memcheck"
	"github.com/memtide/memtide/ingest/meminfo"
	"github.com/memtide/memtide/ingest/memleak"
	"github.com/memtide/memtide/ingest/mllog"
	"github.com/memtide/memtide/ingest/mtrace"
	"github.com/memtide/memtide/ingest/nsight"
	"github.com/memtide/memtide/ingest/perf"
	"github.com/memtide/memtide/ingest/pprof"
	"github.com/memtide/memtide/ingest/proc"
	"github.com/memtide/memtide/ingest/regions"
	"github.com/memtide/memtide/ingest/sanitizer"
	"github.com/memtide/memtide/ingest/series"
	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
	"github.com/memtide/memtide/ingest/torch"
	"github.com/memtide/memtide/ingest/tracemalloc"
)

// Decoder reads one input of a format into rows. It goes on behind a bad record, which is a problem of the builder;
// its error is that of the reading, or says that the input held nothing.
type Decoder func(*source.Input, *table.Builder) error

// Format is one kind of capture.
type Format struct {
	Name    string // as in `memtide formats`, `--format` and the inputs of a result
	Title   string
	Capture string // the command that takes one
	// Complete says that a site which the capture does not list has nothing alive; in others that is not known.
	Complete bool
	Series   bool // a file is a run of its own, not a snapshot beside others
	// OnDevice says that it tells of device memory from the device's side: logs of the CPU's side that name the same addresses are
	// held against it.
	OnDevice bool
	Sniff    func(head []byte) bool
	Decode   Decoder
	// Paged is in place of Decode where figures are pages and the size of one stands in another file of the run.
	Paged func(pageSize int64) Decoder
}

// Formats is the table of contents of what can be read. Where two formats of one run measure the same, the series
// is taken from the one that stands first.
func Formats() []Format { return formats }

var formats = []Format{
	{Name: "smaps-rollup", Title: "Linux and Android /proc/PID/smaps_rollup", Capture: "cat /proc/PID/smaps_rollup", Sniff: proc.SniffRollup, Decode: proc.DecodeRollup},
	{Name: "smaps", Title: "Linux and Android /proc/PID/smaps", Capture: "cat /proc/PID/smaps", Sniff: smaps.Sniff, Decode: smaps.Decode},
	{Name: "showmap", Title: "Android showmap", Capture: "adb shell showmap PID", Sniff: regions.SniffShowmap, Decode: regions.DecodeShowmap},
	{Name: "dumpsys-meminfo", Title: "Android dumpsys meminfo, of a process or the whole system", Capture: "adb shell dumpsys meminfo [-a] [PACKAGE]", Sniff: meminfo.Sniff, Decode: meminfo.Decode},
	{Name: "dumpsys-meminfo-checkin", Title: "Android dumpsys meminfo --checkin", Capture: "adb shell dumpsys meminfo --checkin", Sniff: meminfo.SniffCheckin, Decode: meminfo.DecodeCheckin},
	{Name: "dumpsys-meminfo-compact", Title: "Android dumpsys meminfo -c", Capture: "adb shell dumpsys meminfo -c", Sniff: meminfo.SniffCompact, Decode: meminfo.DecodeCompact},
	{Name: "pmap", Title: "Linux pmap", Capture: "pmap -X PID", Sniff: regions.SniffPmap, Decode: regions.DecodePmap},
	{Name: "proc-status", Title: "Linux and Android /proc/PID/status", Capture: "cat /proc/PID/status", Sniff: proc.SniffStatus, Decode: proc.DecodeStatus},
	{Name: "proc-maps", Title: "Linux and Android /proc/PID/maps", Capture: "cat /proc/PID/maps", Sniff: smaps.SniffMaps, Decode: smaps.DecodeMaps},
	{Name: "librank", Title: "Android librank", Capture: "adb shell librank", Sniff: regions.SniffLibrank, Decode: regions.DecodeLibrank},
	{Name: "procrank", Title: "Android procrank", Capture: "adb shell su root procrank", Sniff: android.SniffProcrank, Decode: android.DecodeProcrank},
	{Name: "pidstat", Title: "sysstat pidstat", Capture: "pidstat -rh -p PID 1", Series: true, Sniff: series.SniffPidstat, Decode: series.DecodePidstat},
	{Name: "proc-statm", Title: "Linux and Android /proc/PID/statm", Capture: "cat /proc/PID/statm", Sniff: proc.SniffStatm, Paged: paged(proc.DecodeStatm)},
	{Name: "psrecord", Title: "psrecord", Capture: "psrecord PID --log FILE", Series: true, Sniff: series.SniffPsrecord, Decode: series.DecodePsrecord},
	{Name: "ps", Title: "ps in a loop", Capture: "while sleep 1; do date; ps -o pid,rss,vsz,comm -p PID; done", Series: true, Sniff: series.SniffPS, Decode: series.DecodePS},
	{Name: "series-csv", Title: "CSV with a time column, from any logger", Capture: "see docs/formats/series-csv.md", Series: true, Sniff: series.SniffCSV, Decode: series.DecodeCSV},
	{Name: "proc-meminfo", Title: "Linux and Android /proc/meminfo", Capture: "cat /proc/meminfo", Sniff: proc.SniffMeminfo, Decode: proc.DecodeMeminfo},
	{Name: "zram-mm-stat", Title: "Linux /sys/block/zram0/mm_stat", Capture: "cat /sys/block/zram0/mm_stat", Sniff: android.SniffZRAM, Decode: android.DecodeZRAM},
	{Name: "dumpsys-gfxinfo", Title: "Android dumpsys gfxinfo", Capture: "adb shell dumpsys gfxinfo PACKAGE", Sniff: android.SniffGfxinfo, Decode: android.DecodeGfxinfo},
	{Name: "dumpsys-gpu", Title: "Android dumpsys gpu", Capture: "adb shell dumpsys gpu --gpumem", Sniff: android.SniffGPU, Decode: android.DecodeGPU},
	{Name: "dumpsys-procstats", Title: "Android dumpsys procstats: recognised, and refused with the reason", Capture: "adb shell dumpsys procstats", Sniff: android.SniffProcstats, Decode: android.DecodeProcstats},
	{Name: "android-tombstone", Title: "Android tombstone", Capture: "adb bugreport, or adb pull /data/tombstones", Sniff: fault.SniffTombstone, Decode: fault.DecodeTombstone},
	{Name: "kernel-oom", Title: "Linux OOM killer, in a kernel log", Capture: "dmesg, or journalctl -k", Sniff: fault.SniffOOM, Decode: fault.DecodeOOM},
	{Name: "lmkd", Title: "Android low memory killer, in a log", Capture: "adb logcat -d -b all", Sniff: fault.SniffLMKD, Decode: fault.DecodeLMKD},
	{Name: "memtide-events", Title: "Log of events on objects, NDJSON or CSV, from any writer", Capture: "see docs/formats/memtide-events.md", Series: true, Sniff: event.Sniff, Decode: event.Decode},
	{Name: "bpftrace-events", Title: "bpftrace: events that a script prints", Capture: "bpftrace SCRIPT, see docs/formats/bpftrace-events.md", Series: true, Sniff: bpftrace.SniffEvents, Decode: bpftrace.DecodeEvents},
	{Name: "bpftrace-maps", Title: "bpftrace: maps with stacks", Capture: "bpftrace SCRIPT, see docs/formats/bpftrace-maps.md", Series: true, Sniff: bpftrace.SniffMaps, Decode: bpftrace.DecodeMaps},
	{Name: "bcc-memleak", Title: "memleak of bcc, Python and C", Capture: "memleak-bpfcc -p PID 10 60", Series: true, Sniff: memleak.Sniff, Decode: memleak.Decode},
	{Name: "perf-script", Title: "perf script of memory events", Capture: "perf record -e kmem:rss_stat -- CMD; perf script --ns -F comm,pid,tid,cpu,time,event,trace", Series: true, Sniff: perf.SniffScript, Decode: perf.DecodeScript},
	{Name: "ftrace", Title: "ftrace or trace-cmd report of memory events", Capture: "cat /sys/kernel/tracing/trace", Series: true, Sniff: perf.SniffFtrace, Decode: perf.DecodeFtrace},
	{Name: "mtrace", Title: "glibc mtrace", Capture: "MALLOC_TRACE=FILE LD_PRELOAD=libc_malloc_debug.so.0 PROGRAM", Series: true, Sniff: mtrace.Sniff, Decode: mtrace.Decode},
	{Name: "xctrace-table", Title: "Instruments: tables of xctrace export", Capture: "xcrun xctrace export --input FILE.trace --xpath '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"sysmon-process\"]'", Series: true, Sniff: instruments.SniffTable, Decode: instruments.DecodeTable},
	{Name: "xctrace-detail", Title: "Instruments: Allocations, Leaks and VM Tracker of xctrace export", Capture: "xcrun xctrace export --input FILE.trace --xpath '/trace-toc/run[@number=\"1\"]/tracks/track[@name=\"Allocations\"]/details/detail[@name=\"Statistics\"]'", Sniff: instruments.SniffDetail, Decode: instruments.DecodeDetail},
	{Name: "xctrace-toc", Title: "Instruments: table of contents of xctrace export", Capture: "xcrun xctrace export --input FILE.trace --toc", Sniff: instruments.SniffTOC, Decode: instruments.DecodeTOC},
	{Name: "instruments-copy", Title: "Instruments: text of Copy and Deep Copy", Capture: "Edit > Deep Copy, then pbpaste", Sniff: instruments.SniffCopy, Decode: instruments.DecodeCopy},
	{Name: "pprof", Title: "pprof heap profile, in protobuf", Capture: "curl -o heap.pb.gz 'http://HOST/debug/pprof/heap?gc=1'", Complete: true, Sniff: pprof.Sniff, Decode: pprof.Decode},
	{Name: "pprof-legacy", Title: "pprof heap profile, in text: gperftools, Go debug=1, Java heapz", Capture: "HEAPPROFILE=PREFIX ./app", Complete: true, Sniff: pprof.SniffLegacy, Decode: pprof.DecodeLegacy},
	{Name: "jemalloc-heap", Title: "jemalloc heap profile", Capture: "MALLOC_CONF=prof:true,prof_final:true ./app", Complete: true, Sniff: pprof.SniffJemalloc, Decode: pprof.DecodeJemalloc},
	{Name: "massif", Title: "Valgrind Massif", Capture: "valgrind --tool=massif ./app", Series: true, Sniff: massif.Sniff, Decode: massif.Decode},
	{Name: "dhat", Title: "Valgrind DHAT", Capture: "valgrind --tool=dhat ./app", Series: true, Sniff: massif.SniffDHAT, Decode: massif.DecodeDHAT},
	{Name: "tracemalloc", Title: "Python tracemalloc statistics", Capture: "see docs/formats/tracemalloc.md", Sniff: tracemalloc.Sniff, Decode: tracemalloc.Decode},
	{Name: "malloc-info", Title: "glibc malloc_info", Capture: "malloc_info(0, f) in the program", Sniff: mallocinfo.Sniff, Decode: mallocinfo.Decode},
	{Name: "go-metrics", Title: "Go runtime/metrics", Capture: "see docs/formats/go-metrics.md", Sniff: gometrics.Sniff, Decode: gometrics.Decode},
	{Name: "heaptrack", Title: "heaptrack", Capture: "heaptrack -o FILE PROGRAM", Complete: true, Series: true, Sniff: heaptrack.Sniff, Decode: heaptrack.Decode},
	{Name: "heaptrack-raw", Title: "heaptrack without names", Capture: "heaptrack -r -o FILE PROGRAM", Complete: true, Series: true, Sniff: heaptrack.SniffRaw, Decode: heaptrack.DecodeRaw},
	{Name: "memcheck", Title: "valgrind memcheck, text and XML", Capture: "valgrind --leak-check=full --show-leak-kinds=all --log-file=FILE PROGRAM", Series: true, Sniff: memcheck.Sniff, Decode: memcheck.Decode},
	{Name: "sanitizer", Title: "LeakSanitizer, AddressSanitizer, ThreadSanitizer, MemorySanitizer", Capture: "cc -g -fsanitize=address …; ./a.out 2> FILE", Series: true, Sniff: sanitizer.Sniff, Decode: sanitizer.Decode},
	{Name: "nsys-sqlite", Title: "NVIDIA Nsight Systems, exported to SQLite", Capture: "nsys export --type sqlite FILE", Series: true, OnDevice: true, Sniff: nsight.SniffSQLite, Decode: nsight.DecodeSQLite},
	{Name: "nsys-arrow", Title: "NVIDIA Nsight Systems, exported to an Arrow stream", Capture: "nsys export --type arrow FILE", Series: true, OnDevice: true, Sniff: nsight.SniffArrow, Decode: nsight.DecodeArrow},
	{Name: "nsys-jsonlines", Title: "NVIDIA Nsight Systems, exported to lines of JSON", Capture: "nsys export --type jsonlines FILE", Series: true, Sniff: nsight.SniffJSONLines, Decode: nsight.DecodeJSONLines},
	{Name: "nsys-stats", Title: "NVIDIA nsys stats, the report of CUDA calls", Capture: "nsys stats --report cuda_api_sum FILE", Sniff: nsight.SniffStats, Decode: nsight.DecodeStats},
	{Name: "ncu-csv", Title: "NVIDIA Nsight Compute, CSV", Capture: "ncu --set full --csv PROGRAM", Series: true, Sniff: nsight.SniffNCU, Decode: nsight.DecodeNCU},
	{Name: "torch-snapshot", Title: "PyTorch CUDA caching allocator snapshot, pickle or JSON", Capture: "torch.cuda.memory._dump_snapshot(FILE)", Series: true, OnDevice: true, Sniff: torch.SniffSnapshot, Decode: torch.DecodeSnapshot},
	{Name: "torch-trace", Title: "PyTorch profiler trace with memory events", Capture: "torch.profiler.profile(profile_memory=True), export_chrome_trace(FILE)", Series: true, OnDevice: true, Sniff: torch.SniffTrace, Decode: torch.DecodeTrace},
	{Name: "torch-memory-timeline", Title: "PyTorch profiler memory timeline, raw", Capture: "p.export_memory_timeline(\"FILE.raw.json.gz\")", Series: true, Sniff: torch.SniffTimeline, Decode: torch.DecodeTimeline},
	{Name: "nvidia-smi-csv", Title: "nvidia-smi --format=csv, of cards or processes", Capture: "nvidia-smi --query-gpu=timestamp,index,name,memory.total,memory.used --format=csv -l 1", Series: true, Sniff: gpu.SniffCSV, Decode: gpu.DecodeCSV},
	{Name: "nvidia-smi-xml", Title: "nvidia-smi -q -x", Capture: "nvidia-smi -q -x", Sniff: gpu.SniffXML, Decode: gpu.DecodeXML},
	{Name: "nvidia-smi-q", Title: "nvidia-smi -q", Capture: "nvidia-smi -q", Sniff: gpu.SniffQ, Decode: gpu.DecodeQ},
	{Name: "nvidia-smi-table", Title: "nvidia-smi", Capture: "nvidia-smi", Sniff: gpu.SniffTable, Decode: gpu.DecodeTable},
	{Name: "nvidia-smi-mon", Title: "nvidia-smi dmon and pmon", Capture: "nvidia-smi dmon -s m -o DT", Series: true, Sniff: gpu.SniffMon, Decode: gpu.DecodeMon},
	{Name: "gpu-csv", Title: "CSV of home-made loggers of device memory", Capture: "see docs/formats/gpu-csv.md", Series: true, Sniff: gpu.SniffLogger, Decode: gpu.DecodeLogger},
	{Name: "gpu-prom", Title: "Prometheus text of dcgm-exporter and nvidia_gpu_exporter", Capture: "curl -s localhost:9400/metrics", Sniff: gpu.SniffProm, Decode: gpu.DecodeProm},
	{Name: "rocm-smi-json", Title: "rocm-smi --json", Capture: "rocm-smi --showmeminfo vram --showproductname --json", Sniff: gpu.SniffROCm, Decode: gpu.DecodeROCm},
	{Name: "vllm-log", Title: "log of a vLLM server", Capture: "vllm serve MODEL 2>&1 | tee vllm.log", Series: true, Sniff: mllog.SniffVLLM, Decode: mllog.DecodeVLLM},
	{Name: "deepspeed-log", Title: "DeepSpeed see_memory_usage, in a log", Capture: "see docs/formats/deepspeed-log.md", Series: true, Sniff: mllog.SniffDeepSpeed, Decode: mllog.DecodeDeepSpeed},
	{Name: "compute-sanitizer", Title: "NVIDIA compute-sanitizer and cuda-memcheck", Capture: "compute-sanitizer --leak-check full PROGRAM", Series: true, Sniff: computesanitizer.Sniff, Decode: computesanitizer.Decode},
	{Name: "vmmap", Title: "macOS vmmap, whole or -summary", Capture: "vmmap -summary PID", Sniff: appletools.SniffVmmap, Decode: appletools.DecodeVmmap},
	{Name: "footprint", Title: "macOS footprint", Capture: "footprint PID", Sniff: appletools.SniffFootprint, Decode: appletools.DecodeFootprint},
	{Name: "footprint-json", Title: "macOS footprint, JSON", Capture: "footprint -j FILE PID", Sniff: applereport.SniffFootprint, Decode: applereport.DecodeFootprint},
	{Name: "leaks", Title: "macOS leaks", Capture: "leaks PID", Sniff: appletools.SniffLeaks, Decode: appletools.DecodeLeaks},
	{Name: "apple-heap", Title: "macOS heap", Capture: "heap PID", Complete: true, Sniff: appletools.SniffHeap, Decode: appletools.DecodeHeap},
	{Name: "malloc-history", Title: "macOS malloc_history of an address", Capture: "malloc_history PID ADDRESS", Series: true, Sniff: appletools.SniffHistory, Decode: appletools.DecodeHistory},
	{Name: "jetsam", Title: "JetsamEvent of iOS and macOS", Capture: "idevicecrashreport -k DIR", Sniff: applereport.SniffJetsam, Decode: applereport.DecodeJetsam},
	{Name: "apple-crash", Title: "Apple crash report, .ips or text", Capture: "idevicecrashreport -k DIR", Sniff: applereport.SniffCrash, Decode: applereport.DecodeCrash},
	{Name: "kscrash", Title: "KSCrash report", Capture: "see docs/formats/kscrash.md", Sniff: applereport.SniffKSCrash, Decode: applereport.DecodeKSCrash},
	{Name: "metrickit", Title: "MetricKit payload", Capture: "see docs/formats/metrickit.md", Sniff: applereport.SniffMetricKit, Decode: applereport.DecodeMetricKit},
	{Name: "xctest-metrics", Title: "XCTest memory metrics", Capture: "xcrun xcresulttool get test-results metrics --path FILE.xcresult", Series: true, Sniff: applereport.SniffXCTest, Decode: applereport.DecodeXCTest},
	{Name: "refcount-csv", Title: "Retains and releases, as a table", Capture: "see docs/formats/refcount-csv.md", Series: true, Sniff: applereport.SniffRefcount, Decode: applereport.DecodeRefcount},
	{Name: "memorystatus", Title: "iOS jetsam, in a console log", Capture: "idevicesyslog, or log collect", Sniff: fault.SniffMemorystatus, Decode: fault.DecodeMemorystatus},
}

func paged(f func(int64) func(*source.Input, *table.Builder) error) func(int64) Decoder {
	return func(pageSize int64) Decoder { return f(pageSize) }
}

// find gives the format of a name.
func find(name string) *Format {
	for i := range formats {
		if formats[i].Name == name {
			return &formats[i]
		}
	}
	return nil
}
