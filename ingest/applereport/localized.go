package applereport

import (
	"strings"
	"unicode/utf8"

	"github.com/memtide/memtide/ingest/table"
)

// units are units of sizes in the languages of devices; Foundation counts 1000 from one to the next.
var units = map[string]float64{
	"b": 1, "byte": 1, "bytes": 1, "o": 1, "octet": 1, "octets": 1, "字节": 1, "位元組": 1, "バイト": 1, "바이트": 1, "б": 1, "байт": 1,
	"kb": 1e3, "ko": 1e3, "千字节": 1e3, "千位元組": 1e3, "キロバイト": 1e3, "킬로바이트": 1e3, "кб": 1e3, "kilobyte": 1e3, "kilobytes": 1e3,
	"mb": 1e6, "mo": 1e6, "兆字节": 1e6, "百萬位元組": 1e6, "メガバイト": 1e6, "메가바이트": 1e6, "мб": 1e6, "megabyte": 1e6, "megabytes": 1e6,
	"gb": 1e9, "go": 1e9, "吉字节": 1e9, "十億位元組": 1e9, "ギガバイト": 1e9, "기가바이트": 1e9, "гб": 1e9, "gigabyte": 1e9, "gigabytes": 1e9,
}

// blanks are the spaces that stand between thousands and before units.
const blanks = " \u00a0\u202f\u2007\u2009"

// sizeIn reads "1,106,818千字节" or "1 000 ko". What stands between thousands in the file is told by grouping.
func sizeIn(s string, grouping byte) (table.Int, bool) {
	end := strings.LastIndexAny(s, "0123456789") + 1
	factor, ok := units[strings.ToLower(strings.Trim(s[end:], blanks))]
	if end == 0 || !ok {
		return table.Int{}, false
	}
	var digits strings.Builder
	for _, c := range s[:end] {
		switch {
		case c >= '0' && c <= '9' || c == '-' && digits.Len() == 0:
			digits.WriteRune(c)
		case strings.ContainsRune(blanks+"'’", c) || c == rune(grouping):
		case c == '.' || c == ',':
			digits.WriteByte('.')
		default:
			return table.Int{}, false
		}
	}
	v := scaled(digits.String(), factor)
	return v, v.OK
}

// groupingOf tells from the figures of a file which of ',' and '.' stands between thousands: one that is met twice in a
// figure, or before the other one, or before three digits where none shows that it stands before decimals.
func groupingOf(d *document) byte {
	var groups, decimals [2]int
	for i := range d.nodes {
		n := d.nodes[i]
		if n.kind != '"' || n.end-n.start > 40 {
			continue
		}
		s := d.text[n.start+1 : n.end-1]
		if len(s) > 0 && isDigit(s[0]) {
			vote(s, &groups, &decimals)
		}
	}
	switch {
	case decimals[0] > 0 && decimals[1] == 0:
		return '.'
	case decimals[1] > 0 && decimals[0] == 0:
		return ','
	case groups[1] > groups[0]:
		return '.'
	}
	return ','
}

// vote counts what one figure tells of the comma (0) and the point (1).
func vote(s []byte, groups, decimals *[2]int) {
	last, seen := -1, [2]int{}
	for i, c := range s {
		if c == ',' || c == '.' {
			which := 0
			if c == '.' {
				which = 1
			}
			seen[which]++
			last = i
		} else if !isDigit(c) {
			if r, _ := utf8.DecodeRune(s[i:]); !strings.ContainsRune(blanks, r) && c < utf8.RuneSelf {
				break
			}
		}
	}
	if last < 0 || last+1 >= len(s) {
		return
	}
	which, n := 0, 0
	if s[last] == '.' {
		which = 1
	}
	for i := last + 1; i < len(s) && isDigit(s[i]); i++ {
		n++
	}
	switch {
	case n == 0:
	case seen[which] > 1 || n == 3 && seen[1-which] == 0:
		groups[which]++
	default:
		decimals[which]++
	}
}
