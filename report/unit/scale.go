package unit

import (
	"math"
	"slices"
)

// binary are the units of IEC 80000-13, each 1024 times the one before.
var binary = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// spans are the times a rate may be given per.
var spans = map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400}

// rates say when an hour, the time that leaks are read in, is left for another one: for minutes from 1 GiB (10,000) an
// hour on, for seconds from as much a minute on, for days below 32 KiB (1) an hour.
var rates = struct{ fast, slow [4]float64 }{fast: [4]float64{1 << 30, 10_000, 1e6, 1e9}, slow: [4]float64{32 << 10, 1, 1e3, 1e3}} // by Kind

// CommonScale is the scale for a column of values of one kind. The greatest value decides on the unit, unless most of
// the others read better one unit down (see lower). Values that are not finite do not count.
func CommonScale(k Kind, values ...float64) Scale {
	sizes, whole := magnitudes(values)
	switch k {
	case Count:
		return Scale{Factor: 1, Digits: fraction(whole)}
	case Share:
		return shareScale(sizes)
	case Time:
		return timeScale(sizes, whole)
	}
	if len(sizes) == 0 {
		return Scale{Factor: 1, Unit: binary[0]}
	}
	least, most := sizes[0], sizes[len(sizes)-1]
	step := stepOf(most)
	if lower(step, sizes) {
		step--
	}
	if step == 0 {
		return Scale{Factor: 1, Unit: binary[0], Digits: fraction(whole)}
	}
	s := Scale{Factor: pow(step), Unit: binary[step], Digits: 1}
	if math.Round(least/s.Factor*10) < 10 && most/s.Factor < 1000 {
		s.Digits = 2
	}
	return s
}

// shareScale writes parts per million in percent: with two decimals where all are below 1 %.
func shareScale(sizes []float64) Scale {
	s := Scale{Factor: 1e4, Unit: "%", Digits: 1}
	if len(sizes) > 0 && sizes[len(sizes)-1] < s.Factor {
		s.Digits = 2
	}
	return s
}

// timeScale writes nanoseconds in the unit of the greatest.
func timeScale(sizes []float64, whole bool) Scale {
	for _, s := range []Scale{{1e9, "s", 1}, {1e6, "ms", 1}, {1e3, "µs", 1}} {
		if len(sizes) > 0 && sizes[len(sizes)-1] >= s.Factor {
			return s
		}
	}
	return Scale{Factor: 1, Unit: "ns", Digits: fraction(whole)}
}

// lower says whether sizes, in order, read better one unit below that of the greatest. MiB is what readers think in:
// 0.40 GiB beside 1.9 GiB is better 412.9 MiB, where no number gets longer than 9,999. Below that decimals are no harm,
// and 8.2 MiB beside 16 KiB stays 8.20 beside 0.02, unless most would be mere hundredths.
func lower(step int, sizes []float64) bool {
	least, middle, most := sizes[0], sizes[(len(sizes)-1)/2], sizes[len(sizes)-1]
	if step >= 3 {
		return (middle < pow(step) || least < pow(step)/10) && stepOf(least) < step && most < 9999*pow(step-1)
	}
	return step > 0 && middle < pow(step)/10 && most < 4*pow(step)
}

// RateScale is the scale for values per second: per hour, unless that makes the numbers of fast ones huge or those of
// slow ones vanish.
func RateScale(k Kind, perSecond ...float64) Scale {
	sizes, _ := magnitudes(perSecond)
	per := "h"
	if len(sizes) > 0 {
		switch hourly := sizes[len(sizes)-1] * spans["h"]; {
		case hourly >= rates.fast[k]*60:
			per = "s"
		case hourly >= rates.fast[k]:
			per = "min"
		case hourly < rates.slow[k]:
			per = "d"
		}
	}
	scaled := make([]float64, len(perSecond))
	for i, v := range perSecond {
		scaled[i] = v * spans[per]
	}
	s := CommonScale(k, scaled...)
	s.Factor /= spans[per]
	s.Unit += "/" + per
	s.Digits = max(s.Digits, 1)
	if len(sizes) > 0 && sizes[len(sizes)-1]/s.Factor >= 100 {
		s.Digits = 1
	}
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

// magnitudes sorts the sizes of what is finite and not 0, and says whether all of them are whole numbers.
func magnitudes(values []float64) (sizes []float64, whole bool) {
	whole = true
	for _, v := range values {
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		sizes, whole = append(sizes, math.Abs(v)), whole && v == math.Trunc(v)
	}
	slices.Sort(sizes)
	return sizes, whole
}

func fraction(whole bool) int {
	if whole {
		return 0
	}
	return 1
}
