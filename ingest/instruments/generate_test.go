package instruments

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// export makes documents of any length in the shape that xctrace writes: ids of their own for what is new, refs for the
// rest. Rows repeat the same processes, calls and stacks, as those of a real program do.
type export struct {
	id, rows int
	buf      []byte
	row      func(*export)
	foot     string
	want     int64 // bytes to write
	given    int64
}

const (
	exportHead = "<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//trace-toc[1]/run[1]/data[1]/table[2]'>"
	exportFoot = "</node></trace-query-result>\n"
	detailHead = "<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//trace-toc[1]/run[1]/tracks[1]/track[1]/details[1]/detail[2]'>"
)

func schemaOf(name, columns string) string {
	var s strings.Builder
	fmt.Fprintf(&s, `<schema name="%s">`, name)
	for c := range strings.FieldsSeq(columns) {
		mnemonic, kind, _ := strings.Cut(c, ":")
		fmt.Fprintf(&s, "<col><mnemonic>%s</mnemonic><name>%s</name><engineering-type>%s</engineering-type></col>", mnemonic, mnemonic, kind)
	}
	return s.String() + "</schema>"
}

const (
	faultColumns  = "start:start-time duration:duration thread:thread operation:vm-op process:process cputime:duration-on-core waittime:duration-waiting address:address size:size-in-bytes backtrace:backtrace"
	sysmonColumns = "time:start-time process:process pid:pid cpu-percent:system-cpu-percent memory-physical-footprint:size-in-bytes memory-anonymous:size-in-bytes memory-compressed:size-in-bytes memory-purgeable:size-in-bytes memory-real-private:size-in-bytes memory-real-shared:size-in-bytes memory-resident-size:size-in-bytes memory-virtual-size:size-in-bytes"
)

func faultExport(bytes int64) *export {
	return &export{buf: []byte(exportHead + schemaOf("virtual-memory", faultColumns)), row: (*export).faultRow, foot: exportFoot, want: bytes}
}

func sysmonExport(bytes int64) *export {
	return &export{buf: []byte(exportHead + schemaOf("sysmon-process", sysmonColumns)), row: (*export).sysmonRow, foot: exportFoot, want: bytes}
}

func allocationExport(bytes int64) *export {
	return &export{buf: []byte(detailHead), row: (*export).allocationRow, foot: exportFoot, want: bytes}
}

func (e *export) add(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			e.buf = append(e.buf, p...)
		case int:
			e.buf = strconv.AppendInt(e.buf, int64(p), 10)
		}
	}
}

// leaf writes an element of text that is new.
func (e *export) leaf(name string, v int) {
	e.id++
	e.add("<", name, ` id="`, e.id, `" fmt="`, v/1000, `.`, v%1000, ` K">`, v, "</", name, ">")
}

// faultRow: every row has a time, a duration and an address of its own; one in eight a stack that is written out, of 24
// calls that were met before.
func (e *export) faultRow() {
	n := e.rows
	e.add("<row>")
	e.leaf("start-time", 1000000+n*2500)
	e.leaf("duration", 2000+n%977)
	if n == 0 {
		e.add(`<thread id="900001" fmt="Main Thread 0x1e9000 (Demo, pid: 42)"><tid id="900002" fmt="0x1e9000">2002944</tid><process id="900003" fmt="Demo (42)"><pid id="900004" fmt="42">42</pid><device-session id="900005" fmt="TODO">TODO</device-session></process></thread><vm-op id="900006" fmt="Zero Fill">Zero Fill</vm-op>`)
	} else {
		e.add(`<thread ref="900001"/><vm-op ref="900006"/>`)
	}
	e.add(`<process ref="900003"/><sentinel/><sentinel/>`)
	e.leaf("address", 4297605120+n%50000*16384)
	e.leaf("size-in-bytes", 16384)
	e.faultStack(n)
	e.add("</row>\n")
}

func (e *export) faultStack(n int) {
	switch {
	case n < 200:
		e.id++
		e.add(`<backtrace id="`, 910000+n, `">`)
		for k := range 24 {
			f := n*24 + k
			e.add(`<frame id="`, 920000+f, `" name="demo::Reader::step`, f, `(unsigned long, Buffer const&amp;)" addr="0x10`, 1000000+f, `">`)
			if f == 0 {
				e.add(`<binary id="910999" name="Demo" UUID="54A6F004-8A7B-39C6-BFDF-275CAB4959F6" arch="arm64e" load-addr="0x100ba4000" path="/Applications/Demo.app/Contents/MacOS/Demo"/></frame>`)
			} else {
				e.add(`<binary ref="910999"/></frame>`)
			}
		}
		e.add("</backtrace>")
	case n%8 == 0:
		e.id++
		e.add(`<backtrace id="`, e.id, `">`)
		for k := range 24 {
			e.add(`<frame ref="`, 920000+(n/8%150+k)*24+k, `"/>`)
		}
		e.add("</backtrace>")
	default:
		e.add(`<backtrace ref="`, 910000+n%200, `"/>`)
	}
}

// sysmonRow: half of the figures changed since the sample before.
func (e *export) sysmonRow() {
	n := e.rows
	e.add("<row>")
	e.leaf("start-time", 1000000+n*1000000)
	if n == 0 {
		e.add(`<process id="900003" fmt="Demo (42)"><pid id="900004" fmt="42">42</pid></process><size-in-bytes id="900005" fmt="80 MiB">83886080</size-in-bytes>`)
	} else {
		e.add(`<process ref="900003"/>`)
	}
	e.add(`<pid ref="900004"/>`)
	e.id++
	e.add(`<system-cpu-percent id="`, e.id, `" fmt="28.7%">28.`, n%100000, `</system-cpu-percent>`)
	e.leaf("size-in-bytes", 97928328+n)
	e.leaf("size-in-bytes", 83886080+n)
	e.add(`<size-in-bytes ref="900005"/><sentinel/>`)
	e.leaf("size-in-bytes", 63886080+n)
	e.add(`<size-in-bytes ref="900005"/>`)
	e.leaf("size-in-bytes", 206045184+n)
	e.add("<size-in-bytes ref=\"900005\"/></row>\n")
}

// allocationRow: 700 places allocate; one row in four has a stack of 12 calls, half of which are written out.
func (e *export) allocationRow() {
	n := e.rows
	site := n % 700
	size := 16 * (site % 64)
	e.add(`<row address="0x6000`, 10000000+n%1000000, `" category="Malloc `, size, ` Bytes" live="`, []string{"true", "false"}[n/700%2], `" responsible-caller="Cache.load`, site, `()" size="`, size,
		`" identifier="`, n, `" responsible-library="Demo" timestamp="00:01.`, 100+n%900, `.000" thread-id="0x1e9000" index="`, n, `"`)
	if n%4 > 0 {
		e.add("/>\n")
		return
	}
	e.add(`><backtrace>`)
	for k := range 12 {
		if n < 4000 || k < 6 {
			e.add(`<frame id="`, e.id, `" name="Cache.load`, (n/4%1000+k)%1000, `(_:)" addr="0x10`, 2000000+(n/4%1000+k)%1000, `"/>`)
			e.id++
		} else {
			e.add(`<frame ref="`, n/4%1000*12+k, `"/>`)
		}
	}
	e.add("</backtrace></row>\n")
}

func (e *export) Read(p []byte) (int, error) {
	for len(e.buf) < len(p) && e.row != nil {
		if e.given+int64(len(e.buf)) >= e.want {
			e.add(e.foot)
			e.row = nil
			break
		}
		e.row(e)
		e.rows++
	}
	n := copy(p, e.buf)
	e.buf = append(e.buf[:0], e.buf[n:]...)
	e.given += int64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
