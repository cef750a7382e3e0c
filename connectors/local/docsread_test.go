package local

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

// offered are the references of the candidates of an answer.
func offered[T any](r status.Result[T]) string {
	f, _ := r.Envelope(status.Question{One: "document", Many: "documents"}).Structured()
	_, rest, _ := strings.Cut(string(f), `"candidates":[`)
	rest, _, _ = strings.Cut(rest, "]")
	var refs []string
	for _, part := range strings.Split(rest, `"ref":"`)[1:] {
		refs = append(refs, part[:strings.IndexByte(part, '"')])
	}
	return strings.Join(refs, " ")
}

func TestReadDocument(t *testing.T) {
	s := newShelf(t, "docs/guide.md", "---\ntitle: The Guide\n---\n# One\n\ntext <!-- hidden -->\n\n## Two words\n\nmore\n")
	r := read(t, s.docs(), "docs/guide.md", "")
	want(t, verdict(r), "success NONE")
	p := r.Items()[0]
	p.UpdatedAt = nil
	if diff := cmp.Diff(connectors.Page{
		Origin: connectors.Origin{Source: "here", Ref: "docs/guide.md", Title: "The Guide", Container: "shelf", Removed: 1},
		Space:  "docs", Path: "docs/guide.md", Format: "markdown", Parent: "docs",
		Outline: []connectors.Heading{{Level: 1, Title: "One", Slug: "one", Line: 4}, {Level: 2, Title: "Two words", Slug: "two-words", Line: 8}},
		Body:    "---\ntitle: The Guide\n---\n# One\n\ntext \n\n## Two words\n\nmore\n",
	}, p); diff != "" {
		t.Error(diff)
	}
}

func TestReadFindsDocuments(t *testing.T) {
	s := newShelf(t, "docs/Guide.md", "# Getting *started*\n", "other/notes.md", "# Notes\n", "docs/notes.md", "# Notes\n",
		"caf\u00e9.md", "# C\n", "a b/c d.md", "# Spaces\n", "main.go", "package main")
	for name, wanted := range map[string]string{
		"docs/Guide.md":    "docs/Guide.md",
		"./docs/Guide.md":  "docs/Guide.md",
		"DOCS/guide.MD":    "docs/Guide.md", // another case
		"cafe\u0301.md":    "caf\u00e9.md",  // another normal form
		"Guide.md":         "docs/Guide.md",
		"guide":            "docs/Guide.md",
		"Getting started":  "docs/Guide.md", // by title
		"a%20b/c%20d.md":   "a b/c d.md",
		"other/notes.md:1": "other/notes.md",
	} {
		r := read(t, s.docs(), name, "")
		want(t, name+": "+verdict(r)+" "+paths(r), name+": success NONE "+wanted)
	}
	r := read(t, s.docs(), "notes.md", "")
	want(t, verdict(r)+" "+offered(r), "access_failure REFERENCE_UNRESOLVED ambiguous_target docs/notes.md other/notes.md")
	r = read(t, s.docs(), "Notes", "")
	want(t, verdict(r)+" "+offered(r), "access_failure REFERENCE_UNRESOLVED ambiguous_target docs/notes.md other/notes.md")
	r = read(t, s.docs(), "docs/", "")
	want(t, verdict(r)+" "+offered(r), "access_failure REFERENCE_UNRESOLVED ambiguous_target docs/Guide.md docs/notes.md")
	want(t, verdict(read(t, s.docs(), "main.go", "")), "access_failure REFERENCE_UNRESOLVED wrong_kind")
	r = read(t, s.docs(), "docs/guide-new.md", "")
	want(t, verdict(r)+" "+offered(r), "empty REFERENCE_UNRESOLVED not_found_confirmed docs/Guide.md")
	want(t, verdict(read(t, s.docs(), "Some title", "")), "empty REFERENCE_UNRESOLVED not_found_confirmed")
}

func TestReadTwoSpellingsOnDisk(t *testing.T) {
	s := newShelf(t, "A.md", "x", "a.md", "y")
	if paths(list(s.docs(), "", "")) != "A.md a.md" {
		t.Skip("the file system does not tell the two apart")
	}
	want(t, paths(read(t, s.docs(), "a.md", "")), "a.md")
	s.put("d/B.md", "x")
	s.put("d/b.md", "y")
	r := read(t, s.docs(), "D/b.MD", "")
	want(t, verdict(r)+" "+offered(r), "access_failure REFERENCE_UNRESOLVED ambiguous_target d/B.md d/b.md")
}

func TestReadSection(t *testing.T) {
	s := newShelf(t, "g.md", "# Guide\n\nintro\n\n## Install\n\none\n\n### Linux\n\ntwo\n\n## Use\n\n### Linux\n\nthree\n")
	r := read(t, s.docs(), "g.md", "install")
	want(t, verdict(r), "success NONE")
	p := r.Items()[0]
	if p.Body != "## Install\n\none\n\n### Linux\n\ntwo\n\n" || p.Section != "Install" || p.Line != 5 || len(p.Outline) != 2 {
		t.Errorf("%+v", p)
	}
	want(t, read(t, s.docs(), "g.md#linux-1", "").Items()[0].Body, "### Linux\n\nthree\n")
	r = read(t, s.docs(), "g.md", "Linux")
	want(t, verdict(r)+" "+offered(r), "access_failure REFERENCE_UNRESOLVED ambiguous_target g.md#linux g.md#linux-1")
	r = read(t, s.docs(), "g.md", "nope")
	want(t, verdict(r)+" "+offered(r), "empty REFERENCE_UNRESOLVED not_found_confirmed g.md#guide g.md#install g.md#linux g.md#use g.md#linux-1")
}

func TestReadLongDocument(t *testing.T) {
	s := newShelf(t, "long.md", "# A\n\n"+strings.Repeat("é x\n", maxPage/4)+"# B\n\nend\n")
	r := read(t, s.docs(), "long.md", "")
	want(t, verdict(r), "partial CAPABILITY_UNAVAILABLE own_cap")
	p := r.Items()[0]
	if !p.BodyCut || len(p.Body) > maxPage || len(p.Outline) != 2 {
		t.Errorf("cut %t, %d bytes, %d headings", p.BodyCut, len(p.Body), len(p.Outline))
	}
	want(t, verdict(read(t, s.docs(), "long.md", "b")), "success NONE")
}

func TestListFolders(t *testing.T) {
	s := newShelf(t, "README.md", "# Top\n", "docs/a.md", "# A\n", "docs/sub/b.md", "no heading", "docs2/c.md", "x", "other/x.md", "y")
	want(t, paths(list(s.docs(), "", "")), "README.md docs/a.md docs/sub/b.md docs2/c.md other/x.md")
	want(t, paths(list(s.docs(), "shelf", "")), "README.md docs/a.md docs/sub/b.md docs2/c.md other/x.md")
	want(t, paths(list(s.docs(), "Docs", "")), "docs/a.md docs/sub/b.md")
	want(t, paths(list(s.docs(), "docs", "sub")), "docs/sub/b.md")
	want(t, paths(list(s.docs(), "docs", "docs/sub")), "docs/sub/b.md")
	want(t, verdict(list(s.docs(), "docs", "other")), "empty REFERENCE_UNRESOLVED not_found_confirmed")
	want(t, verdict(list(s.docs(), "", "README.md")), "access_failure REFERENCE_UNRESOLVED wrong_kind")
	r := list(s.docs(), "nope", "")
	want(t, verdict(r)+" "+offered(r), "empty REFERENCE_UNRESOLVED not_found_confirmed docs docs2 other")
	rows := list(s.docs(), "docs", "").Items()
	want(t, rows[0].Title+", "+rows[1].Title, "A, b")
}

func TestOwnsAndHolds(t *testing.T) {
	s := newShelf(t, "docs/a.md", "x")
	d := s.docs()
	for space, wanted := range map[string]bool{"docs": true, "shelf": true, "here": true, "acme/app": false, "nope": false} {
		if d.holds(space) != wanted {
			t.Errorf("holds(%q) is not %t", space, wanted)
		}
	}
	s.git()
	s.run("remote", "add", "origin", "https://example.com/acme/app.git")
	if d = s.docs(); !d.holds("acme/app") {
		t.Error("the name of the remote is not taken for the tree")
	}
	want(t, verdict(list(d, "acme/app", "")), "success NONE")
}
