package regions

import (
	"fmt"
	"os"
	"testing"
)

func TestX(t *testing.T) {
	for _, c := range []struct {
		d decodeFunc
		f string
	}{{DecodeShowmap, "android/memorylab-honor-showmap.txt"}, {DecodeShowmap, "android/sailfish-android10-showmap-system_server-929.txt"}, {DecodeShowmap, "android/sailfish-android10-showmap-systemui-1497.txt"}, {DecodeShowmap, "android/sailfish-android10-showmap-launcher3-1878.txt"}, {DecodeLibrank, "android/sailfish-android10-librank-truncated.txt"}} {
		show(c.f, read(t, c.d, corpus(t, c.f)))
	}
	for _, f := range []string{"x", "X", "XX", "bare", "d"} {
		data, err := os.ReadFile("/tmp/pm/" + f)
		if err != nil {
			t.Skip()
		}
		show(f, read(t, DecodePmap, string(data)))
	}
}
func show(f string, r result) {
	fmt.Println(f, len(r.samples), len(r.mappings), r.part.NoData, r.problems, r.err)
	for i, s := range r.samples {
		if i < 30 || i > len(r.samples)-4 {
			fmt.Println("   ", s)
		}
	}
	for i, s := range r.mappings {
		if i < 8 || i > len(r.mappings)-6 {
			fmt.Println("   ", s)
		}
	}
}
