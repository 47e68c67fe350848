package policy_test
import ("testing";"strings";"time";"fmt";"github.com/memtide/memtide/analyze/policy")
func TestDeepX(t *testing.T) {
 n := 64<<10
 r := func(s string) string { return strings.Repeat(s, (n-10)/len(s)) }
 for _, c := range [][2]string{
  {"dashes", r("- ")}, {"keys", r("? ")}, {"amps", r("&a ")}, {"docs", r("---\n")}, {"bars", r("a: |\n")}, {"brackets2k", strings.Repeat("[", 2000)}, {"braces2k", strings.Repeat("{", 2000)},{"brackets", r("[")}, {"braces", r("{")},
  {"{a: ", r("{a: ")}, {"[[]", r("[[],")}, {"lines", r("\n")}, {"comments", r("#a\n")}, {"anchors", r("&a a\n")}, {"stars", r("*a ")}, {"pct", r("%a\n")}, {"lt", r("<<: ")}, {"many", r("a: 1\n")},{"tabs", r("\t")},{"fold", "a: >\n"+r(" x\n")},{"quoted", "a: \""+r("\\u0041")+"\""},{"limits", "version: 1\nlimits:\n"+func() string { var b strings.Builder; for i:=0;b.Len() < n-200;i++ { fmt.Fprintf(&b, "  - {metric: rss, process: p%d, max: 1 MiB}\n", i) }; return b.String() }()},
  {"growth", "version: 1\ngrowth:\n"+func() string { var b strings.Builder; for i:=0;b.Len() < n-200;i++ { fmt.Fprintf(&b, "  - {metric: rss, process: p%d, max: 1 MiB}\n", i) }; return b.String() }()},
 } {
  name, s := c[0], c[1]
  d := time.Now(); _, err := policy.Parse("x", []byte(s)); e := ""; if err != nil { e = err.Error(); if len(e) > 100 { e = e[:100] } }
  fmt.Println(name, len(s), time.Since(d), e)
 }
}
