package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/status"
)

// fileTracker answers for a tracker that keeps its issues in files of the tree:
// Backlog.md or beads. Every question reads all of them anew, so that what is
// not found is proved absent.
type fileTracker struct {
	*tree
	stores []store
}

var _ connectors.Tracker = (*fileTracker)(nil)

// store is one way to keep issues in files.
type store interface {
	// present reports whether the tree may have such files, by their names alone.
	present(t *tree) bool
	// prefixed reports whether ids here begin with that prefix; true if it cannot be told.
	prefixed(l *look, prefix string) bool
	// load reads all of them. What could not be read is counted in the look.
	load(l *look) ledger
	// homes are the directories that hold such files, of those that are there.
	homes(l *look) []string
	// kept is the file or directory that a new issue goes into.
	kept(l *look) string
	// compose, revise and reply plan a new issue, changes of one, and a comment on
	// one. They change nothing.
	compose(l *look, all ledger, w connectors.IssueCreate) (edit, *status.Failure)
	revise(l *look, r record, w connectors.IssueUpdate) (edit, *status.Failure)
	reply(l *look, r record, w connectors.CommentAdd) (edit, *status.Failure)
	// wrote reports whether the record has exactly that body.
	wrote(l *look, r record, body string) bool
}

// newTracker makes the tracker of a tree, or returns nil if there is none.
func newTracker(t *tree) *fileTracker {
	out := &fileTracker{tree: t}
	for _, s := range []store{backlog{}, beads{}} {
		if s.present(t) {
			out.stores = append(out.stores, s)
		}
	}
	if out.stores == nil {
		return nil
	}
	return out
}

// noTracker is the answer of a tree without a tracker.
func (t *tree) noTracker() status.Failure {
	remedy := "Add backlog/tasks/*.md (Backlog.md) or .beads/issues.jsonl under root of source " + t.source + "."
	if t.has(".beads") {
		remedy = "Run bd export: beads keeps its issues in a database here, and frank reads .beads/issues.jsonl."
	}
	return status.Fail(status.OperationUnsupported, status.By(t.source), status.Feature.Is("a file-based tracker"), status.Remedy.Is(remedy),
		status.Fallback("ask another tracker"))
}

// has reports whether a name is in the tree; one that cannot be looked at
// counts, so that the reason comes out in an answer.
func (t *tree) has(name string) bool {
	_, err := os.Lstat(t.disk(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// record is one issue as its file holds it.
type record struct {
	issue  connectors.Issue // with its body and parts
	text   []string         // what a search looks through
	closed bool
	gone   bool      // deleted; kept only so that its number is not given again
	rank   int       // of records with the same id the lowest is meant
	file   string    // that holds it
	shared bool      // the file holds others too
	until  time.Time // the end of the day or instant of its last change
	made   time.Time // the end of the day or instant of its creation
	states []string  // that its tracker knows
	store  store     // that it is kept in
}

// ledger is all that a tracker's files hold.
type ledger struct {
	records    []record
	project    string // as the tracker calls itself
	states     []string
	labels     []string
	types      []string
	milestones []string
	dirs       []string // that were read
	notes      []string // what it cannot prove
	twice      int      // ids that occur more than once
}

// join adds what another store holds.
func (a ledger) join(b ledger) ledger {
	if a.project == "" {
		a.project = b.project
	}
	a.records = append(a.records, b.records...)
	a.states, a.labels = append(a.states, b.states...), append(a.labels, b.labels...)
	a.types, a.milestones = append(a.types, b.types...), append(a.milestones, b.milestones...)
	a.dirs, a.notes = append(a.dirs, b.dirs...), append(a.notes, b.notes...)
	a.twice += b.twice
	return a
}

// open reads the tracker. The caller closes the look.
func (t *fileTracker) open(ctx context.Context) (*look, ledger, *status.Failure) {
	l, failure := t.begin(ctx)
	if failure != nil {
		return nil, ledger{}, failure
	}
	var all ledger
	for _, s := range t.stores {
		all = all.join(s.load(l))
	}
	return l, all, nil
}

// proof opens the audit of an answer that rests on the whole ledger.
func (t *fileTracker) proof(l *look, all ledger) *status.Audit {
	a := &status.Audit{}
	a.Hold(status.Proof{Request: "read " + strings.Join(all.dirs, ", "), At: l.now()}, status.Transport, status.Shape,
		status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	a.Examined(len(all.records))
	if stop := l.over(); stop != nil {
		a.Unmade(status.Completeness, *stop)
	}
	if len(all.dirs) == 0 { // LD-13: it was there when frank started
		a.Unmade(status.Scope, t.noTracker())
	}
	for _, dir := range all.dirs {
		for _, gap := range l.rules.gapsIn(dir) { // LG-08
			a.Unmade(status.Completeness, gap)
		}
	}
	if all.twice > 0 {
		a.Fail(status.InBand, status.Fail(status.Contradictory, status.Marker.Is("some ids occur twice"), status.Total.Is(all.twice)))
	}
	for _, note := range all.notes {
		a.Uncovered(note)
	}
	l.finish(a)
	return a
}

// named reports whether a project is this tracker's.
func (t *fileTracker) named(ctx context.Context, project string, all ledger) bool {
	return project == "" || t.calls(ctx, project) || all.project != "" && markup.Fold(project) == markup.Fold(all.project)
}

// strange is the answer about a project that is not this tracker's.
func strange[T any](ctx context.Context, t *fileTracker, project string, a *status.Audit) status.Result[T] {
	return status.Absent[T](t.source, a, status.Reference.Is(project), status.Container.Is(t.source),
		status.Among(status.Candidate{Ref: t.container(ctx), Title: "the only project of this source", Source: t.source}))
}

// Describe says what the tracker can be asked. It has one project.
func (t *fileTracker) Describe(ctx context.Context, q connectors.DescribeQuery) status.Result[connectors.Project] {
	l, all, failure := t.open(ctx)
	if failure != nil {
		return status.Failed[connectors.Project](t.source, *failure)
	}
	defer l.close()
	a := t.proof(l, all)
	if !t.named(ctx, q.Project, all) {
		return strange[connectors.Project](ctx, t, q.Project, a)
	}
	p := connectors.Project{
		Origin:  connectors.Origin{Source: t.source, Ref: l.container(), Title: l.container(), Container: l.container()},
		Filters: []string{"query", "state", "assignee", "author", "labels", "updated_since"},
	}
	if all.project != "" {
		p.Title = all.project
	}
	open := 0
	for _, r := range all.records {
		if !r.closed && !r.gone {
			open++
		}
		if r.gone {
			continue
		}
		all.states, all.labels = append(all.states, r.issue.State), append(all.labels, r.issue.Labels...)
		all.types, all.milestones = append(all.types, r.issue.Type), append(all.milestones, r.issue.Milestone)
		p.People = append(append(p.People, r.issue.Assignees...), r.issue.Author)
	}
	p.OpenIssues = &open
	p.States, p.Types, p.Labels = distinct(all.states), distinct(all.types), distinct(all.labels)
	p.Milestones, p.People = distinct(all.milestones), distinct(p.People)
	slices.Sort(p.Labels)
	slices.Sort(p.People)
	for _, names := range []*[]string{&p.States, &p.Types, &p.Labels, &p.Milestones, &p.People} {
		*names = upTo(a, *names, maxNames)
	}
	return status.List(t.source, []connectors.Project{p}, a)
}

// maxNames is how many labels, people and so on one answer holds of each.
const maxNames = 200

// upTo cuts a list at a limit and enters into the audit what is left out.
func upTo[T any](a *status.Audit, list []T, limit int) []T {
	if len(list) <= limit {
		return list
	}
	a.Unmade(status.Completeness, ownCap(limit).With(status.Total.Is(len(list))))
	return list[:limit]
}

// distinct drops what is empty or was there before, whatever its case.
func distinct(texts []string) []string {
	seen := map[string]bool{"": true}
	var out []string
	for _, s := range texts {
		if fold := markup.Fold(s); !seen[fold] {
			seen[fold] = true
			out = append(out, s)
		}
	}
	return out
}
