package appletools

import "bytes"

// cell is a word of a line and where it stands.
type cell struct {
	text []byte
	at   int
}

// wordAt gives the word from i on, behind blanks; empty at the end.
func wordAt(line []byte, i int) (w cell, next int) {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	end := i
	for end < len(line) && line[end] != ' ' && line[end] != '\t' {
		end++
	}
	return cell{line[i:end], i}, end
}

// figures finds the row of a table: a name, n figures, and perhaps a note. A name may end in a number (Memory Tag 240), so
// the last n of a run of figures count.
func figures(line []byte, n int, run []cell) (name []byte, row []cell, ok bool) {
	run = run[:0]
	for i := 0; ; {
		var w cell
		w, i = wordAt(line, i)
		if len(w.text) > 0 && isFigure(w.text) {
			if len(run) >= 2*n {
				run = run[:copy(run, run[len(run)-n:])]
			}
			run = append(run, w)
			continue
		}
		if len(run) >= n {
			row = run[len(run)-n:]
			name = bytes.TrimSpace(line[:row[0].at])
			return name, row, len(name) > 0
		}
		if len(w.text) == 0 {
			return nil, run, false
		}
		run = run[:0]
	}
}

// isFigure says whether a word is a number with perhaps a unit or a percent sign.
func isFigure(s []byte) bool {
	if !isDigit(s[0]) {
		return false
	}
	for _, c := range s {
		if !isDigit(c) && c != '.' && c != ',' && bytes.IndexByte([]byte("KMGTB%"), c) < 0 {
			return false
		}
	}
	return true
}
