package analyze

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// longestName bounds a demangled name, to the power of 2: names from captures can be made to unfold without end.
const longestName = 12

// readable is a name as it stands in the source: of C++ (Itanium) and Rust (legacy and v0) without their mangling. Tables and
// subjects keep the text of the capture; this is for what people read.
func readable(name string) string {
	if !mangled(name) {
		return name
	}
	plain := name
	if strings.HasPrefix(name, "__") { // Apple's linker has one underscore more
		plain = name[1:]
	}
	text, err := demangle.ToString(plain, demangle.MaxLength(longestName))
	if err != nil {
		return name
	}
	return text
}

func mangled(name string) bool {
	for _, p := range []string{"_Z", "__Z", "_R", "__R"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// copies are the marks of compilers on copies of one function, before a number: of GCC and of LLVM.
var copies = []string{".constprop.", ".isra.", ".part.", ".cold.", ".lto_priv.", ".llvm."}

// original takes the marks of copies off the end of a name. Inside a name they are parts of it: com.acme.part.Loader.
func original(name string) string {
	if i := strings.Index(name, " [clone "); i > 0 {
		name = name[:i]
	}
	for {
		short := strings.TrimSuffix(name, ".cold")
		if base := strings.TrimRight(name, "0123456789"); len(base) < len(name) {
			for _, mark := range copies {
				short = strings.TrimSuffix(base, mark)
				if short != base {
					break
				}
				short = name
			}
		}
		if short == name || short == "" {
			return name
		}
		name = short
	}
}

// identity is a name by which a function is known from build to build and from tool to tool: without its mangling, the hash of
// Rust, and the marks of copies. Arguments and template arguments stay: they tell functions apart.
func identity(name string) string {
	return original(readable(name))
}

// Fingerprint is that of a finding of a rule on the subject, as it stands in results and in the known findings of a policy.
func (s Subject) Fingerprint(rule string, suspects ...string) string {
	return fingerprint(rule, s, suspects...)
}

// fingerprint identifies a finding across builds: by rule and subject, without any value, address, pid or time.
func fingerprint(rule string, s Subject, frames ...string) string {
	if s.Scope == "class" {
		s = byIdentity(s)
	}
	parts := []string{rule, s.Process, s.Scope, s.Name, s.Metric}
	for _, f := range frames {
		parts = append(parts, identity(f))
	}
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:8])
}

// alias gives sites that are one function in two builds, by its identity, the name that was met first, so that they are compared
// with each other. A run that has two copies of a function keeps both names.
func (c *comparison) alias(tracks []*track) []*track {
	here := map[Subject]int{}
	for _, k := range tracks {
		here[byIdentity(k.subject)]++
	}
	for _, k := range tracks {
		id := byIdentity(k.subject)
		if here[id] > 1 {
			continue
		}
		if name, ok := c.names[id]; ok {
			k.subject.Name = name
		} else {
			c.names[id] = k.subject.Name
		}
	}
	return tracks
}

// byIdentity is a subject by the identity of its function.
func byIdentity(s Subject) Subject {
	s.Name = identity(s.Name)
	return s
}
