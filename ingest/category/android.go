package category

import "slices"

// Categories that several rules lead to.
const (
	native, dalvik, dalvikOther = "Native Heap", "Dalvik Heap", "Dalvik Other"
	so, dex, art                = ".so mmap", ".dex mmap", ".art mmap"
)

var (
	// boot marks the images that belong to the system and not to the app.
	boot = []string{"@boot", "/boot", "/apex"}

	android = platform{
		cut:     " (deleted)",
		chained: so,
		unnamed: Class{"Unknown", ""},
		named:   Class{"Other mmap", ""},
		exact:   map[string]Class{".dex": {"Other mmap", ""}}, // the rule of .dex wants more than the ending
		rows:    slices.Concat(androidByName, dalvikAreas("[anon:dalvik-"), dalvikAreas("/dev/ashmem/dalvik-"), androidByPlace),
	}
)

// androidByName are the rules that look at the whole name or at its end, which go before those of areas: the boot
// image mapped as "[anon:dalvik-/system/framework/boot.art]" is .art.
var androidByName = []row{
	{"[heap]", "", nil, Class{native, ""}},
	{"[anon:libc_malloc]", "", nil, Class{native, ""}},
	{"/dev/ashmem/libc malloc", "", nil, Class{native, ""}}, // Android 4
	{"[anon:scudo:", "", nil, Class{native, ""}},
	{"[anon:GWP-ASan", "", nil, Class{native, ""}},
	{"[stack", "", nil, Class{"Stack", ""}},
	{"[anon:stack_and_tls:", "", nil, Class{"Stack", ""}},
	{"", ".so", nil, Class{so, ""}},
	{"", ".jar", nil, Class{".jar mmap", ""}},
	{"", ".apk", nil, Class{".apk mmap", ""}},
	{"", ".ttf", nil, Class{".ttf mmap", ""}},
	{"", ".odex", nil, Class{dex, ".App dex"}},
	{"", "", []string{".dex"}, Class{dex, ".App dex"}},
	{"", ".vdex", boot, Class{dex, ".Boot vdex"}},
	{"", ".vdex", nil, Class{dex, ".App vdex"}},
	{"", ".oat", nil, Class{".oat mmap", ""}},
	{"", ".art", boot, Class{art, ".Boot art"}},
	{"", ".art", nil, Class{art, ".App art"}},
	{"", ".art]", boot, Class{art, ".Boot art"}},
	{"", ".art]", nil, Class{art, ".App art"}},
}

// dalvikAreas are the areas of the Java runtime, which Android 10 and later names with "[anon:dalvik-" and earlier
// ones with ashmem.
func dalvikAreas(prefix string) []row {
	areas := []row{
		{"alloc space", "", nil, Class{dalvik, ".Heap"}},
		{"main space", "", nil, Class{dalvik, ".Heap"}},
		{"large object space", "", nil, Class{dalvik, ".LOS"}},
		{"free list large object space", "", nil, Class{dalvik, ".LOS"}},
		{"non moving space", "", nil, Class{dalvik, ".NonMoving"}},
		{"zygote space", "", nil, Class{dalvik, ".Zygote"}},
		{"LinearAlloc", "", nil, Class{dalvikOther, ".LinearAlloc"}},
		{"indirect ref", "", nil, Class{dalvikOther, ".IndirectRef"}},
		{"jit-code-cache", "", nil, Class{dalvikOther, ".AppJIT"}},
		{"data-code-cache", "", nil, Class{dalvikOther, ".AppJIT"}},
		{"CompilerMetadata", "", nil, Class{dalvikOther, ".CompilerMetadata"}},
		{"", "", nil, Class{dalvikOther, ".GC"}},
	}
	for i := range areas {
		areas[i].starts = prefix + areas[i].starts
	}
	return areas
}

// androidByPlace are the rules of devices and of what is left.
var androidByPlace = []row{
	{"/dev/kgsl-3d0", "", nil, Class{"Gfx dev", ""}},
	{"/dev/ashmem/CursorWindow", "", nil, Class{"Cursor", ""}},
	{"/dev/ashmem/jit-zygote-cache", "", nil, Class{dalvikOther, ".ZygoteJIT"}},
	{"/dev/ashmem", "", nil, Class{"Ashmem", ""}},
	{"/dev/", "", nil, Class{"Other dev", ""}},
	{"/memfd:jit-cache", "", nil, Class{dalvikOther, ".AppJIT"}},
	{"/memfd:jit-zygote-cache", "", nil, Class{dalvikOther, ".ZygoteJIT"}},
	{"[anon:", "", nil, Class{"Unknown", ""}},
}
