package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/ingest/table"
)

// judged ends the commands whose captures hold nothing to judge: a report of them would read as if all were well.
func judged(r *analyze.Result) error {
	if len(r.Series) == 0 && len(r.Findings) == 0 {
		return unreadable(errors.New("the captures held nothing that can be judged"))
	}
	return nil
}

// bothHeld is judged for two sides, each of which has to hold something.
func bothHeld(before, after []analyze.Capture) error {
	for _, s := range []struct {
		name string
		runs []analyze.Capture
	}{{"before", before}, {"after", after}} {
		if !held(s.runs) {
			return unreadable(fmt.Errorf("the side %s held nothing that can be judged", s.name))
		}
	}
	return nil
}

func held(runs []analyze.Capture) bool {
	for _, r := range runs {
		if r.Set == nil {
			return true // a result with a timeline
		}
		for _, t := range []table.ID{table.Samples, table.Sites, table.Events, table.Faults} {
			if r.Set.Len(t) > 0 {
				return true
			}
		}
		streamed := false // events that were followed as they were read are no rows
		r.Set.EachStream(func(*table.File, *table.Stream) { streamed = true })
		if streamed {
			return true
		}
	}
	return false
}

// filled holds that a run has rows in the table that is to be exported.
func filled(s *table.Set, id table.ID) error {
	if s.Len(id) > 0 {
		return nil
	}
	var others []string
	for t := table.ID(0); t < table.NumTables; t++ {
		if s.Len(t) > 0 {
			others = append(others, table.Schemas[t].Name)
		}
	}
	more := "nor has any other"
	if len(others) > 0 {
		more = "those with rows: " + strings.Join(others, ", ")
	}
	return unreadable(fmt.Errorf("the table %s has no rows; %s", table.Schemas[id].Name, more))
}
