package analyze

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// stacksLog is a log in which each of n objects has a stack of ten calls of its own, whose callers many share; every second is freed.
func stacksLog(n int) []byte {
	var w bytes.Buffer
	for i := range n {
		fmt.Fprintf(&w, `{"ts_ns":%d,"tid":1,"pid":77,"op":"alloc","addr":"0x%x","size":48,"stack":["malloc","leaf_%d","f3_%d","f4_%d","f5_%d","f6_%d","f7_%d","run","loop","main"]}`+"\n",
			1000*i, 0x10000000+64*i, i%997, i%10007, i/10%1009, i/100%503, i/1000%101, i/10000%11)
		if i%2 == 0 {
			fmt.Fprintf(&w, `{"ts_ns":%d,"tid":1,"pid":77,"op":"free","addr":"0x%x"}`+"\n", 1000*i+500, 0x10000000+64*i)
		}
	}
	return w.Bytes()
}

// deepChains is a data file of heaptrack in which each of n traces calls the next, and each allocates.
func deepChains(n int) []byte {
	var w bytes.Buffer
	w.WriteString("v 10400 3\nX /opt/app/server\nI 1000 1000\ns f /opt/app/server\n")
	for i := range 200 {
		name := fmt.Sprintf("function_%d", i)
		fmt.Fprintf(&w, "s %x %s\ni %x 1 %x\n", len(name), name, 0x400000+16*i, i+2)
	}
	for i := range n {
		fmt.Fprintf(&w, "t %x %x\na %x %x\n+ %x\n", i%200+1, i, 16+i%64, i+1, i)
		if i%1000 == 999 {
			fmt.Fprintf(&w, "c %x\n", i)
		}
	}
	w.WriteString("# strings: 201\n# ips: 200\n")
	return w.Bytes()
}

// TestMemoryOfStacks: what an analysis takes at most is bounded by the stacks, not by what they look like written out. Of both
// much is the text itself and the rows of the result, which do not grow with it.
func TestMemoryOfStacks(t *testing.T) {
	for _, c := range []struct {
		name string
		text []byte
		most uint64
	}{
		{"log", stacksLog(40_000), 140 << 20},
		{"chains", deepChains(10_000), 160 << 20},
	} {
		defer debug.SetGCPercent(debug.SetGCPercent(20))
		var most atomic.Uint64
		stop := make(chan struct{})
		go watch(&most, stop)
		in := loadLog(t, bytes.NewReader(c.text), func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) })
		r := One([]Capture{in}, Defaults())
		close(stop)
		if most.Load() > c.most || len(r.Stacks) == 0 {
			t.Errorf("%s: %d MiB of heap, want at most %d; %d chains", c.name, most.Load()>>20, c.most>>20, len(r.Stacks))
		}
		t.Logf("%s: %d MiB of heap", c.name, most.Load()>>20)
	}
}

// TestChainsOfModules: calls in a row that are known by their module alone are one, in the chains of tables as of earlier results;
// addresses that are none are left out.
func TestChainsOfModules(t *testing.T) {
	text := strings.NewReader(`{"ts_ns":1,"pid":7,"op":"alloc","addr":"0x10","size":8,"stack":["f","0x7f0000000010 [libx.so]","0x7f0000000020 [libx.so]","0xffff700000000000","main"]}
{"ts_ns":2,"pid":7,"op":"alloc","addr":"0x20","size":4,"stack":["f","0x7f0000000030 [libx.so]","main"]}
{"ts_ns":3,"pid":7,"op":"alloc","addr":"0x30","size":2,"stack":["f","main"]}
`)
	in := loadLog(t, text, func(b *table.Builder) table.EventSink { return lifetime.NewStream(b) })
	var got []string
	for _, s := range One([]Capture{in}, Defaults()).Stacks {
		line := fmt.Sprint(*s.After.Bytes)
		for _, f := range s.Stack {
			line += " " + f.Function
		}
		got = append(got, line)
	}
	if want := "12 f [libx.so] main; 2 f main"; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %s", got, want)
	}
}
