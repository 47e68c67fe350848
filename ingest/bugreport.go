package ingest

import (
	"bytes"
	"errors"
	"regexp"

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
	open    bool
	first   int // line of the banner
	errs    []error
}

func (o Options) bugReport(d *decoded, in *source.Input) error {
	r := &bugReport{o: o, d: d, name: in.Name}
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
		r.open, r.first = wanted.Match(title), l.Line()
	} else if g := bugReportTime.FindSubmatch(line); g != nil && !r.wall.OK {
		r.wall.V, r.wall.OK = source.ParseTime(string(g[1]))
	}
	if r.open && r.section.Len() < maxSection {
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
	if !r.open {
		return
	}
	text := bytes.Clone(r.section.Bytes())
	r.section.Reset()
	r.open = false
	in, err := source.NewInput(r.name, bytes.NewReader(text))
	if err != nil {
		return
	}
	in.Skip = r.first - 1
	claims := claim(in.Head)
	if len(claims) != 1 {
		return
	}
	part, err := r.o.part(claims[0], in)
	if err != nil && !errors.As(err, new(*source.Error)) {
		r.errs = append(r.errs, err)
	}
	if part.HasRows() {
		part.At(r.wall)
		r.d.parts = append(r.d.parts, part)
	}
}
