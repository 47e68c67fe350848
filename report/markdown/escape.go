package markdown

import "strings"

// escape makes text mean itself: punctuation that Markdown reads gets a backslash, HTML an entity, and @, # and :
// before a word a mark that nobody sees, so that no name in a capture mentions a person or closes an issue.
func escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`, "$", `\$`, "!", `\!`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@<!-- -->", "://", ":<!-- -->//", "www.", "www<!-- -->.", "\n", " ", "\r", " ",
)

// entities makes text mean itself inside HTML, where Markdown is not read.
func entities(text string) string { return htmlEscaper.Replace(text) }

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "@", "@<!-- -->")

// code writes a name of a capture as code: in a fence longer than any run of backticks in it. A bar must be escaped
// even there, since the table is divided first.
func code(text string) string {
	if strings.TrimSpace(text) == "" {
		return escape(text)
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(text)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}
