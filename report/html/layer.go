package html

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/memtide/memtide/report"
)

// layer is what a page has beside its text, and what was left out because the page became too large.
type layer struct {
	Live    bool // the script
	Charts  bool // the library that charts are zoomed with
	series  bool // the table of all series
	lines   bool // their lines over time
	flame   bool
	result  []byte
	LeftOut []string
}

func whole(o Options) *layer {
	return &layer{Live: !o.Static, Charts: !o.Static && Charts(), series: !o.Static, lines: !o.Static, flame: !o.Static, result: o.Data}
}

// less leaves out one thing more; false if there is nothing left to leave out.
func (l *layer) less() bool {
	for _, part := range []struct {
		there bool
		drop  func()
		what  string
	}{
		{len(l.result) > 0, func() { l.result = nil }, "the result for memtide to read again (--embed-data)"},
		{l.lines, func() { l.lines = false }, "the lines over time of the table of all series"},
		{l.series, func() { l.series = false }, "the table of all series"},
		{l.flame, func() { l.flame = false }, "the flame graph that can be searched"},
		{l.Live, func() { l.Live, l.Charts = false, false }, "everything that needs a script: zoom, sorting, filters"},
	} {
		if part.there {
			part.drop()
			l.LeftOut = append(l.LeftOut, part.what)
			return true
		}
	}
	return false
}

func (l *layer) style() string {
	text := string(asset("style.css"))
	if l.Live {
		text += string(asset("assets/report.css"))
	}
	return text
}

// data is what the script works on. Names in it are written by encoding/json, which escapes <, > and &.
type data struct {
	Charts  map[string]chart      `json:"charts"`
	Courses map[string]courseData `json:"courses,omitempty"`
	Sample  map[string]any        `json:"sample,omitempty"` // the options of a chart that is drawn on demand
	Explore *explore              `json:"explore,omitempty"`
	Flames  map[string]flameData  `json:"flames,omitempty"`
	Title   string                `json:"title"`
	Align   string                `json:"align"` // how charts are aligned in the file
	Anchors []anchors             `json:"anchors,omitempty"`

	Words   map[string]string `json:"words,omitempty"`   // what the script says, in another language
	Phrases [][2]string       `json:"phrases,omitempty"` // and with something in it
}

// code collects what runs in the page and what it works on.
func (l *layer) code(doc *report.Doc) (*code, error) {
	c := &code{}
	if len(l.result) > 0 {
		c.data = append(c.data, block{"memtide-result", ResultType, base64.StdEncoding.EncodeToString(l.result)})
	}
	if !l.Live {
		return c, nil
	}
	known := &anchorList{}
	d := data{Charts: map[string]chart{}, Courses: map[string]courseData{}, Title: doc.Title, Align: doc.Align, Flames: map[string]flameData{}}
	d.Words, d.Phrases = doc.Lang.Script()
	if l.Charts {
		d.Sample = options(&report.Chart{})
	}
	for _, s := range doc.Sections {
		for _, b := range s.Blocks {
			switch b := b.(type) {
			case *report.Chart:
				if l.Charts {
					d.Charts[b.ID] = newChart(b, true, known)
				}
			case *report.Course:
				if l.Charts {
					d.Courses[b.ID] = newCourseData(b)
				}
			case *report.Flame:
				if l.flame {
					d.Flames[b.ID] = newFlameData(b)
				}
			}
		}
	}
	if doc.Explore != nil && l.series {
		d.Explore = newExplore(doc.Explore, l.lines && l.Charts, known)
	}
	d.Anchors = known.all
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	c.data = append(c.data, block{"memtide-data", "application/json", string(text)})
	if l.Charts {
		c.scripts = append(c.scripts, strings.TrimSpace(string(asset("assets/echarts.min.js"))))
	}
	c.scripts = append(c.scripts, script())
	return c, nil
}

// ResultType is the type of the element that holds a whole result: base64 of its compressed JSON.
const ResultType = "application/gzip"
