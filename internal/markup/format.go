package markup

import (
	"path"
	"strings"
)

// Format is a kind of document. The zero value is none.
type Format uint8

// The formats of which Outline knows how they mark headings; PlainText has none.
const (
	_ Format = iota
	Markdown
	AsciiDoc
	ReStructuredText
	PlainText
	Textile // of Redmine; no name of a file tells it
)

// String is the name of the format as results show it.
func (f Format) String() string {
	switch f {
	case Markdown:
		return "markdown"
	case AsciiDoc:
		return "asciidoc"
	case ReStructuredText:
		return "restructuredtext"
	case PlainText:
		return "text"
	case Textile:
		return "textile"
	default:
		return "unknown"
	}
}

// FormatOf tells a document's format by its name, which may be a path with
// slashes; ok is false if the name is not that of a document.
func FormatOf(filename string) (format Format, ok bool) {
	name := strings.ToLower(path.Base(filename))
	switch path.Ext(name) {
	case ".md", ".markdown", ".mdx", ".mkd", ".mkdn", ".mdown":
		return Markdown, true
	case ".adoc", ".asciidoc", ".asc":
		return AsciiDoc, true
	case ".rst", ".rest":
		return ReStructuredText, true
	case ".txt", ".text":
		return PlainText, true
	case "":
		if customaryName(name) {
			return PlainText, true
		}
	}
	return 0, false
}

// customaryName reports whether name, in lower case, is one that documents of
// a repository bear without an extension.
func customaryName(name string) bool {
	stem, _, _ := strings.Cut(name, "-") // LICENSE-MIT
	switch stem {
	case "readme", "license", "licence", "copying", "copyright", "notice", "patents",
		"changelog", "changes", "history", "news", "todo", "bugs", "faq",
		"authors", "contributors", "contributing", "maintainers", "credits", "thanks",
		"install", "installation", "usage", "hacking", "upgrading", "security",
		"code_of_conduct", "release_notes":
		return true
	default:
		return false
	}
}
