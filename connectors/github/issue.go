package github

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
)

// issue is an issue of the repository home as listings show it, small on purpose;
// asked is the repository that was asked, if it was one.
func (c *client) issue(w wireIssue, home, asked repoName) connectors.Issue {
	var s scrub
	out := connectors.Issue{
		Origin: connectors.Origin{
			Source: c.source, Container: home.String(), Ref: refOf(home, *w.Number), URL: s.url(w.HTMLURL),
			Title: s.line(*w.Title), UpdatedAt: w.UpdatedAt,
		},
		State: s.word(w.State), Author: s.login(w.User), Comments: w.Comments,
		Labels: s.lines(namesOf(w.Labels)), Assignees: s.logins(w.Assignees),
	}
	if w.Type != nil && w.Type.Name != nil {
		out.Type = s.line(*w.Type.Name)
	}
	if asked != (repoName{}) && home != (repoName{}) && !strings.EqualFold(home.String(), asked.String()) { // GH-42, GH-43
		out.MovedTo = out.Ref
	}
	out.Removed = s.removed
	return out
}

// whole adds what only a single issue shows.
func (c *client) whole(out connectors.Issue, w wireIssue) connectors.Issue {
	s := scrub{removed: out.Removed}
	out.Reason, out.CreatedAt, out.ClosedAt = s.word(w.StateReason), w.CreatedAt, w.ClosedAt
	if w.Milestone != nil && w.Milestone.Title != nil {
		out.Milestone = s.line(*w.Milestone.Title)
	}
	out.Body = s.prose(unmarked(w.Body))
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

// views are what the web address of something in a repository goes on with.
var views = []string{"issues", "pull", "pulls", "commit", "commits", "compare", "blob", "tree", "raw"}

// repoIn reads owner and name out of …/repos/{owner}/{repo} or of the web
// address of something in a repository.
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
	if len(parts) < 2 || !api && (len(parts) < 3 || !slices.Contains(views, parts[2])) {
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

func namesOf(ws []wireNamed) []string {
	var out []string
	for _, w := range ws {
		if w.Name != nil {
			out = append(out, *w.Name)
		}
	}
	return out
}
