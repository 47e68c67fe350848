package smaps

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestPlacesReadsWhatTheKernelPrints(t *testing.T) {
	for _, n := range []int64{0, 1, 9, 10, 4096, 12345678, 99999999, 10000000} {
		got, ok := places(binary.LittleEndian.Uint64([]byte(fmt.Sprintf("%8d", n))))
		if !ok || got != n {
			t.Errorf("%8d: %d, %v", n, got, ok)
		}
	}
	for _, bad := range []string{"        ", "1 2     ", "      1 ", "     -12", "0000000a", "\x00\x00\x00\x00\x00\x00\x00\x00", "12345:78", "1234/678", "       \xff", "  \t    1"} {
		if got, ok := places(binary.LittleEndian.Uint64([]byte(bad))); ok {
			t.Errorf("%q: %d", bad, got)
		}
	}
}

// The quick way agrees with the slow one on any eight bytes.
func TestPlacesAgreesWithParsing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := " 0123456789/:\t"
	for range 200_000 {
		var b [8]byte
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
			if r.IntN(3) > 0 {
				b[i] = alphabet[1+r.IntN(10)]
			}
		}
		for i := range r.IntN(9) {
			b[i] = ' '
		}
		digits := strings.TrimLeft(string(b[:]), " ")
		want, err := strconv.ParseUint(digits, 10, 63)
		got, ok := places(binary.LittleEndian.Uint64(b[:]))
		if ok != (err == nil) || ok && got != int64(want) {
			t.Fatalf("%q: %d, %v; want %d, %v", b, got, ok, want, err)
		}
	}
}
