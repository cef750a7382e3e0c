package local

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

const (
	// maxThread is how many comments one answer holds.
	maxThread = 50
	// maxRelations is how many links one answer holds.
	maxRelations = 200
)

// Get reads one issue by its id, its number or the path of its file.
func (t *fileTracker) Get(ctx context.Context, q connectors.IssueGet) status.Result[connectors.Issue] {
	skip, err := 0, error(nil)
	if q.Cursor != "" {
		skip, err = strconv.Atoi(q.Cursor)
	}
	if err != nil || skip < 0 || q.Cursor != "" && skip == 0 {
		return t.failed(*unusable("cursor", "is not a cursor of this source; leave it out"))
	}
	l, all, failure := t.open(ctx)
	if failure != nil {
		return t.failed(*failure)
	}
	defer l.close()
	r, answer := t.pick(l, q.Ref, all)
	if answer != nil {
		return *answer
	}
	return t.one(l, r, q, all, skip)
}

// pick finds the one record that a reference means, or says why there is none.
func (t *fileTracker) pick(l *look, r ref.Ref, all ledger) (record, *status.Result[connectors.Issue]) {
	name := issueName(r)
	var answer status.Result[connectors.Issue]
	hits := meant(all.records, name)
	switch {
	case bare(name) && !t.named(l.ctx, r.Project, all):
		answer = strange[connectors.Issue](l.ctx, t, r.Project, t.proof(l, all))
	case len(hits) == 0 || hits[0].gone:
		// A record that says of itself that it was deleted proves it as well.
		answer = status.Absent[connectors.Issue](t.source, t.proof(l, all), status.Reference.Is(name), status.Container.Is(l.container()))
	case len(hits) > 1:
		answer = t.failed(status.Fail(status.AmbiguousTarget, status.WasCalled, status.Reference.Is(name), status.Margin.Is(0), status.Among(files(t.source, hits)...)))
	default:
		return hits[0], nil
	}
	return record{}, &answer
}

// issueName is what a reference calls the issue.
func issueName(r ref.Ref) string {
	name := r.ID
	if r.Path != "" {
		name = r.Path
	}
	if name == "" {
		name = r.Raw
	}
	return strings.TrimPrefix(strings.TrimSpace(name), "#")
}

// bare reports whether a name is a number alone.
func bare(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil
}

// meant are the records that a name fits, of those that rank first: a task
// stands before an archived one of the same number, a whole id before its end.
func meant(records []record, name string) []record {
	for _, same := range []func(record) bool{
		func(r record) bool { return r.file == rawName(name) && !r.shared },
		func(r record) bool { return plainID(r.issue.Ref) == plainID(name) },
		func(r record) bool {
			return !strings.Contains(name, "-") && plainID(endOf(r.issue.Ref)) == plainID(name)
		},
	} {
		var hits []record
		for _, r := range records {
			if same(r) {
				hits = append(hits, r)
			}
		}
		if len(hits) == 0 {
			continue
		}
		best := slices.MinFunc(hits, func(a, b record) int { return a.rank - b.rank }).rank
		return slices.DeleteFunc(hits, func(r record) bool { return r.rank != best })
	}
	return nil
}

// endOf is an id without its prefix.
func endOf(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }

// plainID is an id without case and without the zeros that pad its numbers.
func plainID(id string) string {
	head, end := "", id
	if i := strings.LastIndexByte(id, '-'); i >= 0 {
		head, end = id[:i+1], id[i+1:]
	}
	parts := strings.Split(end, ".")
	for i, p := range parts {
		if n, err := strconv.Atoi(p); err == nil {
			parts[i] = strconv.Itoa(n)
		}
	}
	return markup.Fold(head + strings.Join(parts, "."))
}

// files names records of one id by the files that hold them.
func files(source string, hits []record) []status.Candidate {
	var out []status.Candidate
	for _, r := range hits {
		out = append(out, status.Candidate{Ref: shownName(r.file), Title: r.issue.Title, Source: source})
	}
	return out
}

// one is the answer for a record that was found: it was read to its end,
// whatever became of the others.
func (t *fileTracker) one(l *look, r record, q connectors.IssueGet, all ledger, skip int) status.Result[connectors.Issue] {
	if skip > 0 && skip >= len(r.issue.Thread) {
		return t.failed(*stray())
	}
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "read " + shownName(r.file), At: l.now()}, status.Transport, status.Shape, status.InBand,
		status.Identity, status.Scope, status.Completeness)
	for _, note := range all.notes {
		a.Uncovered(note)
	}
	out := r.issue
	total := len(out.Thread)
	out.Thread = out.Thread[min(skip, total):min(skip+maxThread, total)]
	if !q.Comments {
		out.Thread = nil
	} else if skip+maxThread < total {
		a.Next(strconv.Itoa(skip + maxThread))
	}
	if q.Links {
		out.Links = upTo(a, linked(r, all.records), maxRelations)
		l.finish(a) // a record that could not be read may point here
	} else {
		out.Links = nil
	}
	if q.History {
		a.Unmade(status.Completeness, status.Fail(status.OperationUnsupported, status.Feature.Is("the history of an issue"),
			pathFact(r.file), status.Fallback("call repo_history with the path "+shownName(r.file))))
	}
	size := len(out.Body)
	if out.Body, out.BodyCut = markup.Cut(out.Body, maxPage); out.BodyCut {
		a.Unmade(status.Completeness, status.Fail(status.OwnCap, status.SizeBytes.Is(int64(size)), status.Limit.Is(maxPage)))
	}
	return status.One(t.source, out, a)
}

// linked are the links of a record and those of others to it, with what is
// known of the other end.
func linked(r record, records []record) []connectors.Link {
	known := map[string]record{}
	for _, o := range records {
		if p, ok := known[plainID(o.issue.Ref)]; !ok || o.rank < p.rank {
			known[plainID(o.issue.Ref)] = o
		}
	}
	var out []connectors.Link
	add := func(kind, to string) {
		link := connectors.Link{Type: kind, Ref: to}
		if o, ok := known[plainID(to)]; ok {
			link.Ref, link.Title, link.State = o.issue.Ref, o.issue.Title, o.issue.State
		}
		if !slices.ContainsFunc(out, func(l connectors.Link) bool { return l.Type == kind && l.Ref == link.Ref }) {
			out = append(out, link)
		}
	}
	for _, l := range r.issue.Links {
		if l.URL != "" {
			out = append(out, l)
			continue
		}
		add(l.Type, l.Ref)
	}
	self := plainID(r.issue.Ref)
	for _, o := range records {
		for _, l := range o.issue.Links {
			if back := reverse(l.Type); back != "" && !o.gone && l.URL == "" && plainID(l.Ref) == self {
				add(back, o.issue.Ref)
			}
		}
	}
	return out
}

// reverse is what a link is called from its other end; "" if that says nothing new.
func reverse(kind string) string {
	switch kind {
	case "depends_on":
		return "needed_by"
	case "blocked_by":
		return "blocks"
	case "parent":
		return "child"
	case "child":
		return "parent"
	case "related":
		return "related"
	case "discovered_from":
		return "led_to"
	default:
		return ""
	}
}
