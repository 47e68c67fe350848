package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// TestDamagedTime: a log in which the time of one sample cannot be read keeps the times of all others, and tells the line.
func TestDamagedTime(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		ms := fmt.Sprintf("%03d", i*100%1000)
		if i == 20 {
			ms = "00x"
		}
		fmt.Fprintf(&b, "==== 2026-11-29 12:00:%02d,%s ====\nName:\tsrv\nPid:\t77\nVmRSS:\t  %d kB\n", i/10, ms, 100000+i)
	}
	tree(t, map[string]string{"status.log": b.String()})
	runs, err := Load([]string{"status.log"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := runs[0].Set
	if p := s.Problems(); s.Clock != "wall" || len(p) != 1 || p[0].Line != 20*4+2 && p[0].Line != 20*4+1 || !strings.Contains(p[0].Message, "taken between those beside it") {
		t.Errorf("clock %s, problems %+v", s.Clock, p)
	}
}
