package analyze

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestScratchReal(t *testing.T) {
	pat := os.Getenv("PAT")
	if pat == "" {
		t.Skip()
	}
	files, _ := filepath.Glob("/tmp/g/real/" + pat)
	for _, f := range files {
		fh, _ := os.Open(f)
		rows, _ := csv.NewReader(fh).ReadAll()
		fh.Close()
		k := 1024.0
		kind := Bytes
		if strings.Contains(f, "count") {
			k, kind = 1, Objects
		}
		var in GrowthInput
		in.Kind = kind
		for _, r := range rows[1:] {
			a, _ := strconv.ParseFloat(r[0], 64)
			b, _ := strconv.ParseFloat(r[1], 64)
			in.T, in.Y = append(in.T, a), append(in.Y, b*k)
		}
		j := JudgeGrowth(in, DefaultGrowth)
		t.Logf("%-60s %-8s %-6s %-8s %s", strings.TrimSuffix(filepath.Base(f), ".csv"), j.Verdict, j.Confidence, j.Severity, j.Reason)
	}
}
