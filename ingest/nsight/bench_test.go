package nsight

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memtide/memtide/ingest/internal/tabletest"
	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
	"github.com/ncruces/go-sqlite3"
)

// generate writes an export with so many calls: 60 names, of which 3 are counted, and as many memory events as a tenth.
func generate(tb testing.TB, calls int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "generated.sqlite")
	db, err := sqlite3.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(fmt.Sprintf(`PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
		CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER);
		INSERT INTO StringIds WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<59) SELECT i, 'cudaCall'||i||'_v3020' FROM n;
		UPDATE StringIds SET value='cudaEventCreateWithFlags_v3020' WHERE id=0;
		UPDATE StringIds SET value='cudaEventDestroy_v3020' WHERE id=1;
		UPDATE StringIds SET value='cudaMalloc_v3020' WHERE id=2;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<%d) SELECT 200000000+i*2000, 200000000+i*2000+900+i%%700, 0, 281546145665170+i%%4, i+1, i%%60, 0, NULL FROM n;
		INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<%d) SELECT 200000000+i*20000, 281546145660928, 0, 1, 140000000000000+(i/2)%%997*2097152, 0, 2097152, 2, i%%2, '', i*10+1 FROM n;
		COMMIT;`, calls-1, calls/10-1)); err != nil {
		tb.Fatal(err)
	}
	return path
}

func decodeFile(tb testing.TB, path string) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	in, err := source.NewInput("x", f)
	if err != nil {
		tb.Fatal(err)
	}
	b := table.NewBuilder("x", "nsys-sqlite")
	if err := DecodeSQLite(in, b); err != nil {
		tb.Fatal(err)
	}
	table.Assemble([]*table.Part{b.Done()})
}

// scanBare is the least that SQLite asks for: every row of the calls visited, two of its columns read.
func scanBare(tb testing.TB, path string) {
	each(tb, path, "SELECT nameId, end FROM CUPTI_ACTIVITY_KIND_RUNTIME", func(s *sqlite3.Stmt) { bareSum += s.ColumnInt64(0) + s.ColumnInt64(1) })
}

var bareSum int64

// scanNaive is what a script does: a join with the names, every column as a value of its own, a map of counts.
func scanNaive(tb testing.TB, path string) {
	counts := map[string]int{}
	values := make([]any, 9)
	each(tb, path, "SELECT r.*, s.value FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId ORDER BY r.end", func(s *sqlite3.Stmt) {
		if err := s.Columns(values...); err != nil {
			tb.Fatal(err)
		}
		counts[values[8].(string)]++
	})
}

func each(tb testing.TB, path, sql string, visit func(*sqlite3.Stmt)) {
	tb.Helper()
	db, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READONLY)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	s, _, err := db.Prepare(sql)
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	for s.Step() {
		visit(s)
	}
	if s.Err() != nil {
		tb.Fatal(s.Err())
	}
}

// BenchmarkRatios reads one export in three ways in turn and reports how they compare, by the CPU time of the whole
// process: from the file to rows in order, a bare scan of the calls, and the query that a script would send.
func BenchmarkRatios(b *testing.B) {
	const calls = 2_000_000
	path := generate(b, calls)
	var d, n, f time.Duration
	for b.Loop() {
		d += tabletest.CPUOf(func() { decodeFile(b, path) })
		n += tabletest.CPUOf(func() { scanBare(b, path) })
		f += tabletest.CPUOf(func() { scanNaive(b, path) })
	}
	rows := calls / 1e6 * float64(b.N)
	b.ReportMetric(rows/d.Seconds(), "decode-Mcalls/CPUs")
	b.ReportMetric(rows/n.Seconds(), "bare-Mcalls/CPUs")
	b.ReportMetric(n.Seconds()/d.Seconds(), "of-bare")
	b.ReportMetric(f.Seconds()/d.Seconds(), "x-naive")
}

// BenchmarkStorages reads one export from each of the ways in which it is stored, in turn, by the CPU time of the whole
// process.
func BenchmarkStorages(b *testing.B) {
	const calls = 500_000
	path := generate(b, calls)
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func(n int64) { perBatch = n }(perBatch)
	perBatch = 1 << 16
	ways := map[string]func(){"sqlite": func() { decodeFile(b, path) }}
	stream := arrows(b, data)
	ways["arrow"] = func() { decodeText(b, DecodeArrow, stream) }
	for name, kind := range map[string]string{"parquetdir": "parquet", "arrowdir": "arrow", "arrowdir-zstd": "arrow-zstd", "arrowdir-lz4": "arrow-lz4"} {
		fsys := exported(b, data, writers[kind])
		ways[name] = func() {
			decodeText(b, func(in *source.Input, rows *table.Builder) error { return DecodeFolder(fsys, in.Name, rows) }, nil)
		}
	}
	took := map[string]time.Duration{}
	for b.Loop() {
		for name, read := range ways {
			took[name] += tabletest.CPUOf(read)
		}
	}
	for name, d := range took {
		b.ReportMetric(calls*1.1/1e6*float64(b.N)/d.Seconds(), name+"-Mrows/CPUs")
	}
}

func BenchmarkDecode(b *testing.B) {
	path := generate(b, 2_000_000)
	for b.Loop() {
		decodeFile(b, path)
	}
}

// jsonText is an export in lines of JSON with so many calls, of which a twentieth is counted.
func jsonText(calls int) []byte {
	var w bytes.Buffer
	w.WriteString(`{"data":["[Unknown]","cudaEventCreateWithFlags_v3020"`)
	for i := range 18 {
		fmt.Fprintf(&w, `,"cudaCall%d_v3020"`, i)
	}
	w.WriteString("]}\n")
	for i := range calls {
		fmt.Fprintf(&w, `{"Type":48,"TraceProcessEvent":{"startNs":"%d","endNs":"%d","correlationId":%d,"eventClass":0,"name":"%d","returnValue32":0,"globalTid":"281546145665170"}}`+"\n", 200000000+2000*i, 200000900+2000*i, i+1, i%20)
	}
	return w.Bytes()
}

// csvText is a details page of ncu with so many rows, of which a tenth is counted.
func csvText(rows int) []byte {
	var w bytes.Buffer
	w.WriteString(`"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value"` + "\n")
	for i := range rows {
		name := "Executed Ipc Active"
		if i%10 == 0 {
			name = "L2 Hit Rate"
		}
		fmt.Fprintf(&w, `"%d","4100","bench","127.0.0.1","void gemm<float, 128>(const float *)","1","7","Memory Workload Analysis","%s","%%","%d.%02d"`+"\n", i/10, name, i%100, i%97)
	}
	return w.Bytes()
}

func decodeText(tb testing.TB, f decoderFunc, text []byte) {
	in, err := source.NewInput("x", bytes.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	b := table.NewBuilder("x", "test")
	if err := f(in, b); err != nil {
		tb.Fatal(err)
	}
	table.Assemble([]*table.Part{b.Done()})
}

// BenchmarkTextRatios compares the decoders of text with a bare scan of the lines and with what a script does.
func BenchmarkTextRatios(b *testing.B) {
	for _, c := range []struct {
		name  string
		f     decoderFunc
		text  []byte
		naive func([]byte)
	}{
		{"jsonlines", DecodeJSONLines, jsonText(100_000), func(text []byte) {
			for line := range bytes.Lines(text) {
				var v map[string]any
				_ = json.Unmarshal(line, &v)
			}
		}},
		{"ncu", DecodeNCU, csvText(100_000), func(text []byte) { _, _ = csv.NewReader(bytes.NewReader(text)).ReadAll() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var d, n, f time.Duration
			for b.Loop() {
				d += tabletest.CPUOf(func() { decodeText(b, c.f, c.text) })
				n += tabletest.CPUOf(func() {
					for line := range bytes.Lines(c.text) {
						bareSum += int64(len(line))
					}
				})
				f += tabletest.CPUOf(func() { c.naive(c.text) })
			}
			mb := float64(len(c.text)) / 1e6 * float64(b.N)
			b.ReportMetric(mb/d.Seconds(), "decode-MB/CPUs")
			b.ReportMetric(n.Seconds()/d.Seconds(), "of-newlines")
			b.ReportMetric(f.Seconds()/d.Seconds(), "x-naive")
		})
	}
}
