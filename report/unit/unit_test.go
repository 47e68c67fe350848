package unit

import (
	"flag"
	"math"
	"strings"
	"testing"
	"testing/quick"
)

// The flag is that of the packages beside this one, so that one command can pass it to all; nothing here is golden.
var _ = flag.Bool("update", false, "accepted and ignored")

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

func of(v float64) *float64 { return &v }

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		v    float64
		want string
	}{
		{Bytes, 0, "0 B"}, {Bytes, 1, "1 B"}, {Bytes, 1023, "1,023 B"}, {Bytes, 1024, "1.0 KiB"}, {Bytes, 0.5, "0.5 B"},
		{Bytes, 1023.5 * kib, "1,023.5 KiB"}, {Bytes, 1023.94 * kib, "1,023.9 KiB"}, {Bytes, 1023.96 * kib, "1.0 MiB"},
		{Bytes, 1024*kib - 1, "1.0 MiB"}, {Bytes, 412 * mib, "412.0 MiB"}, {Bytes, -4.4 * mib, "−4.4 MiB"}, {Bytes, 3.25 * gib, "3.2 GiB"},
		{Bytes, math.MinInt64, "−8.0 EiB"}, {Bytes, math.MaxInt64, "8.0 EiB"}, {Bytes, math.MaxFloat64, "— wide"},
		{Bytes, math.NaN(), Unknown}, {Bytes, math.Inf(1), Unknown},
		{Share, 0, "0 %"}, {Share, 623_000, "62.3 %"}, {Share, 1e6, "100.0 %"}, {Share, 1234, "0.12 %"}, {Share, -50_000, "−5.0 %"},
		{Time, 0, "0 ns"}, {Time, 640, "640 ns"}, {Time, 4_480, "4.5 µs"}, {Time, 2_500_000, "2.5 ms"}, {Time, 3.2e9, "3.2 s"},
		{Count, 0, "0"}, {Count, 1204, "1,204"}, {Count, 2.5, "2.5"}, {Count, -1e6, "−1,000,000"},
	} {
		got := Quantity(c.kind, &c.v)
		if c.want == "— wide" { // beyond EiB the number grows, the unit does not
			if !strings.HasSuffix(got, " EiB") {
				t.Errorf("Quantity(%v) = %q, want EiB", c.v, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("Quantity(%v, %v) = %q, want %q", c.kind, c.v, got, c.want)
		}
	}
	if got := Quantity(Bytes, nil); got != Unknown {
		t.Errorf("Quantity(nil) = %q", got)
	}
}

func TestChange(t *testing.T) {
	for v, want := range map[float64]string{0: "0 B", 20 * mib: "+20.0 MiB", -300: "−300 B", 1: "+1 B"} {
		if got := Change(Bytes, &v); got != want {
			t.Errorf("Change(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestCommonScale(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   Kind
		values []float64
		unit   string
		texts  []string
	}{
		{"nothing", Bytes, nil, "B", nil},
		{"only zero", Bytes, []float64{0, 0}, "B", []string{"0", "0"}},
		{"one unit", Bytes, []float64{412 * mib, 18.3 * mib}, "MiB", []string{"412.0", "18.3"}},
		{"a small one gets decimals", Bytes, []float64{412 * mib, 0.05 * mib, 0}, "MiB", []string{"412.00", "0.05", "0"}},
		{"a tiny one is not 0", Bytes, []float64{412 * mib, -1}, "MiB", []string{"412.00", "<0.01"}},
		{"one unit down", Bytes, []float64{2 * gib, 10 * mib}, "MiB", []string{"2,048.0", "10.0"}},
		{"but not to six digits", Bytes, []float64{412 * mib, 40 * kib}, "MiB", []string{"412.00", "0.04"}},
		{"huge ones need no second decimal", Bytes, []float64{3765 * mib, 1200 * mib, 0.69 * mib}, "MiB", []string{"3,765.0", "1,200.0", "0.7"}},
		{"most are below 1 GiB", Bytes, []float64{2.1 * gib, 412.9 * mib, 330 * mib, 57 * mib}, "MiB", []string{"2,150.4", "412.9", "330.0", "57.0"}},
		{"most are not KiB", Bytes, []float64{8392 * kib, 8376 * kib, 8384 * kib, -8 * kib, 16 * kib}, "MiB", []string{"8.20", "8.18", "8.19", "−0.01", "0.02"}},
		{"a pair stays together", Bytes, []float64{2 * mib, 0.5 * mib}, "MiB", []string{"2.00", "0.50"}},
		{"hundredths go down", Bytes, []float64{1.2 * mib, 40 * kib, 30 * kib, 20 * kib}, "KiB", []string{"1,228.8", "40.0", "30.0", "20.0"}},
		{"one great among many small", Bytes, []float64{200 * mib, 90 * kib, 80 * kib, 70 * kib}, "MiB", []string{"200.00", "0.09", "0.08", "0.07"}},
		{"negative values count", Bytes, []float64{-3 * gib, 2 * gib}, "GiB", []string{"−3.0", "2.0"}},
		{"the least integer", Bytes, []float64{math.MinInt64, math.MaxInt64}, "EiB", []string{"−8.0", "8.0"}},
		{"what is no number does not count", Bytes, []float64{math.NaN(), math.Inf(-1), 3 * kib}, "KiB", []string{Unknown, Unknown, "3.0"}},
		{"rounding does not reach 1024", Bytes, []float64{1023.97 * kib}, "MiB", []string{"1.0"}},
		{"counts", Count, []float64{1204, 3}, "", []string{"1,204", "3"}},
		{"half counts", Count, []float64{1204, 3.5}, "", []string{"1,204.0", "3.5"}},
	} {
		s := CommonScale(c.kind, c.values...)
		if s.Unit != c.unit {
			t.Errorf("%s: unit %q, want %q", c.name, s.Unit, c.unit)
		}
		for i, want := range c.texts {
			if got := s.Text(&c.values[i]); got != want {
				t.Errorf("%s: %v is %q, want %q", c.name, c.values[i], got, want)
			}
		}
	}
}

func TestRateScale(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		v    float64
		want string
	}{
		{Bytes, 50 * mib, "+50.0 MiB/s"}, {Bytes, 5 * mib, "+300.0 MiB/min"}, {Bytes, mib / 10, "+360.0 MiB/h"}, {Bytes, 18.4 * mib / 1770, "+37.4 MiB/h"}, {Bytes, 0.01, "+864.0 B/d"},
		{Bytes, 10, "+35.2 KiB/h"}, {Bytes, 5, "+421.9 KiB/d"}, {Bytes, 0, "0 B/h"},
		{Bytes, -18.4 * mib / 1770, "−37.4 MiB/h"}, {Count, 2.0 / 3600, "+2.0 /h"}, {Count, 1.0 / 86400, "+1.0 /d"}, {Count, 2, "+7,200.0 /h"}, {Count, 5, "+300.0 /min"}, {Count, 300, "+300.0 /s"},
	} {
		s := RateScale(c.kind, c.v)
		if got := s.Signed(&c.v) + " " + s.Unit; got != c.want {
			t.Errorf("%v per second is %q, want %q", c.v, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for v, want := range map[float64]string{0: "0 s", 0.35: "350 ms", 0.9996: "1.0 s", 1: "1 s", 2.5: "2.5 s", 45: "45 s", 59.7: "1 min", 125: "2 min 5 s",
		1770: "29 min 30 s", 3600: "1 h", 11400: "3 h 10 min", 187200: "2 d 4 h", -60: "−1 min", math.Inf(1): Unknown, 1e9: "11,574 d 1 h"} {
		if got := Duration(v); got != want {
			t.Errorf("Duration(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestRatios(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(nil), Unknown}, {Percent(of(0)), "0 %"}, {Percent(of(0.0486)), "+4.9 %"}, {Percent(of(-0.5)), "−50.0 %"}, {Percent(of(math.Inf(1))), Unknown},
		{Percent(of(-0.0001)), "<0.1 %"}, {Times(of(1), of(6)), "×6.00"}, {Times(of(2), of(50)), "×25"}, {Times(of(0), of(50)), Unknown}, {Times(nil, of(1)), Unknown}, {Times(of(math.SmallestNonzeroFloat64), of(math.MaxFloat64)), Unknown}, {Percent(of(math.MaxFloat64)), Unknown},
		{Integer(0), "0"}, {Integer(math.MinInt64), "−9,223,372,036,854,775,808"}, {Integer(1000), "1,000"}, {Integer(-999), "−999"},
		{Scale{}.Interval(of(-1), of(2)), "[−1, +2]"}, {Scale{}.Interval(nil, of(2)), Unknown}, {Scale{}.Signed(nil), Unknown}, {Scale{}.Text(of(7)), "7"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// A value that is known and not 0 is never written as the exact 0, in any column.
func TestNeverZero(t *testing.T) {
	hold := func(a, b float64) bool {
		s := CommonScale(Bytes, a, b)
		return (a == 0) == (s.Text(&a) == "0") && (b == 0) == (s.Signed(&b) == "0")
	}
	if err := quick.Check(func(a, b int64) bool { return hold(float64(a), float64(b>>40)) }, nil); err != nil {
		t.Error(err)
	}
}
