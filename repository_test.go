package memtide_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// files are those of the repository: tracked, or new and not ignored.
func files(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("no git checkout: the files of the repository are not known")
	}
	var all []string
	for _, f := range strings.Split(strings.Trim(string(out), "\x00"), "\x00") {
		if _, err := os.Stat(f); err == nil {
			all = append(all, f)
		}
	}
	return all
}

// private is what no file may hold: folders of the machine it was written on, hosts of package registries, remarks on
// how it came about. The words are cut in two, so that this file does not hold them.
var private = regexp.MustCompile(strings.ReplaceAll(
	`/wo~rk/|/fa~rm/|/tm~p/[a-z]+/|proxy\.go~lang|registry\.np~mjs|deb\.deb~ian|\.lib~rary\b|DEVELO~PERS\.md|sub~agent|helper ses~sion`, "~", ""))

func TestNothingPrivate(t *testing.T) {
	for _, f := range files(t) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if f == "go.sum" || bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := private.FindString(line); m != "" {
				t.Errorf("%s:%d holds %q", f, i+1, m)
			}
		}
	}
}

// unfinished marks what was put off; there is no such thing in the repository.
var unfinished = regexp.MustCompile(strings.ReplaceAll(`\b(TO~DO|FIX~ME|XX~X)\b`, "~", ""))

// sources parses the Go files of the repository that are no tests and not generated.
func sources(t *testing.T, visit func(name string, fset *token.FileSet, f *ast.File)) {
	t.Helper()
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if !ast.IsGenerated(f) {
			visit(name, fset, f)
		}
	}
}

func TestSources(t *testing.T) {
	sources(t, func(name string, fset *token.FileSet, f *ast.File) {
		for _, g := range f.Comments {
			if m := unfinished.FindString(g.Text()); m != "" {
				t.Errorf("%s: a comment says %s", fset.Position(g.Pos()), m)
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: init functions hide what a program does; call it by name", fset.Position(fn.Pos()))
			}
		}
	})
}

func TestPackageComments(t *testing.T) {
	said, seen := map[string]bool{}, map[string]string{}
	sources(t, func(name string, _ *token.FileSet, f *ast.File) {
		dir := name[:strings.LastIndex(name, "/")+1]
		seen[dir] = name
		said[dir] = said[dir] || f.Doc != nil
	})
	for dir, name := range seen {
		if !said[dir] {
			t.Errorf("%s: no file of the package says what it is for", name)
		}
	}
}

func TestExportedHaveComments(t *testing.T) {
	sources(t, func(_ string, fset *token.FileSet, f *ast.File) {
		for _, d := range f.Decls {
			for name, at := range undocumented(d) {
				t.Errorf("%s: %s has no comment", fset.Position(at), name)
			}
		}
	})
}

// undocumented lists the exported names of a declaration that have no comment of their own or of their group.
func undocumented(d ast.Decl) map[string]token.Pos {
	out := map[string]token.Pos{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedReceiver(d.Recv)) {
			out[d.Name.Name] = d.Pos()
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					out[s.Name.Name] = s.Pos()
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						out[n.Name] = n.Pos()
					}
				}
			}
		}
	}
	return out
}

func exportedReceiver(r *ast.FieldList) bool {
	x := r.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if index, ok := x.(*ast.IndexExpr); ok {
		x = index.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.IsExported()
}

// Files of at most 400 lines and functions of at most 60: beyond, a reader loses hold. The rows of a table (a composite
// literal of many lines) do not count.
func TestSizes(t *testing.T) {
	const maxFile, maxFunction = 400, 60
	sources(t, func(name string, fset *token.FileSet, f *ast.File) {
		lines := func(n ast.Node) int {
			return fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1 - tableLines(fset, n)
		}
		if n := fset.Position(f.FileEnd).Line - tableLines(fset, f); n > maxFile {
			t.Errorf("%s has %d lines, want at most %d: which two things is it?", name, n, maxFile)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && lines(fn) > maxFunction {
				t.Errorf("%s: %s has %d lines, want at most %d", fset.Position(fn.Pos()), fn.Name.Name, lines(fn), maxFunction)
			}
		}
	})
}

// tableLines counts the lines of the outermost tables below a node.
func tableLines(fset *token.FileSet, n ast.Node) int {
	total := 0
	ast.Inspect(n, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if !ok || len(c.Elts) < 8 {
			return true
		}
		total += fset.Position(c.End()).Line - fset.Position(c.Pos()).Line
		return false
	})
	return total
}

// Each folder of fixtures says how its files were made.
func TestFixturesHaveSources(t *testing.T) {
	folders := map[string]bool{}
	for _, f := range files(t) {
		rest, ok := strings.CutPrefix(f, "fixtures/")
		if dir, _, deep := strings.Cut(rest, "/"); ok && deep && dir != "make" {
			folders["fixtures/"+dir] = true
		}
	}
	for dir := range folders {
		if _, err := os.Stat(dir + "/SOURCE.md"); err != nil {
			t.Errorf("%s has no SOURCE.md", dir)
		}
	}
}
