package android

import (
	"bytes"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// procstatsTitles begin the parts of dumpsys procstats.
var procstatsTitles = [][]byte{[]byte("COMMITTED STATS FROM "), []byte("AGGREGATED OVER LAST "), []byte("CURRENT STATS:"), []byte("DUMP OF SERVICE procstats:")}

// SniffProcstats recognises dumpsys procstats, as text or with -c, so that it can be refused with a reason.
func SniffProcstats(head []byte) bool {
	_, ok := procstatsLine(head)
	return ok && !bytes.Contains(head, []byte("== dumpstate: "))
}

// procstatsLine gives the number of the line that shows what the file is.
func procstatsLine(head []byte) (int, bool) {
	vers := false
	for n := 1; len(head) > 0; n++ {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		head = rest
		for _, t := range procstatsTitles {
			if bytes.HasPrefix(line, t) {
				return n, true
			}
		}
		if vers && bytes.HasPrefix(line, []byte("period,")) {
			return n - 1, true
		}
		vers = bytes.HasPrefix(line, []byte("vers,"))
	}
	return 0, false
}

// DecodeProcstats refuses the file: its figures are minima, means and maxima over hours, and rounded, so that nothing
// can be said from them of growth.
func DecodeProcstats(in *source.Input, _ *table.Builder) error {
	n, _ := procstatsLine(in.Head)
	return source.Errorf(in.At(n, 1), "dumpsys procstats gives minimum, mean and maximum over hours, rounded: no series can be made of them; "+
		"take `adb shell dumpsys meminfo` every few seconds or minutes instead")
}
