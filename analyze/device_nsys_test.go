package analyze_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtide/memtide/analyze"
	"github.com/ncruces/go-sqlite3"
)

// nsys is the same run as Nsight Systems sees it: a memory event for each cudaMalloc and cudaFree that PyTorch makes, with the call
// chain of the call. The memory of the extension is left out, as of a process that was not traced from its start.
func (c *cudaRun) nsys(t testing.TB) []byte {
	t.Helper()
	var sql strings.Builder
	sql.WriteString(`CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES (1,'cudaMalloc'),(2,'/usr/lib/libcudart.so.12'),(3,'grow_cache(int)'),(4,'/opt/train'),(5,'main'),(6,'load_weights(int)'),(9,'cudaMalloc_v3020');
		CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1750000000000000000);
		CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT); INSERT INTO PROCESSES VALUES ((1<<48)+(4242<<24), 4242, '/opt/train');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
		CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER);
		INSERT INTO CUDA_CALLCHAINS VALUES (1,1,2,NULL,256,0),(1,3,4,NULL,512,1),(1,5,4,NULL,768,2),(2,1,2,NULL,256,0),(2,6,4,NULL,1024,1),(2,5,4,NULL,768,2);
		CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, correlationId INTEGER);
	`)
	n := 0
	for _, e := range c.trace {
		f := e.(fields)
		action, addr, size, at := f[0].v.(string), f[1].v.(uint64), f[2].v.(uint64), int64(f[4].v.(uint64)-cudaStart)*1000
		if !strings.HasPrefix(action, "segment_") {
			continue
		}
		n++
		chain, op := 2, 0
		if len(f[5].v.([]any)) > 0 && f[5].v.([]any)[0].(fields)[0].v == "remember" {
			chain = 1
		}
		if action == "segment_free" {
			op = 1
		}
		fmt.Fprintf(&sql, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%d,%d,0,(1<<48)+(4242<<24)+4242,%d,9,0,%d);\n", at, at+500, n, chain)
		fmt.Fprintf(&sql, "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (%d,(1<<48)+(4242<<24),%d,%d,%d,2,%d,%d);\n", at, c.device, addr, size, op, n)
	}
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db, err := sqlite3.Open(path)
	if err == nil {
		err = db.Exec("PRAGMA journal_mode=OFF; BEGIN; " + sql.String() + "; COMMIT")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func keeping(r *analyze.Result) (out []string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		text := f.Rule + " " + f.Subject.Name
		if f.Joined != nil {
			for _, s := range f.Joined.Sides[1:] {
				text += " = " + s.Stack[0]
			}
			text += fmt.Sprintf(" +%d", len(f.Joined.Merged))
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// TestBothSidesByNsight: memory events of Nsight Systems are joined one to one, and of three captures one finding is made.
func TestBothSidesByNsight(t *testing.T) {
	c, _ := train("wall")
	r := bothSides(t, map[string][]byte{"cuda.ndjson": c.lines(), "run.sqlite": c.nsys(t)})
	d := &r.DeviceJoins[0] // the export ends with the last segment that is freed, before nine of the extension's buffers are made
	if len(r.DeviceJoins) != 1 || d.Joined != 30 || d.Both.Bytes != 504*oneMiB || d.Inside != nil || d.CPUOnly.Objects != 392 || d.GPUOnly.Objects != 0 || d.Clock != "wall" || len(d.Refused) != 1 {
		t.Errorf("%+v", d)
	}
	want := []string{"leaked grow_cache(int) = THPVariable_empty +1", "leaked vendor::Buffer::Buffer(unsigned long)"}
	if got := keeping(r); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r = bothSides(t, map[string][]byte{"cuda.ndjson": c.lines(), "run.sqlite": c.nsys(t), "torch.pickle": c.snapshot()})
	want[0] = "leaked remember = THPVariable_empty +2"
	if got := keeping(r); len(r.DeviceJoins) != 2 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBothSidesInDoubt: what is not sure is not joined.
func TestBothSidesInDoubt(t *testing.T) {
	c, _ := train("wall")
	join := func(log, snapshot []byte) *analyze.DeviceJoin {
		t.Helper()
		r := bothSides(t, map[string][]byte{"cuda.ndjson": log, "torch.pickle": snapshot})
		if n := len(r.DeviceJoins); n != 1 && (n != 2 || r.DeviceJoins[1].Device != "1") {
			t.Fatalf("%+v", r.DeviceJoins)
		}
		return &r.DeviceJoins[0]
	}
	edit := func(from, to string) []byte { return []byte(strings.ReplaceAll(string(c.lines()), from, to)) }
	for _, one := range []struct {
		name   string
		log    []byte
		joined int64
		why    string
	}{
		{"another number", edit(`"GPU 0"`, `"GPU 1"`), 0, "the devices are different"},
		{"no device, and there is one", edit(`"device":"GPU 0",`, ""), 30, "ranges"},
		{"a clock of last year", edit(`"ts_ns":175`, `"ts_ns":170`), 0, "do not overlap"},
		{"events lost", append(c.lines(), `{"ts_ns":1750000050000000000,"op":"mark","lost":1}`+"\n"...), 0, "does not hold all events"},
		{"no sizes", regexp.MustCompile(`"size":\d+,`).ReplaceAll(c.lines(), nil), 30, "ranges"},
	} {
		d := join(one.log, c.snapshot())
		if one.name == "another number" && (d.Device != "0" || d.Both.Objects != 0) {
			t.Errorf("%+v", d)
		}
		if d.Joined != one.joined || one.why != "" && !strings.Contains(strings.Join(refused(d), "; "), one.why) {
			t.Errorf("%s: %d joined, want %d; %q", one.name, d.Joined, one.joined, refused(d))
		}
	}
}

// TestBothSidesOfTwoProcesses: two snapshots that both claim an address may be of two processes with the same addresses.
func TestBothSidesOfTwoProcesses(t *testing.T) {
	c, _ := train("wall")
	r := bothSides(t, map[string][]byte{"cuda.ndjson": c.lines(), "rank0.pickle": c.snapshot(), "rank1.pickle": c.snapshot()})
	for _, d := range r.DeviceJoins {
		if d.Joined != 0 || !strings.Contains(strings.Join(refused(&d), "; "), "several captures") {
			t.Errorf("%+v", d)
		}
	}
	if len(r.DeviceJoins) != 2 {
		t.Errorf("%d devices", len(r.DeviceJoins))
	}
}

// TestBothSidesShuffled: the order of lines changes nothing.
func TestBothSidesShuffled(t *testing.T) {
	c, _ := train("wall")
	first := bothSides(t, map[string][]byte{"cuda.ndjson": c.lines(), "torch.pickle": c.snapshot()}).DeviceJoins
	body := c.log[1:]
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(body), func(i, k int) { body[i], body[k] = body[k], body[i] })
	if again := bothSides(t, map[string][]byte{"cuda.ndjson": c.lines(), "torch.pickle": c.snapshot()}).DeviceJoins; fmt.Sprintf("%+v", again[0].Both) != fmt.Sprintf("%+v", first[0].Both) || again[0].Joined != first[0].Joined {
		t.Errorf("%+v, want %+v", again[0], first[0])
	}
}

// TestBothSidesDeviceNotNamed: which device memory is of that a log does not say depends on all that are named, and not on which of
// them stands first.
func TestBothSidesDeviceNotNamed(t *testing.T) {
	c, _ := train("wall")
	var first []analyze.DeviceJoin
	for _, ts := range []int{cudaStart * 1000, cudaStart*1000 + 20e9, cudaStart*1000 + 39e9} {
		log := strings.ReplaceAll(string(c.lines()), `"device":"GPU 0",`, "") + fmt.Sprintf(`{"ts_ns":%d,"tid":1,"op":"alloc","kind":"gpu-memory","device":"GPU 1","addr":"0x10","size":16,"stack":["f"]}`+"\n", ts)
		got := bothSides(t, map[string][]byte{"cuda.ndjson": []byte(log), "torch.pickle": c.snapshot()}).DeviceJoins
		if first == nil {
			first = got
		}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", first) {
			t.Errorf("%d: %+v, want %+v", ts, got, first)
		}
	}
}
