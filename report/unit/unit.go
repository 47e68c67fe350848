// Package unit writes numbers as text: bytes in binary units, counts, signed changes, rates, durations and ratios.
// It knows nothing of captures or reports. A column of a table has one Scale, so that its numbers can be compared
// by their length; an unknown value is Unknown, never 0; an exact zero is "0" and what is too small for its column is
// "<0.01", so that the two never look alike and no "−0.00" is seen.
package unit

import (
	"math"
	"strconv"
	"strings"
)

// Unknown stands where a value is not known.
const Unknown = "—"

// minus is the sign of negative numbers: as wide as the plus in every font with tabular figures.
const minus = "−"

// Kind is what a number counts.
type Kind uint8

// The kinds of numbers.
const (
	Bytes Kind = iota
	Count
	Share // parts per million, written in percent
	Time  // nanoseconds
)

// Kinds are all kinds, in the order in which tables of them stand.
var Kinds = []Kind{Bytes, Count, Share, Time}

// Scale is how the numbers of one column are written: divided by Factor, with Digits decimals, under a heading
// that names Unit. The zero Scale writes integers.
type Scale struct {
	Factor float64
	Unit   string
	Digits int
}

// Text writes v without a sign, or Unknown for nil and for values that are not finite.
func (s Scale) Text(v *float64) string { return s.write(v, "") }

// Signed writes v as a change: "+1.5", "−1.5", "0".
func (s Scale) Signed(v *float64) string { return s.write(v, "+") }

// Interval writes the range of a change, or Unknown where one end is missing.
func (s Scale) Interval(lo, hi *float64) string {
	if !known(lo) || !known(hi) {
		return Unknown
	}
	return "[" + s.Signed(lo) + ", " + s.Signed(hi) + "]"
}

func (s Scale) write(v *float64, plus string) string {
	if !known(v) {
		return Unknown
	}
	if *v == 0 {
		return "0"
	}
	sign := plus
	if *v < 0 {
		sign = minus
	}
	size := math.Abs(*v) / s.factor()
	if math.IsInf(size, 0) { // beyond what a number can hold, after scaling
		return Unknown
	}
	text := strconv.FormatFloat(size, 'f', s.Digits, 64)
	if strings.Trim(text, "0.") == "" {
		return "<" + strconv.FormatFloat(math.Pow10(-s.Digits), 'f', s.Digits, 64)
	}
	return sign + group(text)
}

// Least is the smallest magnitude that is written as a number of its own and not as "less than".
func (s Scale) Least() float64 { return s.factor() * math.Pow10(-s.Digits) / 2 }

func (s Scale) factor() float64 {
	if s.Factor == 0 {
		return 1
	}
	return s.Factor
}

// Quantity writes one value with its own scale and its unit: "412.0 MiB", "1,204".
func Quantity(k Kind, v *float64) string { return withUnit(k, v, Scale.Text) }

// Change writes one signed value with its own scale and its unit: "+20.0 MiB".
func Change(k Kind, v *float64) string { return withUnit(k, v, Scale.Signed) }

func withUnit(k Kind, v *float64, write func(Scale, *float64) string) string {
	if !known(v) {
		return Unknown
	}
	s := CommonScale(k, *v)
	return strings.TrimSpace(write(s, v) + " " + s.Unit)
}

// Integer writes an exact whole number with its thousands apart.
func Integer(v int64) string {
	text := strconv.FormatInt(v, 10)
	if text[0] == '-' {
		return minus + group(text[1:])
	}
	return group(text)
}

// Percent writes a ratio as a signed percentage with one decimal: 0.0486 is "+4.9 %".
func Percent(ratio *float64) string {
	if !known(ratio) {
		return Unknown
	}
	if *ratio == 0 {
		return "0 %"
	}
	text := Scale{Factor: 0.01, Digits: 1}.Signed(ratio)
	if text == Unknown {
		return Unknown
	}
	return text + " %"
}

// Times writes how often before goes into after: "×6.0". It is Unknown where before is 0 or one is missing.
func Times(before, after *float64) string {
	if !known(before) || !known(after) || *before == 0 {
		return Unknown
	}
	ratio := *after / *before
	if !known(&ratio) {
		return Unknown
	}
	digits := 2
	if math.Abs(ratio) >= 10 {
		digits = 0
	}
	return "×" + Scale{Digits: digits}.Text(&ratio)
}

func known(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }

// group puts a comma between the thousands of an unsigned decimal number.
func group(text string) string {
	whole, rest, _ := strings.Cut(text, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if rest != "" {
		b.WriteString("." + rest)
	}
	return b.String()
}
