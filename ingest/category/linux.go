package category

// linux are the rules of a system without names of its own for its areas. A file's own name may be anything, so a rule
// looks at the beginning alone: "/opt/app/[heap]" and "/x/looks (deleted)" are files.
var linux = platform{
	unnamed: Class{"anon", ""},
	named:   Class{"file", ""},
	rows: []row{
		{"[stack", "", nil, Class{"stack", ""}},
		{"[anon: glibc: malloc", "", nil, Class{"heap", ""}}, // glibc.mem.decorate_maps
		{"[anon: glibc: pthread stack", "", nil, Class{"stack", ""}},
		{"[anon:", "", nil, Class{"anon", ""}},
		{"/dev/nvidia", "", nil, Class{"gpu", ""}},
		{"/dev/dri/", "", nil, Class{"gpu", ""}},
		{"/dev/kfd", "", nil, Class{"gpu", ""}},
		{"/dmabuf:", "", nil, Class{"gpu", ""}},
		{"anon_inode:dmabuf", "", nil, Class{"gpu", ""}},
		{"/memfd:", "", nil, Class{"shared", ""}},
		{"/SYSV", "", nil, Class{"shared", ""}},
		{"/dev/shm/", "", nil, Class{"shared", ""}},
		{"/dev/zero", "", nil, Class{"shared", ""}},
		{"[anon_shmem:", "", nil, Class{"shared", ""}},
		{"//anon", "", nil, Class{"shared", ""}},
		{"[", "]", nil, Class{"special", ""}}, // [vdso] [vvar] [vsyscall] [uprobes] …
		{"/dev/", "", nil, Class{"special", ""}},
		{"anon_inode:", "", nil, Class{"special", ""}},
		{"socket:", "", nil, Class{"special", ""}},
		{"pipe:", "", nil, Class{"special", ""}},
	},
	exact: map[string]Class{"[heap]": {"heap", ""}},
}
