package smaps

import (
	"bytes"
	"math"
)

// wasHeader says whether a line was a header: permissions stand behind a word with a dash. In smaps
// fields without a header tell it, in maps nothing else does.
func wasHeader(line []byte) bool {
	first, rest, _ := bytes.Cut(line, []byte{' '})
	second, _, _ := bytes.Cut(rest, []byte{' '})
	permissions := len(second) == 4 && bytes.IndexByte([]byte("r-"), second[0]) >= 0 && bytes.IndexByte([]byte("w-"), second[1]) >= 0 && bytes.IndexByte([]byte("ps"), second[3]) >= 0
	return permissions && bytes.LastIndexByte(first, '-') > 0
}

// header is the first line of a mapping: start-end perms offset major:minor inode path.
type header struct {
	start, end    uint64
	offset, inode int64
	perms, path   []byte
}

// parseHeader reads the line that the kernel's show_map_vma prints. The column (from 1) tells where a line stops
// being one; 0 means that it is whole.
func parseHeader(line []byte, h *header) (column int, want string) {
	i, ok := 0, false
	if h.start, i, ok = hex(line, 0); !ok || at(line, i) != '-' {
		return i + 1, "an address range"
	}
	if h.end, i, ok = hex(line, i+1); !ok || at(line, i) != ' ' {
		return i + 1, "an address range"
	}
	if h.end < h.start || h.end-h.start > math.MaxInt64 {
		return i + 1, "an end behind the start"
	}
	i++
	if i+5 > len(line) || !isPerms(line[i:i+4]) || line[i+4] != ' ' {
		return i + 1, "permissions like rw-p"
	}
	h.perms = line[i : i+4]
	var offset uint64
	if offset, i, ok = hex(line, i+5); !ok || at(line, i) != ' ' {
		return i + 1, "an offset"
	}
	h.offset = int64(offset)
	if _, i, ok = hex(line, i+1); !ok || at(line, i) != ':' {
		return i + 1, "a device like 08:01"
	}
	if _, i, ok = hex(line, i+1); !ok || at(line, i) != ' ' {
		return i + 1, "a device like 08:01"
	}
	inode, j, ok := decimal(line, i+1)
	if !ok || j < len(line) && line[j] != ' ' && line[j] != '\t' {
		return j + 1, "an inode"
	}
	h.inode = inode
	h.path = line[blanks(line, j):]
	return 0, ""
}

func at(line []byte, i int) byte {
	if i < len(line) {
		return line[i]
	}
	return 0
}

// hex reads up to 16 digits from i on.
func hex(line []byte, i int) (n uint64, end int, ok bool) {
	start := i
	for ; i < len(line) && i-start < 17; i++ {
		d := hexDigit[line[i]]
		if d > 15 {
			break
		}
		n = n<<4 | uint64(d)
	}
	return n, i, i > start && i-start <= 16
}

// decimal reads a number below 2^63 from i on.
func decimal(line []byte, i int) (n int64, end int, ok bool) {
	start := i
	for ; i < len(line) && line[i]-'0' <= 9; i++ {
		if n > (1<<63-1-9)/10 {
			return 0, i, false
		}
		n = n*10 + int64(line[i]-'0')
	}
	return n, i, i > start
}

func isPerms(p []byte) bool {
	return (p[0] == 'r' || p[0] == '-') && (p[1] == 'w' || p[1] == '-') && (p[2] == 'x' || p[2] == '-') && (p[3] == 'p' || p[3] == 's')
}

// hexDigit holds the value of a lower-case hexadecimal digit, 255 for any other byte: the kernel prints no others,
// and field names begin with capitals.
var hexDigit = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i := byte(0); i < 10; i++ {
		t['0'+i] = i
	}
	for i := byte(0); i < 6; i++ {
		t['a'+i] = 10 + i
	}
	return t
}()
