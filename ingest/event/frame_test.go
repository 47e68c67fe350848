package event

import (
	"fmt"
	"testing"

	"github.com/memtide/memtide/ingest/callstack"
)

func show(f callstack.Frame) string {
	s := fmt.Sprintf("%s|%s|%s", f.Function, f.Module, f.SourceFile)
	if f.SourceLine.OK {
		s += fmt.Sprintf(":%d", f.SourceLine.V)
	}
	if f.HasAddress {
		s += fmt.Sprintf("|%#x", f.Address)
	}
	return s
}

func TestFrame(t *testing.T) {
	for in, want := range map[string]string{
		"main": "main||", "main+88": "main||", "main+0x13 [app]": "main|app|", "operator+": "operator+||",
		"std::map<int, A>::at(int const&) [/opt/bin/my app]": "std::map<int, A>::at(int const&)|my app|",
		"0x7f53b5ed44a3":                           "|||0x7f53b5ed44a3",
		"0x55d0 [app]":                             "|app||0x55d0",
		"+0x11b4 [app]":                            "app+0x11b4|app|",
		"/opt/bin/app+0x11b4":                      "app+0x11b4|app|",
		"libc.so.6+0x2724a":                        "libc.so.6+0x2724a|libc.so.6|",
		"/usr/lib/libc.so.6(malloc+0x13) [0x7f10]": "malloc|libc.so.6||0x7f10",
		"/opt/bin/app(+0x11b4) [0x55d0]":           "app+0x11b4|app||0x55d0",
		"/opt/bin/app() [0x55d0]":                  "|app||0x55d0",
		"[0x55d0]":                                 "|||0x55d0",
		"[unknown] [libstdc++.so.6]":               "|libstdc++.so.6|",
		"foo(int) [clone .cold]":                   "foo(int) [clone .cold]||",
		"-[Cache add:] [App]":                      "-[Cache add:]|App|",
		"load@src/a.c:12":                          "load||src/a.c:12",
		"load+0x13@src/a.c:12:7 [app]":             "load|app|src/a.c:12",
		"load@/ci/job@2/src/a.c:12":                "load||/ci/job@2/src/a.c:12",
		`load@C:\src\a.c:12`:                       `load||C:\src\a.c:12`,
		"malloc@@GLIBC_2.2.5":                      "malloc@@GLIBC_2.2.5||",
		"malloc@@GLIBC_2.2.5@malloc.c:9":           "malloc@@GLIBC_2.2.5||malloc.c:9",
		"puts@plt":                                 "puts@plt||",
		"?get@Box@@QEAAHXZ@box.cpp:4":              "?get@Box@@QEAAHXZ||box.cpp:4",
		"f@a.c:99999999999999999999":               "f@a.c:99999999999999999999||",
		"@a.c:1":                                   "@a.c:1||", "@": "@||", "[": "[||", "]": "]||", "[]": "||", " []": "||",
	} {
		if got := show(parseFrame(in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestSecondsForms(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "1": 1e9, "1.5": 15e8, "0.000000001": 1, "0.0000000019": 1, "1731000000.123456789": 1731000000123456789,
		"1.630295756873e3": 1630295756873, "1E-9": 1, "1e+3": 1e12, "9223372036.854775807": 1<<63 - 1, "0e999": 0, "1e-30": 0,
		"0.99999999999999999999999": 999999999,
		"9223372036.854775808":      -1, "": -1, ".5": -1, "-1": -1, "1e": -1, "1e1000": -1, "1e10": -1, "1.2.3": -1, "NaN": -1, "99999999999999999999": -1,
	} {
		got, ok := seconds([]byte(in))
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d %v, want %d", in, got, ok, want)
		}
	}
}
