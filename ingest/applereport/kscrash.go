package applereport

import (
	"strings"

	"github.com/memtide/memtide/ingest/callstack"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// SniffKSCrash recognises a report of KSCrash, in its own JSON.
func SniffKSCrash(head []byte) bool {
	return holds(head, "{", `"crash"`, `"error"`, `"report"`) && !holds(head, "{", `"bug_type"`) || holds(head, "{", `"binary_images"`, `"report"`, `"image_addr"`)
}

// DecodeKSCrash reads a report of KSCrash: one fault, of kind oom-kill for a termination for memory, else crash with the stack
// of its thread; samples of the footprint and its limit, where the report has them, and of the memory of the system.
func DecodeKSCrash(in *source.Input, b *table.Builder) error {
	r, err := open(in, b)
	if err != nil {
		return err
	}
	r.all()
	for _, root := range r.roots {
		if root.get("crash", "error").ok() {
			(&ksCrash{r, root}).read()
		}
	}
	if r.rows == 0 {
		return r.heldNothing("crash.error of a report of KSCrash")
	}
	return nil
}

type ksCrash struct {
	*report
	root value
}

func (k *ksCrash) read() {
	system, e := k.root.get("system"), k.root.get("crash", "error")
	k.b.Snapshot(table.Stamp{Wall: k.time(k.root.get("report", "timestamp")), Line: k.line(k.root)})
	k.b.Process(k.pid(system.get("process_id")), k.sym(firstOf(system.get("process_name").text(), k.root.get("report", "process_name").text())))
	k.fact("device", system.get("machine"))
	k.fact("OS", system.get("system_name"))
	k.b.Fact("tool", "KSCrash")
	k.fact("version", k.root.get("report", "version"))
	memory := e.get("memory_termination")
	if !memory.ok() {
		memory = system.get("app_memory")
	}
	footprint, limit := memory.get("memory_footprint"), memory.get("memory_limit")
	size := k.figure(footprint, "memory_footprint")
	k.sample("process", "", "footprint", size, footprint)
	k.sample("process", "", "mem_limit", k.figure(limit, "memory_limit"), limit)
	k.fault(e, size, limit.text())
	k.b.Process(table.Int{}, table.Null)
	for _, m := range [][2]string{{"free", "mem_free"}, {"size", "mem_total"}} {
		v := system.get("memory", m[0])
		k.sample("system", "", m[1], k.figure(v, "memory."+m[0]), v)
	}
}

// time is in microseconds, or a date in older reports.
func (k *ksCrash) time(v value) table.Int {
	if n := v.int(); n.OK {
		return table.Int{V: n.V * 1000, OK: n.V > 0 && n.V < 1<<53}
	}
	return k.wall(v)
}

func (k *ksCrash) fault(e value, size table.Int, limit string) {
	kind := e.get("type").text()
	f := table.Fault{Kind: k.word("crash"), Line: k.line(e)}
	words := []string{kind}
	if kind == "memory_termination" {
		f.Kind, f.Size = k.word("oom-kill"), size
		if limit != "" {
			words = append(words, "limit "+limit)
		}
	} else {
		words = append(words, e.get("mach", "exception_name").text(), e.get("signal", "name").text(), e.get("nsexception", "name").text(), e.get("reason").text())
		f.Address, f.HasAddress = e.get("address").uint()
		f.HasAddress = f.HasAddress && (kind == "mach" || kind == "signal")
	}
	f.Detail = k.b.Text(strings.Join(notEmpty(words), ", "))
	f.Stack = callstack.Add(k.b, k.frames(), f.Line).Leaf
	k.b.Fault(f)
	k.rows++
}

func notEmpty(words []string) (out []string) {
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// frames are those of the thread that crashed.
func (k *ksCrash) frames() (out []callstack.Frame) {
	k.root.get("crash", "threads").each(func(_, t value) {
		if t.get("crashed").text() != "true" || out != nil {
			return
		}
		t.get("backtrace", "contents").each(func(_, f value) {
			call := callstack.Frame{Function: f.get("symbol_name").text(), Module: baseName(f.get("object_name").text())}
			if call.Function == "<redacted>" {
				call.Function = ""
			}
			call.Address, call.HasAddress = f.get("instruction_addr").uint()
			out = append(out, call)
		})
	})
	return out
}
