package tools

import (
	"context"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/status"
)

type trackerSearchArgs struct {
	Query        string    `arg:"query" word:"matching “%”" doc:"literal text in title, body or comments" max:"10000"`
	Source       string    `arg:"source" doc:"one source; default: all trackers" max:"64"`
	Project      string    `arg:"project" word:"of %" doc:"owner/repo or project key; default: the source's own; * for all visible" max:"256"`
	State        string    `arg:"state" word:"in state %" enum:"open,closed,all" default:"all"`
	Assignee     string    `arg:"assignee" word:"assigned to %" doc:"account name" max:"256"`
	Author       string    `arg:"author" word:"by %" max:"256"`
	Labels       []string  `arg:"labels" word:"labelled %" doc:"all of them" max:"256"`
	UpdatedSince time.Time `arg:"updated_since" word:"updated since %" doc:"date or RFC 3339 time"`
	NativeQuery  string    `arg:"native_query" word:"matching “%”" doc:"the tracker's own query language, as it is" max:"10000"`
	Limit        int       `arg:"limit" min:"1" max:"100" default:"20"`
	Cursor       string    `arg:"cursor" doc:"next_cursor of the same question" max:"12000"`
}

func (a trackerSearchArgs) asksNothing() bool {
	return a.Query == "" && a.Project == "" && a.Assignee == "" && a.Author == "" && len(a.Labels) == 0 && a.UpdatedSince.IsZero() && a.NativeQuery == ""
}

var trackerSearchSpec = Spec{
	Name: "tracker_search", Title: "Search issues", Operation: "tracker.search", Kind: connectors.KindTracker, Needs: connectors.IssueRead,
	One: "issue", Many: "issues",
	Description: "Find issues by text and filters. Needs at least one of query, project, assignee, author, labels, updated_since, native_query. Pull requests are not issues: see repo_get_change.",
}

var trackerSearch = tool[trackerSearchArgs]{trackerSearchSpec, searchIssues}

func searchIssues(ctx context.Context, d *Deps, a trackerSearchArgs) status.Envelope {
	if a.asksNothing() {
		names := []string{"query", "project", "assignee", "author", "labels", "updated_since", "native_query"}
		return trackerSearchSpec.refuse(status.Fail(status.MissingRequiredArgument, status.Arguments.Is([]status.Argument{{
			Name: "one of " + strings.Join(names, ", "), Reason: status.MissingRequiredArgument.Name(), Problem: "at least one of them is required", Allowed: names,
		}})))
	}
	q := set{
		spec: trackerSearchSpec, args: a, source: a.Source, container: a.Project, native: a.NativeQuery, limit: a.Limit, cursor: a.Cursor,
	}
	return askSet(ctx, d, q, func(ctx context.Context, s connectors.Source, p connectors.Paging) status.Result[connectors.Issue] {
		return s.Tracker.Search(ctx, connectors.IssueQuery{
			Text: a.Query, Project: given(s, a.Project), State: a.State, Assignee: a.Assignee, Author: a.Author,
			Labels: a.Labels, UpdatedSince: a.UpdatedSince, Native: a.NativeQuery, Paging: p,
		})
	})
}

// within words the container of a set.
func within(container string) string {
	if container == "" || container == connectors.Everywhere {
		return ""
	}
	return " of " + status.Line(container, 80)
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
