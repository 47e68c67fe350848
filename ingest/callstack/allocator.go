package callstack

import "strings"

// allocators are functions that only pass an allocation on. The list is that of what libc, libstdc++ and libc++ export
// for it; nothing else of them (sysmalloc, arenas) is skipped, nor anything of the kernel.
var allocators = set("malloc calloc realloc reallocarray free cfree memalign aligned_alloc posix_memalign valloc pvalloc strdup strndup " +
	"__libc_malloc __libc_calloc __libc_realloc __libc_free __libc_memalign " +
	"__GI___libc_malloc __GI___libc_calloc __GI___libc_realloc __GI___libc_free __GI___libc_memalign")

// prefixes begin the names of allocator functions: mangled and demangled operators, interceptors of sanitizers.
var prefixes = []string{"operator new", "operator delete", "_Znw", "_Zna", "_Zdl", "_Zda", "__interceptor_"}

// allocatorModules begin the base names of libraries that are allocators, or stand in for one.
var allocatorModules = []string{"libjemalloc", "libtcmalloc", "vgpreload_", "libheaptrack"}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// IsAllocator says whether a function, or all of its module, only passes allocations on.
func IsAllocator(function, module string) bool {
	if allocators[function] {
		return true
	}
	for _, p := range prefixes {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	for _, p := range allocatorModules {
		if strings.HasPrefix(module, p) {
			return true
		}
	}
	return false
}
