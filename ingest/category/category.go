// Package category says what kind of memory a mapping is, by its name alone: on Android the row of `dumpsys meminfo`
// that the system itself counts it to, on Linux one of heap, stack, anon, gpu, shared, special and file. The formats
// of mappings share it; it knows no format and no table.
//
// The Android rules are those of AOSP's libmeminfo (androidprocheaps.cpp; before Android 11 load_maps in
// android_os_Debug.cpp), names of older releases added.
package category

// Class is what a mapping counts to. Subcategory is a part of the category (".Heap" of "Dalvik Heap") and empty where
// there is none.
type Class struct{ Category, Subcategory string }

// Rules is the set of rules of one platform. All mappings of one snapshot are classified by the same set.
type Rules struct {
	set *set
}

// The sets of rules.
var (
	OfAndroid = Rules{compile(android)}
	OfLinux   = Rules{compile(linux)}
)

// For gives the rules of a snapshot of which Android said whether it was taken on Android.
func For(android bool) Rules {
	if android {
		return OfAndroid
	}
	return OfLinux
}

// marks are beginnings of names that only Android has.
var marks = []string{
	"[anon:libc_malloc]", "[anon:scudo:", "[anon:dalvik-", "[anon:.bss]", "/dev/ashmem/", "/dev/__properties__/",
	"/apex/", "/system/framework/", "/system/lib", "/system/bin/",
}

// Android says whether this name marks the capture that it stands in as one of Android.
func Android(path []byte) bool {
	if len(path) < 6 || path[0] != '[' && path[0] != '/' || !mayMark[path[1]] {
		return false
	}
	for _, m := range marks {
		if starts(path, m) {
			return true
		}
	}
	return false
}

// mayMark holds the second letters of marks, so that most names are told in one step.
var mayMark = [256]bool{'a': true, 'd': true, 's': true}

// Classify gives the class of a mapping by its name as printed; the empty name is anonymous memory. It allocates
// nothing and its strings are constants.
func (r Rules) Classify(path []byte) Class {
	if cut := r.set.cut; cut != "" && ends(path, cut) {
		path = path[:len(path)-len(cut)]
	}
	if len(path) == 0 {
		return r.set.unnamed
	}
	if len(path) <= r.set.longest {
		if class, ok := r.set.exact[string(path)]; ok {
			return class
		}
	}
	rows := r.set.byFirst[path[0]]
	for i := range rows {
		if rows[i].match(path) {
			return rows[i].class
		}
	}
	return r.set.named
}

// Chained is the category that goes on over unnamed mappings: on Android one that begins where a library's mapping ends
// is the library's .bss, on kernels that give it no name, and so is what adjoins that in turn. Empty: there is none.
func (r Rules) Chained() string { return r.set.chained }
