package meminfo

import (
	"fmt"
	"testing"
)

func TestDump(t *testing.T) {
	for _, f := range []string{"memorylab-honor-meminfo.txt", "unity-android11-meminfo-total-row-bug.txt", "launcher3-android11plus-full-swap-rss.txt", "sailfish-android10-dumpsys-meminfo-all.txt", "galaxy-android4-dumpsys-meminfo-excerpt.txt", "shield-tv-procstate-suffix-excerpt.txt", "emulator-android15plus-16kpages-rss-truncated.txt", "nexusone-android2.3-dumpsys-meminfo-crlf.txt", "series-meminfo-vlc-leak/2017-11-24-09-14-08.meminfo.txt", "series-meminfo-anonclass-leak/2017-07-10-14-48-52.meminfo.txt", "series-meminfo-vlc-leak-restart/2017-11-16-13-07-51.meminfo.txt"} {
		text := corpus(t, f)
		r := read(t, Decode, f, text)
		fmt.Println("==", f, Sniff([]byte(text)), r.err, len(r.rows), len(r.where("scope=process;metric=pss")), r.clock, r.noData, r.facts)
		fmt.Println(r.messages())
		if len(text) < 5000 {
			for _, w := range r.rows {
				fmt.Println(w["time_ns"], w["pid"], w["process"], w["scope"], w["name"], w["metric"], w["value"], w["line"])
			}
		}
	}
}
