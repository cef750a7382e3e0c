package jira

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// maxTitle bounds a title in a listing, in runes.
const maxTitle = 300

// scrub cleans the texts of one item, all of which people wrote, and counts what
// it took out of them and what a document holds that Markdown does not.
type scrub struct {
	removed int
	left    map[string]int
}

// line is s as one line, for titles, names and labels.
func (s *scrub) line(text string) string {
	clean, r := markup.Clean(text)
	s.removed += r.Total()
	return markup.Line(clean, maxTitle)
}

func (s *scrub) lines(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, s.line(t))
	}
	return out
}

func (s *scrub) user(w *wireUser) string {
	if w == nil {
		return ""
	}
	return s.line(w.shown())
}

func (s *scrub) named(w *wireNamed) string {
	if w == nil {
		return ""
	}
	return s.line(w.Name)
}

// body is a description or comment: a document in Cloud, a text in Data Center,
// which stays in the markup it was written in. JR-21.
func (s *scrub) body(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		doc, ok := markup.FromADF(raw)
		if !ok {
			s.leave("document")
			return ""
		}
		for kind, n := range doc.Left {
			for range n {
				s.leave(kind)
			}
		}
		text = doc.Text
	}
	clean, r := markup.CleanMarkdown(text)
	s.removed += r.Total()
	return clean
}

func (s *scrub) leave(kind string) {
	if s.left == nil {
		s.left = map[string]int{}
	}
	s.left[kind]++
}

// judge tells of what the texts lack, if they lack anything. JR-21.
func (s *scrub) judge(a *status.Audit, part string) {
	if len(s.left) > 0 {
		a.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.WasCalled, status.Skipped.Is(s.left),
			status.Part.Is(part+": parts of a document that Markdown cannot hold")))
	}
}

// url is an address that people can open; what is none is left out.
func (s *scrub) url(text string) string {
	u, err := url.Parse(text)
	if text == "" || err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || strings.ContainsAny(text, " \t\r\n") {
		return ""
	}
	clean, r := markup.Clean(text)
	s.removed += r.Total()
	return clean
}

// home is the project of an issue, as the issue itself tells it.
func (w wireIssue) home() string { return projectOf(*w.Key) }

// issue translates an issue without its body and parts.
func (c *client) issue(w wireIssue, s server) connectors.Issue {
	var t scrub
	f := w.Fields
	i := connectors.Issue{
		Origin: connectors.Origin{Source: c.source, Ref: *w.Key, URL: s.browse(*w.Key), Title: t.line(*f.Summary), UpdatedAt: f.Updated.at(), Container: w.home()},
		State:  t.line(f.Status.Name), Reason: t.named(f.Resolution), Priority: t.named(f.Priority),
		Author: t.user(f.author()), Labels: t.lines(f.labels()), CreatedAt: f.Created.at(), ClosedAt: f.Resolved.at(),
	}
	if f.Type != nil {
		i.Type = t.line(f.Type.Name)
	}
	if f.Assignee.wireUser != nil {
		i.Assignees = []string{t.user(f.Assignee.wireUser)}
	}
	var versions []string
	for _, v := range f.Versions {
		versions = append(versions, t.line(v.Name))
	}
	i.Milestone = strings.Join(versions, ", ")
	i.Removed = t.removed
	return i
}

// author is who reported the issue, else who created it.
func (f *wireFields) author() *wireUser {
	if f.Reporter.wireUser != nil {
		return f.Reporter.wireUser
	}
	return f.Creator.wireUser
}
