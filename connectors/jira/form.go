package jira

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

const (
	formRows  = 200 // fields of a form in one answer; more than forms have
	formTries = 3   // types of issue whose forms are looked at
)

// wireForm is what a new issue of one type is asked for: Cloud calls the list fields,
// Data Center values. Whoever may not create issues gets an empty one.
type wireForm struct {
	Fields *[]wireFormField `json:"fields"`
	Values *[]wireFormField `json:"values"`
}

func (w wireForm) Missing() string {
	return upstream.Absent("fields", w.Fields == nil && w.Values == nil)
}

func (w wireForm) rows() []wireFormField {
	if w.Fields != nil {
		return *w.Fields
	}
	return *w.Values
}

type wireFormField struct {
	ID       string `json:"fieldId"`
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Default  bool   `json:"hasDefaultValue"`
}

// kinds are the types that a new issue may be of: a task where the project has such,
// else what is neither a part of another issue nor above others, in the project's
// order.
func (w writer) kinds(k container) ([]wireType, *status.Failure) {
	plain := slices.DeleteFunc(slices.Clone(k.wire.Types), func(t wireType) bool { return t.Subtask || t.Level != 0 || t.ID == "" })
	if i := slices.IndexFunc(plain, func(t wireType) bool { return strings.EqualFold(t.Name, "Task") }); i >= 0 {
		return plain[i : i+1], nil
	}
	if len(plain) == 0 {
		f := status.Fail(status.ShapeError, status.WasCalled, status.MissingKey.Is("issueTypes"), status.Container.Is(k.key))
		return nil, &f
	}
	return plain[:min(len(plain), formTries)], nil
}

// kind is the type of a new issue: the first whose form asks for no more than was
// given. If there is none, the failure names what the first one asks for, and nothing
// is sent. The form does not know of every rule: Jira has the last word.
func (w writer) kind(ctx context.Context, s server, k container, q connectors.IssueCreate) (wireType, *status.Failure) {
	kinds, f := w.kinds(k)
	if f != nil {
		return wireType{}, f
	}
	var lacks *status.Failure
	for _, kind := range kinds {
		wants, f := w.wants(ctx, s, k, kind, q)
		switch {
		case f != nil:
			return wireType{}, f
		case wants == nil:
			return kind, nil
		case lacks == nil:
			lacks = wants
		}
	}
	return wireType{}, lacks
}

// wants names the fields that the form of a type requires, has no default for and was
// not given; nil for none. Data Center before 8.4 has no such form.
func (w writer) wants(ctx context.Context, s server, k container, kind wireType, q connectors.IssueCreate) (wants, f *status.Failure) {
	get := s.get("/issue/createmeta/{project}/issuetypes/{type}", "issue", "createmeta", k.key, "issuetypes", kind.ID)
	form, x, f := one[wireForm](ctx, w.client, get.with(url.Values{"maxResults": {strconv.Itoa(formRows)}}))
	switch {
	case f != nil && x != nil && (x.Status == http.StatusNotFound || x.Status == http.StatusGone):
		return nil, nil
	case f != nil:
		return nil, f
	case len(form.rows()) == 0: // JR-29: an empty list is how Jira answers who may not
		may, seen, f := w.permitted(ctx, k.key, "CREATE_ISSUES")
		if f == nil && !may {
			f = seen.Fail(status.ScopeMissing, status.MissingScope.Is("the permission Create Issues"), status.Container.Is(k.key))
		}
		return nil, f
	}
	var bad []status.Argument
	foreign := false
	text := scrub{}
	for _, field := range form.rows() {
		if !field.Required || field.Default || given(field.ID, q) {
			continue
		}
		name := argumentOf(field.ID)
		problem := "a new " + text.line(kind.Name) + " needs it"
		if name == field.ID {
			foreign = true
			problem = "a new " + text.line(kind.Name) + " needs the field “" + text.line(field.Name) + "”, which this tool does not fill"
		}
		bad = append(bad, status.Argument{Name: name, Reason: status.MissingRequiredArgument.Name(), Problem: problem})
	}
	if len(bad) == 0 {
		return nil, nil
	}
	wants = x.Fail(status.MissingRequiredArgument, status.Arguments.Is(bad), status.Container.Is(k.key))
	if foreign {
		own := wants.With(status.Remedy.Is("Create the issue in Jira itself, or let an administrator of " + k.key + " make the fields optional or give them a default."))
		wants = &own
	}
	return wants, nil
}

// given reports whether a new issue has a value for a field. The reporter is the
// account where nobody else is named.
func given(field string, q connectors.IssueCreate) bool {
	switch field {
	case "project", "issuetype", "summary", "reporter":
		return true
	case "description":
		return strings.TrimSpace(q.Body) != ""
	case "labels":
		return len(q.Labels) > 0
	case "assignee":
		return len(q.Assignees) > 0
	}
	return false
}
