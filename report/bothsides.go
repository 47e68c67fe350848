package report

import (
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/unit"
)

// bothSides holds logs of the CPU's side against captures of the device's side that name the same addresses.
func (s *story) bothSides() Section {
	section := Section{ID: "both-sides", Title: "Device memory by both sides", Note: "Allocations that a log of the CPU's side and a capture of the GPU name by the same address: what each of them has alive."}
	if len(s.DeviceJoins) == 0 {
		section.Note = ""
		return section
	}
	section.Blocks = append(section.Blocks, s.joinTable().capped(s.limit.Series, "device", "devices"))
	if t := s.refusedTable(); len(t.Rows) > 0 {
		section.Blocks = append(section.Blocks, t.capped(s.limit.Series, "reason", "reasons"))
	}
	return section
}

func (s *story) joinTable() *Table {
	var sizes []*float64
	for i := range s.DeviceJoins {
		d := &s.DeviceJoins[i]
		for _, p := range []*analyze.DevicePart{&d.Both, &d.CPUOnly, &d.GPUOnly, &d.CPUAlive, &d.GPUAlive, d.Inside} {
			if p != nil {
				sizes = append(sizes, floatOf(p.Bytes))
			}
		}
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "both-sides-table", Caption: plural(len(s.DeviceJoins), "device by a capture", "devices by captures"), Columns: []Column{{Title: "device"}, bytesColumn("both name", scale), bytesColumn("in use inside", scale),
		bytesColumn("CPU log only", scale), bytesColumn("GPU capture only", scale), bytesColumn("freed, says the GPU", scale), bytesColumn("freed, says the CPU", scale)}}
	inside := false
	for i := range s.DeviceJoins {
		d := &s.DeviceJoins[i]
		inside = inside || d.Inside != nil
		t.Rows = append(t.Rows, []Cell{deviceCell(d), partCell(scale, &d.Both), partCell(scale, d.Inside), partCell(scale, &d.CPUOnly), partCell(scale, &d.GPUOnly), partCell(scale, &d.CPUAlive), partCell(scale, &d.GPUAlive)})
	}
	t.Notes = joinNotes(s.DeviceJoins, inside)
	return t
}

// deviceCell names a device, with the captures that are held against each other.
func deviceCell(d *analyze.DeviceJoin) Cell {
	c := Cell{Text: unit.Unknown, Tone: Muted, Note: name(d.GPU)}
	if d.Device != "" {
		c = Cell{Text: deviceText(d.Device), Code: true, Note: c.Note}
	}
	if len(d.CPU) > 0 {
		c.Note = name(strings.Join(d.CPU, ", ")) + " ↔ " + c.Note
	}
	return c
}

// deviceText is a device by its number, or as its captures call it.
func deviceText(device string) string {
	if strings.Trim(device, "0123456789") == "" {
		return "GPU " + device
	}
	return name(device)
}

func partCell(scale unit.Scale, p *analyze.DevicePart) Cell {
	if p == nil {
		return Cell{Text: unit.Unknown, Tone: Muted}
	}
	c := number(scale, floatOf(p.Bytes))
	if p.Objects != 0 {
		c.Note = plural(int(p.Objects), "object")
	}
	return c
}

// joinNotes say what the columns mean, and when alive is.
func joinNotes(all []analyze.DeviceJoin, inside bool) []Note {
	notes := []Note{{Text: "CPU log only: outside of what the GPU capture watches, as libraries and extensions allocate it. GPU capture only: not seen by the hooks, as the driver's own, or made before they were at work."}}
	if inside {
		notes = append(notes, Note{Text: "In use inside: what an allocator handed out of the allocations that both name; the rest of them it keeps for later.", Extra: true})
	}
	shared := true
	for i := range all {
		shared = shared && all[i].Clock != ""
	}
	if shared {
		return append(notes, Note{Text: "The captures share a clock: alive is at the earlier of their ends.", Extra: true})
	}
	return append(notes, Note{Text: "There is no clock that all of them share: joined is what has one address and one size, in use once. Alive is at the end of each.", Extra: true})
}

// refusedTable is what was not joined though both sides name its address.
func (s *story) refusedTable() *Table {
	var sizes []*float64
	for i := range s.DeviceJoins {
		for k := range s.DeviceJoins[i].Refused {
			sizes = append(sizes, floatOf(s.DeviceJoins[i].Refused[k].Bytes))
		}
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "both-sides-refused", Caption: "Not joined, though both sides name the address", Columns: []Column{{Title: "device"}, {Title: "why"}, {Title: "objects", Number: true}, {Title: "alive", Number: true}, bytesColumn("alive", scale)}}
	for i := range s.DeviceJoins {
		d := &s.DeviceJoins[i]
		for _, r := range d.Refused {
			t.Rows = append(t.Rows, []Cell{deviceCell(d), {Text: capital(sentence(r.Reason))}, countCell(r.Objects), countCell(r.Alive), number(scale, floatOf(r.Bytes))})
		}
	}
	return t
}

// sideNames are what the sides of a device are called.
var sideNames = map[string]string{"cpu": "CPU's side", "gpu": "GPU's side"}

// joinedTable is what both sides say of the objects of a finding.
func joinedTable(f *analyze.Finding) *Table {
	if f.Joined == nil || len(f.Joined.Sides) == 0 {
		return nil
	}
	var sizes []*float64
	for i := range f.Joined.Sides {
		sizes = append(sizes, floatOf(f.Joined.Sides[i].Bytes))
	}
	scale := sizesOf(sizes...)
	t := &Table{ID: "joined", Caption: "what both sides say of the same addresses", Columns: []Column{{Title: "side"}, {Title: "capture"}, {Title: "kind"}, {Title: "objects", Number: true}, {Title: "alive at its end", Number: true}, bytesColumn("size", scale)}}
	for i := range f.Joined.Sides {
		x := &f.Joined.Sides[i]
		side := Cell{Text: sideNames[x.Side]}
		if i == 0 {
			side.Note = "told by this finding"
		}
		t.Rows = append(t.Rows, []Cell{side, {Text: name(x.File), Code: true}, {Text: name(x.Kind), Code: true}, countCell(x.Objects), countCell(x.Alive), number(scale, sizes[i])})
	}
	if f.Joined.Device != "" {
		t.Notes = append(t.Notes, Note{Text: "Device: " + deviceText(f.Joined.Device) + "."})
	}
	for i := range f.Joined.Merged {
		m := &f.Joined.Merged[i]
		t.Notes = append(t.Notes, Note{Text: "A finding of the same bytes is part of this one: " + name(m.Rule) + ", " + name(m.Severity) + ", of " + name(m.Run) + "."})
	}
	return t
}

// joinedStacks puts the call chains of both sides beside each other.
func joinedStacks(f *analyze.Finding) *Table {
	if f.Joined == nil {
		return nil
	}
	var titles []string
	var stacks [][]string
	for i := range f.Joined.Sides {
		x := &f.Joined.Sides[i]
		titles, stacks = append(titles, sideNames[x.Side]+": "+name(x.File)), append(stacks, x.Stack)
	}
	t := sideBySide("joined-stacks", "the call chains of both sides", titles, stacks)
	if len(t.Columns) == 0 {
		return nil
	}
	return t
}
