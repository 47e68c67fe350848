package html

import (
	"html/template"
	"strings"
	"sync"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/lang"
)

// pages are the templates, each with the words of one language; parsed at their first use.
var pages = func() map[lang.Tag]func() *template.Template {
	out := map[lang.Tag]func() *template.Template{}
	for _, tag := range lang.Tags {
		out[tag] = sync.OnceValue(func() *template.Template { return newPage(tag) })
	}
	return out
}()

// newPage parses the page; "t" says its fixed words, and what functions lay out is said in its language too.
func newPage(tag lang.Tag) *template.Template {
	say := func(text string) string { return lang.New(tag).Text(text) }
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"t":            tag.Word,
		"kind":         kind,
		"plot":         func(c *report.Chart) *plot { return newPlot(c).in(say) },
		"narrow":       func(p *plot) *plot { return narrowPlot(p).in(say) },
		"course":       func(c *report.Course) *course { return newCourse(c).in(say) },
		"narrowCourse": func(c *course) *course { return narrowCourse(c).in(say) },
		"fall":         func(w *report.Waterfall) *fall { f := newFall(w); f.Note = say(f.Note); return f },
		"barsOf":       newBars,
		"spark":        func(c report.Cell) *spark { s := newSpark(c); s.Desc = say(s.Desc); return s },
		"flame":        func(f *report.Flame) *flame { return newFlame(f).in(say) },
		"moments":      newMoments,
		"cells":        cells,
		"anchor":       anchor,
		"twice":        twice,
		"mark":         func(o string) string { return outcomes[o].mark },
		"word":         func(o string) string { return tag.Word(outcomes[o].word) },
		"say":          tag.Sprintf,
	}).Parse(string(asset("page.html"))))
}

// in says the legend and the note of a chart.
func (p *plot) in(say func(string) string) *plot {
	if p == nil {
		return nil
	}
	for i := range p.Curves {
		p.Curves[i].Key = say(p.Curves[i].Key)
	}
	p.Note = say(strings.TrimSpace(p.Note))
	if p.Axis.Per != "" {
		for i := range p.XTicks {
			p.XTicks[i].Text = say(p.XTicks[i].Text)
		}
	}
	return p
}

// in says the note of a chart over builds.
func (c *course) in(say func(string) string) *course {
	if c != nil {
		c.Note = say(strings.TrimSpace(c.Note))
	}
	return c
}

// root is the bar that stands for all chains together.
const root = "all"

// in says what bars hold; the names of calls stay.
func (f *flame) in(say func(string) string) *flame {
	f.Desc = say(f.Desc)
	for i := range f.Bars {
		b := &f.Bars[i]
		if b.Text == root && i == 0 {
			b.Text = say(b.Text)
		}
		if at := strings.LastIndex(b.Title, ": "); at >= 0 {
			b.Title = b.Title[:at+2] + say(b.Title[at+2:])
		}
	}
	return f
}
