package ingest

import (
	"github.com/memtide/memtide/ingest/android"
	"github.com/memtide/memtide/ingest/fault"
	"github.com/memtide/memtide/ingest/meminfo"
	"github.com/memtide/memtide/ingest/proc"
	"github.com/memtide/memtide/ingest/regions"
	"github.com/memtide/memtide/ingest/series"
	"github.com/memtide/memtide/ingest/smaps"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// Decoder reads one input of a format into rows. It goes on behind a bad record, which is a problem of the builder;
// its error is that of the reading, or says that the input held nothing.
type Decoder func(*source.Input, *table.Builder) error

// Format is one kind of capture.
type Format struct {
	Name    string // as in `memtide formats`, `--format` and the inputs of a result
	Title   string
	Capture string // the command that takes one
	Series  bool   // a file is a run of its own, not a snapshot beside others
	Sniff   func(head []byte) bool
	Decode  Decoder
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
