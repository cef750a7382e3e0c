package mediawiki

import (
	"encoding/json"
	"time"
)

// wireAnswer is the outermost object of every answer. A key whose absence matters is
// a pointer.
type wireAnswer struct {
	BatchComplete bool            `json:"batchcomplete"`
	Continue      *wireContinue   `json:"continue"`
	Warnings      json.RawMessage `json:"warnings"`
	Query         *wireQuery      `json:"query"`
	Parse         *wireParse      `json:"parse"`
	Login         *wireLogin      `json:"login"`
}

// wireContinue says where a listing goes on. MW-05.
type wireContinue struct {
	SearchOffset *int   `json:"sroffset"`
	AllPages     string `json:"apcontinue"`
	Members      string `json:"cmcontinue"`
	LogEvents    string `json:"lecontinue"`
}

// wireWarning is one of the warnings of an answer, in the format that we ask for.
type wireWarning struct {
	Code   string `json:"code"`
	Module string `json:"module"`
}

type wireQuery struct {
	General    *wireGeneral             `json:"general"`
	Namespaces map[string]wireNamespace `json:"namespaces"`
	Aliases    []wireAlias              `json:"namespacealiases"`
	Statistics *wireStatistics          `json:"statistics"`
	Extensions []wireExtension          `json:"extensions"`
	User       *wireUser                `json:"userinfo"`
	Tokens     *wireTokens              `json:"tokens"`
	Pages      []wirePage               `json:"pages"`
	Normalized []wireStep               `json:"normalized"`
	Converted  []wireStep               `json:"converted"`
	Redirects  []wireStep               `json:"redirects"`
	Interwiki  []wireInterwiki          `json:"interwiki"`
	BadRevs    map[string]struct{}      `json:"badrevids"`
	SearchInfo *wireSearchInfo          `json:"searchinfo"`
	Search     *[]wireRow               `json:"search"`
	AllPages   *[]wireRow               `json:"allpages"`
	Members    *[]wireRow               `json:"categorymembers"`
	LogEvents  *[]wireLogEvent          `json:"logevents"`
}

type wireGeneral struct {
	SiteName    string `json:"sitename"`
	MainPage    string `json:"mainpage"`
	Generator   string `json:"generator"`
	ArticlePath string `json:"articlepath"`
	Script      string `json:"script"`
	Server      string `json:"server"`
	Case        string `json:"case"`
}

type wireNamespace struct {
	ID        int    `json:"id"`
	Name      string `json:"name"`
	Canonical string `json:"canonical"`
	Content   bool   `json:"content"`
	Subpages  bool   `json:"subpages"`
}

type wireAlias struct {
	ID    int    `json:"id"`
	Alias string `json:"alias"`
}

type wireStatistics struct {
	Jobs int `json:"jobs"`
}

type wireExtension struct {
	Name string `json:"name"`
}

type wireUser struct {
	ID        int    `json:"id"`
	Name      string `json:"name"`
	Anonymous bool   `json:"anon"`
	Temporary bool   `json:"temp"` // made for a visitor. https://www.mediawiki.org/wiki/Help:Temporary_accounts
}

type wireTokens struct {
	Login string `json:"logintoken"`
}

type wirePage struct {
	ID        int            `json:"pageid"`
	Namespace int            `json:"ns"`
	Title     string         `json:"title"`
	Missing   bool           `json:"missing"`
	Known     bool           `json:"known"` // of a missing one: it is shown all the same, out of another wiki or the program
	Invalid   bool           `json:"invalid"`
	Special   bool           `json:"special"`
	Redirect  bool           `json:"redirect"`
	URL       string         `json:"canonicalurl"`
	Revisions []wireRevision `json:"revisions"`
	Category  *wireCategory  `json:"categoryinfo"`
}

type wireRevision struct {
	ID        int        `json:"revid"`
	Timestamp *time.Time `json:"timestamp"`
}

type wireCategory struct {
	Size int `json:"size"`
}

// wireStep is one step from the title that was asked to that of the page.
type wireStep struct {
	From        string `json:"from"`
	To          string `json:"to"`
	ToFragment  string `json:"tofragment"`
	ToInterwiki string `json:"tointerwiki"`
}

type wireInterwiki struct {
	Title  string `json:"title"`
	Prefix string `json:"iw"`
}

type wireSearchInfo struct {
	Total     *int   `json:"totalhits"`
	Rewritten string `json:"rewrittenquery"` // what CirrusSearch looked for in place of what was asked
}

// wireRow is a row of a listing.
type wireRow struct {
	ID        int        `json:"pageid"`
	Namespace *int       `json:"ns"`
	Title     string     `json:"title"`
	Snippet   string     `json:"snippet"`
	Section   string     `json:"sectiontitle"`
	Timestamp *time.Time `json:"timestamp"`
}

// missing names a key that every row has and this one has not.
func (w wireRow) Missing() string {
	switch {
	case w.ID <= 0:
		return "pageid"
	case w.Namespace == nil:
		return "ns"
	case w.Title == "":
		return "title"
	}
	return ""
}

type wireLogEvent struct {
	Type   string          `json:"type"`
	Action string          `json:"action"`
	Params json.RawMessage `json:"params"` // by type; none or [] for many
}

// target is where a page was moved to; empty if the entry does not show it.
func (w wireLogEvent) target() string {
	var params struct {
		Title string `json:"target_title"`
	}
	if json.Unmarshal(w.Params, &params) != nil {
		return ""
	}
	return params.Title
}

type wireParse struct {
	Title     string            `json:"title"`
	PageID    int               `json:"pageid"`
	RevID     int               `json:"revid"`
	Text      *string           `json:"text"`
	Templates []wireTemplate    `json:"templates"`
	Sections  []wireSection     `json:"sections"`
	Warnings  []json.RawMessage `json:"parsewarnings"`
}

type wireTemplate struct {
	Title  string `json:"title"`
	Exists bool   `json:"exists"`
}

type wireSection struct {
	Anchor string `json:"anchor"`
}
