package confluence

import (
	"net/url"
	"testing"

	"github.com/frank-mcp/frank/internal/ref"
)

func testDocuments(t *testing.T, base string) documents {
	t.Helper()
	root, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return documents{&client{source: "docs", base: base, root: root}}
}

// TestReferencesLeadBack: what an item is called by is read as the same page again.
func TestReferencesLeadBack(t *testing.T) {
	for _, base := range []string{"https://acme.example.org/wiki", "https://acme.atlassian.net/wiki", "https://docs.example.net", "http://localhost:8090/confluence"} {
		d := testDocuments(t, base)
		for _, cloud := range []bool{true, false} {
			for _, key := range []string{"ENG", "~5b10a", "a.b_c"} {
				named := d.reference(site{cloud: cloud}, "4194305123456", key)
				r, err := ref.Parse(named)
				if err != nil {
					t.Errorf("%s: %q cannot be read: %v", base, named, err)
					continue
				}
				if w, f := d.want(r); f != nil || w.id != "4194305123456" || !d.owns(r) {
					t.Errorf("%s: %q is read as %+v (%v)", base, named, w, f)
				}
			}
		}
	}
}

func TestWant(t *testing.T) {
	tests := map[string]wanted{
		"101":              {id: "101"},
		"#101":             {id: "101"},
		"123456789012345":  {id: "123456789012345"},
		"x/ZQ":             {id: "101", tiny: "ZQ"},
		"Crane manual":     {title: "Crane manual"},
		"ENG:Crane manual": {title: "Crane manual", space: "ENG", either: "ENG:Crane manual"},
		"Note: paint":      {title: "Note: paint"},
		"~5B10:Mine":       {title: "Mine", space: "~5B10", either: "~5B10:Mine"},
		"Release 1.2":      {title: "Release 1.2"},
		"Using C# well":    {title: "Using C# well"},
	}
	d := testDocuments(t, "https://acme.example.org/wiki")
	for text, want := range tests {
		r, err := ref.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, f := d.want(r); f != nil || got != want {
			t.Errorf("%q is read as %+v (%v), want %+v", text, got, f, want)
		}
	}
}

func TestWantLink(t *testing.T) {
	tests := map[string]wanted{
		"/spaces/ENG/pages/101/Crane+manual":            {space: "ENG", id: "101"},
		"/spaces/ENG/pages/101":                         {space: "ENG", id: "101"},
		"/spaces/ENG/pages/edit-v2/101?draftShareId=x":  {space: "ENG", id: "101"},
		"/spaces/ENG/overview":                          {space: "ENG"},
		"/spaces/ENG/pages":                             {space: "ENG"},
		"/spaces/ENG":                                   {space: "ENG"},
		"/spaces/ENG/blog/2026/11/01/555/News":          {space: "ENG", id: "555", blog: true},
		"/spaces/ENG/blog/555":                          {space: "ENG", id: "555", blog: true},
		"/spaces/ENG/whiteboard/7":                      {},
		"/display/ENG/Crane+manual":                     {space: "ENG", title: "Crane manual", plus: "Crane+manual"},
		"/display/ENG":                                  {space: "ENG"},
		"/display/ENG/a/b":                              {space: "ENG", title: "a/b"},
		"/display/ENG/2026/11/01/News":                  {},
		"/pages/viewpage.action?pageId=101":             {id: "101"},
		"/pages/viewpage.action?spaceKey=ENG&title=A+B": {space: "ENG", title: "A B"},
		"/x/ZQ":                      {id: "101", tiny: "ZQ"},
		"/x/!!":                      {},
		"/rest/api/content/101":      {id: "101"},
		"/api/v2/pages/101":          {id: "101"},
		"/api/v2/blogposts/555":      {id: "555", blog: true},
		"/dashboard.action":          {},
		"/spaces/ENG/pages/create/x": {},
	}
	d := testDocuments(t, "https://acme.example.org/wiki")
	for path, want := range tests {
		r, err := ref.Parse("https://acme.example.org/wiki" + path)
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		got, f := d.want(r)
		refused := want == wanted{}
		if got.link = ""; refused != (f != nil) || !refused && got != want {
			t.Errorf("%q is read as %+v (%v), want %+v", path, got, f, want)
		}
	}
}

func TestUntiny(t *testing.T) {
	for code, want := range map[string]string{"ZQ": "101", "AYAfBg": "102727681", "": "", "A": "", "AAAAAAAAAAAA": "", "___________": ""} {
		if id, ok := untiny(code); id != want || ok != (want != "") {
			t.Errorf("%q is %q (%t), want %q", code, id, ok, want)
		}
	}
}

func TestLiteralIsOnePhrase(t *testing.T) {
	for text, want := range map[string]string{
		"crane": "crane", ` a  "b" \ c* ~ d?`: "a b c d", "-x OR title:y": "-x OR title:y", "->": "", "": "", "日本": "日本",
	} {
		if got := literal(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := quoted(`a"b\c`); got != `"a\"b\\c"` {
		t.Errorf("quoted is %s", got)
	}
}
