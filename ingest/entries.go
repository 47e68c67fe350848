package ingest

import (
	"os"
	"path/filepath"
	"slices"
)

// Entries are the paths of what stands in a folder, in natural order of the names (build-9 before build-10): the folders, and
// the files. Hidden ones are left out.
func Entries(dir string) (folders, files []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, &unreadable{filepath.ToSlash(dir), err}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return natural(a.Name(), b.Name()) })
	for _, e := range entries {
		switch p := filepath.Join(dir, e.Name()); {
		case hidden(e.Name()):
		case isDir(p, e):
			folders = append(folders, p)
		default:
			files = append(files, p)
		}
	}
	return folders, files, nil
}
