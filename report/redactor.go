package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
)

// redactor maps what is hidden to what stands for it.
type redactor struct {
	dirs, users, hosts names
	known              map[string]bool // directories; nil until replacing starts
	words              []word          // users and hosts, longest first
}

// names are originals of one kind; they are numbered in the order in which they are first replaced.
type names struct {
	prefix  string
	list    []string
	numbers map[string]int
}

func (n *names) add(original string) {
	if original != "" && !slices.Contains(n.list, original) {
		n.list = append(n.list, original)
	}
}

func (n *names) of(original string) string {
	if n.numbers[original] == 0 {
		n.numbers[original] = len(n.numbers) + 1
	}
	return fmt.Sprintf("%s%d", n.prefix, n.numbers[original])
}

// word is a name that is hidden wherever it stands by itself, in capitals or not.
type word struct {
	text string
	*names
}

func newRedactor() *redactor {
	kind := func(prefix string) names { return names{prefix: prefix, numbers: map[string]int{}} }
	return &redactor{dirs: kind("dir"), users: kind("user"), hosts: kind("host")}
}

var (
	// absolute finds paths inside sentences: from a root or a drive on, up to a blank or a quote.
	absolute = regexp.MustCompile(`(?:^|[^\w./\\])((?:~?/|[A-Za-z]:[\\/]|\\\\)(?:[^\s"'<>|:;,/\\]+[/\\])+)`)
	// relative finds the directories of a source file in a frame: src/core/heap.c:12.
	relative = regexp.MustCompile(`(?:[\w.+@~-]+[/\\])+[\w.+-]+\.\w+`)
	// homes are the places that hold a user's name.
	homes = regexp.MustCompile(`(?i)(?:/home/|/Users/|/export/home/|/var/home/|[A-Z]:[\\/](?:Users|Documents and Settings)[\\/])([^/\\\s"'<>|:;,]+)`)
	// address is user@host.
	address = regexp.MustCompile(`\b([A-Za-z_][\w.-]*)@([A-Za-z][\w-]*(?:\.[\w-]+)*)\b`)
	// uname is how kernels begin what they say of themselves, the host's name second.
	uname = regexp.MustCompile(`\b(?:Linux|Darwin|FreeBSD) ([\w.-]+) \d+\.\d+`)
	// server is the host of a URL or of a network path.
	server = regexp.MustCompile(`\b[a-z][a-z0-9+]*://(?:([^/\s@:]+)(?::[^/\s@]*)?@)?([^/\s:"'<>]+)`)
)

// public are directories that are the same on every system of their kind.
var public = []string{
	"before", "after", // the sides' own names
	"/home", "/Users", "/data", "/tmp", "/var", "/etc", "/opt", "/mnt", "/media", "/root", "/run", "/srv", "/usr", "/storage", "/sdcard", "/private",
	"/Library", "/Applications", "/Volumes", "/System", "/system", "/vendor", "/apex", "/product", "/odm",
	"/dev", "/dev/ashmem", "/dev/dri", "/dev/shm", "/proc", "/sys", "/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64",
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib/locale", "/usr/share", "/lib/x86_64-linux-gnu", "/system/bin",
	"/system/lib", "/system/lib64", "/system/framework", "/system/framework/arm", "/system/framework/arm64", "/system/fonts", "/system/app",
	"/system/priv-app", "/system/etc", "/vendor/lib", "/vendor/lib64", "/vendor/lib64/hw", "/vendor/lib64/egl", "/vendor/lib/hw",
	"/product/lib64", "/system_ext/lib64", "/apex/com.android.runtime/bin", "/apex/com.android.runtime/lib64", "/apex/com.android.runtime/lib64/bionic",
	"/apex/com.android.art/lib64", "/apex/com.android.art/javalib", "/apex/com.android.i18n/lib64", "/apex/com.android.vndk.v30/lib64",
	"/System/Library", "/System/Library/Frameworks", "/System/Library/PrivateFrameworks", "/System/Library/Fonts", "/usr/lib/system",
}

// common are user names that name nobody, and words too short or too usual to be taken out of sentences.
var common = []string{"root", "user", "users", "shell", "system", "admin", "shared", "public", "default", "guest", "home", "data", "app", "localhost", "none", "null",
	"before", "after", "process", "category", "region", "device", "leak", "step", "stable", "growth", "critical", "warning", "note"}

// path learns the directory of a string that is a path as a whole.
func (r *redactor) path(text string) {
	if i := strings.LastIndexAny(text, `/\`); i > 0 {
		r.dir(text[:i])
	}
	r.learn(text)
}

// run learns a run that is named by its folder.
func (r *redactor) run(text string) {
	if strings.ContainsAny(text, `/\`) {
		r.dir(text)
	}
}

// dir learns a directory and those above it, up to one that says nothing.
func (r *redactor) dir(dir string) {
	for {
		dir = strings.TrimRight(dir, `/\`)
		if dir == "" || dir == "." || dir == ".." || slices.Contains(public, dir) || len(dir) == 2 && dir[1] == ':' {
			return
		}
		r.dirs.add(dir)
		up := strings.LastIndexAny(dir, `/\`)
		if up <= 0 {
			return
		}
		dir = dir[:up]
	}
}

// frame learns the directories of sources.
func (r *redactor) frame(text string) {
	for _, found := range relative.FindAllString(text, -1) {
		r.dir(found[:strings.LastIndexAny(found, `/\`)])
	}
}

// learn finds what is to be hidden in any text.
func (r *redactor) learn(text string) {
	if rooted(text) && !strings.Contains(text, " /") && !strings.Contains(text, `: `) && strings.Count(text, " ") < 4 {
		if i := strings.LastIndexAny(text, `/\`); i > 0 {
			r.dir(text[:i])
		}
	}
	for _, m := range absolute.FindAllStringSubmatch(text, -1) {
		r.dir(m[1])
	}
	for _, m := range homes.FindAllStringSubmatch(text, -1) {
		learnWord(&r.users, m[1])
	}
	for _, m := range address.FindAllStringSubmatch(text, -1) {
		learnWord(&r.users, m[1])
		learnWord(&r.hosts, m[2])
	}
	for _, m := range uname.FindAllStringSubmatch(text, -1) {
		learnWord(&r.hosts, m[1])
	}
	for _, m := range server.FindAllStringSubmatch(text, -1) {
		learnWord(&r.users, m[1])
		learnWord(&r.hosts, m[2])
	}
}

// rooted says whether a text begins as an absolute path does. The name of a mapping is one as a whole, blanks
// included; a sentence is not.
func rooted(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, `\\`) || len(text) > 2 && text[1] == ':' && separator(text[2])
}

// fact learns from a fact whose name says that its value is a host, a user or a path.
func (r *redactor) fact(f analyze.Fact) {
	key := strings.ToLower(f.Name)
	switch {
	case strings.Contains(key, "host") || key == "node" || key == "nodename" || key == "machine_name":
		learnWord(&r.hosts, f.Value)
	case key == "user" || key == "username" || key == "login" || key == "owner":
		learnWord(&r.users, f.Value)
	}
}

func learnWord(to *names, text string) {
	text = strings.Trim(text, ".")
	if len(text) >= 3 && !slices.Contains(common, strings.ToLower(text)) {
		to.add(text)
	}
}

// prepare makes what was learnt quick to find.
func (r *redactor) prepare() {
	r.known = map[string]bool{}
	for _, dir := range r.dirs.list {
		r.known[dir] = true
	}
	for _, n := range []*names{&r.users, &r.hosts} {
		for _, text := range n.list {
			r.words = append(r.words, word{text, n})
		}
	}
	slices.SortStableFunc(r.words, func(a, b word) int { return len(b.text) - len(a.text) })
}

// replace hides what was learnt in a text.
func (r *redactor) replace(text string) string {
	if r.known == nil {
		r.prepare()
	}
	if strings.ContainsAny(text, `/\`) {
		text = r.hideDirs(text)
	}
	return r.hideWords(text)
}

// hideWords replaces names that stand for themselves: alicefoo is not alice, alice_foo and alice-foo begin with her.
func (r *redactor) hideWords(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if i == 0 || !letter(text[i-1]) {
			if w := r.word(text[i:]); w != nil {
				b.WriteString(w.of(strings.ToLower(w.text)))
				i += len(w.text)
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// word finds the longest word that a text begins with.
func (r *redactor) word(text string) *word {
	for i, w := range r.words {
		n := len(w.text)
		if n <= len(text) && strings.EqualFold(text[:n], w.text) && (n == len(text) || !letter(text[n])) {
			return &r.words[i]
		}
	}
	return nil
}

// hideDirs replaces the longest directory that is known wherever one can begin.
func (r *redactor) hideDirs(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		begins := i == 0 || !partOfName(text[i-1]) || text[i-1] == '-' && text[i] == '/'
		if begins {
			if end := r.longest(text, i); end > i {
				b.WriteString(r.dirs.of(text[i:end]))
				i = end
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// mostEnds is how many places are tried at which a directory could end; paths are not deeper.
const mostEnds = 64

// longest finds where the longest known directory from i on ends: before a separator, or at the end of a path that
// cannot be a word of a sentence. It is i if there is none.
func (r *redactor) longest(text string, i int) int {
	var ends []int
	for j := i + 1; j <= len(text) && len(ends) < mostEnds; j++ {
		if j == len(text) || separator(text[j]) || !partOfName(text[j]) || text[j] == '.' && (j+1 == len(text) || text[j+1] == ' ') {
			ends = append(ends, j)
		}
	}
	for _, end := range slices.Backward(ends) {
		if r.known[text[i:end]] && (end < len(text) && separator(text[end]) || strings.ContainsAny(text[i:end], `/\`)) {
			return end
		}
	}
	return i
}

func separator(c byte) bool { return c == '/' || c == '\\' }

func partOfName(c byte) bool { return letter(c) || strings.IndexByte(`/\.-_`, c) >= 0 || c >= 0x80 }

func letter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
