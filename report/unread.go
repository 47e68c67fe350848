package report

import (
	"slices"
	"strings"
)

// unread counts what could not be read: files that gave nothing at all, and records of those that did.
type unread struct {
	files, records int
	places         []string // of both, the files first
}

// unread is counted from the problems; a result that lists none has the counts of its inputs.
func (s *story) unread() unread {
	var u unread
	read := map[string]bool{}
	for _, in := range s.Inputs {
		read[in.Side+"\x00"+in.Path] = true
	}
	var files, records []string
	for _, p := range s.Problems {
		archive, _, member := strings.Cut(p.File, "!/")
		if member && strings.Contains(p.Message, "no capture that memtide knows") {
			continue // most of what a bug report holds is not of memory
		}
		if len(s.Inputs) == 0 || read[p.Side+"\x00"+archive] {
			u.records += max(p.Count, 1)
			records = append(records, where(p))
			continue
		}
		u.files += max(p.Count, 1)
		files = append(files, name(p.File))
	}
	u.places = append(files, records...)
	if len(s.Problems) == 0 {
		for _, in := range s.Inputs {
			u.records += in.Problems
			if in.Problems > 0 {
				u.places = append(u.places, name(in.Path))
			}
		}
	}
	return u
}

func (u unread) total() int { return u.files + u.records }

// count says how many files and records there are: "2 files and 3 records".
func (u unread) count() string {
	var parts []string
	if u.files > 0 {
		parts = append(parts, plural(u.files, "file"))
	}
	if u.records > 0 {
		parts = append(parts, plural(u.records, "record"))
	}
	return enumerate(parts, 2)
}

// String is the sentence about them, with the first two places; nothing unread is no sentence.
func (u unread) String() string {
	if u.total() == 0 {
		return ""
	}
	places := slices.Compact(slices.Clone(u.places))
	text := u.count() + " could not be read: " + strings.Join(places[:min(2, len(places))], ", ")
	if len(places) > 2 {
		text += " and others"
	}
	return text + "."
}
