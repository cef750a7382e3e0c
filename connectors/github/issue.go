package github

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
)

// issue is an issue as listings show it, small on purpose; asked is the
// repository that was asked, if it was one.
func (c *client) issue(w wireIssue, asked repoName) connectors.Issue {
	var s scrub
	home := homeOf(w, asked)
	out := connectors.Issue{
		Origin: connectors.Origin{
			Source: c.source, Container: home.String(), Ref: refOf(home, *w.Number), URL: w.HTMLURL,
			Title: s.line(*w.Title), UpdatedAt: w.UpdatedAt,
		},
		State: w.State, Author: loginOf(w.User), Comments: w.Comments,
		Labels: s.lines(names(w.Labels)), Assignees: logins(w.Assignees),
	}
	if w.Type != nil && w.Type.Name != nil {
		out.Type = s.line(*w.Type.Name)
	}
	if asked != (repoName{}) && !strings.EqualFold(home.String(), asked.String()) { // GH-42, GH-43
		out.MovedTo = out.Ref
	}
	out.Removed = s.removed
	return out
}

// whole adds what only a single issue shows.
func (c *client) whole(out connectors.Issue, w wireIssue) connectors.Issue {
	s := scrub{removed: out.Removed}
	out.Reason, out.CreatedAt, out.ClosedAt = w.StateReason, w.CreatedAt, w.ClosedAt
	if w.Milestone != nil && w.Milestone.Title != nil {
		out.Milestone = s.line(*w.Milestone.Title)
	}
	out.Body = s.prose(w.Body)
	out.Removed = s.removed
	return out
}

// homeOf is the repository in which the issue says it is.
func homeOf(w wireIssue, asked repoName) repoName {
	for _, address := range []string{w.RepositoryURL, w.HTMLURL} {
		if r, ok := repoIn(address); ok {
			return r
		}
	}
	return asked
}

// repoIn reads owner and name out of …/repos/{owner}/{repo} or of the web
// address of an issue or pull request.
func repoIn(address string) (repoName, bool) {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return repoName{}, false
	}
	_, rest, api := strings.Cut(u.Path, "/repos/")
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	if !api {
		parts = strings.Split(strings.Trim(u.Path, "/"), "/")
	}
	if len(parts) < 2 {
		return repoName{}, false
	}
	return parseRepo(parts[0] + "/" + parts[1])
}

func refOf(r repoName, number int) string { return r.String() + "#" + strconv.Itoa(number) }

func loginOf(w *wireLogin) string {
	if w == nil {
		return ""
	}
	return w.Login
}

func logins(ws []wireLogin) []string {
	var out []string
	for _, w := range ws {
		out = append(out, w.Login)
	}
	return out
}

func names(ws []wireNamed) []string {
	var out []string
	for _, w := range ws {
		if w.Name != nil {
			out = append(out, *w.Name)
		}
	}
	return out
}
