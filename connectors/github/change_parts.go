package github

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/markup"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	// partPages is how many pages of one part are read at most.
	partPages = 5
	// maxRows is how many rows of one part one answer holds at most, however many
	// come on a page.
	maxRows = partPages * pageSize
	// maxRemark bounds the text of one comment or review in bytes.
	maxRemark = 16 << 10
	mediaDiff = "application/vnd.github.diff"
)

// partCalls says where the parts of a change are. A part without a call does not
// exist for this kind of change.
type partCalls struct {
	files    []call
	diff     call
	comments []call // GH-60: a discussion lies in several places
	reviews  []call
	checks   string // commit
	promised []*int // how many comments each place holds, as the change itself says; nil if it does not
	listed   *int   // how many files it says that it changes
}

// parts reads what was asked for. A cursor goes on in the first part only.
func (g *gathering) parts(ctx context.Context, k partCalls) {
	if g.q.Diff && !g.going {
		g.diff(ctx, k)
	}
	for _, part := range []struct {
		name  string
		asked bool
		here  bool
		read  func(context.Context, partCalls)
	}{
		{"files", g.q.Files && g.out.Kind == "pull_request", true, g.files},
		{"comments", g.q.Comments, k.comments != nil, g.comments},
		{"reviews", g.q.Reviews, k.reviews != nil, g.reviews},
		{"checks", g.q.Checks, k.checks != "", g.checks},
	} {
		switch {
		case !part.asked:
		case !part.here:
			g.lack(part.name, status.Fail(status.OperationUnsupported, status.WasCalled, status.Feature.Is(part.name+" of a "+g.out.Kind)))
		default:
			part.read(ctx, k)
			if g.going {
				return
			}
		}
	}
}

// series reads listings one after the other as if they were one, from the
// gathering's position on. It returns the rows of each, and where to go on.
func series[T upstream.Wire](ctx context.Context, g *gathering, part string, calls []call) (rows [][]T, whole bool) {
	rows = make([][]T, len(calls))
	pos := position{}
	if g.going {
		pos = g.pos
	}
	for range partPages * len(calls) {
		if pos.scope >= len(calls) || count(rows) >= maxRows {
			break
		}
		k := calls[pos.scope].with(pos.onto(perPage(pageSize)))
		k.maxBody = maxTree
		got, x, f := many[T](ctx, g.client, k)
		if f != nil {
			g.lack(part, *f)
			return rows, false
		}
		g.hear(ctx, g.a, x)
		mine, rest := share(got, pos, maxRows-count(rows))
		rows[pos.scope] = append(rows[pos.scope], mine...)
		if rest != nil {
			pos = *rest
			break
		}
		next, more := nextPage(x.Header)
		if !more {
			if pos = (position{scope: pos.scope + 1}); pos.scope == len(calls) {
				return rows, true
			}
			continue
		}
		onward, loop := pos.onward(next)
		if loop {
			g.lack(part, status.Fail(status.CursorLoop))
			return rows, false
		}
		pos = onward
	}
	g.offer(part, pos)
	return rows, false
}

func count[T any](rows [][]T) (n int) {
	for _, r := range rows {
		n += len(r)
	}
	return n
}

// offer offers the rest of the first part as next page. The rest of another part
// is asked for by asking for that part alone.
func (g *gathering) offer(part string, pos position) {
	if part == g.firstPart() {
		g.a.Next(pos.cursor())
		return
	}
	g.lack(part, status.Fail(status.OwnCap, status.Limit.Is(maxRows), status.Fallback("ask again with include=["+part+"] alone")))
}

func (g *gathering) firstPart() string {
	switch {
	case g.q.Files:
		return "files"
	case g.q.Comments:
		return "comments"
	case g.q.Reviews:
		return "reviews"
	}
	return ""
}

// files reads the files of a pull request, of which GitHub lists 3,000. GH-51.
func (g *gathering) files(ctx context.Context, k partCalls) {
	rows, whole := series[wireFile](ctx, g, "files", k.files)
	g.addFiles(rows[0])
	before := 0
	if page, err := strconv.Atoi(g.pos.page.Get("page")); err == nil && g.going {
		before = (page - 1) * pageSize
	}
	if g.going {
		before += g.pos.skip
	}
	seen := before + len(rows[0])
	switch {
	case whole && k.listed == nil && seen == 0:
		g.lack("files", status.Fail(status.ShapeError, status.MissingKey.Is("changed_files")))
	case whole && seen < g.out.FileCount:
		g.lack("files", status.Fail(status.ProviderCap, status.Total.Is(g.out.FileCount), status.Examined.Is(seen)))
	}
}

func (g *gathering) addFiles(files []wireFile) {
	limit := commitFileCap // no cursor goes on in these listings, so that GitHub's caps are ours
	if g.out.Kind == "comparison" {
		limit = compareFileCap
	}
	if room := max(0, limit-len(g.out.Files)); len(files) > room {
		g.lack("files", status.Fail(status.OwnCap, status.Limit.Is(limit), status.Total.Is(len(g.out.Files)+len(files))))
		files = files[:room]
	}
	for _, w := range files {
		if w.Filename == nil {
			g.lack("files", status.Fail(status.ShapeError, status.MissingKey.Is("filename")))
			return
		}
		g.out.Files = append(g.out.Files, connectors.FileChange{
			Path: g.text.path(*w.Filename), Previous: g.text.path(w.PreviousFilename), Status: g.text.word(w.Status),
			Additions: w.Additions, Deletions: w.Deletions,
			Binary: w.Patch == nil && w.Changes == 0 && w.Status == "modified",
		})
	}
}

// diff reads the change as one text. GitHub refuses one that is too long (406).
func (g *gathering) diff(ctx context.Context, k partCalls) {
	ask := k.diff
	ask.accept, ask.media = mediaDiff, upstream.Bytes
	x, f := g.get(ctx, ask)
	switch {
	case f != nil && x != nil && x.Status == http.StatusNotAcceptable:
		g.lack("diff", status.Fail(status.ProviderCap, status.HTTPStatus.Is(x.Status), status.Fallback("ask for files, then read the files that matter")))
		return
	case f != nil:
		g.lack("diff", *f)
		return
	}
	if body := bytes.TrimLeft(x.Body, " \t\r\n"); len(body) > 0 && (body[0] == '{' || body[0] == '[') {
		g.lack("diff", *x.Misshapen("a diff")) // the media type was not understood
		return
	}
	g.hear(ctx, g.a, x)
	switch changed := g.out.Additions + g.out.Deletions + g.out.FileCount; {
	case strings.Contains(x.Header.Get("Content-Type"), "json"): // not what was asked for
		g.lack("diff", status.Fail(status.ShapeError, status.HTTPStatus.Is(x.Status), status.MissingKey.Is("diff")))
		return
	case len(x.Body) == 0 && changed > 0:
		g.lack("diff", status.Fail(status.Contradictory, status.HTTPStatus.Is(x.Status), status.Marker.Is("the diff of a change with changed files is empty")))
	case len(x.Body) == 0 && k.listed == nil:
		g.lack("diff", status.Fail(status.ShapeError, status.HTTPStatus.Is(x.Status), status.MissingKey.Is("changed_files")))
	}
	text, short := markup.Cut(g.text.plain(string(x.Body)), maxTextSize)
	g.out.Diff = text
	if short {
		g.lack("diff", status.Fail(status.OwnCap, status.SizeBytes.Is(int64(len(x.Body))), status.Limit.Is(maxTextSize)))
	}
}

// comments reads every place of the discussion and puts it into order of time.
// Of reviews only what they say; their verdicts are a part of their own. GH-60.
func (g *gathering) comments(ctx context.Context, k partCalls) {
	rows, whole := series[wireRemark](ctx, g, "comments", k.comments)
	for place, remarks := range rows {
		for _, w := range remarks {
			if w.Body != "" {
				g.out.Comments = append(g.out.Comments, g.comment(w))
			}
		}
		if whole && !g.going && place < len(k.promised) {
			g.keptPromise(k.promised[place], len(remarks))
		}
	}
	slices.SortStableFunc(g.out.Comments, func(a, b connectors.Comment) int {
		return when(a.CreatedAt).Compare(when(b.CreatedAt))
	})
}

// keptPromise compares the comments of one place with how many the change says
// there are. That none are listed says little where it says nothing.
func (g *gathering) keptPromise(promised *int, listed int) {
	switch {
	case promised == nil && listed == 0:
		g.lack("comments", status.Fail(status.ShapeError, status.MissingKey.Is("the number of comments")))
	case promised != nil && listed < *promised:
		g.lack("comments", status.Fail(status.Contradictory, status.Total.Is(*promised), status.Examined.Is(listed),
			status.Marker.Is(strconv.Itoa(*promised)+" comments announced, "+strconv.Itoa(listed)+" listed")))
	}
}

func when(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func (g *gathering) comment(w wireRemark) connectors.Comment {
	out := connectors.Comment{
		ID: strconv.FormatInt(*w.ID, 10), Author: g.text.login(w.User), CreatedAt: cmp.Or(w.CreatedAt, w.SubmittedAt),
		Body: g.remark(w.Body), Path: g.text.path(w.Path), URL: g.text.url(w.HTMLURL),
	}
	if line := cmp.Or(w.Line, w.OldLine); line != nil {
		out.Line = *line
	}
	return out
}

// remark is the text of a comment or review, cut at a limit of ours.
func (g *gathering) remark(body string) string {
	text, short := markup.Cut(g.text.prose(body), maxRemark)
	if short {
		g.lack("a long comment", status.Fail(status.OwnCap, status.Limit.Is(maxRemark)))
	}
	return text
}

func (g *gathering) reviews(ctx context.Context, k partCalls) {
	rows, _ := series[wireRemark](ctx, g, "reviews", k.reviews)
	for _, w := range rows[0] {
		g.out.Reviews = append(g.out.Reviews, connectors.Review{
			Author: g.text.login(w.User), State: g.text.word(w.State), SubmittedAt: w.SubmittedAt, Body: g.remark(w.Body),
		})
	}
}

// checks reads check runs and commit statuses, which are two systems. They are
// asked for by commit, since runs do not name the pull requests of forks (GH-57).
func (g *gathering) checks(ctx context.Context, k partCalls) {
	g.runs(ctx, k.checks)
	g.statuses(ctx, k.checks)
}

func (g *gathering) runs(ctx context.Context, sha string) {
	pos := position{}
	for range partPages {
		k := repoCall(g.name, "/commits/{ref}/check-runs", "commits", sha, "check-runs")
		w, x, f := one[wireCheckRuns](ctx, g.client, k.with(pos.onto(perPage(pageSize))))
		if f != nil {
			g.lack("check runs", *f)
			return
		}
		g.hear(ctx, g.a, x)
		mine, rest := share(*w.CheckRuns, position{}, pageSize)
		for _, run := range mine {
			if f := (names{sha: sha}).echoed(x, names{sha: run.HeadSHA}); f != nil {
				g.lack("check runs", *f)
				return
			}
			out := connectors.CheckRun{Name: g.text.line(run.Name), Status: g.text.word(run.Status), URL: g.text.url(run.HTMLURL)}
			if run.Conclusion != nil {
				out.Conclusion = g.text.word(*run.Conclusion)
			}
			g.out.Checks = append(g.out.Checks, out)
		}
		if rest != nil {
			break
		}
		next, more := nextPage(x.Header)
		if !more {
			g.counted("check runs", len(g.out.Checks), *w.TotalCount)
			return
		}
		onward, loop := pos.onward(next)
		if pos = onward; loop {
			g.lack("check runs", status.Fail(status.CursorLoop))
			return
		}
	}
	g.lack("check runs", status.Fail(status.OwnCap, status.Examined.Is(len(g.out.Checks))))
}

func (g *gathering) statuses(ctx context.Context, sha string) {
	pos, seen := position{}, 0
	for range partPages {
		k := repoCall(g.name, "/commits/{ref}/status", "commits", sha, "status")
		k.asked = names{sha: sha}
		w, x, f := one[wireStatuses](ctx, g.client, k.with(pos.onto(perPage(pageSize))))
		if f != nil {
			g.lack("commit statuses", *f)
			return
		}
		g.hear(ctx, g.a, x)
		mine, rest := share(*w.Statuses, position{}, pageSize)
		seen += len(mine)
		for _, s := range mine {
			g.out.Checks = append(g.out.Checks, statusCheck(s, &g.text))
		}
		if rest != nil {
			break
		}
		next, more := nextPage(x.Header)
		if !more {
			g.counted("commit statuses", seen, *w.TotalCount)
			return
		}
		onward, loop := pos.onward(next)
		if pos = onward; loop {
			g.lack("commit statuses", status.Fail(status.CursorLoop))
			return
		}
	}
	g.lack("commit statuses", status.Fail(status.OwnCap, status.Examined.Is(seen)))
}

func statusCheck(w wireStatus, s *scrub) connectors.CheckRun {
	out := connectors.CheckRun{Name: s.line(w.Context), Status: "completed", Conclusion: s.word(w.State), URL: s.url(w.TargetURL)}
	if w.State == "pending" {
		out.Status, out.Conclusion = "pending", ""
	}
	return out
}

// counted compares what was listed with the total that GitHub names.
func (g *gathering) counted(part string, seen, total int) {
	if seen < total {
		g.lack(part, status.Fail(status.ProviderCap, status.Total.Is(total), status.Examined.Is(seen)))
	}
}
