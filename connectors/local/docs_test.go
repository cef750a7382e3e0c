package local_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frank-mcp/frank/connectors"
)

func TestSearchFindsAndProvesAbsence(t *testing.T) {
	s := newShelf(t, "README.md", "# Shelf\n\nThe Café is\nopen.\n", "docs/a/b/deep.adoc", "= Deep\n\nneedle here\n",
		"notes.txt", "nothing", "x.rst", "Title\n=====\n\nneedle\n", "main.go", "package main // needle")
	d := s.source()
	r := find(d, "NEEDLE") // LD-03: at any depth
	want(t, r.verdict(), "success NONE")
	want(t, refs(r), "docs/a/b/deep.adoc x.rst")
	hit := r.items[0]
	at := hit.UpdatedAt
	hit.UpdatedAt = nil
	if at == nil || at.Location() != time.UTC {
		t.Errorf("updated_at %v is no UTC time", at)
	}
	if diff := cmp.Diff(connectors.Page{
		Origin: connectors.Origin{Source: "here", Ref: "docs/a/b/deep.adoc", Title: "Deep"},
		Space:  "docs", Format: "asciidoc", Line: 3, Snippet: "needle here",
	}, hit); diff != "" {
		t.Error(diff)
	}
	want(t, find(d, "absent").verdict(), "empty NONE")
	want(t, refs(find(d, "cafe\u0301 IS")), "README.md") // another normal form
	want(t, refs(find(d, "deep.AD")), "docs/a/b/deep.adoc")
	want(t, find(d, "\u200b").verdict(), "access_failure INPUT_MISSING invalid_argument")
}

func TestSearchLooksAtTitles(t *testing.T) {
	s := newShelf(t, "a.md", "# The *quick* fox\n", "b.md", "# un**common** x\n", "c.md", "# R&eacute;sum\u00e9\n", "d.md", "# See [the](x.md)re\n")
	for text, wanted := range map[string]string{"the quick fox": "a.md", "uncommon x": "b.md", "r\u00e9sum\u00e9": "c.md", "see there": "d.md"} {
		want(t, text+": "+refs(find(s.source(), text)), text+": "+wanted)
	}
}

func TestSearchSeesWhatReadersDoNotSeeAndShowsItNot(t *testing.T) {
	s := newShelf(t, "a.md", "# A\n\nfoo\u200bbar <!-- secret plan -->\n")
	hit := find(s.source(), "foobar").items[0]
	want(t, hit.Snippet, "foobar")
	hit = find(s.source(), "secret plan").items[0]
	if hit.Snippet != "" || hit.Line != 3 || hit.Removed == 0 {
		t.Errorf("a hidden match was shown or not counted: %+v", hit)
	}
}

func TestSearchPages(t *testing.T) {
	s := newShelf(t)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		s.put(n+"/x.md", "same")
	}
	src := s.source()
	var got []string
	cursor := ""
	for range 4 {
		r := findFrom(src, "same", connectors.Paging{Limit: 2, Cursor: cursor})
		got = append(got, r.verdict()+": "+refs(r))
		if cursor = r.next; cursor == "" {
			break
		}
	}
	want(t, strings.Join(got, "\n"), "partial NONE: a/x.md b/x.md\npartial NONE: c/x.md d/x.md\nsuccess NONE: e/x.md")
	want(t, findFrom(src, "same", connectors.Paging{Limit: 2, Cursor: "?"}).verdict(),
		"access_failure INPUT_MISSING invalid_argument")
}
