package local

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// Search lists issues, newest change first. A label or a person that no issue
// has is no failure: all issues were read, so that nothing matches is proved.
func (t *fileTracker) Search(ctx context.Context, q connectors.IssueQuery) status.Result[connectors.Issue] {
	if q.Native != "" {
		return t.failed(status.Fail(status.OperationUnsupported, status.Feature.Is("a query language of its own")))
	}
	from, ok := readMark(q.Cursor)
	if !ok {
		return t.failed(*unusable("cursor", "is not a cursor of this source; leave it out"))
	}
	text, _ := markup.Clean(q.Text)
	if q.Text != "" && strings.TrimSpace(text) == "" {
		return t.failed(*unusable("query", "give a text with a visible character"))
	}
	l, all, failure := t.open(ctx)
	if failure != nil {
		return t.failed(*failure)
	}
	defer l.close()
	a := t.proof(l, all)
	if !t.named(ctx, q.Project, all) {
		return strange[connectors.Issue](ctx, t, q.Project, a)
	}
	needle := markup.NewNeedle(text)
	var found []record
	for _, r := range all.records {
		if !r.gone && fits(r, q) && (text == "" || r.contains(needle)) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, byChange)
	var items []connectors.Issue
	var last record
	known := from == nil
	for _, r := range found {
		if from != nil && byChange(r, *from) <= 0 {
			known = known || byChange(r, *from) == 0
			continue
		}
		if len(items) == q.Limit {
			a.Next(mark(last))
			break
		}
		items, last = append(items, brief(r.issue)), r
	}
	if len(items) == 0 && !known {
		return t.failed(*stray())
	}
	return status.List(t.source, items, a)
}

func (t *fileTracker) failed(f status.Failure) status.Result[connectors.Issue] {
	return status.Failed[connectors.Issue](t.source, f)
}

// fits reports whether a record passes the filters, apart from the text.
func fits(r record, q connectors.IssueQuery) bool {
	switch {
	case q.State == "open" && r.closed, q.State == "closed" && !r.closed:
		return false
	case q.Assignee != "" && !slices.ContainsFunc(r.issue.Assignees, func(a string) bool { return samePerson(a, q.Assignee) }):
		return false
	case q.Author != "" && !samePerson(r.issue.Author, q.Author):
		return false
	case !q.UpdatedSince.IsZero() && r.until.Before(q.UpdatedSince):
		return false
	}
	for _, wanted := range q.Labels {
		if !slices.ContainsFunc(r.issue.Labels, func(l string) bool { return markup.Fold(l) == markup.Fold(wanted) }) {
			return false
		}
	}
	return true
}

// samePerson compares names; Backlog.md writes an @ in front of some.
func samePerson(a, b string) bool {
	return a != "" && markup.Fold(strings.TrimPrefix(a, "@")) == markup.Fold(strings.TrimPrefix(b, "@"))
}

func (r record) contains(n markup.Needle) bool { return slices.ContainsFunc(r.text, n.In) }

// byChange orders by the last change, newest first, then by reference and file.
func byChange(a, b record) int {
	return cmp.Or(changed(b.issue).Compare(changed(a.issue)), strings.Compare(a.issue.Ref, b.issue.Ref), strings.Compare(a.file, b.file))
}

func changed(i connectors.Issue) time.Time {
	if i.UpdatedAt == nil {
		return time.Time{}
	}
	return *i.UpdatedAt
}

// brief is an issue in a listing.
func brief(i connectors.Issue) connectors.Issue {
	i.Body, i.Thread, i.Links, i.Fields = "", nil, nil, nil
	return i
}

// mark is the place of a record in the order of a listing, as a cursor.
func mark(r record) string {
	return changed(r.issue).Format(time.RFC3339Nano) + "\t" + r.issue.Ref + "\t" + shownName(r.file)
}

// readMark reads a cursor; nil means from the first.
func readMark(cursor string) (*record, bool) {
	if cursor == "" {
		return nil, true
	}
	parts := strings.Split(cursor, "\t")
	if len(parts) != 3 {
		return nil, false
	}
	when, err := time.Parse(time.RFC3339Nano, parts[0])
	if err != nil {
		return nil, false
	}
	issue := connectors.Issue{Origin: connectors.Origin{Ref: parts[1], UpdatedAt: &when}}
	return &record{issue: issue, file: rawName(parts[2])}, true
}
