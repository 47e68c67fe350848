// Package junit writes a result as JUnit XML, for Jenkins, GitLab and whatever else shows tests. There is no official
// specification; what is written fits junit-10.xsd of Jenkins' xUnit plugin, and the order of elements of the schema of
// Apache Ant's JUnit task. The time stamp, host and durations that the latter wants are not known, so they are left out.
//
// GitLab drops the names of suites, the properties and the message of a failure, so what was measured is in the body
// too, and the limit in the name. Names stay the same from build to build: a tracker's history hangs on them.
package junit

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/memtide/memtide/report"
	"github.com/memtide/memtide/report/internal/label"
	"github.com/memtide/memtide/report/internal/ruling"
)

// Render writes one test suite for each analyser, or for each kind of rule of a policy, and a test case for each thing
// ruled on (see ruling.Tests). The first suite has one case, the verdict of the whole, so that a report whose verdict
// is a failure is never green; nothing measured is an error. An error of Render is one of w; the same Doc gives the
// same bytes.
func Render(w io.Writer, doc *report.Doc) error {
	root := suites{Name: "memtide", Suites: []*suite{whole(doc)}}
	at := map[string]*suite{}
	for _, r := range ruling.Tests(doc.Result) {
		s := at[r.Suite]
		if s == nil {
			s = &suite{Name: "memtide." + token(r.Suite), ID: len(root.Suites), Properties: &properties{}}
			at[r.Suite] = s
			root.Suites = append(root.Suites, s)
		}
		s.add(r)
	}
	for _, s := range root.Suites {
		root.Tests, root.Failures, root.Errors = root.Tests+s.Tests, root.Failures+s.Failures, root.Errors+s.Errors
	}
	return write(w, root)
}

func write(w io.Writer, root suites) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(root); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// The elements. Their order in the structs is that of the file.
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []*suite `xml:"testsuite"`
}

type suite struct {
	Name       string      `xml:"name,attr"`
	ID         int         `xml:"id,attr"`
	Tests      int         `xml:"tests,attr"`
	Failures   int         `xml:"failures,attr"`
	Errors     int         `xml:"errors,attr"`
	Skipped    int         `xml:"skipped,attr"`
	Properties *properties `xml:"properties"`
	Cases      []testcase  `xml:"testcase"`
}

type properties struct {
	List []property `xml:"property"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testcase struct {
	Name    string  `xml:"name,attr"`
	Class   string  `xml:"classname,attr"`
	Skipped *told   `xml:"skipped"`
	Error   *told   `xml:"error"`
	Failure *told   `xml:"failure"`
	Out     *string `xml:"system-out"`
}

// told is what is said of a case that did not hold.
type told struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Body    string `xml:",innerxml"` // escaped by body: the encoder would write line breaks as references
}

// add files a ruling as a test case; its numbers become properties of the suite, since the schema allows a test case
// none.
func (s *suite) add(r ruling.Ruling) {
	c := testcase{Name: token(r.Name), Class: "mem." + token(r.Metric)}
	what := &told{Type: token(r.Rule), Message: r.Message, Body: body("\n" + r.Text() + "\n")}
	switch r.Outcome {
	case ruling.Broken:
		c.Failure = what
	case ruling.Held:
		text := r.Message
		c.Out = &text
	case ruling.Excused:
		what.Message = "Excused: " + r.Excuse + ". " + r.Message
		c.Skipped = what
	default:
		what.Message = "Inconclusive: " + r.Message
		c.Skipped = what
	}
	s.put(c)
	for _, n := range r.Numbers {
		s.Properties.add(c.Name+" | "+n.Name, strconv.FormatFloat(n.Value, 'f', -1, 64))
	}
}

func (s *suite) put(c testcase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func (p *properties) add(name, value string) {
	if value != "" {
		p.List = append(p.List, property{token(name), label.Clean(value)})
	}
}

// body escapes text that is clean but for its line breaks.
func body(text string) string { return bodyEscaper.Replace(text) }

var bodyEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// token is text as an xs:token that is not empty: no space at its ends, none twice.
func token(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return "memory"
	}
	return text
}
