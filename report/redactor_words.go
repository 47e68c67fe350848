package report

import (
	"slices"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// openDirs are directories whose names say nothing and whose files may: what stands in them is hidden.
var openDirs = []string{
	"before", "after", // the sides' own names
	"/home", "/Users", "/data", "/tmp", "/var", "/opt", "/mnt", "/media", "/root", "/run", "/srv", "/storage", "/sdcard", "/private", "/Applications", "/Volumes",
}

// systemDirs are the same on every system of their kind, with the files in them.
var systemDirs = []string{
	"/etc", "/usr", "/Library", "/System", "/system", "/vendor", "/apex", "/product", "/odm",
	"/dev", "/dev/ashmem", "/dev/dri", "/dev/shm", "/proc", "/sys", "/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64",
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib/locale", "/usr/share", "/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/system/bin",
	"/system/lib", "/system/lib64", "/system/framework", "/system/framework/arm", "/system/framework/arm64", "/system/fonts", "/system/app",
	"/system/priv-app", "/system/etc", "/vendor/lib", "/vendor/lib64", "/vendor/lib64/hw", "/vendor/lib64/egl", "/vendor/lib/hw",
	"/product/lib64", "/system_ext/lib64", "/apex/com.android.runtime/bin", "/apex/com.android.runtime/lib64", "/apex/com.android.runtime/lib64/bionic",
	"/apex/com.android.art/lib64", "/apex/com.android.art/javalib", "/apex/com.android.i18n/lib64", "/apex/com.android.vndk.v30/lib64",
	"/System/Library", "/System/Library/Frameworks", "/System/Library/PrivateFrameworks", "/System/Library/Fonts", "/usr/lib/system",
}

// common are names that name nobody, and words too usual to be taken out of sentences.
var common = strings.Fields(`root user users shell system admin shared public default guest home data app localhost none null
	before after process processes category region device leak leaks step stable growth critical warning note plateau falling
	memory heap native total side sides run runs file files capture captures sample samples kernel mapping mappings grows grew
	all any the and both not more less with from server service main test`)

// vocabulary says whether a name is a word of our own sentences.
func vocabulary(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(common, name) || slices.ContainsFunc(table.Metrics, func(m table.Metric) bool { return m.Name == name })
}

// kinds of captures and files, which stay in the stand-in of a file's name; the longer ones first.
var telltales = strings.Fields(`smaps_rollup bugreport tombstone heaptrack footprint psrecord jetsam procrank librank showmap meminfo memcheck
	gfxinfo mm_stat pidstat massif dumpsys logcat status policy vmmap statm smaps pprof trace dmesg leaks base maps pmap heap nsys asan lsan lmkd zram oom gpu`)

// fileEndings are those that stay.
var fileEndings = strings.Fields(`txt log json jsonl ndjson csv tsv xml html md yaml yml gz zst zip tar tgz pb heap hprof ips crash sqlite pickle pkl out ms
	trace dat bin db so dylib dll exe apk dex odex vdex oat art jar ttf otf c cc cpp cxx h hpp go rs java kt py js ts swift m mm prom`)

// telltale finds what a file's name says of its kind: the word, and at most two endings. Numbers at the end, as of a
// version, are passed over.
func telltale(name string) (word, ending string) {
	lower := strings.ToLower(name)
	parts := strings.Split(lower, ".")
	for n := len(parts) - 1; n > 0 && strings.Count(ending, ".") < 2; n-- {
		switch {
		case slices.Contains(fileEndings, parts[n]):
			ending = "." + parts[n] + ending
			continue
		case ending == "" && strings.Trim(parts[n], "0123456789") == "":
			continue
		}
		break
	}
	if i := slices.IndexFunc(telltales, func(w string) bool { return strings.Contains(strings.TrimSuffix(lower, ending), w) }); i >= 0 {
		word = telltales[i]
	}
	return word, ending
}

// openName says whether a file's name holds nothing but words of ours and an ending: meminfo.txt, base.apk.
func openName(name string) bool {
	word, ending := telltale(name)
	return strings.ToLower(name) == word+ending || strings.Trim(name, ".-") == ""
}
