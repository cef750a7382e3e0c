// Package connectors says what a source may be asked, in frank's terms, and what
// the answers look like. A provider package (connectors/github, connectors/local,
// …) translates between these terms and one product's interface.
//
// Every method returns a [status.Result]: no error, nil or empty slice carries a
// verdict. A connector never retries, never logs and never decides what the
// agent should do; it reports what it proved and what it could not prove.
package connectors

import (
	"context"
	"slices"
	"time"

	"github.com/frank-mcp/frank/internal/ref"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Kind is what a source can be: a tracker, a repository, a set of documents.
type Kind string

// The kinds, as the manifest spells them.
const (
	KindTracker Kind = "tracker"
	KindRepo    Kind = "repo"
	KindDocs    Kind = "docs"
)

// Capability is one permission-sized ability, such as tracker.issue:read.
type Capability string

// The capabilities of the tools.
const (
	IssueWrite  Capability = "tracker.issue:write"
	IssueRead   Capability = "tracker.issue:read"
	ProjectRead Capability = "tracker.project:read"
	CodeSearch  Capability = "repo.code:search"
	FileRead    Capability = "repo.file:read"
	RefRead     Capability = "repo.ref:read"
	ChangeRead  Capability = "repo.change:read"
	HistoryRead Capability = "repo.history:read"
	PageSearch  Capability = "docs.page:search"
	PageRead    Capability = "docs.page:read"
)

// Provider is one product that frank can speak to. Its package exports one value
// of this type; internal/app lists them all.
type Provider struct {
	Name         string // as in frank.yaml
	Kinds        []Kind
	Capabilities []Capability
	// Credential puts a secret into the provider's headers. Nil: no credential is
	// ever sent.
	Credential func(upstream.TokenFunc) upstream.Credential
	// Open makes a source. It does no network call and reads no credential: both
	// happen when the source is first asked, so that start-up stays quick and a
	// failing credential becomes an answer. A failure is a configuration that
	// cannot work, such as a root that is not there.
	Open func(Setup) (Source, *status.Failure)
	// Classify is the provider's reading of an HTTP answer. Whoever makes the
	// upstream client of a source passes it on in its options. Nil for a provider
	// that speaks no HTTP.
	Classify upstream.Classifier
}

// Setup is what a source is made from.
type Setup struct {
	Name           string
	BaseURL        string // without a final slash; empty for local
	DefaultProject string
	Anonymous      bool     // asked without a credential, by configuration
	Only           []string // allow-list of projects, repositories or spaces
	Root           string   // local: absolute directory
	Repository     string   // local: absolute directory of the checkout, if it is not Root
	Upstream       *upstream.Client
	Now            func() time.Time // nil: the clock of this machine
}

// Clock is what tells the time.
func (s Setup) Clock() func() time.Time {
	if s.Now == nil {
		return time.Now
	}
	return s.Now
}

// Source is one configured source. A nil Tracker, Repo or Docs means that the
// source is not of that kind.
type Source struct {
	Name           string
	Provider       string
	BaseURL        string
	Root           string // of a source on this machine: its directory
	DefaultProject string
	Only           []string
	Tracker        Tracker
	Repo           Repo
	Docs           Docs
	// Writer changes issues; nil: this source cannot be changed by frank.
	Writer Writer
	Prober Prober
	// Owns reports whether a parsed link or reference points into this source.
	Owns func(ref.Ref) bool
	// Holds reports whether a container of that name (project, repository, space)
	// can be one of this source's, by its form or configuration alone. Nil: any.
	Holds func(k Kind, container string) bool
	// Spans reports whether a query in the provider's own language says itself which
	// containers it means, so that the default one does not take effect. Nil: none does.
	Spans func(native string) bool
	// Options lists containers to choose from where a question lacks one. Nil: the
	// source offers none. Ask it by [Source.List].
	Options Lister
	// Lacks says why the source is not of a kind and what would make it so. It is
	// asked for kinds that the source does not serve. Nil: there is nothing to say.
	Lacks func(Kind) status.Failure
	// Near is true for a source on this machine. A bare path, name or revision means
	// what is near, if it is there; only then are the others asked.
	Near bool
	// Kinds is what the provider can be at best; Broken, if set, answers every
	// question: the source could not be opened.
	Kinds  []Kind
	Broken *status.Failure
}

// Serves reports whether the source is of that kind.
func (s Source) Serves(k Kind) bool {
	if s.Broken != nil {
		return slices.Contains(s.Kinds, k)
	}
	switch k {
	case KindTracker:
		return s.Tracker != nil
	case KindRepo:
		return s.Repo != nil
	case KindDocs:
		return s.Docs != nil
	default:
		return false
	}
}

// Prober proves what a source can do for this credential, live.
type Prober interface {
	// Probe makes the least requests that prove identity, container and
	// permissions. It never returns data. It is called again when its answer has
	// expired or when a caller asks for a refresh.
	Probe(ctx context.Context) Probe
}

// Probe is what a probe found.
type Probe struct {
	State        State
	Identity     string // the account as the provider names it; empty if anonymous or unknown
	Anonymous    bool
	Fingerprint  string   // of endpoint, credential identity, scopes and configuration
	Scopes       []string // that the credential has, where the provider tells
	Failure      *status.Failure
	Capabilities []Grant
	Notes        []string // one line each, for the person who reads the manifest
}

// State is the state of a source in the manifest.
type State string

// The states of a source.
const (
	Ready         State = "ready"
	Degraded      State = "degraded"
	Denied        State = "denied"
	Unreachable   State = "unreachable"
	Misconfigured State = "misconfigured"
	Unprobed      State = "unprobed"
)

// GrantState is the state of one capability of one source.
type GrantState string

// The states of a capability.
const (
	Granted      GrantState = "granted"
	NotGranted   GrantState = "denied"
	Unsupported  GrantState = "unsupported"
	UnknownGrant GrantState = "unknown"
)

// Grant says whether a capability is there. Failure, set unless it is granted or
// unknown, is the answer that a call which needs the capability gets. It speaks
// of Container only, such as the default project, unless that is empty: another
// one may grant what this one denies.
type Grant struct {
	Capability Capability
	State      GrantState
	Failure    *status.Failure
	Container  string
}

// Tracker answers questions about issues. Pull and merge requests are changes,
// not issues: no method returns one.
type Tracker interface {
	// Search lists issues, newest change first. A page that holds only changes is
	// walked over.
	Search(ctx context.Context, q IssueQuery) status.Result[Issue]
	// Get reads one issue with the parts that were asked for.
	Get(ctx context.Context, q IssueGet) status.Result[Issue]
	// Describe says what may be filtered by: projects, states, labels, types, people.
	Describe(ctx context.Context, q DescribeQuery) status.Result[Project]
}

// Repo answers questions about code and its history.
type Repo interface {
	SearchCode(ctx context.Context, q CodeQuery) status.Result[CodeHit]
	ReadFile(ctx context.Context, q FileGet) status.Result[File]
	List(ctx context.Context, q RepoList) status.Result[Entry]
	GetChange(ctx context.Context, q ChangeGet) status.Result[Change]
	History(ctx context.Context, q HistoryQuery) status.Result[Commit]
}

// Docs answers questions about documents.
type Docs interface {
	Search(ctx context.Context, q PageQuery) status.Result[Page]
	Read(ctx context.Context, q PageGet) status.Result[Page]
	List(ctx context.Context, q PageList) status.Result[Page]
}
