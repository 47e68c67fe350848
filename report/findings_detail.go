package report

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// details are folded tables with what findings rest on: the evidence by other grains, who retained and did not release, where an
// object was made and ended, what held the memory, what the other side of a device says of it.
func (s *story) details(all []told, items []Finding) (blocks []Block) {
	detailed := 0
	for i := range items {
		var of []*Table
		for _, t := range []*Table{grainTable(&all[i].Finding), balanceTable(&all[i].Finding), stackTable(&all[i].Finding), heldTable(&all[i].Finding), joinedTable(&all[i].Finding), joinedStacks(&all[i].Finding)} {
			if t != nil {
				of = append(of, t)
			}
		}
		if len(of) == 0 {
			continue
		}
		if detailed++; detailed > mostDetailed {
			break
		}
		for _, t := range of {
			t.ID, t.Folded, t.Extra = fmt.Sprintf("%s-%s", items[i].ID, t.ID), true, true
			t.Caption = fmt.Sprintf("Finding %d, %s: %s", i+1, items[i].Title, t.Caption)
			blocks = append(blocks, t)
		}
	}
	return blocks
}

// grainTable shows the evidence per function, call chain and pair of threads; the grain that the finding is told by is marked.
func grainTable(f *analyze.Finding) *Table {
	if len(f.Grains) < 2 {
		return nil
	}
	var sizes []*float64
	for i := range f.Grains {
		sizes = append(sizes, &f.Grains[i].Bytes)
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "grains", Caption: "the same by call chain and thread", Columns: []Column{{Title: "by"}, {Title: "which"}, {Title: "objects", Number: true}, bytesColumn("alive", scale), {Title: "share", Number: true}, {Title: "grows"}}}
	for i := range f.Grains {
		g := &f.Grains[i]
		grows := Cell{Text: "not by itself", Tone: Muted}
		if g.Grows {
			grows = Cell{Text: "grows", Mark: "▲", Tone: Bad}
		}
		which := Cell{Text: name(g.Name), Code: g.Grain != "thread"}
		if len(g.Stack) > 0 {
			which.Note = chainText(g.Stack)
		}
		share := 100 * g.Share
		t.Rows = append(t.Rows, []Cell{{Text: name(g.Grain)}, which, {Text: unit.Quantity(unit.Count, &g.Objects), Value: &g.Objects}, number(scale, &g.Bytes), {Text: fmt.Sprintf("%.0f %%", share), Value: &share}, grows})
	}
	if f.Grain != "" {
		t.Notes = append(t.Notes, Note{Text: "The finding is told by " + name(f.Grain) + ": that explains most with least."})
	}
	return t
}

// balanceTable is the tree of those that changed reference counts, callers above; what balances is left out.
func balanceTable(f *analyze.Finding) *Table {
	if len(f.Balance) == 0 {
		return nil
	}
	t := &Table{ID: "balance", Caption: "who retained and did not release", Columns: []Column{{Title: "function, below its caller"}, {Title: "retained", Number: true}, {Title: "released", Number: true}, {Title: "net", Number: true}},
		Notes: []Note{{Text: "Making an object is a retain. Subtrees that balance are left out."}}}
	for i := range f.Balance {
		n := &f.Balance[i]
		net := Cell{Text: unit.Scale{}.Signed(floatOf(n.Net)), Value: floatOf(n.Net)}
		if n.Net > 0 {
			net.Tone = Bad
		}
		t.Rows = append(t.Rows, []Cell{{Text: strings.Repeat("\u2003", min(max(n.Depth, 0), 40)) + name(n.Function), Code: true}, countCell(n.Retains), countCell(n.Releases), net})
	}
	return t
}

// stackTable puts the stacks of a misuse side by side: what was wrong, where the object was made, where it was ended before.
func stackTable(f *analyze.Finding) *Table {
	if len(f.AllocStack)+len(f.FreeStack) == 0 {
		return nil
	}
	fault := "at fault"
	if f.Rule == "racy-release" {
		fault = "used by"
	}
	return sideBySide("stacks", "where it was made and ended", []string{fault, "made by", "ended by"}, [][]string{f.Stack, f.AllocStack, f.FreeStack})
}

// sideBySide puts stacks beside each other, leaf first; those that are empty have no column.
func sideBySide(id, caption string, titles []string, stacks [][]string) *Table {
	t := &Table{ID: id, Caption: caption}
	rows := 0
	for i, title := range titles {
		if len(stacks[i]) > 0 {
			t.Columns = append(t.Columns, Column{Title: title})
			rows = max(rows, len(stacks[i]))
		}
	}
	for at := range min(rows, mostStackRows) {
		var row []Cell
		for _, of := range stacks {
			switch {
			case len(of) == 0:
			case at < len(of):
				row = append(row, Cell{Text: name(of[at]), Code: true})
			default:
				row = append(row, Cell{})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if left := rows - len(t.Rows); left > 0 {
		t.Omitted = plural(left, "more frame is", "more frames are") + " in the JSON result."
	}
	return t
}

// mostStackRows is how many frames of stacks side by side are shown.
const mostStackRows = 30

// heldTable is what held the memory when no more was to be had.
func heldTable(f *analyze.Finding) *Table {
	if len(f.Held) == 0 {
		return nil
	}
	whole := 0.0
	for i := range f.Held {
		whole += f.Held[i].Peak
	}
	t := holderTable(f.Held, &whole)
	t.ID, t.Caption, t.Columns[1].Title = "held", "what held the memory then", "then"
	return t
}
