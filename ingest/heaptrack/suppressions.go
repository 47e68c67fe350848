package heaptrack

import (
	"bytes"
	"strings"
)

// known are functions whose blocks heaptrack_print 1.4 leaves out of what is leaked: libc, the dynamic linker and glib
// keep them for the life of the process.
var known = map[string]bool{"__nss_module_allocate": true, "__gconv_read_conf": true, "__new_exitfn": true, "tzset_internal": true,
	"dl_open_worker": true, "g_main_context_new": true, "g_thread_self": true}

// suppressions are the patterns that a program brings along, in the form of LeakSanitizer: * stands for anything, ^ and $
// for the ends; without them a pattern may stand anywhere.
type suppressions []string

// add reads "leak:PATTERN".
func (s *suppressions) add(line []byte) {
	if p, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("leak:")); ok && len(p) > 0 {
		*s = append(*s, string(p))
	}
}

// match says whether one of the names of a call is suppressed.
func (s suppressions) match(names ...string) bool {
	for _, name := range names {
		if known[name] {
			return true
		}
		for _, p := range s {
			if name != "" && matches(p, name) {
				return true
			}
		}
	}
	return false
}

func matches(pattern, name string) bool {
	pattern, first := strings.CutPrefix(pattern, "^")
	pattern, last := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	for i, part := range parts {
		at := strings.Index(name, part)
		if i == len(parts)-1 && last && at >= 0 {
			at = len(name) - len(part)
			if !strings.HasSuffix(name, part) {
				return false
			}
			if i == 0 && first && at > 0 {
				return false
			}
		}
		if at < 0 || i == 0 && first && at > 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return true
}
