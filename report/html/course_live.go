package html

import (
	"math"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/memtide/memtide/report"
)

// courseData is a chart over builds as the script draws it. Values are raw, in the order of the builds, null in a gap.
type courseData struct {
	chart
	Builds  []courseBuild  `json:"builds"`
	Changes []courseChange `json:"changes"`
	Release *limit         `json:"release,omitempty"`
}

// courseBuild is one build: what stands in the tooltip beside its values.
type courseBuild struct {
	Name string   `json:"name"`
	Date string   `json:"date,omitempty"`
	Row  string   `json:"row,omitempty"`
	Runs int64    `json:"runs"`
	Mid  *float64 `json:"mid"`
	Low  *float64 `json:"lo"`
	High *float64 `json:"hi"`
}

type courseChange struct {
	At     int    `json:"at"`
	Text   string `json:"text"`
	Colour string `json:"colour"`
}

func newCourseData(c *report.Course) courseData {
	of := &report.Chart{Title: c.Title, Scale: c.Scale, Small: c.Small, Limits: c.Limits}
	out := courseData{chart: newChart(of, true, &anchorList{}), Changes: []courseChange{}}
	out.Option["xAxis"] = []opts.XAxis{{Type: "category", Data: namesOf(c)}}
	if low, high := reach(c); !math.IsInf(low, 0) {
		from, to, _ := (&plot{Chart: of}).yRange(low, high)
		out.Low, out.High = from/factor(of), to/factor(of)
	}
	for _, b := range c.Builds {
		out.Builds = append(out.Builds, courseBuild{b.Name, b.Date, b.Row, b.Runs, b.Mid, b.Low, b.High})
	}
	for _, p := range c.Changes {
		out.Changes = append(out.Changes, courseChange{p.Index, p.Text, changeColour(p)})
	}
	if c.Release != nil {
		out.Release = &limit{c.Release.Label, c.Release.Value}
	}
	return out
}

func namesOf(c *report.Course) []string {
	out := make([]string, len(c.Builds))
	for i, b := range c.Builds {
		out[i] = b.Name
	}
	return out
}
