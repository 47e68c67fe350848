package text

import "strings"

// snip leaves out the middle of what is too wide: names differ at their ends.
func snip(text string, most int) string {
	if columns(text) <= most {
		return text
	}
	runes := []rune(text)
	half := (most - 1) / 2
	for columns(string(runes[:half]))+1+columns(string(runes[len(runes)-half:])) > most && half > 1 {
		half--
	}
	return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
}

// snipAll shortens the texts of a column that are too wide. Those that would look the same are wrapped instead.
func snipAll(texts []string, most int) []string {
	out := make([]string, len(texts))
	from := map[string]string{} // what is cut to a text
	twice := map[string]bool{}
	for i, text := range texts {
		out[i] = snip(text, most)
		if other, known := from[out[i]]; known && other != text {
			twice[out[i]] = true
		}
		from[out[i]] = text
	}
	for i, text := range texts {
		if twice[out[i]] {
			out[i] = strings.Join(lines(text, most), "\n")
		}
	}
	return out
}

// lines are a text in lines of at most so many columns.
func lines(text string, most int) (out []string) {
	for _, word := range words(text, most) {
		if n := len(out); n > 0 && columns(out[n-1])+1+columns(word) <= most {
			out[n-1] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

// widthOf is how wide the widest line of a cell is.
func widthOf(cell string) int {
	most := 0
	for line := range strings.SplitSeq(cell, "\n") {
		most = max(most, columns(line))
	}
	return most
}
