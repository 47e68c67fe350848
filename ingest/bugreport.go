package ingest

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// An Android bug report (frameworks/native/cmds/dumpstate) is a container: sections under banners like
// "------ PROCRANK (procrank) ------" and "DUMP OF SERVICE meminfo:". Each section of memory goes to its format with
// its own line numbers; all of them are of the moment that the first lines name.
var (
	bugReportTime = regexp.MustCompile(`== dumpstate: (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)`)
	banner        = regexp.MustCompile(`^------ (.+?) \(.*\) ------`)
	service       = regexp.MustCompile(`^DUMP OF SERVICE (?:CRITICAL |HIGH |NORMAL )?(\S+?):`)
	wanted        = regexp.MustCompile(`^(MEMORY INFO|PROCRANK|LIBRANK|SHOW MAP|SMAPS|CHECKIN MEMINFO|PROCESSES.*SMAPS|meminfo$|gfxinfo$|gpu$)`)
)

// maxSection bounds what is held of one section in memory; the largest real ones have a few megabytes.
const maxSection = 256 << 20

func isBugReport(head []byte) bool { return bytes.Contains(head, []byte("== dumpstate: ")) }

type bugReport struct {
	o       Options
	d       *decoded
	name    string
	wall    table.Int
	section bytes.Buffer
	title   string // of the open section; empty if none is
	first   int    // line of the banner
	cut     bool   // the section is longer than what is held
	empty   map[string]int
	errs    []error
}

func (o Options) bugReport(d *decoded, in *source.Input) error {
	r := &bugReport{o: o, d: d, name: in.Name, empty: map[string]int{}}
	l := source.NewLines(in)
	for l.Scan() {
		r.line(l)
	}
	r.close()
	if err := l.Err(); err != nil {
		r.errs = append(r.errs, err)
	}
	if len(d.parts) == 0 {
		r.errs = append(r.errs, source.Errorf(in.At(0, 0), "held nothing: a bug report without a section of memory"))
	}
	return errors.Join(r.errs...)
}

func (r *bugReport) line(l *source.Lines) {
	line := l.Bytes()
	if title := sectionTitle(line); title != nil {
		r.close()
		if wanted.Match(title) {
			r.title, r.first = string(title), l.Line()
		}
	} else if g := bugReportTime.FindSubmatch(line); g != nil && !r.wall.OK {
		r.wall.V, r.wall.OK = source.ParseTime(string(g[1]))
	}
	switch {
	case r.title == "":
	case r.section.Len()+len(line) >= maxSection:
		r.cut = true
	default:
		r.section.Write(line)
		r.section.WriteByte('\n')
	}
}

// sectionTitle gives the title of a line that begins a section; nil for any other.
func sectionTitle(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("------ ")) {
		if g := banner.FindSubmatch(line); g != nil {
			return g[1]
		}
	}
	if bytes.HasPrefix(line, []byte("DUMP OF SERVICE ")) {
		if g := service.FindSubmatch(line); g != nil {
			return g[1]
		}
	}
	return nil
}

// close hands the section to the format that claims it.
func (r *bugReport) close() {
	if r.title == "" {
		return
	}
	in, err := source.NewInput(r.name, bytes.NewReader(r.section.Bytes()))
	if err == nil {
		in.Skip = r.first - 1
		r.decode(in)
	}
	if r.cut {
		r.errs = append(r.errs, source.Errorf(in.At(r.first, 0), "the section %s is longer than %d MiB: its rest is not read", r.title, maxSection>>20))
	}
	r.section, r.title, r.cut = bytes.Buffer{}, "", false
}

func (r *bugReport) decode(in *source.Input) {
	claims := claim(in.Head)
	if len(claims) != 1 {
		r.nothing(in, claims)
		return
	}
	part, err := r.o.part(claims[0], in)
	if err != nil && !errors.As(err, new(*source.Error)) {
		r.errs = append(r.errs, err)
	}
	if !part.HasRows() {
		r.nothing(in, claims)
		return
	}
	part.At(r.wall)
	r.d.parts = append(r.d.parts, part)
}

// nothing notes a section without rows. Many of one title are one problem: every kernel thread has an empty SHOW MAP.
func (r *bugReport) nothing(in *source.Input, claims []*Format) {
	message := "a section " + strings.TrimRight(r.title, " 0123456789") + " holds nothing that is known"
	if len(claims) > 1 {
		message = "a section " + r.title + " is claimed by several formats: " + names(claims)
	}
	if i, ok := r.empty[message]; ok {
		r.d.notes[i].Count++
		return
	}
	r.empty[message] = len(r.d.notes)
	r.d.notes = append(r.d.notes, source.Problem{Pos: in.At(r.first, 0), Message: message, Count: 1})
}
