package applereport

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

func isDigit(c byte) bool { return c-'0' <= 9 }

// hexadecimal reads 0x and up to 16 digits.
func hexadecimal(s string) (uint64, bool) {
	s, ok := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(s, 16, 64)
	return n, ok && err == nil
}

// scaled rounds a figure times a factor to a whole number.
func scaled(s string, factor float64) table.Int {
	f, err := strconv.ParseFloat(s, 64)
	if f = math.Floor(f*factor + 0.5); err != nil || math.IsNaN(f) || math.Abs(f) >= 1<<62 {
		return table.Int{}
	}
	return table.Known(int64(f))
}

// printedSize reads a size as vmmap prints it, 128.0M, 16K or 759: 1024 to the next unit, and no unit for bytes. A
// fraction is rounded half up.
func printedSize(s []byte) table.Int {
	factor := uint64(1)
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 'K':
			factor = 1 << 10
		case 'M':
			factor = 1 << 20
		case 'G':
			factor = 1 << 30
		case 'T':
			factor = 1 << 40
		}
		if factor > 1 {
			s = s[:n-1]
		}
	}
	whole, fraction, _ := bytes.Cut(s, []byte{'.'})
	if i := bytes.IndexByte(whole, ','); i > 0 && len(whole)-i < 4 && len(fraction) == 0 {
		whole, fraction = whole[:i], whole[i+1:] // of a system with decimal commas
	}
	digits, err := strconv.ParseUint(string(whole)+string(fraction), 10, 60)
	if err != nil || len(whole) == 0 || len(fraction) > 6 {
		return table.Int{}
	}
	scale := uint64(1)
	for range fraction {
		scale *= 10
	}
	hi, lo := bits.Mul64(digits, factor)
	lo, carry := bits.Add64(lo, scale/2, 0)
	if hi += carry; hi >= scale {
		return table.Int{}
	}
	v, _ := bits.Div64(hi, lo, scale)
	return table.Int{V: int64(v), OK: int64(v) >= 0}
}

// wordAt gives the word from i on, behind blanks; empty at the end.
func wordAt(line []byte, i int) (word []byte, at, next int) {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	end := i
	for end < len(line) && line[end] != ' ' && line[end] != '\t' {
		end++
	}
	return line[i:end], i, end
}
