package lang

// Keys are the English phrases of the catalogue.
func Keys() (out []string) {
	for _, p := range pairs(files()) {
		out = append(out, p.from)
	}
	return out
}

// Pairs are the entries of the catalogue.
func Pairs() (out [][2]string) {
	for _, p := range pairs(files()) {
		out = append(out, [2]string{p.from, p.to})
	}
	return out
}
