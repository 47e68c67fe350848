package gpu

// want is what a capture gives.
type want struct {
	err      string // words of the error
	problems []string
	rows     []string
}

// wanted is by format and file.
var wanted = map[string]want{
	"nvidia-smi-csv/bad-ambiguous.csv": {
		err: "bad-ambiguous.csv:3:1: want a column index, uuid or pci.bus_id: rows at one time are of se",
	},
	"nvidia-smi-csv/bad-cut.csv": {
		problems: []string{
			`bad-cut.csv:3:25: want a size such as 841 MiB, have "10x MiB"`,
			`bad-cut.csv:4:1: want a time such as 2026/07/14 08:12:53.353, have "yesterday"`,
			"bad-cut.csv:5:1: want as many cells as the header has, 3, have another line",
			"bad-cut.csv:7:27: want 3 cells, have the end of the file behind 2: the row is cut",
		},
		rows: []string{
			"0 | - | - | GPU 0 | gpu_used | 104857600 | 2",
			"3000000000 | - | - | GPU 0 | gpu_used | 108003328 | 6",
		},
	},
	"nvidia-smi-csv/compute-apps.csv": {
		rows: []string{
			"0 | 4100 | python train.py --sizes 1,2,3 | - | gpu_used | 3145728000 | 2",
			"0 | 4200 | - | - | gpu_used | 314572800 | 4",
			"1000000000 | 4100 | python train.py --sizes 1,2,3 | - | gpu_used | 2621440000 | 5",
		},
	},
	"nvidia-smi-csv/two-gpus.csv": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA L4 | gpu_total | 24152899584 | 2",
			"0 | - | - | GPU 0 NVIDIA L4 | gpu_driver_reserved | 524288000 | 2",
			"0 | - | - | GPU 0 NVIDIA L4 | gpu_used | 1073741824 | 2",
			"0 | - | - | GPU 0 NVIDIA L4 | gpu_free | 22554869760 | 2",
			"1000000 | - | - | GPU 1 NVIDIA L4 | gpu_total | 24152899584 | 3",
			"1000000 | - | - | GPU 1 NVIDIA L4 | gpu_driver_reserved | 524288000 | 3",
			"1000000 | - | - | GPU 1 NVIDIA L4 | gpu_free | 23592960000 | 3",
			"1000000000 | - | - | GPU 0 NVIDIA L4 | gpu_total | 24152899584 | 5",
			"1000000000 | - | - | GPU 0 NVIDIA L4 | gpu_driver_reserved | 524288000 | 5",
			"1000000000 | - | - | GPU 0 NVIDIA L4 | gpu_used | 2147483648 | 5",
			"1000000000 | - | - | GPU 0 NVIDIA L4 | gpu_free | 21481127936 | 5",
			"1001000000 | - | - | GPU 1 NVIDIA L4 | gpu_total | 24152899584 | 6",
			"1001000000 | - | - | GPU 1 NVIDIA L4 | gpu_driver_reserved | 524288000 | 6",
			"1001000000 | - | - | GPU 1 NVIDIA L4 | gpu_used | 41943040 | 6",
			"1001000000 | - | - | GPU 1 NVIDIA L4 | gpu_free | 23586668544 | 6",
		},
	},
	"nvidia-smi-csv/uuid-nounits.csv": {
		rows: []string{
			"0 | - | - | GPU Tesla T4 GPU-1111 | gpu_used | 104857600 | 2",
			"0 | - | - | GPU Tesla T4 GPU-1111 | gpu_free | 15728640000 | 2",
			"0 | - | - | GPU Tesla T4 GPU-2222 | gpu_used | 0 | 3",
			"0 | - | - | GPU Tesla T4 GPU-2222 | gpu_free | 15833497600 | 3",
			"1000000000 | - | - | GPU Tesla T4 GPU-1111 | gpu_used | 115343360 | 4",
			"1000000000 | - | - | GPU Tesla T4 GPU-1111 | gpu_free | 15718154240 | 4",
			"1000000000 | - | - | GPU Tesla T4 GPU-2222 | gpu_used | 0 | 5",
			"1000000000 | - | - | GPU Tesla T4 GPU-2222 | gpu_free | 15833497600 | 5",
		},
	},
	"nvidia-smi-xml/bad-cut.xml": {
		problems: []string{
			`bad-cut.xml:4:13: want a time such as Mon Aug  7 11:10:06 2023, have "Someday 10:00:00 2025"`,
			`bad-cut.xml:14:16: want a size such as 841 MiB, have "5o00 MiB"`,
			`bad-cut.xml:23:10: want a pid, have "seven"`,
			`bad-cut.xml:46:10: want a pid, have "seven"`,
			"bad-cut.xml:105: want </nvidia_smi_log>, have the end of the file: it is cut",
		},
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_total | 48305799168 | 12",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_driver_reserved | 629145600 | 13",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_free | 41943040000 | 15",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_total | 10334765056 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_driver_reserved | 0 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_used | 12582912 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_free | 10322182144 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_total | 42949672960 | 39",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_used | 524288000 | 41",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_free | 41943040000 | 42",
			"1000000000 | - | - | GPU 0 NVIDIA L40S | gpu_total | 48305799168 | 69",
			"1000000000 | - | - | GPU 0 NVIDIA L40S | gpu_driver_reserved | 629145600 | 70",
			"1000000000 | - | - | GPU 0 NVIDIA L40S | gpu_used | 5347737600 | 71",
			"1000000000 | - | - | GPU 0 NVIDIA L40S | gpu_free | 41943040000 | 72",
			"1000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_total | 10334765056 | 91",
			"1000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_driver_reserved | 0 | 91",
			"1000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_used | 12582912 | 91",
			"1000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_free | 10322182144 | 91",
			"1000000000 | - | - | GPU 1 NVIDIA A100 | gpu_total | 42949672960 | 96",
			"1000000000 | - | - | GPU 1 NVIDIA A100 | gpu_used | 524288000 | 98",
			"1000000000 | - | - | GPU 1 NVIDIA A100 | gpu_free | 41943040000 | 99",
		},
	},
	"nvidia-smi-xml/one-line.xml": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_total | 48305799168 | 1",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_driver_reserved | 629145600 | 1",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_used | 5242880000 | 1",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_free | 41943040000 | 1",
			"0 | 77 | python <a> & b | - | gpu_used | 4299161600 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_total | 10334765056 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_driver_reserved | 0 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_used | 12582912 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_free | 10322182144 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_total | 42949672960 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_used | 524288000 | 1",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_free | 41943040000 | 1",
		},
	},
	"nvidia-smi-xml/series.xml": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_total | 48305799168 | 12",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_driver_reserved | 629145600 | 13",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_used | 5242880000 | 14",
			"0 | - | - | GPU 0 NVIDIA L40S | gpu_free | 41943040000 | 15",
			"0 | 77 | python <a> & b | - | gpu_used | 4299161600 | 26",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_total | 10334765056 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_driver_reserved | 0 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_used | 12582912 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_free | 10322182144 | 34",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_total | 42949672960 | 39",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_used | 524288000 | 41",
			"0 | - | - | GPU 1 NVIDIA A100 | gpu_free | 41943040000 | 42",
			"5000000000 | - | - | GPU 0 NVIDIA L40S | gpu_total | 48305799168 | 69",
			"5000000000 | - | - | GPU 0 NVIDIA L40S | gpu_driver_reserved | 629145600 | 70",
			"5000000000 | - | - | GPU 0 NVIDIA L40S | gpu_used | 5347737600 | 71",
			"5000000000 | - | - | GPU 0 NVIDIA L40S | gpu_free | 41943040000 | 72",
			"5000000000 | 77 | python <a> & b | - | gpu_used | 4404019200 | 83",
			"5000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_total | 10334765056 | 91",
			"5000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_driver_reserved | 0 | 91",
			"5000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_used | 12582912 | 91",
			"5000000000 | - | - | GPU 1 NVIDIA A100 MIG 3 | gpu_free | 10322182144 | 91",
			"5000000000 | - | - | GPU 1 NVIDIA A100 | gpu_total | 42949672960 | 96",
			"5000000000 | - | - | GPU 1 NVIDIA A100 | gpu_used | 524288000 | 98",
			"5000000000 | - | - | GPU 1 NVIDIA A100 | gpu_free | 41943040000 | 99",
		},
	},
	"nvidia-smi-q/bad-cut.txt": {
		problems: []string{
			`bad-cut.txt:4:45: want a time such as Tue Jul 14 08:12:53 2026, have "noon"`,
			`bad-cut.txt:13:45: want a size such as 841 MiB, have "many"`,
			`bad-cut.txt:24:45: want a pid, have "nine"`,
			"bad-cut.txt:27:51: want a size such as 841 MiB, have the end of the file in it",
			"bad-cut.txt:27: want 2 GPUs as the log says, have the end of the file behind 1: it is cut",
		},
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_driver_reserved | 314572800 | 14",
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_used | 2516582400 | 15",
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_free | 20971520000 | 16",
		},
	},
	"nvidia-smi-q/memory-only.txt": {
		rows: []string{
			"0 | - | - | GPU 0 | gpu_total | 24146608128 | 11",
			"0 | - | - | GPU 0 | gpu_used | 17825792 | 12",
			"0 | - | - | GPU 0 | gpu_free | 23814209536 | 13",
		},
	},
	"nvidia-smi-q/series.txt": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_total | 24146608128 | 13",
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_driver_reserved | 314572800 | 14",
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_used | 2516582400 | 15",
			"0 | - | - | GPU 0 NVIDIA A10 | gpu_free | 20971520000 | 16",
			"0 | 900 | ./worker: one | - | gpu_used | 2097152000 | 27",
			"0 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_total | 6241124352 | 37",
			"0 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_driver_reserved | 0 | 38",
			"0 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_used | 11534336 | 39",
			"0 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_free | 6229590016 | 40",
			"0 | - | - | GPU 1 NVIDIA A30 | gpu_total | 25769803776 | 42",
			"0 | - | - | GPU 1 NVIDIA A30 | gpu_used | 46137344 | 44",
			"0 | - | - | GPU 1 NVIDIA A30 | gpu_free | 25165824000 | 45",
			"5000000000 | - | - | GPU 0 NVIDIA A10 | gpu_total | 24146608128 | 59",
			"5000000000 | - | - | GPU 0 NVIDIA A10 | gpu_driver_reserved | 314572800 | 60",
			"5000000000 | - | - | GPU 0 NVIDIA A10 | gpu_used | 2621440000 | 61",
			"5000000000 | - | - | GPU 0 NVIDIA A10 | gpu_free | 20971520000 | 62",
			"5000000000 | 900 | ./worker: one | - | gpu_used | 2097152000 | 73",
			"5000000000 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_total | 6241124352 | 83",
			"5000000000 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_driver_reserved | 0 | 84",
			"5000000000 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_used | 11534336 | 85",
			"5000000000 | - | - | GPU 1 NVIDIA A30 MIG 5 | gpu_free | 6229590016 | 86",
			"5000000000 | - | - | GPU 1 NVIDIA A30 | gpu_total | 25769803776 | 88",
			"5000000000 | - | - | GPU 1 NVIDIA A30 | gpu_used | 46137344 | 90",
			"5000000000 | - | - | GPU 1 NVIDIA A30 | gpu_free | 25165824000 | 91",
		},
	},
	"nvidia-smi-table/bad-cut.txt": {
		problems: []string{
			`bad-cut.txt:14:47: want a size such as 841 MiB, have "7o00MiB"`,
			"bad-cut.txt:35: want the line that ends the table of processes, have the end of the file: it is cut",
		},
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB | gpu_used | 94371840 | 10",
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB | gpu_total | 42949672960 | 10",
			"0 | - | - | GPU 1 NVIDIA A100-SXM4-40GB | gpu_total | 42949672960 | 14",
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB MIG 1 | gpu_used | 38797312 | 25",
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB MIG 1 | gpu_total | 20937965568 | 25",
		},
	},
	"nvidia-smi-table/mig.txt": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB | gpu_used | 94371840 | 10",
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB | gpu_total | 42949672960 | 10",
			"0 | - | - | GPU 1 NVIDIA A100-SXM4-40GB | gpu_used | 7340032000 | 14",
			"0 | - | - | GPU 1 NVIDIA A100-SXM4-40GB | gpu_total | 42949672960 | 14",
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB MIG 1 | gpu_used | 38797312 | 25",
			"0 | - | - | GPU 0 NVIDIA A100-SXM4-40GB MIG 1 | gpu_total | 20937965568 | 25",
			"0 | 31000 | python | - | gpu_used | 7256145920 | 34",
		},
	},
	"nvidia-smi-table/old-series.txt": {
		rows: []string{
			"0 | - | - | GPU 0 GeForce RTX 208... | gpu_used | 524288000 | 11",
			"0 | - | - | GPU 0 GeForce RTX 208... | gpu_total | 8366587904 | 11",
			"0 | 1200 | /usr/lib/xorg/Xorg | - | gpu_used | 125829120 | 18",
			"2000000000 | - | - | GPU 0 GeForce RTX 208... | gpu_used | 534773760 | 28",
			"2000000000 | - | - | GPU 0 GeForce RTX 208... | gpu_total | 8366587904 | 28",
		},
	},
	"nvidia-smi-mon/bad-cut.txt": {
		problems: []string{
			`bad-cut.txt:3:9: want a size such as 841 MiB, have "10x0"`,
			`bad-cut.txt:4:4: want the number of a GPU, have "zz"`,
			"bad-cut.txt:6:11: want as many columns as the header has, have the end of the line: the row is cut",
		},
		rows: []string{
			"0 | - | - | GPU 1 | gpu_used | 1049624576 | 5",
		},
	},
	"nvidia-smi-mon/bad-no-bytes.txt": {
		err: "bad-no-bytes.txt:1: held nothing: want the column fb, have none, and mem is a share of tim",
	},
	"nvidia-smi-mon/dmon-date.txt": {
		rows: []string{
			"0 | - | - | GPU 0 | gpu_used | 1048576000 | 3",
			"1000000000 | - | - | GPU 0 | gpu_used | 1153433600 | 5",
			"1000000000 | - | - | GPU 1 | gpu_used | 20971520 | 8",
		},
	},
	"nvidia-smi-mon/pmon.txt": {
		rows: []string{
			"0 | 5000 | python3 -m x | - | gpu_used | 1048576000 | 3",
			"1000000000 | 5000 | python3 -m x | - | gpu_used | 838860800 | 6",
		},
	},
	"gpu-csv/bad-cut.csv": {
		problems: []string{
			`bad-cut.csv:3:21: want a size such as 841 MiB, have "-5"`,
			`bad-cut.csv:4:1: want a time such as 2026/07/14 08:12:53.353, have "1x"`,
			"bad-cut.csv:5:25: want the end of the line, have that of the file: the figure in front of it may be cut",
		},
		rows: []string{
			"0 | - | - | GPU | gpu_used | 104857600 | 2",
			"0 | - | - | GPU | gpu_total | 1048576000 | 2",
			"1000000000 | - | - | GPU | gpu_total | 1048576000 | 3",
			"3000000000 | - | - | GPU | gpu_used | 7340032 | 5",
		},
	},
	"gpu-csv/epoch.csv": {
		rows: []string{
			"0 | - | - | GPU | gpu_used | 104857600 | 2",
			"0 | - | - | GPU | gpu_total | 16106127360 | 2",
			"500000000 | - | - | GPU | gpu_used | 157810688 | 3",
			"500000000 | - | - | GPU | gpu_total | 16106127360 | 3",
			"1000000000 | - | - | GPU | gpu_total | 16106127360 | 4",
		},
	},
	"gpu-csv/iso.csv": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA L4 | gpu_used | 104857600 | 2",
			"0 | - | - | GPU 1 NVIDIA L4 | gpu_used | 209715200 | 3",
			"1000000000 | - | - | GPU 0 NVIDIA L4 | gpu_used | 115343360 | 4",
		},
	},
	"gpu-prom/bad-cut.prom": {
		problems: []string{
			`bad-cut.prom:1:28: want labels in braces and a value behind them, have " 5"`,
			`bad-cut.prom:2:30: want a number that is not negative, have "-5"`,
			`bad-cut.prom:4:1: want a label pid, have ""`,
			"bad-cut.prom:5:32: want the end of the line, have that of the file: the value in front of it may be cut",
		},
		rows: []string{
			"0 | - | - | GPU 0 | gpu_free | 104857600 | 3",
		},
	},
	"gpu-prom/dcgm.prom": {
		rows: []string{
			"0 | - | - | GPU 0 NVIDIA A30 | gpu_used | 734003200 | 7",
			"0 | - | - | GPU 0 NVIDIA A30 MIG 3 | gpu_used | 12582912 | 9",
			"0 | - | - | GPU 0 NVIDIA A30 | gpu_free | 24117248000 | 13",
			"15000000000 | - | - | GPU 0 NVIDIA A30 | gpu_used | 838860800 | 18",
			"15000000000 | - | - | GPU 1 NVIDIA A30 | gpu_used | 31457280 | 19",
		},
	},
	"gpu-prom/smi.prom": {
		rows: []string{
			"0 | 10 | ./a | - | gpu_used | 1048577024 | 1",
			"0 | - | - | GPU 0 NVIDIA H100 | gpu_used | 2000000000 | 5",
			"0 | - | - | GPU 0 NVIDIA H100 | gpu_total | 85000000000 | 7",
			"1000000000 | 10 | ./a | - | gpu_used | 1148576000 | 9",
			"1000000000 | - | - | GPU 0 NVIDIA H100 | gpu_used | 2100000000 | 10",
		},
	},
	"rocm-smi-json/bad-cut.json": {
		problems: []string{
			`bad-cut.json:3:31: want a size such as 841 MiB, have "lots"`,
			`bad-cut.json:7:35: want a string that ends in its line, have "\"12"`,
			"bad-cut.json:7: want } at the end of the object, have the end of the file: it is cut",
		},
		rows: []string{
			"0 | - | - | GPU 0 | gpu_used | 77 | 4",
		},
	},
	"rocm-smi-json/pretty.json": {
		rows: []string{
			"0 | - | - | GPU 2 | gpu_total | 34342961152 | 3",
			"0 | - | - | GPU 2 | gpu_used | 6750208 | 4",
		},
	},
	"rocm-smi-json/series.json": {
		rows: []string{
			`0 | - | - | GPU 0 Instinct "A" | gpu_total | 68702699520 | 2`,
			`0 | - | - | GPU 0 Instinct "A" | gpu_used | 1000 | 2`,
			"0 | - | - | GPU 1 D65209 | gpu_total | 68702699520 | 2",
			`10000000000 | - | - | GPU 0 Instinct "A" | gpu_total | 68702699520 | 4`,
			`10000000000 | - | - | GPU 0 Instinct "A" | gpu_used | 2000 | 4`,
			"10000000000 | - | - | GPU 1 D65209 | gpu_total | 68702699520 | 4",
			"10000000000 | - | - | GPU 1 D65209 | gpu_used | 3000 | 4",
		},
	},
}
