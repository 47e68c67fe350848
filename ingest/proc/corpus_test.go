package proc

import (
	"fmt"
	"testing"
)

func TestX(t *testing.T) {
	for _, c := range []struct {
		d decodeFunc
		f string
	}{{DecodeRollup, "linux/loop-iso-process-dies.log"}, {DecodeRollup, "linux/loop-date-rollup.log"}, {DecodeRollup, "linux/loop-date-rollup-crlf.log"}, {DecodeRollup, "linux/smaps_rollup-special-6.18.txt"},
		{DecodeStatus, "linux/loop-iso-status-statm.log"}, {DecodeStatus, "android/libmeminfo-status.txt"}, {DecodeStatus, "linux/procfs-26231-status.txt"}, {DecodeStatus, "linux/status-special-6.18.txt"},
		{DecodeMeminfo, "linux/loop-epoch-procmeminfo.log"}, {DecodeMeminfo, "linux/procfs-meminfo.txt"}, {DecodeMeminfo, "linux/gopsutil-meminfo-anonhugepages.txt"}, {DecodeMeminfo, "android/tcl-tv-arm32-proc-meminfo.txt"},
		{DecodeMeminfo, "android/nexusone-android2.3-proc-meminfo-crlf.txt"}, {DecodeStatm(4096), "linux/procfs-26231-statm.txt"}, {DecodeStatm(4096), "linux/statm-special-6.18.txt"}} {
		rows, ps, part, err := read(t, c.d, corpus(t, c.f))
		fmt.Println(c.f, len(rows), part.NoData, ps, err)
		for i, r := range rows {
			if i < 3 || i > len(rows)-4 {
				fmt.Println("   ", r)
			}
		}
	}
}
