package analyze

import (
	"fmt"
	"slices"
	"strings"
)

// twice says which builds hold the same files as one before them: they were given twice, and count twice in all that a history tells.
func (h *histories) twice() {
	first := map[string]string{}
	for i := range h.builds {
		b := &h.builds[i]
		key := b.files()
		if key == "" {
			continue
		}
		if name, ok := first[key]; !ok {
			first[key] = b.Name
		} else if name == b.Name {
			h.r.remark([]string{fmt.Sprintf("Build %s was given more than once: each time counts as a build of its own.", name)})
		} else {
			h.r.remark([]string{fmt.Sprintf("The builds %s and %s hold the same files: each counts as a build of its own.", name, b.Name)})
		}
	}
}

// files tells the files of a build by their content, in any order; empty where that is not known of all.
func (b *Build) files() string {
	var sums []string
	for i := range b.Inputs {
		if b.Inputs[i].SHA256 == "" {
			return ""
		}
		sums = append(sums, b.Inputs[i].SHA256)
	}
	slices.Sort(sums)
	return strings.Join(sums, " ")
}
