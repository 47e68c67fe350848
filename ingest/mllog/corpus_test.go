package mllog

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// unpacked gives the text of a file of the corpus.
func unpacked(t testing.TB, path string) string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// holding are the rows that hold these words.
func holding(rows []string, words string) []string {
	var out []string
	for _, r := range rows {
		if strings.Contains(r, words) {
			out = append(out, r)
		}
	}
	return out
}

var corpusRows = []struct {
	file, words string
	count       int
	first       string // the value of the first
}{
	{"vllm-l4.log", "pool | KV cache 000 | kv_usage", 21, "367000"},
	{"vllm-l4.log", "4394 | APIServer | pool | KV cache 000 | requests_waiting", 21, "0"},
	{"vllm-l4.log", "4671 | EngineCore_DP0 | pool | KV cache | gpu_reserved", 1, "5100273664"},
	{"vllm-l4.log", "pool | KV cache | kv_tokens", 1, "38944"},
	{"vllm-l4.log", "category | CUDA graphs | gpu_allocated", 1, "408021893"},
	{"vllm-dgx-spark.log", "kv_usage", 24, "10000"},
	{"vllm-dgx-spark.log", "category | model | gpu_allocated", 1, "74453258076"},
	{"vllm-dgx-spark.log", "kv_tokens", 1, "1001532"},
	{"vllm-0.10-8gpu.log.gz", "pool | KV cache 000 | kv_usage", 59, "0"},
	{"vllm-0.10-8gpu.log.gz", "gpu_reserved", 8, "59721520251"},
	{"vllm-0.10-8gpu.log.gz", "772000 | VllmWorker rank=7 | pool | KV cache | gpu_reserved", 1, "60215441490"},
	{"vllm-startup-oom.log", "kv_usage", 0, ""},
	{"vllm-startup-oom.log", "category | model | gpu_allocated", 1, "102681930629"},
	{"deepspeed-see-memory-usage-constructed.log", "gpu_allocated |", 12, "6904159928"},
	{"deepspeed-see-memory-usage-constructed.log", "GPU (after backward) | gpu_allocated |", 6, "7569879859"},
	{"deepspeed-see-memory-usage-constructed.log", "system | - | mem_used", 12, "45204530790"},
}

func TestCorpus(t *testing.T) {
	for _, c := range corpusRows {
		for _, path := range corpus(t, "nvidia/"+c.file) {
			text, f := unpacked(t, path), DecodeVLLM
			if strings.HasPrefix(c.file, "deepspeed") {
				f = DecodeDeepSpeed
			}
			r := decode(t, f, c.file, text)
			if r.err != nil || len(r.problems) > 0 {
				t.Errorf("%s: %v %q", c.file, r.err, r.problems)
			}
			rows := holding(r.dump(t, table.Samples, sampleColumns), c.words)
			if len(rows) != c.count || c.count > 0 && strings.Split(rows[0], " | ")[6] != c.first {
				t.Errorf("%s %s: %d rows, want %d: %q", c.file, c.words, len(rows), c.count, append(rows, "")[0])
			}
		}
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "nvidia")
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := unpacked(t, path)
		head := []byte(text[:min(len(text), source.HeadSize)])
		if vllm := strings.HasPrefix(d.Name(), "vllm-"); SniffVLLM(head) != vllm {
			t.Errorf("%s as vllm-log: %v", path, !vllm)
		}
		if deep := strings.HasPrefix(d.Name(), "deepspeed-"); SniffDeepSpeed(head) != deep {
			t.Errorf("%s as deepspeed-log: %v", path, !deep)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
