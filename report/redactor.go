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
	known              []string          // directories, longest first; nil until replacing starts
	words              *regexp.Regexp    // users and hosts
	standIn            map[string]string // by lower case, of words
}

// names numbers originals in the order in which they are met.
type names struct {
	prefix string
	list   []string
}

func (n *names) add(original string) {
	if original != "" && !slices.Contains(n.list, original) {
		n.list = append(n.list, original)
	}
}

func (n *names) of(original string) string {
	return fmt.Sprintf("%s%d", n.prefix, slices.Index(n.list, original)+1)
}

func newRedactor() *redactor {
	return &redactor{dirs: names{prefix: "dir"}, users: names{prefix: "user"}, hosts: names{prefix: "host"}}
}

var (
	// absolute finds paths inside sentences: from a root or a drive on, up to a blank or a quote.
	absolute = regexp.MustCompile(`(?:^|[^\w.:/\\~-])((?:~?/|[A-Za-z]:[\\/]|\\\\)(?:[^\s"'<>|:;,/\\]+[/\\])+)`)
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
	"/dev", "/dev/ashmem", "/dev/dri", "/dev/shm", "/proc", "/sys", "/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64",
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib/locale", "/usr/share", "/lib/x86_64-linux-gnu", "/system/bin",
	"/system/lib", "/system/lib64", "/system/framework", "/system/framework/arm", "/system/framework/arm64", "/system/fonts", "/system/app",
	"/system/priv-app", "/system/etc", "/vendor/lib", "/vendor/lib64", "/vendor/lib64/hw", "/vendor/lib64/egl", "/vendor/lib/hw",
	"/product/lib64", "/system_ext/lib64", "/apex/com.android.runtime/bin", "/apex/com.android.runtime/lib64", "/apex/com.android.runtime/lib64/bionic",
	"/apex/com.android.art/lib64", "/apex/com.android.art/javalib", "/apex/com.android.i18n/lib64", "/apex/com.android.vndk.v30/lib64",
	"/System/Library", "/System/Library/Frameworks", "/System/Library/PrivateFrameworks", "/System/Library/Fonts", "/usr/lib/system",
}

// common are user names that name nobody, and words too short or too usual to be taken out of sentences.
var common = []string{"root", "user", "users", "shell", "system", "admin", "shared", "public", "default", "guest", "home", "data", "app", "localhost", "none", "null"}

// path learns the directory of a string that is a path as a whole.
func (r *redactor) path(text string) {
	if i := strings.LastIndexAny(text, `/\`); i > 0 {
		r.dir(text[:i])
	}
	r.learn(text)
}

func (r *redactor) dir(dir string) {
	dir = strings.TrimRight(dir, `/\`)
	if dir != "" && dir != "." && dir != ".." && !slices.Contains(public, dir) && !(len(dir) == 2 && dir[1] == ':') {
		r.dirs.add(dir)
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
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, `\\`) || len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') {
		if i := strings.LastIndexAny(text, `/\`); i > 0 && !strings.Contains(text[:i], ": ") && strings.Count(text, " ") < 4 {
			r.dir(text[:i])
		}
	}
	for _, m := range absolute.FindAllStringSubmatch(text, -1) {
		r.dir(m[1])
	}
	for _, m := range homes.FindAllStringSubmatch(text, -1) {
		r.word(&r.users, m[1])
	}
	for _, m := range address.FindAllStringSubmatch(text, -1) {
		r.word(&r.users, m[1])
		r.word(&r.hosts, m[2])
	}
	for _, m := range uname.FindAllStringSubmatch(text, -1) {
		r.word(&r.hosts, m[1])
	}
	for _, m := range server.FindAllStringSubmatch(text, -1) {
		r.word(&r.users, m[1])
		r.word(&r.hosts, m[2])
	}
}

// fact learns from a fact whose name says that its value is a host, a user or a path.
func (r *redactor) fact(f analyze.Fact) {
	key := strings.ToLower(f.Name)
	switch {
	case strings.Contains(key, "host") || key == "node" || key == "nodename" || key == "machine_name":
		r.word(&r.hosts, f.Value)
	case key == "user" || key == "username" || key == "login" || key == "owner":
		r.word(&r.users, f.Value)
	}
}

func (r *redactor) word(to *names, text string) {
	text = strings.Trim(text, ".")
	if len(text) >= 2 && !slices.Contains(common, strings.ToLower(text)) {
		to.add(text)
	}
}

// prepare orders what was learnt for replacing: longest first, so that no directory is cut by its parent.
func (r *redactor) prepare() {
	r.known = slices.Clone(r.dirs.list)
	slices.SortFunc(r.known, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	r.standIn = map[string]string{}
	var all []string
	for _, n := range []*names{&r.users, &r.hosts} {
		for _, text := range n.list {
			if key := strings.ToLower(text); r.standIn[key] == "" {
				r.standIn[key] = n.of(text)
				all = append(all, regexp.QuoteMeta(text))
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	if len(all) > 0 {
		r.words = regexp.MustCompile(`(?i)` + strings.Join(all, "|"))
	}
}

// replace hides what was learnt in a text.
func (r *redactor) replace(text string) string {
	if r.standIn == nil {
		r.prepare()
	}
	if strings.ContainsAny(text, `/\`) {
		for _, dir := range r.known {
			text = r.hide(text, dir)
		}
	}
	if r.words == nil {
		return text
	}
	return r.words.ReplaceAllStringFunc(text, func(found string) string { return r.standIn[strings.ToLower(found)] })
}

// hide replaces a directory where it stands whole: before a separator, or at the end of a path that cannot be a word.
func (r *redactor) hide(text, dir string) string {
	standIn := r.dirs.of(dir)
	var b strings.Builder
	for {
		i := strings.Index(text, dir)
		if i < 0 {
			return b.String() + text
		}
		end := i + len(dir)
		starts := i == 0 && b.Len() == 0 || i > 0 && !partOfName(text[i-1])
		followed := end < len(text) && (text[end] == '/' || text[end] == '\\')
		ends := strings.ContainsAny(dir, `/\`) && (end == len(text) || !partOfName(text[end]))
		b.WriteString(text[:i])
		if starts && (followed || ends) {
			b.WriteString(standIn)
		} else {
			b.WriteString(dir)
		}
		text = text[end:]
	}
}

func partOfName(c byte) bool {
	return c == '/' || c == '\\' || c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
