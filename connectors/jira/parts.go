package jira

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// maxFields bounds how many fields of a site's own are told.
const maxFields = 60

// custom are the fields that the site has added, by the name that people know them
// by. A value of a form that is not known is counted, not guessed at. JR-22.
func (t *scrub) custom(w wireWhole, a *status.Audit) []connectors.NamedValue {
	var ids []string
	for id, raw := range w.Raw {
		if strings.HasPrefix(id, "customfield_") && string(raw) != "null" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var out []connectors.NamedValue
	var unread []string
	inside := scrub{}
	for _, id := range ids {
		name := id
		if n := w.Names[id]; n != "" {
			name = t.line(n)
		}
		value, ok := inside.value(w.Raw[id])
		switch {
		case !ok || len(out) == maxFields:
			unread = append(unread, name)
		case value != "":
			out = append(out, connectors.NamedValue{Name: name, Value: value})
		}
	}
	t.removed += inside.removed
	inside.judge(a, "fields")
	if len(unread) > 0 {
		a.Fail(status.Completeness, status.Fail(status.ContentNotIncluded, status.WasCalled, status.Part.Is("fields "+strings.Join(unread, ", "))))
	}
	return out
}

// wireValue is what Jira's own kinds of fields hold: an option, an account, a
// version, a group.
type wireValue struct {
	Type    string     `json:"type"`
	Value   *string    `json:"value"`
	Name    *string    `json:"name"`
	Display *string    `json:"displayName"`
	Key     *string    `json:"key"`
	Child   *wireValue `json:"child"`
	Show    *bool      `json:"showField"`
}

// value is the value of a field as text.
func (t *scrub) value(raw json.RawMessage) (string, bool) {
	var (
		text   string
		number json.Number
		yes    bool
		list   []json.RawMessage
		object wireValue
	)
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return t.body(raw), true
	case json.Unmarshal(raw, &yes) == nil:
		return strconv.FormatBool(yes), true
	case json.Unmarshal(raw, &number) == nil:
		return number.String(), true
	case json.Unmarshal(raw, &list) == nil:
		var parts []string
		for _, one := range list {
			part, ok := t.value(one)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ", "), true
	case json.Unmarshal(raw, &object) != nil:
		return "", false
	case object.Type == "doc":
		return t.body(raw), true
	}
	return t.object(object)
}

func (t *scrub) object(v wireValue) (string, bool) {
	if v.Show != nil && !*v.Show { // Jira itself does not show the field: the parent link of an edition that has none
		return "", true
	}
	for _, s := range []*string{v.Value, v.Display, v.Name, v.Key} {
		if s == nil {
			continue
		}
		text := t.line(*s)
		if v.Child != nil {
			if child, ok := t.object(*v.Child); ok {
				text += " / " + child
			}
		}
		return text, true
	}
	return "", false
}

// wireRemote is a link to something outside of Jira.
type wireRemote struct {
	Relation string `json:"relationship"`
	Object   *struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	} `json:"object"`
}

func (w wireRemote) Missing() string {
	return upstream.Absent("object", w.Object == nil || w.Object.URL == "")
}

// links tells what an issue is tied to: other issues, its parent and parts, and
// addresses elsewhere, which belong to the issue that names them.
func (t tracker) links(ctx context.Context, a *status.Audit, item *connectors.Issue, s server, w wireWhole) {
	text := scrub{removed: item.Removed}
	add := func(kind string, to *wireIssue) {
		if to == nil || to.Key == nil || projectOf(*to.Key) == "" {
			return
		}
		l := connectors.Link{Type: text.line(kind), Ref: *to.Key, URL: s.browse(*to.Key), Container: projectOf(*to.Key)}
		if to.Fields != nil && to.Fields.Summary != nil {
			l.Title = text.line(*to.Fields.Summary)
		}
		if to.Fields != nil && to.Fields.Status != nil {
			l.State = text.line(to.Fields.Status.Name)
		}
		item.Links = append(item.Links, l)
	}
	add("parent", w.Fields.Parent)
	for i := range w.Fields.Subtasks {
		add("subtask", &w.Fields.Subtasks[i])
	}
	for _, l := range w.Fields.Links {
		add(l.Type.Outward, l.Outward)
		add(l.Type.Inward, l.Inward)
	}
	a.Unprovable(noteHidden) // a link to what the account may not see is left out
	remote, x, f := many[wireRemote](ctx, t.client, s.get("/issue/{key}/remotelink", "issue", item.Ref, "remotelink"))
	if f != nil {
		a.Unmade(status.Completeness, f.With(status.Part.Is("links to other sites")))
	} else {
		t.hear(a, x)
	}
	for _, r := range remote {
		kind := "link"
		if r.Relation != "" {
			kind = text.line(r.Relation)
		}
		if url := text.url(r.Object.URL); url != "" {
			item.Links = append(item.Links, connectors.Link{Type: kind, Ref: url, URL: url, Title: text.line(r.Object.Title), Container: item.Container})
		}
	}
	item.Removed = text.removed
}
