package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/memtide/memtide/ingest/applereport"
	"github.com/memtide/memtide/ingest/appletools"
	"github.com/memtide/memtide/ingest/perf"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// decode reads one file, with all that it holds if it is an archive. Of a folder only regular files are read: a pipe
// or a device may never end.
func (o Options) decode(f file) decoded {
	d := decoded{input: Input{Path: f.name}}
	if f.err != nil {
		d.err = &unreadable{f.name, f.err}
		return d
	}
	if f.folder {
		return o.decodeExport(f)
	}
	info, err := os.Stat(f.path)
	if err == nil && !f.named && !info.Mode().IsRegular() {
		d.skipped = []string{f.name}
		return d
	}
	r, err := o.open(f.path)
	if err != nil {
		d.err = &unreadable{f.name, err}
		return d
	}
	defer r.Close()
	all := newRaw(f.name, r, o.Progress)
	w := &walker{budget: &budget{raw: all}, visit: func(in *source.Input) error { return o.visit(&d, in, f) }}
	if handle, ok := r.(*os.File); ok && info.Mode().IsRegular() {
		w.file, w.budget = handle, &budget{file: info.Size()}
		d.again = true
	}
	d.err = w.walk(f.name, all)
	if d.input.Format != "" && !errors.Is(d.err, errBomb) {
		d.input.SHA256 = all.sum()
	}
	d.input.Bytes = all.bytes
	return d
}

func (o Options) open(path string) (io.ReadCloser, error) {
	if path != "-" {
		return os.Open(path)
	}
	if o.Stdin == nil {
		return nil, errors.New("there is no standard input")
	}
	return io.NopCloser(o.Stdin), nil
}

// visit recognises one plain input and decodes it.
func (o Options) visit(d *decoded, in *source.Input, f file) error {
	format, err := o.recognise(in)
	switch {
	case err != nil:
		return err
	case format == nil && isBugReport(in.Head):
		d.input.Format = "bugreport"
		return o.bugReport(d, in)
	case format == nil && (!f.named || in.Name != f.name):
		d.skipped = append(d.skipped, in.Name)
		return nil
	case format == nil:
		return unknown(in)
	}
	if d.input.Format == "" {
		d.input.Format = format.Name
	}
	if format.Paged != nil && !o.late && d.again {
		d.late = true
		return nil
	}
	part, err := o.part(format, in)
	d.parts = append(d.parts, part)
	return err
}

// part decodes one input. What was read before an error stays.
func (o Options) part(f *Format, in *source.Input) (*table.Part, error) {
	b := table.NewBuilder(in.Name, f.Name)
	in.Drivers = o.Drivers
	if o.Events != nil {
		b.Stream(o.Events(b))
	}
	decode := f.Decode
	if f.Paged != nil {
		decode = f.Paged(o.pageSize)
	}
	err := decode(in, b)
	if in.LongLine > 0 {
		b.Problems.Add(in.At(in.LongLine, 0), "want lines of at most 64 MiB: this one lost its rest")
	}
	err = withReason(err, b.Problems.List())
	part := b.Done()
	part.Rank, part.Complete, part.OnDevice = rank(f), f.Complete, f.OnDevice
	return part, err
}

// withReason adds the first problem to the error of a capture that held nothing: its only data may have been what was damaged.
func withReason(err error, ps []source.Problem) error {
	e, ok := err.(*source.Error)
	if !ok || len(ps) == 0 || !strings.HasPrefix(e.Message, "held nothing") || saysSo(e.Message, ps[0].Message) {
		return err
	}
	place := ""
	if p := ps[0].Pos; p.Line > 0 && (p.Line != e.Pos.Line || p.Column != e.Pos.Column) {
		place = strings.TrimPrefix(p.String(), p.File+":") + ": "
	}
	more := ""
	if len(ps) > 1 {
		more = fmt.Sprintf("; problems in all: %d", len(ps))
	}
	return source.Errorf(e.Pos, "%s; its first problem: %s%s%s", e.Message, place, ps[0].Message, more)
}

// saysSo says whether a message has the fault that a problem tells, which may go on with what became of the record.
func saysSo(message, problem string) bool {
	fault := problem
	if i := strings.LastIndex(problem, ": "); i > 0 {
		fault = problem[:i]
	}
	return strings.Contains(message, fault)
}

func rank(f *Format) int {
	for i := range formats {
		if formats[i].Name == f.Name {
			return i
		}
	}
	return len(formats)
}

// recognise finds the format of an input by its content; nil if none claims it.
func (o Options) recognise(in *source.Input) (*Format, error) {
	if o.Format != "" {
		if f := find(o.Format); f != nil {
			return f, nil
		}
		return nil, source.Errorf(in.At(0, 0), "unknown format %q; `memtide formats` lists them", o.Format)
	}
	if len(in.Head) == 0 {
		return nil, source.Errorf(in.At(1, 1), "held nothing: the file is empty")
	}
	if r := refusal(in.Head, in.Name); r != nil {
		return nil, source.Errorf(in.At(0, 0), "%s", r.advice)
	}
	if err := refusedKind(in); err != nil {
		return nil, err
	}
	if isBugReport(in.Head) {
		return nil, nil
	}
	if f := o.expected; f != nil && f.Sniff(in.Head) {
		return f, nil
	}
	claims := claim(in.Head)
	if len(claims) > 1 {
		return nil, source.Errorf(in.At(1, 1), "claimed by several formats: %s; choose one with --format", names(claims))
	}
	if len(claims) == 0 {
		return nil, nil
	}
	return claims[0], nil
}

// refusedKind refuses files that stand beside captures and are known to hold none.
func refusedKind(in *source.Input) error {
	for _, k := range perf.Refused() {
		if k.Sniff(in.Head) {
			return k.Decode(in, nil)
		}
	}
	for _, k := range appletools.Refused() {
		if k.Sniff(in.Head) {
			return k.Decode(in, nil)
		}
	}
	for _, k := range applereport.Refused() {
		if k.Sniff(in.Head) {
			return k.Decode(in, nil)
		}
	}
	return nil
}

func claim(head []byte) []*Format {
	var out []*Format
	for i := range formats {
		if formats[i].Sniff(head) {
			out = append(out, &formats[i])
		}
	}
	return out
}

func names(fs []*Format) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}

// unknown is said of a file that was given by its name. One of Arrow may be a table of a folder.
func unknown(in *source.Input) error {
	for _, magic := range []string{"ARROW1", "\xff\xff\xff\xff"} {
		if bytes.HasPrefix(in.Head, []byte(magic)) {
			return source.Errorf(in.At(0, 0), "an Arrow file of one table, whose name it does not tell: of an export of Nsight Systems give the folder that `nsys export --type arrowdir FILE` writes")
		}
	}
	first, _, _ := bytes.Cut(in.Head, []byte{'\n'})
	first = first[:min(len(first), 80)]
	return source.Errorf(in.At(1, 1), "no capture that memtide knows, it begins with %q; see `memtide formats`, or name one with --format", first)
}

// refused is a file that only its maker reads, with the command that exports it.
type refused struct {
	magic, ending string
	advice        string
}

var refusals = []refused{
	{"", ".nsys-rep", "a report of Nsight Systems that only nsys reads: export it with `nsys export --type sqlite FILE`"},
	{"", ".qdrep", "a report of Nsight Systems that only nsys reads: export it with `nsys export --type sqlite FILE`"},
	{"", ".memgraph", "a memory graph that only Apple's tools read: give the output of `vmmap FILE`, `leaks FILE` or `heap FILE`"},
	{"", ".trace", "an Instruments document: export it with `xctrace export --input FILE --toc`, then the tables with --xpath"},
	{"", ".xcresult", "an Xcode result bundle: export it with `xcrun xcresulttool get test-results metrics --path FILE`"},
	{"", ".pftrace", "a Perfetto trace: export the counters with trace_processor to CSV; reading it directly is not supported yet"},
	{"", ".perfetto-trace", "a Perfetto trace: export the counters with trace_processor to CSV; reading it directly is not supported yet"},
	{"version https://git-lfs.github.com/spec/", "", "a Git LFS pointer, not the file: fetch it with `git lfs pull`"},
	{"\x7fELF", "", "an ELF binary (or core file), not a capture"},
	{"bplist00", "", "a binary property list (an Apple document): export it with the tool that wrote it"},
}

func refusal(head []byte, name string) *refused {
	binary := bytes.IndexByte(head[:min(len(head), 4096)], 0) >= 0
	for i := range refusals {
		r := &refusals[i]
		if r.magic != "" && bytes.HasPrefix(head, []byte(r.magic)) || r.ending != "" && binary && strings.HasSuffix(strings.ToLower(name), r.ending) {
			return r
		}
	}
	return nil
}
