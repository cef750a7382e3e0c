package local_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/local"
	"github.com/frank-mcp/frank/internal/config"
)

func TestReadDocument(t *testing.T) {
	s := newShelf(t, "docs/guide.md", "---\ntitle: The Guide\n---\n# One\n\ntext <!-- hidden -->\n\n## Two words\n\nmore\n")
	r := read(s.source(), "docs/guide.md", "")
	want(t, r.verdict(), "success NONE")
	p := r.items[0]
	p.UpdatedAt = nil
	if diff := cmp.Diff(connectors.Page{
		Origin: connectors.Origin{Source: "here", Ref: "docs/guide.md", Title: "The Guide", Removed: 1},
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
		r := read(s.source(), name, "")
		want(t, name+": "+r.verdict()+" "+refs(r), name+": success NONE "+wanted)
	}
	r := read(s.source(), "notes.md", "")
	want(t, r.verdict()+" "+r.offered(), "access_failure REFERENCE_UNRESOLVED ambiguous_target docs/notes.md other/notes.md")
	r = read(s.source(), "Notes", "")
	want(t, r.verdict()+" "+r.offered(), "access_failure REFERENCE_UNRESOLVED ambiguous_target docs/notes.md other/notes.md")
	r = read(s.source(), "docs/", "")
	want(t, r.verdict()+" "+r.offered(), "access_failure REFERENCE_UNRESOLVED ambiguous_target docs/Guide.md docs/notes.md")
	want(t, read(s.source(), "main.go", "").verdict(), "access_failure REFERENCE_UNRESOLVED wrong_kind")
	r = read(s.source(), "docs/guide-new.md", "")
	want(t, r.verdict()+" "+r.offered(), "empty REFERENCE_UNRESOLVED not_found_confirmed docs/Guide.md")
	want(t, read(s.source(), "Some title", "").verdict(), "empty REFERENCE_UNRESOLVED not_found_confirmed")
}

func TestReadTwoSpellingsOnDisk(t *testing.T) {
	s := newShelf(t, "A.md", "x", "a.md", "y")
	if refs(shelved(s.source(), "", "")) != "A.md a.md" {
		t.Skip("the file system does not tell the two apart")
	}
	want(t, refs(read(s.source(), "a.md", "")), "a.md")
	s.put("d/B.md", "x")
	s.put("d/b.md", "y")
	r := read(s.source(), "D/b.MD", "")
	want(t, r.verdict()+" "+r.offered(), "access_failure REFERENCE_UNRESOLVED ambiguous_target d/B.md d/b.md")
}

func TestReadSection(t *testing.T) {
	s := newShelf(t, "g.md", "# Guide\n\nintro\n\n## Install\n\none\n\n### Linux\n\ntwo\n\n## Use\n\n### Linux\n\nthree\n")
	r := read(s.source(), "g.md", "install")
	want(t, r.verdict(), "success NONE")
	p := r.items[0]
	if p.Body != "## Install\n\none\n\n### Linux\n\ntwo\n\n" || p.Section != "Install" || p.Line != 5 || len(p.Outline) != 2 {
		t.Errorf("%+v", p)
	}
	want(t, read(s.source(), "g.md#linux-1", "").items[0].Body, "### Linux\n\nthree\n")
	r = read(s.source(), "g.md", "Linux")
	want(t, r.verdict()+" "+r.offered(), "access_failure REFERENCE_UNRESOLVED ambiguous_target g.md#linux g.md#linux-1")
	r = read(s.source(), "g.md", "nope")
	want(t, r.verdict()+" "+r.offered(), "empty REFERENCE_UNRESOLVED not_found_confirmed g.md#guide g.md#install g.md#linux g.md#use g.md#linux-1")
}

func TestReadLongDocument(t *testing.T) {
	s := newShelf(t, "long.md", "# A\n\n"+strings.Repeat("é x\n", local.MaxPage/4)+"# B\n\nend\n")
	r := read(s.source(), "long.md", "")
	want(t, r.verdict(), "partial CAPABILITY_UNAVAILABLE own_cap")
	p := r.items[0]
	if !p.BodyCut || len(p.Body) > local.MaxPage || len(p.Outline) != 2 {
		t.Errorf("cut %t, %d bytes, %d headings", p.BodyCut, len(p.Body), len(p.Outline))
	}
	want(t, read(s.source(), "long.md", "b").verdict(), "success NONE")
}

func TestListFolders(t *testing.T) {
	s := newShelf(t, "README.md", "# Top\n", "docs/a.md", "# A\n", "docs/sub/b.md", "no heading", "docs2/c.md", "x", "other/x.md", "y")
	want(t, refs(shelved(s.source(), "", "")), "README.md docs/a.md docs/sub/b.md docs2/c.md other/x.md")
	want(t, refs(shelved(s.source(), "shelf", "")), "README.md docs/a.md docs/sub/b.md docs2/c.md other/x.md")
	want(t, refs(shelved(s.source(), "Docs", "")), "docs/a.md docs/sub/b.md")
	want(t, refs(shelved(s.source(), "docs", "sub")), "docs/sub/b.md")
	want(t, refs(shelved(s.source(), "docs", "docs/sub")), "docs/sub/b.md")
	want(t, shelved(s.source(), "docs", "other").verdict(), "empty REFERENCE_UNRESOLVED not_found_confirmed")
	want(t, shelved(s.source(), "", "README.md").verdict(), "access_failure REFERENCE_UNRESOLVED wrong_kind")
	r := shelved(s.source(), "nope", "")
	want(t, r.verdict()+" "+r.offered(), "empty REFERENCE_UNRESOLVED not_found_confirmed docs docs2 other")
	rows := shelved(s.source(), "docs", "").items
	want(t, rows[0].Title+", "+rows[1].Title, "A, b")
}

func TestSpacesOfATree(t *testing.T) {
	s := newShelf(t, "docs/a.md", "x")
	spaces := func(wanted map[string]string) {
		t.Helper()
		f := s.source()
		for space, verdict := range wanted {
			// The source is not named: frank has to tell whose space it is.
			a := ask[connectors.Page](t.Context(), f, "docs_list", arguments{"space": space})
			want(t, space+" "+a.verdict(), space+" "+verdict)
		}
	}
	spaces(map[string]string{"docs": "success NONE", "shelf": "success NONE", "here": "success NONE",
		"acme/app": "access_failure REFERENCE_UNRESOLVED no_candidates", "nope": "access_failure REFERENCE_UNRESOLVED no_candidates"})
	s.git()
	s.run("remote", "add", "origin", "https://example.com/acme/app.git")
	spaces(map[string]string{"acme/app": "success NONE"})
}

func TestItemsPassAnAllowListOfTheirContainer(t *testing.T) {
	s := newShelf(t, "a.md", "needle", "backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: needle\n---\n")
	for only, wanted := range map[string]string{"shelf": "success NONE", "other": "access_failure ACCESS_DENIED policy_denied"} {
		f := start(t, config.Source{Root: s.root, Only: []string{only}})
		for _, tool := range []string{"docs_search", "tracker_search"} {
			args := arguments{"query": "needle"}
			if tool == "docs_search" {
				args["space"] = "shelf"
			} else {
				args["project"] = "shelf"
			}
			a := ask[connectors.Page](t.Context(), f, tool, args)
			want(t, tool+" "+only+" "+a.verdict(), tool+" "+only+" "+wanted)
		}
	}
}
