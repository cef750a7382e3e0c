package ref

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

func check(t *testing.T, in string, want Ref) {
	t.Helper()
	got, err := Parse(in)
	if err != nil {
		t.Fatalf("Parse(%q): %v", in, err)
	}
	opts := []cmp.Option{cmpopts.IgnoreUnexported(Ref{}), cmpopts.IgnoreFields(Ref{}, "Raw")}
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("Parse(%q) -want +got:\n%s", in, diff)
	}
	again, err := Parse(got.String())
	if err != nil {
		t.Fatalf("Parse(%q) of its canonical form: %v", in, err)
	}
	if diff := cmp.Diff(got, again, cmp.AllowUnexported(Ref{})); diff != "" {
		t.Errorf("canonical form %q of %q reads differently:\n%s", got.String(), in, diff)
	}
}

func TestTextForms(t *testing.T) {
	for in, want := range map[string]Ref{
		"owner/repo#12":         {Kind: Issue, Also: Change, Project: "owner/repo", ID: "12", Number: 12},
		"#12":                   {Kind: Issue, Also: Change, ID: "12", Number: 12},
		"12":                    {Kind: Issue, Also: Change, ID: "12", Number: 12},
		"PAY-12":                {Kind: Issue, Project: "PAY", ID: "PAY-12"},
		"A_B2-7":                {Kind: Issue, Project: "A_B2", ID: "A_B2-7"},
		"pay-12":                {Kind: Issue, ID: "pay-12"},
		"owner/repo":            {Kind: Repository, Also: Directory, Project: "owner/repo", Path: "owner/repo"},
		"vercel/next.js":        {Kind: File, Also: Repository, Project: "vercel/next.js", Path: "vercel/next.js"},
		"group/sub/project!5":   {Kind: Change, Provider: "gitlab", Project: "group/sub/project", ID: "5", Number: 5},
		"!5":                    {Kind: Change, Provider: "gitlab", ID: "5", Number: 5},
		"owner/repo@" + sha:     {Kind: Commit, Project: "owner/repo", ID: sha, Revision: sha},
		"owner/repo@v1.2":       {Kind: Repository, Project: "owner/repo", Revision: "v1.2"},
		"owner/repo@feature/x":  {Kind: Repository, Project: "owner/repo", Revision: "feature/x"},
		"ABCDEF1":               {Kind: Commit, ID: "abcdef1", Revision: "abcdef1"},
		sha:                     {Kind: Commit, ID: sha, Revision: sha},
		"abc..def":              {Kind: Compare, Base: "abc", Head: "def"},
		"main...feature/x":      {Kind: Compare, Base: "main", Head: "feature/x", ThreeDot: true},
		"owner/repo@v1.0..v1.1": {Kind: Compare, Project: "owner/repo", Base: "v1.0", Head: "v1.1"},
		"path/to/file.go:10-20": {Kind: File, Path: "path/to/file.go", StartLine: 10, EndLine: 20},
		"file.go:10":            {Kind: File, Path: "file.go", StartLine: 10, EndLine: 10},
		"./file.go:10:5":        {Kind: File, Path: "file.go", StartLine: 10, EndLine: 10},
		"src/a.go#L3-L9":        {Kind: File, Path: "src/a.go", StartLine: 3, EndLine: 9},
		"docs/guide.md#set-up":  {Kind: File, Path: "docs/guide.md", Anchor: "set-up"},
		"docs/my guide.md":      {Kind: File, Path: "docs/my guide.md"},
		"docs/":                 {Kind: Directory, Path: "docs"},
		"a/b/c":                 {Kind: Directory, Also: Repository, Project: "a/b/c", Path: "a/b/c"},
		".":                     {Kind: Directory, Path: "."},
		"Makefile":              {Kind: File, Path: "Makefile"},
		"../x.go":               {Kind: File, Path: "../x.go"},
		"bd-a1b2":               {Kind: Issue, Provider: "local", ID: "bd-a1b2"},
		"bd-abcd":               {Kind: Issue, Provider: "local", ID: "bd-abcd"},
		"task-12":               {Kind: Issue, Provider: "local", ID: "task-12"},
		"task-12.1":             {Kind: Issue, Provider: "local", ID: "task-12.1"},
		"myproj-x9z":            {Kind: Issue, ID: "myproj-x9z"},
		"main:src/a.go#L10":     {Kind: File, Revision: "main", Path: "src/a.go", StartLine: 10, EndLine: 10},
		"feature/x:a.go:3-9":    {Kind: File, Revision: "feature/x", Path: "a.go", StartLine: 3, EndLine: 9},
		"a/b@main:Makefile":     {Kind: File, Project: "a/b", Revision: "main", Path: "Makefile"},
		"main:guide.md#set-up":  {Kind: File, Revision: "main", Path: "guide.md", Anchor: "set-up"},
		sha + sha[:24]:          {Kind: Commit, ID: sha + sha[:24], Revision: sha + sha[:24]},
		"Help:Contents":         {Kind: Unknown},
		"Talk:Crane/Archive":    {Kind: Directory, Path: "Talk:Crane/Archive"},
		"What is Go?":           {Kind: Unknown},
		"acme/app#12-13":        {Kind: Unknown},
		"getting-started":       {Kind: Unknown},
		"the login is broken":   {Kind: Unknown},
		"v1.2.3":                {Kind: Unknown},
	} {
		t.Run(in, func(t *testing.T) { check(t, in, want) })
	}
}

func TestWrappingIsRemoved(t *testing.T) {
	for in, want := range map[string]string{
		"  <https://github.com/a/b/issues/1>. ": "https://github.com/a/b/issues/1",
		`"PAY-12",`:                             "PAY-12",
		"(`a/b#3`);":                            "a/b#3",
		"[the bug](https://github.com/a/b/issues/1 \"t\").":  "https://github.com/a/b/issues/1",
		"[t](https://en.wikipedia.org/wiki/Go_(game))":       "https://en.wikipedia.org/wiki/Go_%28game%29",
		"https://en.wikipedia.org/wiki/Go_(game)":            "https://en.wikipedia.org/wiki/Go_%28game%29",
		"https://en.wikipedia.org/wiki/Inc%2E":               "https://en.wikipedia.org/wiki/Inc%2E",
		"https://github.com/a/b/issues/1)":                   "https://github.com/a/b/issues/1",
		"https://user:hunter2@github.com/a/b/issues/1":       "https://github.com/a/b/issues/1",
		"https://GitHub.com:443/a/b//issues/1/?utm_source=x": "https://github.com/a/b/issues/1",
		"https://g.example.org/a/b/issues/1?private_token=x": "https://g.example.org/a/b/issues/1",
		"12":     "#12",
		"(#12).": "#12",
	} {
		got, err := Parse(in)
		if err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, got.String(), err, want)
		}
		if strings.Contains(got.Raw, "hunter2") || strings.Contains(got.Raw, "token") {
			t.Errorf("Parse(%q).Raw keeps a secret: %q", in, got.Raw)
		}
	}
}

// TestPunctuationOfTheSentenceIsRemoved: what follows an id or a file is the sentence's,
// what follows a title may be its own.
func TestPunctuationOfTheSentenceIsRemoved(t *testing.T) {
	for in, want := range map[string]string{
		"PAY-12?": "PAY-12", "owner/repo#12!": "owner/repo#12", "#12:": "#12", "PAY-12…": "PAY-12", "PAY-12”?": "PAY-12", "src/a.go:10?": "src/a.go:10",
		"[PAY-12]": "PAY-12", "{PAY-12}": "PAY-12", "**PAY-12**": "PAY-12", "- PAY-12": "PAY-12", "> #12": "#12", "(PAY-12": "PAY-12", "PAY-12]": "PAY-12",
		"“PAY-12”": "PAY-12", "«#12».": "#12", "PAY\u201112": "PAY-12", "PAY\u201312": "PAY-12", "\u2068PAY-12\u2069": "PAY-12", "\ufeffPAY-12\u200b": "PAY-12",
		"[[Crane (bird)|the bird]]": "Crane (bird)", "[[Crane (bird)]]": "Crane (bird)", "Crane (bird).": "Crane (bird)",
		"What is Go?": "What is Go?", "Yahoo!": "Yahoo!", "Rock 'n'": "Rock 'n'", "(a) and (b)": "(a) and (b)", `"a" and "b"`: `"a" and "b"`,
		"می\u200cخواهم": "می\u200cخواهم", "'tis the season": "'tis the season", "*.go": "*.go",
	} {
		if got, err := Parse(in); err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, got.String(), err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for in, want := range map[string]ErrorKind{
		"":                                    Empty,
		" <> ":                                Unset,
		strings.Repeat("a", 2001):             TooLong,
		"a/b#1\n2":                            BadCharacter,
		"see https://github.com/a/b/issues/1": BadURL,
		"https://a.org/x is https://b.org/y":  BadURL,
		"https://github.com/a/b/issues/1 ok":  BadURL,
		"https://a.org/x\nhttps://b.org/y":    BadCharacter,
		"[a](https://a.org/x) [b](https://b.org/y)": BadURL,
		"PAY\u202e-12":                         BadCharacter,
		"PAY-1\U000e0041":                      BadCharacter,
		"a\xff":                                BadCharacter,
		"https://github.com/a/b%00c":           BadCharacter,
		"https://github.com/a/b/blob/m/%0Ax":   BadCharacter,
		"https://github.com/a/b#x%0Ay":         BadCharacter,
		"https://github.com/%zz":               BadURL,
		"https:///a":                           BadURL,
		"https://gitһub.com/a/b":               BadURL,
		"https://github.com/a/../b/issues/1":   BadPath,
		"https://github.com/a/%2e%2e/issues/1": BadPath,
		"https://x.org/a%2F..%2Fb":             BadPath,
		"ftp://github.com/a/b":                 BadScheme,
		"file:///etc/passwd":                   BadScheme,
		"javascript:alert(1)":                  BadScheme,
		"a.go:20-10":                           BadLines,
		"a.go:0":                               BadLines,
	} {
		_, err := Parse(in)
		var e *Error
		if want == Unset {
			if err != nil {
				t.Errorf("Parse(%q): %v", in, err)
			}
			continue
		}
		if !errors.As(err, &e) || e.Kind != want {
			t.Errorf("Parse(%q) = %v; want kind %v", in, err, want)
		}
	}
}

// Unset marks inputs that are odd but no error.
const Unset ErrorKind = 0

func TestNamesOfKinds(t *testing.T) {
	for k := Unknown; k <= Release; k++ {
		if k.String() == "" || k.String() == "invalid" {
			t.Errorf("kind %d has no name", k)
		}
	}
	if Kind(99).String() != "invalid" || ErrorKind(99).String() != "invalid" || BadPath.String() != "bad_path" {
		t.Error("names of kinds")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"owner/repo#12", "PAY-12", "a/b@c..d", "x.go:1-2", "<https://github.com/a/b/blob/m/x%2Fy#L1>",
		"git@github.com:a/b/c.git", "https://x/index.php?title=A.&curid=1", "[a](b)", "a..b", "https://x/wiki/spaces/A/pages/1",
		"https://n.notion.site/x-0123456789abcdef0123456789abcdef?p=1.", "https://h/a/b/-/blob/m/x)", "ssh://h:22/a/b/c"} {
		f.Add(s)
	}
	for in := range mangles {
		f.Add(mangles[in]("https://x.org/a/browse/PAY-12"))
	}
	for _, s := range []string{"here#7", "jira:PAY-12?", "main:a.go#L1", "a/b@c:d.go:1", "[[a|b]]", "PAY\u201312", "می\u200cخواهم", "https://know.corp.org/x%2520y/z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := sites.Parse(s)
		if err != nil {
			return
		}
		c := r.String()
		if len(c) > MaxLength {
			return
		}
		again, err := sites.Parse(c)
		if err != nil || again.String() != c {
			t.Fatalf("%q → %q → %q, %v", s, c, again.String(), err)
		}
		if diff := cmp.Diff(r, again, cmp.AllowUnexported(Ref{})); diff != "" {
			t.Fatalf("%q → %q reads differently:\n%s", s, c, diff)
		}
	})
}
