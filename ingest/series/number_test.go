package series

import (
	"fmt"
	"math/big"
	"testing"
	"time"
)

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text string
		unit uint64
		want int64
		ok   bool
	}{
		{"0", 1, 0, true}, {"1000.5", 1024, 1024512, true}, {"0.5", 1, 1, true}, {"0.4999", 1, 0, true}, {"1.5", 1 << 30, 1610612736, true},
		{"+3", 2, 6, true}, {"-2", 3, -6, true}, {".5", 2, 1, true}, {"5.", 2, 10, true}, {"1e3", 1, 1000, true}, {"1.25E+2", 1, 125, true},
		{"12e-1", 1, 1, true}, {"0.0000000000000000000000001", 1 << 30, 0, true}, {"0.123456789012345678901234", 1e9, 123456789, true},
		{"9223372036854775807", 1, 0, false}, {"999999999999999999", 1, 999999999999999999, true}, {"999999999999999999", 1024, 0, false},
		{"1e18", 1, 1000000000000000000, true}, {"1e19", 1, 0, false}, {"1e999", 1, 0, false}, {"00000000000000000000012", 1, 12, true},
		{"", 1, 0, false}, {".", 1, 0, false}, {"-", 1, 0, false}, {"1.2.3", 1, 0, false}, {"0x10", 1, 0, false}, {"1 2", 1, 0, false}, {"e5", 1, 0, false}, {"1e", 1, 0, false},
	} {
		d, ok := parseDecimal([]byte(c.text), false)
		v, fits := d.times(c.unit)
		if ok && fits != c.ok || c.ok && !ok || c.ok && v != c.want {
			t.Errorf("%q × %d = %d %v %v, want %d %v", c.text, c.unit, v, ok, fits, c.want, c.ok)
		}
	}
	if d, ok := parseDecimal([]byte("1,5"), true); !ok || d.mant != 15 || d.scale != 1 {
		t.Error("decimal comma", d, ok)
	}
}

// TestDecimalAgainstBig compares with exact arithmetic.
func TestDecimalAgainstBig(t *testing.T) {
	for i := int64(1); i < 2000; i++ {
		text := fmt.Sprintf("%d.%03d", i*7919, i*31%1000)
		for _, unit := range []uint64{1, 1024, 1 << 20, 1 << 30, 1e9} {
			r, _ := new(big.Rat).SetString(text)
			r.Mul(r, new(big.Rat).SetInt64(int64(unit))).Add(r, big.NewRat(1, 2))
			want := new(big.Int).Div(r.Num(), r.Denom()).Int64()
			d, _ := parseDecimal([]byte(text), false)
			if got, ok := d.times(unit); !ok || got != want {
				t.Fatalf("%s × %d = %d, want %d", text, unit, got, want)
			}
		}
	}
}

// TestISO compares with time.Parse, day by day over the range of the tables.
func TestISO(t *testing.T) {
	for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2261; at = at.AddDate(0, 0, 37).Add(3723 * time.Second) {
		if got, ok := parseISO([]byte(at.Format("2006-01-02T15:04:05Z"))); !ok || got != at.UnixNano() {
			t.Fatalf("%v: %d %v, want %d", at, got, ok, at.UnixNano())
		}
	}
	const base = 1706696100e9 // 2024-01-31T10:15:00Z
	for text, want := range map[string]int64{
		"2024-01-31 10:15": base, "2024-01-31T10:15:00.250Z": base + 250e6, "2024-01-31 10:15:00,5": base + 500e6, "2024-01-31_10:15:00": base,
		"2024-01-31T11:15:00+01:00": base, "2024-01-31T11:15:00+0100": base, "2024-01-31T05:15:00-05": base, "2024-01-31 10:15:00 UTC": base, "2024/01/31 10:15:00": base,
		"2024-02-30": -1, "2024-13-01": -1, "2024-01-31T25:00:00": -1, "2024-01-31T10:61:00": -1, "2024-01-31x": -1, "2024-01-31T10:15:00+1": -1, "0000-01-01": -1,
	} {
		got, ok := parseISO([]byte(text))
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d %v, want %d", text, got, ok, want)
		}
	}
}
