package jira

import (
	"context"
	"net/url"
	"strconv"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// How much of these lists a description holds: what one request brings.
const (
	labelRows  = 500
	peopleRows = 100
)

// wireLabels is one page of the labels in use, which all projects share.
type wireLabels struct {
	Values *[]string `json:"values"`
	Total  *int      `json:"total"`
	Last   *bool     `json:"isLast"`
}

func (w wireLabels) Missing() string {
	if w.Values == nil {
		return "values"
	}
	return upstream.Absent("isLast", w.Last == nil)
}

// labels are the labels of the site; Data Center does not list them.
func (t tracker) labels(ctx context.Context, s server, a *status.Audit) []string {
	if !s.cloud {
		a.Uncovered(noteLabels)
		return nil
	}
	w, x, f := one[wireLabels](ctx, t.client, s.get("/label", "label").with(url.Values{"maxResults": {strconv.Itoa(labelRows)}}))
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("labels")))
		return nil
	}
	t.hear(a, x)
	if !*w.Last || w.Total != nil && *w.Total > len(*w.Values) { // JR-12: the page may be shorter than was asked for
		total := 0
		if w.Total != nil {
			total = *w.Total
		}
		a.Fail(status.Completeness, *x.Fail(status.OwnCap, status.Part.Is("labels"), status.Limit.Is(len(*w.Values)), status.Total.Is(total)))
	}
	return new(scrub).lines(*w.Values)
}

// people are those who may be assigned issues of a project. Jira leaves out whom the
// account may not see, all of them if it may not search for people, and says neither
// how many there are nor whether more follow. JR-29.
func (t tracker) people(ctx context.Context, s server, project string, a *status.Audit) []string {
	if t.anonymous() {
		a.Uncovered(notePeople)
		return nil
	}
	rows, x, f := many[wireUser](ctx, t.client, s.get("/user/assignable/search", "user", "assignable", "search").with(url.Values{
		"project": {project}, "maxResults": {strconv.Itoa(peopleRows)},
	}))
	if f == nil && len(rows) == 0 {
		f = t.unseen(ctx)
	}
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("people")))
		return nil
	}
	t.hear(a, x)
	a.Unprovable(noteAllPeople)
	if len(rows) >= peopleRows {
		a.Fail(status.Completeness, *x.Fail(status.OwnCap, status.Part.Is("people"), status.Limit.Is(len(rows))))
	}
	var out []string
	var text scrub
	for _, u := range rows {
		out = append(out, text.user(&u))
	}
	return out
}

// unseen says why an account sees nobody: nil if it may search for people.
func (c *client) unseen(ctx context.Context) *status.Failure {
	may, seen, f := c.permitted(ctx, "", "USER_PICKER")
	if f == nil && !may {
		f = seen.Fail(status.ScopeMissing, status.MissingScope.Is("the permission Browse users and groups"))
	}
	return f
}
