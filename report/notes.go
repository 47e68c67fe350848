package report

import (
	"fmt"
	"slices"
	"strings"
)

// tilde explains the sign before a relative change.
const tilde = "~: cannot be told from no change."

// gather takes the notes that several rows share out of the rows and says them once under the table, and explains the
// tilde where it occurs.
func (t *Table) gather() {
	var order []string
	rows := map[string][]int{}
	for i, row := range t.Rows {
		note := row[0].Note
		if note == "" {
			continue
		}
		if rows[note] == nil {
			order = append(order, note)
		}
		rows[note] = append(rows[note], i)
	}
	for _, note := range order {
		at := rows[note]
		if len(at) < 2 {
			continue
		}
		t.Notes = append(t.Notes, Note{t.shared(note, at), t.Wide || strings.HasPrefix(note, "one run a side")})
		for _, i := range at {
			t.Rows[i][0].Note = ""
		}
	}
	if t.shows("~ ") {
		t.Notes = append(t.Notes, Note{Text: tilde})
	}
}

// shared is the sentence for a note of several rows: it names them unless they are all or many.
func (t *Table) shared(note string, at []int) string {
	note = strings.TrimSuffix(note, ".")
	if len(at) == len(t.Rows) {
		return capital(note) + "."
	}
	if len(at) > 3 {
		return fmt.Sprintf("%d of the %d rows: %s.", len(at), len(t.Rows), note)
	}
	var names []string
	for _, i := range at {
		names = append(names, t.Rows[i][0].Text)
	}
	return fmt.Sprintf("%s: %s.", enumerate(names, 3), note)
}

func (t *Table) shows(sign string) bool {
	return slices.ContainsFunc(t.Rows, func(row []Cell) bool {
		return slices.ContainsFunc(row, func(c Cell) bool { return !c.Code && strings.HasPrefix(c.Text, sign) })
	})
}
