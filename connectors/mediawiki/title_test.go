package mediawiki

import (
	"net/url"
	"testing"

	"github.com/frank-mcp/frank/internal/ref"
)

func testSite(article string) site {
	return site{
		name: "Harbour", server: &url.URL{Scheme: "https", Host: "wiki.example.org"}, article: article, script: "/w/index.php", folds: true,
		spaces: []space{{id: 0, names: []string{mainName}}, {id: 12, names: []string{"Help"}}},
	}
}

// TestReferencesLeadBack: what an item is called by is read as the same title again,
// whatever else a title looks like.
func TestReferencesLeadBack(t *testing.T) {
	d := documents{&client{source: "wiki", base: "https://wiki.example.org/w/api.php"}}
	for _, article := range []string{"/wiki/$1", "/$1", "/w/index.php/$1", "/w/index.php?title=$1"} {
		s := testSite(article)
		for _, title := range []string{
			"Handbook", "Foo/Bar", "Foo/Bar/Baz.md", "Help:A & B", "1984", "PAY-12", "deadbeef", "A...B", "a.go:10", "Acme Inc.", "Who, me;",
			"Who?", "Really!", "C++", "100% proof", "(x)", "Heroes (album)", "\"Heroes\"", "'x'", "Übersicht Größe", "日本語", "task-12", "owner/repo@main", "!5", "x=y&z",
			"https and more", "A: B", "*", "wiki/Title", "index.php", "~tilde",
		} {
			named := d.reference(s, title, 7)
			r, err := ref.Parse(named)
			if err != nil {
				t.Errorf("%s: %q becomes %q, which cannot be read: %v", article, title, named, err)
				continue
			}
			w, f := d.want(s, r)
			if f != nil || w.title != title && w.page != "7" || w.version != "" || w.fragment != "" {
				t.Errorf("%s: %q becomes %q, which is read as %+v (%v)", article, title, named, w, f)
			}
		}
	}
}

func TestLiteralIsOnePhrase(t *testing.T) {
	for text, want := range map[string]string{
		"crane":            `"crane"`,
		` a  "b" \ c* `:    `"a b c"`,
		"-x OR intitle:y~": `"-x OR intitle:y~"`,
		"->":               "",
		"":                 "",
		"日本":               `"日本"`,
	} {
		if got := literal(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestPlainTakesMarksOff(t *testing.T) {
	for snippet, want := range map[string]string{
		"How <span class='searchmatch'>quokka</span> &amp; co\n": "How quokka & co",
		"a &lt;b&gt; c":   "a <b> c",
		"an open < tag":   "an open",
		"":                "",
		"<b></b>":         "",
		"x &#039;&#039; ": "x ''",
	} {
		if got := plain(snippet); got != want {
			t.Errorf("%q becomes %q, want %q", snippet, got, want)
		}
	}
}
