package config

import (
	"time"
)

// Config is what frank was told to look at and how.
type Config struct {
	// Path is the file this was read from, "" for the configuration that is
	// made up where there is no file.
	Path    string
	Sources []Source
	// Writes allows tools that change something. False unless the file says so.
	Writes bool
	// IdempotencyWindow is how long a change that is asked for again, without a key
	// of its own, is taken for the same.
	IdempotencyWindow time.Duration
	Policy            Policy
	// Escalation is zero unless the file says something.
	Escalation Escalation
	Retry      Retry
}

// Source is one configured place to look.
type Source struct {
	// Name is unique in the file and matches ^[a-z][a-z0-9-]*$.
	Name string
	// Provider is one of Providers.
	Provider string
	// BaseURL is absolute, without credentials, query, fragment or trailing
	// slash; "" for a local source.
	BaseURL string
	// DefaultProject stands in where a reference names none ("#12").
	DefaultProject string
	// Auth is MethodNone for a local source.
	Auth Auth
	// Only lists globs (see ref.MatchGlob); nil means no restriction.
	Only []string
	// Insecure allows plain http to a host other than loopback.
	Insecure bool
	// Root is the absolute directory of a local source. It need not exist:
	// Check tells, and the source answers "misconfigured" when asked.
	Root string
	// Repository is the absolute directory of the checkout that answers for a
	// local source whose root is not the top of one; "" mostly.
	Repository string
	// Anonymous is set where no credential was found when the configuration
	// was made up, so that the manifest can say so.
	Anonymous bool
	// Line and Column are where the source stands in the file, 0 without one.
	Line, Column int
}

// Policy restricts what the sources may be asked.
type Policy struct {
	// Allow lists rules that ParseRule accepts; nil means that there is no list, any
	// other that nothing else passes.
	Allow []string
	// Deny lists rules that ParseRule accepts. It wins over Allow.
	Deny []string
}

// Retry holds the limits on repeating a call.
type Retry struct {
	// MaxAttempts counts the first attempt too.
	MaxAttempts int
	// Budget bounds one call with all its attempts and waits.
	Budget time.Duration
	// Timeout bounds one attempt.
	Timeout time.Duration
	// Cooldown is how long a source stays shut after its retries ran out.
	Cooldown time.Duration
}

// DefaultRetry returns the limits that hold where the file names none.
func DefaultRetry() Retry {
	return Retry{MaxAttempts: 3, Budget: 20 * time.Second, Timeout: 10 * time.Second, Cooldown: time.Minute}
}

// Source returns the source of that name.
func (c *Config) Source(name string) (Source, bool) {
	for _, s := range c.Sources {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// Names of the providers a source may have.
const (
	GitHub     = "github"
	GitLab     = "gitlab"
	Gitea      = "gitea"
	Jira       = "jira"
	Confluence = "confluence"
	Linear     = "linear"
	Notion     = "notion"
	Redmine    = "redmine"
	MediaWiki  = "mediawiki"
	Local      = "local"
)

// Providers lists the valid values of provider, in the order of the docs.
func Providers() []string {
	return []string{GitHub, GitLab, Gitea, Jira, Confluence, Linear, Notion, Redmine, MediaWiki, Local}
}

// defaultBaseURL returns the one address of a provider whose service lives at
// a single place; "" where the file has to say.
func defaultBaseURL(provider string) string {
	switch provider {
	case GitHub:
		return "https://api.github.com"
	case Linear:
		return "https://api.linear.app"
	case Notion:
		return "https://api.notion.com"
	}
	return ""
}
