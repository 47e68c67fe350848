package gpu

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/source"
	"github.com/memtide/memtide/ingest/table"
)

// formats are those of the package.
var formats = []struct {
	name   string
	sniff  func([]byte) bool
	decode decoderFunc
}{
	{"nvidia-smi-csv", SniffCSV, DecodeCSV},
	{"nvidia-smi-xml", SniffXML, DecodeXML},
	{"nvidia-smi-q", SniffQ, DecodeQ},
	{"nvidia-smi-table", SniffTable, DecodeTable},
	{"nvidia-smi-mon", SniffMon, DecodeMon},
	{"gpu-csv", SniffLogger, DecodeLogger},
	{"gpu-prom", SniffProm, DecodeProm},
	{"rocm-smi-json", SniffROCm, DecodeROCm},
}

// claims names the formats that claim a head.
func claims(head []byte) string {
	var out []string
	for _, f := range formats {
		if f.sniff(head) {
			out = append(out, f.name)
		}
	}
	return strings.Join(out, ",")
}

func decoderOf(name string) decoderFunc {
	for _, f := range formats {
		if f.name == name {
			return f.decode
		}
	}
	return nil
}

// corpusRows is what a capture must give: rows, and of the rows that hold some words the number, the sum and the greatest of
// a column.
var corpusRows = []struct {
	file, format, words, column string
	count                       int
	sum, most                   int64
}{
	{"nvidia-smi-query-2xa6000-series.csv", "nvidia-smi-csv", "", "time_ns", 2838, 0, 478685000000},
	{"nvidia-smi-query-2xa6000-series.csv", "nvidia-smi-csv", "device | GPU 0 NVIDIA RTX A6000 | gpu_used", "value", 473, 473 * 26290946048, 26290946048},
	{"nvidia-smi-query-4090-series.csv", "nvidia-smi-csv", "", "value", 2619, 0, 19022217216},
	{"nvidia-smi-query-4090-series.csv", "nvidia-smi-csv", "device | GPU NVIDIA GeForce RTX 4090 | gpu_used", "value", 2619, 0, 19022217216},
	{"nvidia-smi-query-p100-nounits.csv", "nvidia-smi-csv", "GPU Tesla P100-PCIE-16GB | gpu_free", "value", 1, 17070817280, 17070817280},
	{"nvidia-smi-query-all-h100.csv", "nvidia-smi-csv", "", "line", 4, 8, 2},
	{"nvidia-smi-compute-apps-h100.csv", "nvidia-smi-csv", "process | - | gpu_used", "value", 3, 20759707648, 15690 << 20},
	{"nvidia-smi-compute-apps-h100.csv", "nvidia-smi-csv", "11345 | ./gpu_burn |", "value", 1, 15690 << 20, 15690 << 20},
	{"nvidia-smi-table-h100.txt", "nvidia-smi-table", "device | GPU 0 NVIDIA H100 80GB HBM3 | gpu_total", "value", 1, 85520809984, 85520809984},
	{"nvidia-smi-table-h100.txt", "nvidia-smi-table", "/root/tools/memhog | process | - | gpu_used", "value", 2, (2566 + 1542) << 20, 2566 << 20},
	{"nvidia-smi-q-h100.txt", "nvidia-smi-q", "device | GPU 0 NVIDIA H100 80GB HBM3 | gpu_used", "value", 1, 20780679168, 20780679168},
	{"nvidia-smi-q-h100.txt", "nvidia-smi-q", "", "line", 7, 0, 269},
	{"nvidia-smi-q-x-a100-mig.xml", "nvidia-smi-xml", "| GPU 0 NVIDIA A100-SXM4-40GB | gpu_used", "value", 1, 39845888, 39845888},
	{"nvidia-smi-q-x-a100-mig.xml", "nvidia-smi-xml", "gpu_total", "value", 3, (40960 + 2*19968) << 20, 40960 << 20},
	{"nvidia-smi-q-x-a100-mig.xml", "nvidia-smi-xml", "GPU 0 NVIDIA A100-SXM4-40GB MIG 2 | gpu_used", "value", 1, 19 << 20, 19 << 20},
	{"nvidia-smi-q-x-4090-drv535.xml", "nvidia-smi-xml", "| gpu_free", "value", 1, 25390219264, 25390219264},
	{"nvidia-smi-q-x-p100.xml", "nvidia-smi-xml", "| gpu_driver_reserved", "value", 1, 103 << 20, 103 << 20},
	{"gpu-usage-pynvml-t4.csv", "gpu-csv", "", "time_ns", 270, 0, 71070335300},
	{"gpu-usage-pynvml-t4.csv", "gpu-csv", "device | GPU | gpu_used", "value", 135, 0, 1070 << 20},
	{"dcgm-exporter-t4-excerpt.prom", "gpu-prom", "gpu_free", "value", 1, 15842934784, 15842934784},
	{"prometheus-nvidia-smi-exporter-h100-load.metrics", "gpu-prom", "device | GPU 0 NVIDIA H100 80GB HBM3 | gpu_free", "value", 1, 64238911488, 64238911488},
	{"prometheus-nvidia-smi-exporter-h100-load.metrics", "gpu-prom", "11345 | ./gpu_burn", "value", 1, 16452157440, 16452157440},
	{"rocm-smi-mi100-rocm602-excerpt.json", "rocm-smi-json", "gpu_total", "value", 2, 68685922304, 34342961152},
	{"rocm-smi-mi100-rocm602-excerpt.json", "rocm-smi-json", "GPU 1 Arcturus GL-XL [Instinct MI100] | gpu_used", "value", 1, 6750208, 6750208},
}

func TestCorpus(t *testing.T) {
	columns := strings.Fields(sampleColumns)
	for _, c := range corpusRows {
		for _, path := range corpus(t, "nvidia/"+c.file) {
			text := read(t, path)
			if got := claims([]byte(text)[:min(len(text), source.HeadSize)]); got != c.format {
				t.Errorf("%s is claimed by %q", c.file, got)
			}
			r := decode(t, decoderOf(c.format), c.file, text)
			if r.err != nil || len(r.problems) > 0 {
				t.Errorf("%s: %v %q", c.file, r.err, r.problems)
			}
			var n int
			var sum, most int64
			for _, row := range r.dump(t, table.Samples, sampleColumns) {
				if strings.Contains(row, c.words) {
					n++
					v, _ := strconv.ParseInt(strings.Split(row, " | ")[slices.Index(columns, c.column)], 10, 64)
					sum += v
					most = max(most, v)
				}
			}
			if n != c.count || most != c.most || c.sum != 0 && sum != c.sum {
				t.Errorf("%s %q: %d rows, sum %d, most %d; want %d, %d, %d", c.file, c.words, n, sum, most, c.count, c.sum, c.most)
			}
		}
	}
}

// TestCorpusWithoutBytes: dmon and pmon without -s m tell no bytes, and say what is to be done.
func TestCorpusWithoutBytes(t *testing.T) {
	for _, path := range corpus(t, "nvidia/nvidia-smi-[dp]mon-*.txt") {
		text := read(t, path)
		r := decode(t, DecodeMon, "x", text)
		if claims([]byte(text)) != "nvidia-smi-mon" || r.err == nil || !strings.Contains(r.err.Error(), "-s m") {
			t.Errorf("%s: %v", path, r.err)
		}
	}
}

// TestCorpusIsNotClaimed: no other file of the corpus is taken for one of this package's; the collection of many sections is
// claimed by two of them.
func TestCorpusIsNotClaimed(t *testing.T) {
	corpus(t, "nvidia")
	dir := filepath.Join(root(t), "..", "shared", "corpus")
	ours := map[string]string{"nvidia-smi-capture-h100.txt": "nvidia-smi-q,nvidia-smi-table", "nvidia-smi-dmon-h100.txt": "nvidia-smi-mon", "nvidia-smi-pmon-h100.txt": "nvidia-smi-mon"}
	for _, c := range corpusRows {
		ours[c.file] = c.format
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if head, _ := io.ReadAll(io.LimitReader(f, source.HeadSize)); claims(head) != ours[d.Name()] {
			t.Errorf("%s is claimed by %q", path, claims(head))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
