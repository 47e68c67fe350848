package report

import (
	"cmp"
	"slices"
	"strings"
)

// app is the stand-in of a process; none stays none.
func (r *redactor) app(process string) string {
	if process == "" {
		return ""
	}
	return r.apps.of(strings.ToLower(process))
}

// run is the stand-in of a run.
func (r *redactor) run(run string) string { return cmp.Or(r.runs[run], r.text(run)) }

// file is what stands for the path of a file.
func (r *redactor) file(path string) string {
	i := strings.LastIndexAny(path, `/\`)
	return r.folder(path[:i+1]) + r.base(path[i+1:])
}

// folder is what stands for a directory, given with its separator at the end.
func (r *redactor) folder(dir string) string {
	bare := strings.TrimRight(dir, `/\`)
	if bare == "" || bare == "." || bare == ".." || slices.Contains(systemDirs, bare) || slices.Contains(openDirs, bare) {
		return dir
	}
	return r.dirs.of(bare) + dir[len(bare):]
}

// base is what stands for the name of a file, with what says of which kind it is.
func (r *redactor) base(name string) string {
	if vocabulary(name) || openName(name) {
		return name
	}
	word, ending := telltale(name)
	out := r.files.of(name)
	if word != "" {
		out += "-" + word
	}
	return out + ending
}

// text hides what was learnt in a text: at each place the longest name that is known.
func (r *redactor) text(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if end, to := r.match(text, i); end > i {
			b.WriteString(to)
			i = end
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// match finds what begins at a place of a text and is to be hidden: where it ends, and what stands for it.
func (r *redactor) match(text string, i int) (end int, to string) {
	begins := i == 0 || !partOfName(text[i-1]) || text[i-1] == '-' && text[i] == '/'
	if begins {
		end, to = r.matchPath(text, i)
	}
	if i == 0 || !letter(text[i-1]) {
		if e, t := r.matchWord(text, i); e >= end && e > i {
			end, to = e, t
		}
	}
	if begins || separator(text[i-1]) {
		if e := longestName(text, i, func(s string) bool { return r.files.known[s] }); e > max(end, i) {
			return e, r.base(text[i:e])
		}
	}
	if begins {
		e := longestName(text, i, func(s string) bool {
			return r.runs[s] != "" && !strings.ContainsAny(s, `/\`) && len(s) >= 3 && !vocabulary(s)
		})
		if e > max(end, i) {
			return e, r.runs[text[i:e]]
		}
	}
	return end, to
}

// matchWord finds the longest process, user or host that begins at a place: alicefoo is not alice, alice_foo and alice-foo
// begin with her.
func (r *redactor) matchWord(text string, i int) (end int, to string) {
	ends := 0
	for j := i + 1; j <= len(text) && ends < mostEnds; j++ {
		if j < len(text) && letter(text[j]) {
			continue
		}
		ends++
		if key := strings.ToLower(text[i:j]); r.words[key] != nil {
			end, to = j, r.words[key].of(key)
		}
	}
	return end, to
}

// matchPath finds the path that begins at a place with a directory that is known, and all that follows in it.
func (r *redactor) matchPath(text string, i int) (end int, to string) {
	at := longestName(text, i, func(s string) bool { return r.dirs.known[s] || slices.Contains(openDirs, s) })
	isPath := at < len(text) && separator(text[at]) || strings.ContainsAny(text[i:at], `/\`)
	if at == i || !isPath {
		return i, ""
	}
	if at == len(text) || !separator(text[at]) {
		return at, strings.TrimRight(r.folder(text[i:at]+"/"), "/")
	}
	end = longestName(text, at+1, func(s string) bool { return r.files.known[s] })
	if end == at+1 {
		end = at + 1 + unbrokenPath(text[at+1:])
	}
	if slices.Contains(systemDirs, strings.TrimRight(text[i:i+strings.LastIndexAny(text[i:end], `/\`)], `/\`)) {
		return i, "" // a known one begins it, as /apex/x does /apex/x/lib64
	}
	return end, r.file(text[i:end])
}

// unbrokenPath is how much of a text belongs to a path that has begun before it.
func unbrokenPath(text string) int {
	for i := range len(text) {
		if strings.IndexByte(" \t\n\r\"'<>|:;,()[]{}", text[i]) >= 0 || text[i] == '!' && !strings.HasPrefix(text[i:], "!/") {
			return len(strings.TrimRight(text[:i], "."))
		}
	}
	return len(strings.TrimRight(text, "."))
}

// mostEnds is how many places are tried at which a name could end; paths are not deeper.
const mostEnds = 64

// longestName finds where the longest known name from i on ends: before a separator, or where no name goes on. It is i if
// there is none.
func longestName(text string, i int, known func(string) bool) int {
	out, ends := i, 0
	for j := i + 1; j <= len(text) && ends < mostEnds; j++ {
		if j == len(text) || separator(text[j]) || !partOfName(text[j]) || text[j] == '.' && (j+1 == len(text) || text[j+1] == ' ') {
			ends++
			if known(text[i:j]) {
				out = j
			}
		}
	}
	return out
}

func separator(c byte) bool { return c == '/' || c == '\\' }

func partOfName(c byte) bool { return letter(c) || strings.IndexByte(`/\.-_`, c) >= 0 || c >= 0x80 }

func letter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
