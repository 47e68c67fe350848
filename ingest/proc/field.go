package proc

import (
	"bytes"
	"math"
)

// maxKey is longer than any key; the search for a colon stops there.
const maxKey = 64

// cutKey parts "Key:   value". The key begins with a capital and holds letters, digits, underscores and parentheses;
// "Node 0 Key" is one too.
func cutKey(line []byte) (key, rest []byte, ok bool) {
	if len(line) == 0 || line[0] < 'A' || line[0] > 'Z' {
		return nil, nil, false
	}
	i := bytes.IndexByte(line[:min(len(line), maxKey)], ':')
	if i < 0 {
		return nil, nil, false
	}
	key = line[:i]
	_, bare, _ := cutNode(key)
	for _, c := range bare {
		if !isKey(c) {
			return nil, nil, false
		}
	}
	return key, line[i+1:], len(bare) > 0
}

func isKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '(' || c == ')' || c >= '0' && c <= '9'
}

// cutNode parts "Node 0 MemTotal" in "Node 0" and "MemTotal". The number of the node may be damaged.
func cutNode(key []byte) (node, bare []byte, ok bool) {
	const word = "Node "
	if !bytes.HasPrefix(key, []byte(word)) {
		return nil, key, false
	}
	i := len(word)
	for i < len(key) && key[i] != ' ' {
		i++
	}
	if i == len(word) || i == len(key) || key[i] != ' ' {
		return nil, key, false
	}
	return key[:i], key[i+1:], true
}

// value reads "   12 kB" or "   12" to its number, without applying the unit; at is where the reading of the number
// stopped, kb whether the unit stands behind. ok is false if there is no number, anything else behind it, or more bytes
// than fit in 63 bits.
func value(s []byte) (n int64, at int, kb, ok bool) {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	first := i
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		d := int64(s[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			return 0, first, false, false
		}
		n = n*10 + d
	}
	if i == first {
		return 0, i, false, false
	}
	rest := s[i:]
	for len(rest) > 0 && (rest[len(rest)-1] == ' ' || rest[len(rest)-1] == '\t') {
		rest = rest[:len(rest)-1]
	}
	kb = string(rest) == " kB"
	if kb && n > math.MaxInt64>>10 {
		return 0, first, false, false
	}
	return n, i, kb, kb || len(rest) == 0
}

// snake turns the name of a field into that of a metric: Active(anon) active_anon, SReclaimable s_reclaimable,
// DirectMap1G direct_map1g. A word begins at a capital behind a small letter, and at the last capital of a run that a
// small letter follows.
func snake(name []byte) string {
	out := make([]byte, 0, len(name)+4)
	put := func(c byte) {
		if c != '_' || len(out) > 0 && out[len(out)-1] != '_' {
			out = append(out, c)
		}
	}
	for i, c := range name {
		switch {
		case c == '(':
			put('_')
		case c == ')':
		case isCapital(c):
			if i > 0 && (isSmall(name[i-1]) || isCapital(name[i-1]) && i+1 < len(name) && isSmall(name[i+1])) {
				put('_')
			}
			put(c + 'a' - 'A')
		default:
			put(c)
		}
	}
	return string(out)
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }
func isSmall(c byte) bool   { return c >= 'a' && c <= 'z' }
