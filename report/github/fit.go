package github

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
)

// The limits of GitHub, in bytes: of a comment (65,536 characters) and of the summary of a step, of which nothing is
// shown if it is longer.
const (
	commentLimit = 64 << 10
	summaryLimit = 1 << 20
)

// marker is the first line of a comment: a job that comments again finds its own comment by it. It is not shown.
const marker = "<!-- memtide -->\n"

// Comment makes a renderer for a comment on a pull request from the one that writes Markdown. If the report is longer
// than 64 KB, whole blocks of it are left out, the last ones that do not fit, and a sentence at the end names them.
func Comment(markdown func(io.Writer, *report.Doc) error) func(io.Writer, *report.Doc) error {
	return fitted(markdown, marker, commentLimit)
}

// Summary is Comment for the summary of a step: 1 MiB, and no marker.
func Summary(markdown func(io.Writer, *report.Doc) error) func(io.Writer, *report.Doc) error {
	return fitted(markdown, "", summaryLimit)
}

func fitted(markdown func(io.Writer, *report.Doc) error, head string, limit int) func(io.Writer, *report.Doc) error {
	return func(w io.Writer, doc *report.Doc) error {
		var b bytes.Buffer
		if err := markdown(&b, doc); err != nil {
			return err
		}
		_, err := io.WriteString(w, head+fit(b.String(), limit-len(head), doc.Lang))
		return err
	}
}

// reserve is the room for the sentence about what was left out.
const reserve = 1 << 10

// fit is the text if it is short enough, else as many of its blocks as there is room for, in order, and a sentence on
// the others. A heading stays with the block below it.
func fit(text string, limit int, in lang.Tag) string {
	if len(text) <= limit {
		return text
	}
	all := blocks(text)
	foot := all[len(all)-1].text // who wrote it
	if len(foot) > reserve {
		foot = ""
	}
	room := limit - reserve - len(foot)
	var kept strings.Builder
	left := omission{}
	for i, b := range all {
		if i == len(all)-1 && foot != "" {
			break
		}
		if kept.Len()+len(b.text) > room {
			left.add(b)
			continue
		}
		kept.WriteString(b.text)
	}
	return kept.String() + foot + left.text(reserve, in)
}

// block is a piece of Markdown that can be left out: up to an empty line outside of all folds.
type block struct {
	text, section string
}

// blocks cuts a report into its blocks; joined they are the report.
func blocks(text string) []block {
	var out []block
	var b strings.Builder
	section, depth, heading := "the summary", 0, false
	for line := range strings.Lines(text) {
		b.WriteString(line)
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "<details>"):
			if depth == 0 {
				section = strings.TrimSuffix(strings.TrimPrefix(bare, "<details><summary>"), "</summary>")
			}
			depth++
		case bare == "</details>":
			depth = max(depth-1, 0)
		case strings.HasPrefix(line, "### ") && depth == 0:
			section, heading = strings.TrimPrefix(bare, "### "), true
		case bare == "" && depth == 0 && !heading:
			out = append(out, block{b.String(), section})
			b.Reset()
		case bare != "":
			heading = false
		}
	}
	if b.Len() > 0 {
		out = append(out, block{b.String(), section})
	}
	return out
}

// omission is what was left out.
type omission struct {
	bytes, blocks int
	sections      []string
}

func (o *omission) add(b block) {
	o.bytes += len(b.text)
	o.blocks++
	if !slices.Contains(o.sections, b.section) {
		o.sections = append(o.sections, b.section)
	}
}

// text says it, in at most a number of bytes: sections are named while there is room.
func (o *omission) text(most int, in lang.Tag) string {
	head := "\n" + in.Sprintf("**Left out for length:** %d blocks (%d bytes)", o.blocks, o.bytes)
	tail := in.Word(". The full report has them") + in.Stop() + "\n"
	names, size := "", most-len(head)-len(tail)-len(" of 99999 more sections")
	for i, s := range o.sections {
		name := ", " + s
		if i == 0 {
			name = in.Word(" of: ") + s
		}
		if len(names)+len(name) > size {
			return head + names + " " + in.Sprintf("and %d more sections", len(o.sections)-i) + tail
		}
		names += name
	}
	return head + names + tail
}
