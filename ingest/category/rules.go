package category

import "bytes"

// row is a rule: it fits a name that has all its parts, and of has any one. Of several rules the first that fits
// counts.
type row struct {
	starts, ends string
	has          []string
	class        Class
}

func (r *row) match(path []byte) bool {
	return starts(path, r.starts) && ends(path, r.ends) && (r.has == nil || r.holds(path))
}

func (r *row) holds(path []byte) bool {
	for _, s := range r.has {
		if bytes.Contains(path, []byte(s)) {
			return true
		}
	}
	return false
}

func starts(path []byte, s string) bool { return len(path) >= len(s) && string(path[:len(s)]) == s }

func ends(path []byte, s string) bool {
	return len(path) >= len(s) && string(path[len(path)-len(s):]) == s
}

// platform is the rules of a platform as they are written down.
type platform struct {
	cut            string           // ending that is taken off before all rules
	exact          map[string]Class // whole names, which go before all rows
	rows           []row
	unnamed, named Class  // of the names that no row fits
	chained        string // category that goes on over adjoining unnamed mappings; empty: none does
}

// set is a platform with its rows spread over the first letters of the names that they can fit.
type set struct {
	platform
	longest int // of exact
	byFirst [256][]row
}

func compile(p platform) *set {
	s := &set{platform: p}
	for name := range p.exact {
		s.longest = max(s.longest, len(name))
	}
	for first := range s.byFirst {
		for _, r := range p.rows {
			if r.starts == "" || r.starts[0] == byte(first) {
				s.byFirst[first] = append(s.byFirst[first], r)
			}
		}
	}
	return s
}
