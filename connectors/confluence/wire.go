package confluence

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
)

// wireID is a number that v1 writes as number or text and v2 as text.
type wireID string

// UnmarshalJSON takes both.
func (i *wireID) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*i = wireID(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(b, &number); err != nil {
		return err
	}
	*i = wireID(number)
	return nil
}

// wireTime is a time as Confluence writes it, or as plug-ins of it do; one that cannot
// be read is left out, since nothing rests on it.
type wireTime struct{ at *time.Time }

// UnmarshalJSON never fails.
func (t *wireTime) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) != nil {
		return nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
		if at, err := time.Parse(form, text); err == nil {
			t.at = &at
			return nil
		}
	}
	return nil
}

type wireLinks struct {
	Base  string `json:"base"`
	WebUI string `json:"webui"`
	Tiny  string `json:"tinyui"`
	Next  string `json:"next"`
}

// wireUser is whoever the answer was made for.
type wireUser struct {
	Type     string  `json:"type"`
	Account  *string `json:"accountId"` // Cloud
	Key      *string `json:"userKey"`   // Data Center
	Username *string `json:"username"`  // Data Center
	Name     string  `json:"displayName"`
	Public   string  `json:"publicName"`
}

type wireTenant struct {
	CloudID string `json:"cloudId"`
}

// wireSpace is a space, in v1 and v2.
type wireSpace struct {
	ID         wireID `json:"id"`
	Key        string `json:"key"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	HomepageID wireID `json:"homepageId"` // v2
	Homepage   *struct {
		ID wireID `json:"id"`
	} `json:"homepage"` // v1
}

func (s wireSpace) Missing() string {
	switch {
	case s.Key == "":
		return "key"
	case s.Name == "":
		return "name"
	}
	return ""
}

type wireVersion struct {
	Number  int      `json:"number"`
	Created wireTime `json:"createdAt"` // v2
	When    wireTime `json:"when"`      // v1
}

type wireBody struct {
	Storage  wireText `json:"storage"`
	Document wireText `json:"atlas_doc_format"` // of a Cloud, asked for by itself
}

type wireText struct {
	Value *string `json:"value"`
}

// wireContent is a page, or what lies beside pages, in v1 and v2.
type wireContent struct {
	ID         wireID       `json:"id"`
	Type       string       `json:"type"` // v1, and children of v2
	Subtype    string       `json:"subtype"`
	Status     string       `json:"status"`
	Title      *string      `json:"title"`
	SpaceID    wireID       `json:"spaceId"` // v2
	Space      *wireSpace   `json:"space"`   // v1
	ParentID   wireID       `json:"parentId"`
	ParentType string       `json:"parentType"`
	Version    *wireVersion `json:"version"`
	Body       *wireBody    `json:"body"`
	Links      wireLinks    `json:"_links"`
	Ancestors  []struct {
		ID    wireID `json:"id"`
		Title string `json:"title"`
	} `json:"ancestors"` // v1
}

func (w wireContent) Missing() string {
	switch {
	case w.ID == "":
		return "id"
	case w.Title == nil:
		return "title"
	}
	return ""
}

func (w wireContent) updated() *time.Time {
	switch {
	case w.Version == nil:
		return nil
	case w.Version.Created.at != nil:
		return w.Version.Created.at
	}
	return w.Version.When.at
}

// isPage reports whether it is a page. v2 says so by its address.
func (w wireContent) isPage() bool { return w.Type == "" || w.Type == "page" }

// key is the key of the space that the content is in, as far as it says so: by name,
// or in its own address. https://…/wiki/spaces/KEY/pages/1/Title
func (w wireContent) key() string {
	if w.Space != nil && w.Space.Key != "" {
		return w.Space.Key
	}
	for _, mark := range []string{"/spaces/", "/display/"} {
		if _, rest, ok := strings.Cut(w.Links.WebUI, mark); ok {
			key, _, _ := strings.Cut(rest, "/")
			key, _, _ = strings.Cut(key, "?")
			if isKey(key) {
				return key
			}
		}
	}
	return ""
}

// wireList is a page of a listing. CF-17: what has no results is none.
type wireList[T any] struct {
	Results *[]T      `json:"results"`
	Limit   int       `json:"limit"`
	Start   int       `json:"start"`
	Size    int       `json:"size"` // v1: how many rows this page has
	Total   *int      `json:"totalSize"`
	Links   wireLinks `json:"_links"`
}

// weigh takes in what the answer says of the page beside its rows: v2 names the next
// page in a header too, and what is on the way may have cut either; v1 counts the rows,
// of which a page that has fewer is not whole (see [doubt]).
// https://developer.atlassian.com/cloud/confluence/rest/v2/intro/#using-the-rest-api
func (l *wireList[T]) weigh(x *upstream.Exchange) *upstream.Exchange {
	if l.Links.Next == "" {
		l.Links.Next = nextIn(x.Header)
	}
	if l.Results == nil || l.Size <= len(*l.Results) {
		return x
	}
	own := *x // the answer may be shared
	own.Markers = append(slices.Clone(x.Markers), "size")
	return &own
}

// nextIn is the address that headers name as that of the next page; empty for none.
// RFC 8288, section 3.
func nextIn(h http.Header) string {
	for _, v := range h.Values("Link") {
		for one := range strings.SplitSeq(v, ",") {
			address, params, _ := strings.Cut(strings.TrimSpace(one), ">")
			for param := range strings.SplitSeq(params, ";") {
				name, rel, _ := strings.Cut(strings.TrimSpace(param), "=")
				if strings.EqualFold(name, "rel") && strings.EqualFold(strings.Trim(rel, `"`), "next") {
					return strings.TrimPrefix(address, "<")
				}
			}
		}
	}
	return ""
}

// wireHit is a row of the search.
type wireHit struct {
	Content  *wireContent `json:"content"`
	Excerpt  string       `json:"excerpt"`
	Modified wireTime     `json:"lastModified"`
}

func (w wireHit) Missing() string {
	if w.Content == nil {
		return "" // a space or a person, which is no page
	}
	return w.Content.Missing()
}

// wireVersionBody is a version of a page, v2.
type wireVersionBody struct {
	Page *struct {
		Body *wireBody `json:"body"`
	} `json:"page"`
}
