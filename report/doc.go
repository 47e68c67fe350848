// Package report decides what is said about a result and in what order. New turns an analyze.Result into a Doc:
// headline, tables, charts, findings, foot. A Doc holds no markup; the packages below report (html, text, markdown,
// json) each render it and hold no opinion of their own. All numbers in a Doc are already text, in the scale of their
// column; the raw values stand beside them for sorting and for bars.
package report

import (
	"github.com/memtide/memtide/analyze"
	"github.com/memtide/memtide/report/lang"
	"github.com/memtide/memtide/report/unit"
)

// Doc is a report without markup. All its strings are free of control and bidirectional characters.
type Doc struct {
	Lang     lang.Tag        // of its sentences; renderers for people write their own words in it
	Title    string          // short, for a window's title: "com.example.app: before and after"
	Headline string          // the verdict in a sentence of at most 120 characters
	Outcome  analyze.Outcome // empty where there is nothing to judge
	Tool     string          // name and version
	Context  string          // what was measured: process, device, format
	Sides    []Side          // what was compared; none for one side
	Written  string          // where the full report is, if it was written to a file; for summaries
	Sections []Section
	Align    string   // how charts are aligned: start, end, iteration:5, mark:NAME
	Explore  *Explore // every series; for a reader who digs, nil if there is none

	Result *analyze.Result // what it was made from; for renderers of data
}

// Side says which runs one side of a comparison is: their names, pid, date and number of samples, as far as known.
type Side struct {
	Name  string // "before" or "after"
	Text  string
	Dates string // from when to when several runs were taken; left out of summaries
}

// Section is a part of the report under one heading. The first one has no title: it is the first screen.
type Section struct {
	ID     string // stable within the report, for links
	Title  string
	Note   string // a sentence under the title
	Folded bool   // reference material: closed until asked for
	Brief  int    // how many entries of each block a summary shows; 0 leaves the section out of summaries
	Blocks []Block
}

// Block is one of *Paragraph, *Table, *Chart, *Course, *Waterfall, *Findings, *Moments, *Flame and *List.
type Block interface{ block() }

// Tone is the weight of a piece of text. Renderers may colour it, but the text says the same without.
type Tone string

// The tones.
const (
	Plain Tone = ""
	Bad   Tone = "bad"
	Good  Tone = "good"
	Warn  Tone = "warn"
	Muted Tone = "muted"
)

// Paragraph is a sentence or two.
type Paragraph struct {
	Text string
	Tone Tone
	Link string // the ID of a section it speaks of, if any
}

// Table is a table whose columns have one unit each.
type Table struct {
	ID      string
	Caption string
	Columns []Column
	Rows    [][]Cell
	Notes   []Note // what is said once under the table
	Omitted string // what was left out, in a sentence; empty if nothing
	Folded  bool
	Extra   bool // left out of summaries
	Wide    bool // the note of a row's first cell is about the whole row
}

// Column is the head of a column.
type Column struct {
	Title  string
	Unit   string
	Number bool   // right-aligned
	Side   string // "before", "after" or empty
	Bar    bool   // a renderer may draw the raw values as bars
	Size   bool   // the bars are sizes, not changes
	Extra  bool   // left out of summaries
}

// Cell is one entry of a table. Value is the raw number (bytes, a count, a ratio), nil where Text is none.
type Cell struct {
	Text  string
	Value *float64
	Tone  Tone
	Code  bool   // a name from a capture: path, symbol, process
	ID    string // of the row, for links; of the first cell of a row only
	Mark  string // one character that says what Tone says
	Note  string // a second, smaller line
	Link  string // the ID of the section or table it leads to
	Whole string // what Text is the beginning of
	Chain string // the ID in a Flame of what Text names
	Spark *Spark // a small drawing that says what Text does in characters
}

// Note is a sentence under a table.
type Note struct {
	Text  string
	Extra bool // left out of summaries
}

// Chart is a set of lines over time. All values are in raw units; Scale writes them.
type Chart struct {
	ID    string
	Title string
	Desc  string // what can be seen, for those who do not see it
	Scale unit.Scale
	Lines []Line
	Small bool // may stand beside another one
	Axis  Axis

	Limits []Limit // red lines to be drawn: they are within the range of the values, or near it
	Beyond string  // what is said of those that are not
}

// Limit is a red line in a chart.
type Limit struct {
	Label string
	Value float64
}

// Line is one line of a chart with the range around it.
type Line struct {
	Side    string // "before", "after", "trend" or empty
	Label   string
	Points  []Point
	Start   float64  // where its runs began, on the axis of the chart
	Anchors *Anchors // what it can be aligned at, on the axis of the chart; nil if nothing
}

// Point is one column of a line: a time in seconds from what the axis calls 0, and the least, middle and greatest value there.
// Gap says that nothing is known between this point and the one before it.
type Point struct {
	T, Min, Mid, Max float64
	Gap              bool
}

// Waterfall leads from one total to another by steps that sum to the difference.
type Waterfall struct {
	ID      string
	Metric  string // what is divided
	Caption string
	Scale   unit.Scale // of the totals and the steps
	Steps   []Step
}

// Step is one bar of a waterfall: a total (From is 0), or a change that reaches from From to To.
type Step struct {
	Label    string
	Total    bool
	Side     string // of a total
	Note     string
	From, To float64
}

// Findings is a list of findings, worst first.
type Findings struct {
	Items   []Finding
	Omitted string
}

// Finding is one finding in words.
type Finding struct {
	ID       string
	Severity string
	Tone     Tone
	Status   string // new, fixed, kept or empty
	Title    string // rule, class and what it is about
	Message  string
	Evidence []string // file:line, what stood there
	Numbers  []Item
	Stack    []string // leaf first
	Source   []string // the statement it is about, then the lines around it
	Advice   string
	Warnings []string
	Print    string // fingerprint
	Series   string // the ID in Explore of what it is about; empty if it is not there
	Chain    string // the ID in a Flame of its stack; empty if it is in none
}

// List is a list of sentences, or of terms with what they mean.
type List struct {
	Items   []Item
	Omitted string
}

// Top are the innermost frames, to be seen before a stack is unfolded.
func (f Finding) Top() []string { return f.Stack[:min(len(f.Stack), 4)] }

// Item is an entry of a list; Term may be empty.
type Item struct {
	Term, Text string
	Tone       Tone
}

func (*Paragraph) block() {}
func (*Table) block()     {}
func (*Chart) block()     {}
func (*Course) block()    {}
func (*Waterfall) block() {}
func (*Findings) block()  {}
func (*Moments) block()   {}
func (*Flame) block()     {}
func (*List) block()      {}
