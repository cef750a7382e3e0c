package jira

import (
	"context"
	"net/url"
	"strconv"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// historyRows is how many steps of an issue's history one answer holds; the cursor
// goes on. It is also what Cloud gives at the most.
const historyRows = 100

// wireStep is what somebody changed of an issue at once.
type wireStep struct {
	Author  *wireUser `json:"author"`
	Created *stamp    `json:"created"`
	Items   []struct {
		Field string `json:"field"`
		From  string `json:"fromString"`
		To    string `json:"toString"`
	} `json:"items"`
}

// wireHistory is the history inside an issue. Data Center embeds all of it, Cloud the
// latest part, which is why Cloud is asked for it page by page.
type wireHistory struct {
	Total     *int       `json:"total"`
	Histories []wireStep `json:"histories"`
}

// wireSteps is one page of the history, from the oldest step on.
type wireSteps struct {
	Values *[]wireStep `json:"values"`
	Start  *int        `json:"startAt"`
	Total  *int        `json:"total"`
	Last   *bool       `json:"isLast"`
}

func (w wireSteps) Missing() string {
	switch {
	case w.Values == nil:
		return "values"
	case w.Start == nil:
		return "startAt"
	}
	return upstream.Absent("total", w.Total == nil)
}

// ends reports whether nothing comes after the page, as Jira itself says.
func (w wireSteps) ends() bool {
	return *w.Start+len(*w.Values) >= *w.Total && (w.Last == nil || *w.Last)
}

// history tells what was changed of an issue: of Cloud one page, of Data Center what
// the issue embeds. A history that cannot be read takes nothing from the rest. JR-12.
func (t tracker) history(ctx context.Context, g *getting, w wireWhole, from int) {
	if !g.srv.cloud {
		g.embedded(w.History)
		return
	}
	k := g.srv.get("/issue/{key}/changelog", "issue", g.item.Ref, "changelog").with(url.Values{
		"startAt": {strconv.Itoa(from)}, "maxResults": {strconv.Itoa(historyRows)},
	})
	page, x, f := one[wireSteps](ctx, t.client, k)
	switch {
	case f != nil:
	case *page.Start != from:
		f = x.Contradicts("another page than was asked came back")
	case page.Last != nil && *page.Last && from+len(*page.Values) < *page.Total:
		f = x.Contradicts("isLast is true, and total exceeds the steps")
	case len(*page.Values) == 0 && !page.ends():
		f = x.Contradicts("there is more of the history, and it has no more steps")
	}
	if f != nil {
		g.audit.Unmade(status.Completeness, f.With(status.Part.Is("history")))
		return
	}
	t.hear(g.audit, x)
	g.tell(*page.Values)
	if !page.ends() {
		g.next.history = from + len(*page.Values)
	}
}

// embedded is the history that the issue came with.
func (g *getting) embedded(h *wireHistory) {
	if h == nil {
		g.audit.Unmade(status.Completeness, g.x.Misshapen("changelog").With(status.Part.Is("history")))
		return
	}
	g.tell(h.Histories)
	if h.Total == nil || *h.Total > len(h.Histories) {
		total := 0
		if h.Total != nil {
			total = *h.Total
		}
		g.audit.Fail(status.Completeness, *g.x.Fail(status.ProviderCap, status.Part.Is("history"), status.Total.Is(total), status.Examined.Is(len(h.Histories))))
	}
}

func (g *getting) tell(steps []wireStep) {
	t := scrub{removed: g.item.Removed}
	for _, step := range steps {
		for _, change := range step.Items {
			g.item.History = append(g.item.History, connectors.Event{
				At: step.Created.at(), Actor: t.user(step.Author), What: t.line(change.Field), From: t.line(change.From), To: t.line(change.To),
			})
		}
	}
	g.item.Removed = t.removed
}

// read is a part of an issue of which nothing is left to be read.
const read = -1

// parts is where the listed parts of an issue go on: at which row, or read.
type parts struct{ comments, history int }

// parts reads a cursor that parts.cursor has made; an empty one is the start.
func (c *client) parts(cursor string) (parts, *status.Failure) {
	if cursor == "" {
		return parts{}, nil
	}
	p := parts{read, read}
	q, err := url.ParseQuery(cursor)
	for name, at := range map[string]*int{"comments": &p.comments, "history": &p.history} {
		v, there := q[name]
		if err != nil || !there {
			continue
		}
		if *at, err = strconv.Atoi(v[0]); err == nil && *at < 1 {
			err = strconv.ErrRange
		}
	}
	if err != nil || p == (parts{read, read}) {
		return p, c.badArgument("cursor", "was not handed out by this source")
	}
	return p, nil
}

// cursor is the place as text; empty if all is read.
func (p parts) cursor() string {
	q := url.Values{}
	if p.comments != read {
		q.Set("comments", strconv.Itoa(p.comments))
	}
	if p.history != read {
		q.Set("history", strconv.Itoa(p.history))
	}
	return q.Encode()
}
