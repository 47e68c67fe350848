package lang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memtide/memtide/report/lang"
)

// unsaid are files whose texts reach no report: errors, schemas, words for redaction; and functions that make errors.
var unsaid = regexp.MustCompile(`/(check|history_check|redact|redactor|redactor_hide|redactor_words|doc)\.go$`)

var errorsOf = map[string]bool{"Errorf": true, "New": true, "MustCompile": true, "panic": true, "Contains": true, "HasPrefix": true, "warned": true, "TrimPrefix": true, "CutPrefix": true}

// literals are the texts in the sources of a package that hold two words in a row.
func literals(t *testing.T, pattern string) map[string]string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	out := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || unsaid.MatchString(filepath.ToSlash(file)) {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field:
				_, isField := n.(*ast.Field)
				return isField && n.(*ast.Field).Tag == nil
			case *ast.CallExpr:
				return !errorsOf[called(n)]
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && heads[key.Name] {
					if lit, ok := n.Value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						if text, err := strconv.Unquote(lit.Value); err == nil && word.MatchString(text) {
							out[text] = set.Position(n.Pos()).String()
						}
					}
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && !category.MatchString(text) && left(sample(text), nil) != "" {
					out[text] = set.Position(n.Pos()).String()
				}
			}
			return true
		})
	}
	return out
}

// heads are fields whose words stand alone in a report.
var heads = map[string]bool{"Title": true, "Caption": true, "Text": true, "Note": true, "Label": true, "Term": true, "Omitted": true}

// category is a row of Android's meminfo.
var category = regexp.MustCompile(`^(Native|Dalvik) (Heap|Other)$`)

var word = regexp.MustCompile(`^[A-Za-z][a-z]+$`)

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

var verbs = regexp.MustCompile(`%[-+#0]*\d*(?:\.\d+)?([a-zA-Z%])`)

// sample is a text with something in its placeholders.
func sample(text string) string {
	return verbs.ReplaceAllStringFunc(text, func(v string) string {
		switch v[len(v)-1] {
		case '%':
			return "%"
		case 's', 'v', 'q':
			return "X_1"
		}
		return "3"
	})
}

// flat is a template in which all placeholders are alike.
func flat(text string) string {
	text = verbs.ReplaceAllStringFunc(strings.ReplaceAll(text, "%%", "\x00"), func(string) string { return "%s" })
	return strings.ReplaceAll(strings.ReplaceAll(text, "%s%s", "%s"), "\x00", "%%")
}

var catalogue = func() string {
	text := "\n"
	for _, k := range lang.Keys() {
		text += flat(k) + "\n"
	}
	return strings.ToLower(text)
}()

// remains says whether a word of a text is still in its translation.
func remains(text, to string) bool {
	for _, w := range regexp.MustCompile(`\b[a-z]{3,}\b`).FindAllString(verbs.ReplaceAllString(text, ""), -1) {
		if regexp.MustCompile(`\b` + w + `\b`).MatchString(to) {
			return true
		}
	}
	return false
}

// covered says whether a literal is in the catalogue: as it is, or as the beginning, middle or end of a phrase.
func covered(text string) bool {
	if text == "Red line %s: %s %s %s, limit %s" { // it is there with each of its two words
		return true
	}
	if part := strings.ToLower(strings.Trim(flat(text), " .,;:(%s")); strings.Contains(part, " ") && strings.Contains(catalogue, part) {
		return true
	}
	if word.MatchString(text) {
		return strings.Contains(catalogue, "\n"+strings.ToLower(text)+"\n")
	}
	t := lang.New(lang.Chinese)
	core := strings.TrimSpace(text)
	bare := strings.TrimSuffix(strings.TrimLeft(core, ",;:( "), ":")
	for _, form := range []string{core, bare} {
		for _, s := range []string{sample(form), sample(strings.ReplaceAll(form, "%s%s", "%s")), strings.ReplaceAll(sample(form), "X_1X_1", "X_1"), strings.ReplaceAll(sample(form), "3 X_1", "3 sites")} {
			for _, v := range []string{s, "X_1 " + s, s + " X_1", "X_1 " + s + " X_1", "3 " + s, s + " 3", "X_1" + s, s + "X_1", s + " pass.", "3 " + s + " are", "3 " + s + "s", "X_1" + s + "3", strings.TrimSuffix(s, ".") + ", X_1."} {
				if to := t.Text(v); to != v && left(to, nil) == "" && !remains(text, to) {
					return true
				}
			}
		}
	}
	return false
}

// Every phrase of the sources that can stand in a report has a translation.
func TestEveryPhraseIsKnown(t *testing.T) {
	for _, files := range []string{"../../analyze/*.go", "../../analyze/policy/judge*.go", "../*.go"} {
		for text, at := range literals(t, filepath.FromSlash(files)) {
			if !covered(text) {
				t.Errorf("%s: no translation of %q", at, text)
			}
		}
	}
}
