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
	dirs, files, apps, users, hosts names
	runs                            map[string]string // their stand-ins
	words                           map[string]*names // processes, users and hosts in small letters; filled by prepare
}

// names are originals of one kind; they are numbered in the order in which they are first replaced.
type names struct {
	prefix  string
	known   map[string]bool
	numbers map[string]int
}

func (n *names) add(original string) {
	if original != "" {
		n.known[original] = true
	}
}

func (n *names) of(original string) string {
	if n.numbers[original] == 0 {
		n.numbers[original] = len(n.numbers) + 1
	}
	return fmt.Sprintf("%s%d", n.prefix, n.numbers[original])
}

func newRedactor() *redactor {
	kind := func(prefix string) names { return names{prefix, map[string]bool{}, map[string]int{}} }
	return &redactor{dirs: kind("dir"), files: kind("file"), apps: kind("app"), users: kind("user"), hosts: kind("host"), runs: map[string]string{}}
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

// path learns a string that is the path of a file as a whole.
func (r *redactor) path(text string) {
	base := text
	if i := strings.LastIndexAny(text, `/\`); i >= 0 {
		base = text[i+1:]
		r.dir(text[:i])
	}
	if len(base) >= 3 && !vocabulary(base) && !openName(base) {
		r.files.add(base)
	}
	r.learn(text)
}

// addRun learns the name of a run, which is that of a file or folder.
func (r *redactor) addRun(run string, number int) {
	if strings.ContainsAny(run, `/\`) {
		r.dir(run)
	}
	r.runs[run] = fmt.Sprintf("run%d", number)
}

// dir learns a directory and those above it, up to one that says nothing.
func (r *redactor) dir(dir string) {
	for {
		dir = strings.TrimRight(dir, `/\`)
		if dir == "" || dir == "." || dir == ".." || slices.Contains(systemDirs, dir) || slices.Contains(openDirs, dir) || len(dir) == 2 && dir[1] == ':' {
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

func (r *redactor) frames(stacks ...[]string) {
	for _, stack := range stacks {
		for _, frame := range stack {
			r.frame(frame)
		}
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

// fact learns from a fact whose name says that its value is a host, a user or a process.
func (r *redactor) fact(f analyze.Fact) {
	key := strings.ToLower(f.Name)
	switch {
	case strings.Contains(key, "host") || strings.Contains(key, "serial") || key == "node" || key == "nodename" || key == "machine_name":
		learnWord(&r.hosts, f.Value)
	case key == "user" || key == "username" || key == "login" || key == "owner":
		learnWord(&r.users, f.Value)
	case key == "process" || key == "package" || key == "cmdline" || key == "command" || key == "comm" || key == "app" || key == "bundle_id":
		learnWord(&r.apps, f.Value)
	}
	if _, of, ok := strings.Cut(f.Name, " of "); ok { // "baselineAverage of TEST METRIC"; a test is the process of its samples
		learnWord(&r.apps, of[:max(0, strings.LastIndexByte(of, ' '))])
	}
}

// factName hides what a fact is about. The word in front of it is of the capture's format.
func (r *redactor) factName(name string) string {
	word, of, ok := strings.Cut(name, " of ")
	if !ok {
		return name
	}
	return word + " of " + r.text(of)
}

// learnWord learns a name to be hidden wherever it stands by itself, unless a sentence would lose a word of its own.
func learnWord(to *names, text string) {
	text = strings.Trim(text, ".")
	if len(text) >= 3 && !vocabulary(text) {
		to.add(text)
	}
}

// prepare makes what was learnt quick to find. A name that is of two kinds is of the first.
func (r *redactor) prepare() {
	r.words = map[string]*names{}
	for _, kind := range []*names{&r.hosts, &r.users, &r.apps} {
		for text := range kind.known {
			r.words[strings.ToLower(text)] = kind
		}
	}
}
