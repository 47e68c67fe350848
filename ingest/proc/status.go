package proc

import (
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// statusMetrics are the memory keys of /proc/PID/status from Linux 2.6 to 6.18. Any other in kB is named once as a
// problem; what is no size but for the number of threads is not memory and passed over.
var statusMetrics = map[string]string{
	"VmPeak": "vm_peak", "VmSize": "vss", "VmLck": "locked", "VmPin": "vm_pin", "VmHWM": "vm_hwm", "VmRSS": "rss",
	"RssAnon": "rss_anon", "RssFile": "rss_file", "RssShmem": "rss_shmem",
	"VmData": "vm_data", "VmStk": "vm_stk", "VmExe": "vm_exe", "VmLib": "vm_lib", "VmPTE": "vm_pte", "VmPMD": "vm_pmd",
	"VmSwap": "swap", "HugetlbPages": "hugetlb",
}

// DecodeStatus reads /proc/PID/status, or a part of it that grep took: rows of scope process for each memory figure, and
// the number of threads. A sample begins at a separator, at Name, or at a key that comes again. Lines of statm between
// add nothing.
func DecodeStatus(in *source.Input, b *table.Builder) error {
	r := newRecord(in, b)
	process, empty := b.Text("process"), b.Text("")
	r.find = func(text, rest []byte) *key {
		metric := statusMetrics[string(text)]
		switch {
		case metric != "":
			return &key{scope: process, name: empty, metric: b.Text(metric)}
		case len(rest) == 0 || rest[0] != '\t' && rest[0] != ' ':
			return nil
		case string(text) == "Name":
			return &key{kind: nameField}
		case string(text) == "Pid":
			return &key{kind: pidField}
		case string(text) == "Threads":
			return &key{kind: countField, scope: b.Text("handle"), name: b.Text("threads"), metric: b.Text("count")}
		}
		if _, _, kb, ok := value(rest); ok && kb {
			return &key{kind: skipField, unknown: true}
		}
		if rest[0] == '\t' {
			return &key{kind: skipField}
		}
		return nil
	}
	return r.read("a status of /proc", func(line []byte) bool {
		_, n, _ := integers(line)
		return n == statmFields
	})
}
