package github

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/status"
)

// Limits of GitHub's search, from its documentation. GH-23, GH-26, GH-27.
const (
	searchCap      = 1000
	searchTextCap  = 256
	searchBoolCap  = 5
	searchReposCap = 4000
)

// term is one word of a native query: a qualifier with its value, or text.
type term struct {
	key, value string // key is empty for text
	negated    bool
}

// parseNative splits a query in GitHub's language at spaces outside quotes.
func parseNative(q string) []term {
	var out []term
	for _, word := range words(q) {
		t := term{value: word}
		bare := strings.Trim(word, "()")
		if key, value, ok := strings.Cut(strings.TrimPrefix(bare, "-"), ":"); ok && key != "" && !strings.ContainsAny(key, `"`) {
			t = term{key: strings.ToLower(key), value: strings.Trim(value, `"`), negated: strings.HasPrefix(bare, "-")}
		}
		out = append(out, t)
	}
	return out
}

func words(q string) []string {
	quoted := false
	return strings.FieldsFunc(q, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && unicode.IsSpace(r)
	})
}

// plan is one question in GitHub's search language.
type plan struct {
	terms  string   // without scope
	scopes []string // qualifiers, each searched by itself; "" searches everything
	native []term
}

// plan writes the query. Text is quoted, so that nothing in it is an operator.
func (t tracker) plan(q connectors.IssueQuery) (plan, *status.Failure) {
	p := plan{native: parseNative(q.Native)}
	if f := t.refuse(q, p.native); f != nil {
		return p, f
	}
	parts := []string{"is:issue"}
	text, ok := quote(q.Text)
	if q.Text != "" && !ok {
		return p, t.refusedQuery("query", "holds neither a letter nor a digit, which is all that GitHub indexes")
	}
	parts = append(parts, text...)
	if q.Native != "" {
		parts = append(parts, strings.Join(words(q.Native), " "))
	}
	if q.State == "open" || q.State == "closed" {
		parts = append(parts, "state:"+q.State)
	}
	for _, l := range q.Labels {
		if strings.ContainsAny(l, "\"\\") {
			return p, t.badArgument("labels", "a quote or backslash cannot be searched for")
		}
		parts = append(parts, `label:"`+l+`"`)
	}
	switch {
	case q.Author != "" && !isLogin(q.Author):
		return p, t.badArgument("author", "is no GitHub login")
	case q.Assignee != "" && !isLogin(q.Assignee):
		return p, t.badArgument("assignee", "is no GitHub login")
	}
	if q.Author != "" {
		parts = append(parts, "author:"+appLogin(q.Author))
	}
	if q.Assignee != "" {
		parts = append(parts, assigned(q.Assignee))
	}
	if !q.UpdatedSince.IsZero() {
		parts = append(parts, "updated:>="+q.UpdatedSince.UTC().Format(time.RFC3339))
	}
	p.terms = strings.Join(parts, " ")
	var f *status.Failure
	p.scopes, f = t.scopes(q.Project, p.native)
	return p, f
}

func assigned(login string) string {
	switch login {
	case "none":
		return "no:assignee"
	case "*":
		return "-no:assignee"
	}
	return "assignee:" + appLogin(login)
}

// appLogin is the login of an application as the search wants it.
func appLogin(login string) string {
	if name, ok := strings.CutSuffix(login, "[bot]"); ok {
		return "app/" + name
	}
	return login
}

func isLogin(s string) bool {
	return s == "*" || s == "@me" || plainName(strings.TrimPrefix(strings.TrimSuffix(s, "[bot]"), "app/"))
}

// quote makes literal text of s: each run between quotes and backslashes, which
// the search cannot be asked for, becomes one quoted phrase.
func quote(s string) (phrases []string, ok bool) {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r == '"' || r == '\\' || unicode.IsControl(r) }) {
		run = strings.TrimSpace(run)
		if strings.IndexFunc(run, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			phrases = append(phrases, `"`+run+`"`)
		}
	}
	return phrases, len(phrases) > 0
}

// refuse finds what GitHub would refuse, or answer with a zero that means nothing,
// before anything is sent. GH-27.
func (t tracker) refuse(q connectors.IssueQuery, native []term) *status.Failure {
	length, operators := len([]rune(q.Text)), 0
	if length > searchTextCap {
		return t.refusedQuery("query", "is longer than the "+strconv.Itoa(searchTextCap)+" characters that GitHub searches for")
	}
	for _, w := range native {
		switch {
		case w.key == "" && (w.value == "AND" || w.value == "OR" || w.value == "NOT"):
			operators++
		case w.key == "":
			length += len([]rune(w.value)) + 1
		case !w.negated && (w.key == "is" || w.key == "type") && (w.value == "pr" || w.value == "pull-request"):
			return t.badArgument("native_query", "asks for pull requests, which are changes: leave is:pr out, or use the repo tools")
		}
	}
	switch {
	case length > searchTextCap:
		return t.refusedQuery("native_query", "is longer than the "+strconv.Itoa(searchTextCap)+" characters that GitHub searches for")
	case operators > searchBoolCap:
		return t.refusedQuery("native_query", "has more than the "+strconv.Itoa(searchBoolCap)+" AND, OR or NOT that GitHub takes")
	case strings.Count(q.Native, `"`)%2 == 1:
		return t.refusedQuery("native_query", "has a quote that is not closed")
	}
	return nil
}

func (t tracker) refusedQuery(argument, problem string) *status.Failure {
	f := status.Fail(status.QueryRefused, status.By(t.source), status.Arguments.Is([]status.Argument{{
		Name: argument, Reason: status.QueryRefused.Name(), Problem: problem,
	}}))
	return &f
}

// scopes are the qualifiers to search in. Several are searched one by one, since
// GitHub joins them with OR or with AND, depending on its version. GH-25.
func (t tracker) scopes(project string, native []term) ([]string, *status.Failure) {
	named := scopeTerms(native)
	switch {
	case len(named) > 0 && project != "" && project != connectors.Everywhere:
		return nil, t.badArgument("project", "native_query names repositories or owners itself; give one of both")
	case len(named) > 0:
		return []string{""}, t.within(named)
	}
	if project == "" {
		project = t.project
	}
	if project == "" || project == connectors.Everywhere {
		return t.allowed(), nil
	}
	if r, ok := parseRepo(project); ok {
		return []string{"repo:" + r.String()}, nil
	}
	if plainName(project) {
		return []string{"user:" + project}, nil
	}
	return nil, t.badArgument("project", "must be owner/name or an owner")
}

// spans reports whether a query names repositories or owners itself.
func spans(native string) bool { return len(scopeTerms(parseNative(native))) > 0 }

// allowed are the scopes of the configured allow-list; everything without one.
func (t tracker) allowed() []string {
	var out []string
	for _, pattern := range t.only {
		owner, name, _ := strings.Cut(pattern, "/")
		switch {
		case !plainName(owner):
			continue // a pattern in the owner's place; the tools filter by it
		case plainName(name):
			out = append(out, "repo:"+owner+"/"+name)
		default:
			out = append(out, "user:"+owner)
		}
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

// within holds native scopes to the allow-list.
func (t tracker) within(named []term) *status.Failure {
	for _, w := range named {
		ok := len(t.only) == 0
		for _, pattern := range t.only {
			owner, name, _ := strings.Cut(pattern, "/")
			ok = ok || ref.MatchGlob(pattern, w.value) ||
				(w.key != "repo" && strings.EqualFold(owner, w.value) && (name == "" || name == "*" || name == "**"))
		}
		if !ok {
			f := status.Fail(status.PolicyDenied, status.By(t.source), status.Rule.Is("only"), status.Container.Is(w.value))
			return &f
		}
	}
	return nil
}

// scopeTerms are the qualifiers of a query that say where to search.
func scopeTerms(native []term) []term {
	var out []term
	for _, w := range native {
		if !w.negated && (w.key == "repo" || w.key == "user" || w.key == "org") {
			out = append(out, w)
		}
	}
	return out
}

// understood are the qualifiers that cannot fail to resolve without GitHub
// saying so: closed values, dates and numbers, and accounts, for which it
// answers 422.
var understood = []string{
	"is", "type", "state", "in", "reason", "sort", "archived", "no", "has", "created", "updated", "closed", "comments",
	"reactions", "interactions", "author", "assignee", "mentions", "commenter", "involves", "repo", "user", "org", "locked", "linked",
}

// closedValues are the values that these qualifiers take; others are ignored
// silently. From the documentation of the issue search.
var closedValues = map[string][]string{
	"is":       {"issue", "open", "closed", "public", "private", "locked", "unlocked", "archived", "unarchived", "blocked", "blocking"},
	"type":     {"issue"}, // others are an organization's own
	"state":    {"open", "closed"},
	"reason":   {"completed", "not planned", "duplicate", "reopened"},
	"in":       {"title", "body", "comments"},
	"archived": {"true", "false"},
	"linked":   {"pr", "issue"},
	"no":       {"label", "milestone", "assignee", "project", "type", "parent-issue", "sub-issue"},
	"has":      {"label", "milestone", "assignee", "project", "type", "parent-issue", "sub-issue"},
}
