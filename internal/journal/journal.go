// Package journal keeps one record for every call and for every failure and
// recovery in it, so that a person can see afterwards what could not be checked,
// how often and why.
//
// A record holds names, codes, counts, hashes and times. It never holds
// arguments, data, bodies, header values, credentials, addresses that unblock
// something, or text that a provider or a person wrote: every field is checked for
// its shape and scrubbed before it is stored. The package never fails a call and
// lets none wait for a file.
package journal

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/status"
)

// Record is one failure as it happened.
type Record struct {
	At          time.Time `json:"at"`
	CallID      string    `json:"call_id"`
	TraceID     string    `json:"trace_id,omitempty"`
	Tool        string    `json:"tool"`
	Operation   string    `json:"operation,omitempty"`
	Endpoint    string    `json:"endpoint,omitempty"` // its class, without values
	Source      string    `json:"source,omitempty"`
	Stage       string    `json:"stage"`
	Reason      string    `json:"reason"`
	Code        string    `json:"code"`
	Severity    string    `json:"severity"`
	Outcome     string    `json:"outcome"` // the status of the whole answer
	HTTPStatus  int       `json:"http_status,omitempty"`
	Attempts    int       `json:"attempts,omitempty"` // of the whole call
	Retryable   bool      `json:"retryable"`
	Fingerprint string    `json:"fingerprint,omitempty"`
	Escalation  string    `json:"escalation,omitempty"` // the id of the one that it opened
	Trigger     string    `json:"trigger,omitempty"`    // of escalations, which it is without judgement

	n int // its place among the failures of the call
}

// Of is the record of one failure; what concerns the whole call is the caller's to add.
func Of(f status.Failure, at time.Time) Record {
	httpStatus, err := strconv.Atoi(f.Text("http_status"))
	if err != nil {
		httpStatus = 0
	}
	return Record{
		At: at.UTC(), Operation: f.Operation(), Endpoint: f.Text("endpoint"), Source: f.Source(), Stage: f.Reason().Stage().String(), Reason: f.Reason().Name(),
		Code: f.Code().String(), Severity: f.Severity().String(), HTTPStatus: httpStatus, Retryable: f.Retryable(), Fingerprint: f.DependencyFingerprint(),
		Escalation: f.Text("escalation_id"),
	}
}

// Call is one call as it ended, with what failed and what was overcome in it.
type Call struct {
	At       time.Time // when it ended
	ID       string
	TraceID  string
	Tool     string
	Status   string
	Code     string
	Attempts int
	Duration time.Duration
	Session  string   // a hash; see [status.Call]
	Answered []string // sources of which nothing failed

	Failures  []Record
	Recovered []status.Recovery
	// Instead: this is the answer that the caller got in place of another one, which
	// may also be recorded.
	Instead bool
}

// Options is what a journal needs beside its store. Zero fields are usable.
type Options struct {
	// Clean, if set, takes the known secrets out of a text; the journal applies it on
	// top of its own checks.
	Clean func(string) string
	// Changed is told, in one line without values, when records are lost.
	Changed func(problem string)
}

const (
	// maxQueue bounds the calls that wait to be written.
	maxQueue = 4096
	// maxBatch bounds what one transaction writes, so that no process keeps others
	// from the file for long.
	maxBatch = 256
	// linger is how long a record waits for others: a transaction costs as much for
	// one as for many. A process that is killed loses no more than that.
	linger = 10 * time.Millisecond
	// patience is how long a reader waits for the file.
	patience = 2 * time.Second
	// lone is the place of failures that were recorded without their call, and
	// instead that of those which answered in place of others.
	lone, instead = 1000, 500
)

// Journal writes records behind the back of the calls. It is safe for concurrent
// use. A nil Journal records nothing.
type Journal struct {
	store *store.Store
	opts  Options
	hurry chan struct{} // somebody waits, or there is much to write

	mu      sync.Mutex
	queue   []item
	taken   []item // is being written
	writing bool
	used    bool // something was recorded
	loners  int
	lost    int
	proved  bool // the file was written once, and nothing was wrong since
}

// Open returns the journal in s, and touches nothing.
func Open(s *store.Store, o Options) *Journal {
	return &Journal{store: s, opts: o, hurry: make(chan struct{}, 1)}
}

// DefaultPath is journal.db in frank's folder of the user's state, or empty if the
// user has none.
func DefaultPath() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "frank", "journal.db")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "frank", "journal.db")
}
