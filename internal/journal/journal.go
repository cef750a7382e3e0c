// Package journal keeps one record for every failure of a call, so that a person
// can see afterwards what could not be checked and why.
//
// A record holds names, codes, counts, hashes and times. It never holds
// arguments, data, bodies, header values, credentials, addresses that unblock
// something, or text that a provider or a person wrote.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

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
	Attempts    int       `json:"attempts,omitempty"`
	Retryable   bool      `json:"retryable"`
	Fingerprint string    `json:"fingerprint,omitempty"`
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
	}
}

// Query selects records; zero fields select all. Limit 0 means no limit.
type Query struct {
	Since  time.Time
	Source string
	Code   string
	Limit  int
}

// maxFile is the size at which the file is turned over; one older file is kept.
const maxFile = 4 << 20

// maxRead is what is read of a file: several processes may write a little past maxFile.
const maxRead = 4 * maxFile

// maxKept bounds the records that are held in memory when there is no file.
const maxKept = 1000

// Journal appends records to a file that several processes may share, and keeps
// the newest in memory. It is safe for concurrent use. Failing to write never
// fails a call; [Journal.Broken] tells.
type Journal struct {
	path string
	turn chan struct{} // who has it uses the file
	mu   sync.Mutex
	kept []Record
	err  error
}

// Open returns the journal at path; an empty path keeps records in memory only.
// The file is made when the first record is written.
func Open(path string) *Journal { return &Journal{path: path, turn: make(chan struct{}, 1)} }

// DefaultPath is failures.jsonl in frank's folder of the user's state, or empty if
// the user has none.
func DefaultPath() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "frank", "failures.jsonl")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "frank", "failures.jsonl")
}

// Path is the file, or empty.
func (j *Journal) Path() string { return j.path }

// Add writes the record. It does not wait for a file system that hangs.
func (j *Journal) Add(r Record) {
	j.mu.Lock()
	if len(j.kept) == maxKept {
		j.kept = slices.Delete(j.kept, 0, maxKept/10)
	}
	j.kept = append(j.kept, r)
	j.mu.Unlock()
	if j.path == "" {
		return
	}
	err, inTime := bounded(j.turn, func() error { return j.write(r) })
	if !inTime {
		err = errSlow
	}
	j.mu.Lock()
	j.err = err
	j.mu.Unlock()
}

// patience is how long an answer may wait for the file.
const patience = 250 * time.Millisecond

var errSlow = errors.New("journal: the file system does not answer")

// bounded does the work when it has the turn, but lets nobody wait for either.
// What is late goes on alone, and keeps the turn until it is done.
func bounded[T any](turn chan struct{}, work func() T) (result T, inTime bool) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case turn <- struct{}{}:
	case <-late.C:
		return result, false
	}
	done := make(chan T, 1)
	go func() {
		defer func() { <-turn }()
		done <- work()
	}()
	select {
	case result = <-done:
		return result, true
	case <-late.C:
		return result, false
	}
}

// Broken reports whether the last record could not be written to the file.
func (j *Journal) Broken() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err != nil
}

// write appends one line in one call, which keeps the lines of several processes apart.
func (j *Journal) write(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if info, err := os.Stat(j.path); err == nil && info.Size() > maxFile {
		if err := os.Rename(j.path, j.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := open(j.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

var errNoFile = errors.New("journal: not a regular file")

// open opens a regular file. A pipe or a device in its place would hold back
// whoever opens, reads or writes it, and with him every call that fails.
func open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errNoFile, err, f.Close())
	}
	return f, nil
}

// Listing is what [Journal.List] found.
type Listing struct {
	Records []Record // newest first
	Total   int      // that the query selects, before the limit
	Damaged int      // lines that could not be read
	Read    bool     // false if the file is there but could not be read
}

// List returns the selected records, newest first, those of other processes
// included.
func (j *Journal) List(q Query) Listing {
	all, damaged, ok := j.load()
	out := Listing{Damaged: damaged, Read: ok}
	for _, r := range slices.Backward(all) {
		if r.At.Before(q.Since) || (q.Source != "" && r.Source != q.Source) || (q.Code != "" && r.Code != q.Code) {
			continue
		}
		out.Total++
		if q.Limit == 0 || len(out.Records) < q.Limit {
			out.Records = append(out.Records, r)
		}
	}
	return out
}

// load reads the files, or gives what is in memory if they cannot be read.
func (j *Journal) load() (all []Record, damaged int, ok bool) {
	j.mu.Lock()
	kept, broken := slices.Clone(j.kept), j.err != nil
	j.mu.Unlock()
	if j.path == "" || broken {
		return kept, 0, !broken
	}
	found, inTime := bounded(j.turn, j.readAll)
	if !inTime || found.err != nil {
		return kept, found.damaged, false
	}
	return found.records, found.damaged, true
}

// content is what the files hold.
type content struct {
	records []Record
	damaged int
	err     error
}

func (j *Journal) readAll() (c content) {
	for _, path := range []string{j.path + ".1", j.path} {
		records, bad, err := read(path)
		c.damaged += bad
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.err = err
			return c
		}
		c.records = append(c.records, records...)
	}
	slices.SortStableFunc(c.records, func(a, b Record) int { return a.At.Compare(b.At) })
	return c
}

func read(path string) (records []Record, damaged int, err error) {
	f, err := open(path, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxRead { // not ours: it would have been turned over
		return nil, 0, errNoFile
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var r Record
		if len(lines.Bytes()) == 0 {
			continue
		}
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Reason == "" {
			damaged++
			continue
		}
		records = append(records, r)
	}
	return records, damaged, lines.Err()
}
