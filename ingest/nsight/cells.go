package nsight

import (
	"bytes"
	"strconv"
)

// cells splits a line of CSV into dst: cells may be quoted, with quotes doubled inside. It is false if a quote stays open.
func cells(line []byte, dst [][]byte) ([][]byte, bool) {
	for {
		cell, rest, more, ok := cutCell(line)
		if !ok {
			return dst, false
		}
		if dst = append(dst, cell); !more {
			return dst, true
		}
		line = rest
	}
}

// cutCell takes the first cell off; more says whether another stands behind it.
func cutCell(line []byte) (cell, rest []byte, more, ok bool) {
	if len(line) == 0 || line[0] != '"' {
		cell, rest, more = bytes.Cut(line, []byte{','})
		return bytes.TrimSpace(cell), rest, more, true
	}
	for at := 1; ; {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return nil, nil, false, false
		}
		if at += i + 1; at < len(line) && line[at] == '"' {
			at++
			continue
		}
		if cell = line[1 : at-1]; bytes.IndexByte(cell, '"') >= 0 {
			cell = bytes.ReplaceAll(cell, []byte(`""`), []byte(`"`))
		}
		if rest = line[at:]; len(rest) > 0 && rest[0] == ',' {
			return cell, rest[1:], true, true
		}
		_, rest, more = bytes.Cut(rest, []byte{','})
		return cell, rest, more, true
	}
}

// decimal reads a number in the notation of ncu and nsys, commas between thousands, times ten to the power of shift,
// rounded half up. It is false for what is no number and for what does not fit.
func decimal(text []byte, shift int) (int64, bool) {
	s := bytes.TrimSpace(text)
	digits := make([]byte, 0, 32)
	if len(s) > 0 && s[0] == '-' {
		digits, s = append(digits, '-'), s[1:]
	}
	point, seen := -1, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
			seen++
		case c == '.' && point < 0:
			point = seen
		case c != ',' || point >= 0 || seen == 0:
			return 0, false
		}
	}
	if seen == 0 || len(s) > 40 {
		return 0, false
	}
	if point < 0 {
		point = seen
	}
	return scaled(digits, seen-point-shift)
}

// scaled reads digits, of which so many stand behind the point; less than none are zeros to add.
func scaled(digits []byte, behind int) (int64, bool) {
	for ; behind < 0; behind++ {
		digits = append(digits, '0')
	}
	up := int64(0)
	if behind > 0 {
		if behind > len(digits) {
			return 0, true
		}
		cut := digits[len(digits)-behind:]
		digits = digits[:len(digits)-behind]
		if cut[0] >= '5' && cut[0] <= '9' {
			up = 1
		}
	}
	if len(digits) == 0 || digits[0] == '-' && len(digits) == 1 {
		return up, true
	}
	if digits[0] == '-' {
		up = -up
	}
	v, err := strconv.ParseInt(string(digits), 10, 64)
	return v + up, err == nil && v < 1<<62 && v > -1<<62
}
