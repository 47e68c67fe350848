package unit

import "math"

// binary are the units of IEC 80000-13, each 1024 times the one before.
var binary = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// spans are the times a rate is given per, with the least rate, per that time, that is worth it.
var spans = []struct {
	seconds float64
	name    string
	least   [2]float64 // by Kind
}{
	{1, "s", [2]float64{1 << 20, 100}},
	{60, "min", [2]float64{1 << 20, 10}},
	{3600, "h", [2]float64{1 << 10, 1}},
	{86400, "d", [2]float64{0, 0}},
}

// CommonScale is the scale for a column of values of one kind. The greatest value decides on the unit; it goes one
// unit down where the least one would vanish and the greatest still has no more than four digits.
// Values that are not finite do not count.
func CommonScale(k Kind, values ...float64) Scale {
	least, most, whole := extent(values)
	if k == Count {
		return Scale{Factor: 1, Digits: fraction(whole)}
	}
	step := stepOf(most)
	if step > 0 && least < 0.1*pow(step) && most < 9999*pow(step-1) {
		step--
	}
	if step == 0 {
		return Scale{Factor: 1, Unit: binary[0], Digits: fraction(whole)}
	}
	s := Scale{Factor: pow(step), Unit: binary[step], Digits: 1}
	if math.Round(least/s.Factor*10) < 10 {
		s.Digits = 2
	}
	return s
}

// RateScale is the scale for values per second: leaks are read per hour, so it takes seconds and minutes only for
// fast ones (1 MiB in that time) and days for what is under 1 KiB an hour.
func RateScale(k Kind, perSecond ...float64) Scale {
	_, most, _ := extent(perSecond)
	span := spans[0]
	for _, span = range spans {
		if most*span.seconds >= span.least[k] {
			break
		}
	}
	scaled := make([]float64, len(perSecond))
	for i, v := range perSecond {
		scaled[i] = v * span.seconds
	}
	s := CommonScale(k, scaled...)
	s.Factor /= span.seconds
	s.Unit += "/" + span.name
	s.Digits = max(s.Digits, 1)
	return s
}

// stepOf is the unit in which v is written, after rounding to one decimal: 1023.97 KiB is 1.0 MiB.
func stepOf(v float64) int {
	step := 0
	for step < len(binary)-1 && v >= pow(step) && math.Round(v/pow(step)*10)/10 >= 1024 {
		step++
	}
	return step
}

func pow(step int) float64 { return math.Ldexp(1, 10*step) }

// extent finds the least and the greatest magnitude that is not 0, and whether all values are whole numbers.
func extent(values []float64) (least, most float64, whole bool) {
	least, whole = math.Inf(1), true
	for _, v := range values {
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		least, most = min(least, math.Abs(v)), max(most, math.Abs(v))
		whole = whole && v == math.Trunc(v)
	}
	return least, most, whole
}

func fraction(whole bool) int {
	if whole {
		return 0
	}
	return 1
}
