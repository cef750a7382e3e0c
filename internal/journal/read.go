package journal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/status"
)

// Query selects records; zero fields select all. Limit 0 means no limit.
type Query struct {
	Since  time.Time
	Source string
	Code   string
	Limit  int
}

// Listing is what [Journal.List] found.
type Listing struct {
	Records []Record       // newest first
	Total   int            // that the query selects, before the limit
	Totals  []status.Tally // over all that the query selects, most frequent first
	Times   []time.Time    // of all that the query selects, oldest first, at most maxTimes of the newest
	Calls   []Count        // since then, by status, whatever the source or code
	Read    bool           // false if there is a file that cannot be used, so that records may be missing
}

// Count is how many calls ended with a status.
type Count struct {
	Status string `json:"status"`
	Calls  int    `json:"calls"`
}

const (
	maxTimes  = 100_000
	maxTotals = 1000
)

// List returns what the query selects, that of other processes included. It waits
// for a file that hangs no longer than a moment, and then shows what this process
// has still to write.
func (j *Journal) List(ctx context.Context, q Query) Listing {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var read Listing
	flushed := j.Flush(ctx)
	err := j.store.View(ctx, func(tx *sql.Tx) error {
		read = Listing{}
		return firstOf(read.records(tx, q), read.totals(tx, q), read.times(tx, q), read.calls(tx, q))
	})
	var out Listing
	if err == nil {
		out = read
	} else { // what is late may still be at the other
		out = j.pending(q)
	}
	out.Read = err == nil && flushed == nil && j.store.Problem() == "" && !j.store.Lost()
	return out
}

// firstOf is the first error.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// where is the condition of a query on the failures.
func (q Query) where() (condition string, values []any) {
	condition, values = " WHERE at >= ?", []any{store.Millis(q.Since)}
	if q.Source != "" {
		condition, values = condition+" AND source = ?", append(values, q.Source)
	}
	if q.Code != "" {
		condition, values = condition+" AND code = ?", append(values, q.Code)
	}
	return condition, values
}

// each runs a query and hands over its rows.
func each(tx *sql.Tx, query string, values []any, row func(scan func(...any) error) error) error {
	rows, err := tx.Query(query, values...)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err tells
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (l *Listing) records(tx *sql.Tx, q Query) error {
	condition, values := q.where()
	if err := tx.QueryRow("SELECT count(*) FROM failures"+condition, values...).Scan(&l.Total); err != nil {
		return err
	}
	limit := q.Limit
	if limit == 0 {
		limit = -1
	}
	return each(tx, "SELECT "+columns+" FROM failures f"+condition+" ORDER BY f.at DESC, f.rowid DESC LIMIT ?", append(values, limit), func(scan func(...any) error) error {
		r, err := recordOf(scan)
		l.Records = append(l.Records, r)
		return err
	})
}

// columns of the failures f, as recordOf reads them.
const columns = `f.at, f.call_id, f.trace_id, f.tool, f.operation, f.endpoint, f.source, f.stage, f.reason, f.code, f.severity, f.outcome, f.http_status,
	f.attempts, f.retryable, f.fingerprint, f.escalation, f.trigger, f.n`

func recordOf(scan func(...any) error) (r Record, err error) {
	var at int64
	err = scan(&at, &r.CallID, &r.TraceID, &r.Tool, &r.Operation, &r.Endpoint, &r.Source, &r.Stage, &r.Reason, &r.Code, &r.Severity, &r.Outcome, &r.HTTPStatus,
		&r.Attempts, &r.Retryable, &r.Fingerprint, &r.Escalation, &r.Trigger, &r.n)
	r.At = store.Time(at)
	return r, err
}

func (l *Listing) totals(tx *sql.Tx, q Query) error {
	condition, values := q.where()
	return each(tx, "SELECT code, reason, source, fingerprint, count(*) AS many, min(at), max(at) FROM failures"+condition+
		" GROUP BY code, reason, source, fingerprint ORDER BY many DESC, max(at) DESC, code, reason, source LIMIT ?", append(values, maxTotals), func(scan func(...any) error) error {
		var t status.Tally
		var first, last int64
		err := scan(&t.Code, &t.Reason, &t.Source, &t.Fingerprint, &t.Count, &first, &last)
		t.FirstAt, t.LastAt = store.Time(first), store.Time(last)
		l.Totals = append(l.Totals, t)
		return err
	})
}

func (l *Listing) times(tx *sql.Tx, q Query) error {
	condition, values := q.where()
	err := each(tx, "SELECT at FROM failures"+condition+" ORDER BY at DESC LIMIT ?", append(values, maxTimes), func(scan func(...any) error) error {
		var at int64
		err := scan(&at)
		l.Times = append(l.Times, store.Time(at))
		return err
	})
	slices.Reverse(l.Times)
	return err
}

func (l *Listing) calls(tx *sql.Tx, q Query) error {
	return each(tx, "SELECT status, count(*) FROM calls WHERE +at >= ? GROUP BY status ORDER BY count(*) DESC, status", []any{store.Millis(q.Since)}, func(scan func(...any) error) error {
		var c Count
		err := scan(&c.Status, &c.Calls)
		l.Calls = append(l.Calls, c)
		return err
	})
}

// pending lists what is still to be written.
func (j *Journal) pending(q Query) (out Listing) {
	j.mu.Lock()
	waiting := slices.Concat(j.taken, j.queue)
	j.mu.Unlock()
	for _, it := range slices.Backward(waiting) {
		for _, r := range slices.Backward(it.call.Failures) {
			if r.At.Before(q.Since) || (q.Source != "" && r.Source != q.Source) || (q.Code != "" && r.Code != q.Code) {
				continue
			}
			out.Total++
			if q.Limit == 0 || len(out.Records) < q.Limit {
				out.Records = append(out.Records, r)
			}
		}
	}
	return out
}

// Sources names those of which a failure is recorded, in the order of the alphabet.
// What cannot be read is missing.
func (j *Journal) Sources(ctx context.Context) []string {
	if j == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_ = j.Flush(ctx) // what is late is missing
	var out []string
	err := j.store.View(ctx, func(tx *sql.Tx) error {
		out = nil
		return each(tx, "SELECT DISTINCT source FROM failures WHERE source <> '' ORDER BY source", nil, func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			out = append(out, name)
			return err
		})
	})
	if err != nil {
		return nil
	}
	return out
}

// Action is one call of a session, as it was recorded.
type Action struct {
	At     time.Time `json:"at"`
	Tool   string    `json:"tool"`
	Status string    `json:"status"`
	Code   string    `json:"code"`
	Reason string    `json:"reason,omitempty"` // of the gravest failure, as the first one is
	Source string    `json:"source,omitempty"` // that failed
	CallID string    `json:"call_id"`
}

// Actions lists the newest calls of a session since then, oldest first, at most
// limit. What cannot be read is missing.
func (j *Journal) Actions(ctx context.Context, session string, since time.Time, limit int) []Action {
	if j == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_ = j.Flush(ctx) // what is late is missing
	var out []Action
	err := j.store.View(ctx, func(tx *sql.Tx) error {
		out = nil
		return each(tx, `SELECT c.at, c.tool, c.status, c.code, c.id, coalesce(f.reason, ''), coalesce(f.source, '') FROM calls c
			LEFT JOIN failures f ON f.call_id = c.id AND f.n = (SELECT min(n) FROM failures WHERE call_id = c.id AND code = c.code)
			WHERE c.session = ? AND c.at >= ? ORDER BY c.at DESC, c.rowid DESC LIMIT ?`, []any{session, store.Millis(since), limit}, func(scan func(...any) error) error {
			var a Action
			var at int64
			err := scan(&at, &a.Tool, &a.Status, &a.Code, &a.CallID, &a.Reason, &a.Source)
			a.At = store.Time(at)
			out = append(out, a)
			return err
		})
	})
	if err != nil {
		return nil
	}
	slices.Reverse(out)
	return out
}

// Failures lists the failures of a session since then, the newest call first and of
// each call the gravest first, at most limit. Read is false if the file does not answer.
func (j *Journal) Failures(ctx context.Context, session string, since time.Time, limit int) (out []Record, read bool) {
	if j == nil {
		return nil, false
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	flushed := j.Flush(ctx) // what is late is missing
	err := j.store.View(ctx, func(tx *sql.Tx) error {
		out = nil
		return each(tx, "SELECT "+columns+` FROM calls c JOIN failures f ON f.call_id = c.id
			WHERE c.session = ? AND c.at >= ? ORDER BY c.at DESC, c.rowid DESC, f.code <> c.code, f.n LIMIT ?`, []any{session, store.Millis(since), limit}, func(scan func(...any) error) error {
			r, err := recordOf(scan)
			out = append(out, r)
			return err
		})
	})
	return out, err == nil && flushed == nil
}

// maxStreak bounds what a streak counts: no configuration waits for more.
const maxStreak = 100

// Streak counts the recorded calls in which the dependency with this fingerprint
// failed after its retries, since one in which its source answered or recovered,
// and within a day of the newest failure of all, up to a hundred. A circuit that
// was open tried nothing. What cannot be read counts as none.
func (j *Journal) Streak(ctx context.Context, fingerprint string) int {
	if j == nil || fingerprint == "" || j.blank() {
		return 0
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_ = j.Flush(ctx) // what is late is missing
	n := 0
	err := j.store.View(ctx, func(tx *sql.Tx) error {
		// Row numbers tell what came later where the clock is too coarse or was set
		// back. Each step is limited, as an outage leaves thousands of rows.
		return tx.QueryRow(`WITH newest AS (
				SELECT call_id, source FROM failures
				WHERE fingerprint = ? AND retryable AND reason <> 'circuit_open' AND at >= (SELECT at FROM failures ORDER BY rowid DESC LIMIT 1) - ?
				ORDER BY rowid DESC LIMIT ?
			), failed AS MATERIALIZED (
				SELECT DISTINCT c.rowid AS row, f.source AS source FROM newest f JOIN calls c ON c.id = f.call_id
			), sources AS MATERIALIZED (
				SELECT DISTINCT source FROM failed
			), good AS MATERIALIZED (
				SELECT coalesce((SELECT c.rowid FROM calls c
					WHERE c.rowid >= (SELECT min(row) FROM failed) AND EXISTS (
						SELECT 1 FROM sources s WHERE instr(c.answered, ' ' || s.source || ' ')
						OR EXISTS (SELECT 1 FROM recoveries r WHERE r.call_id = c.id AND r.source = s.source))
					ORDER BY c.rowid DESC LIMIT 1), 0) AS row
			) SELECT count(DISTINCT failed.row) FROM failed, good WHERE failed.row > good.row`,
			fingerprint, (24 * time.Hour).Milliseconds(), maxStreak).Scan(&n)
	})
	if err != nil {
		return 0
	}
	return n
}

// blank reports that nothing can be in the journal: there is no file, and this
// process has recorded nothing.
func (j *Journal) blank() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.store.Path() == "" && !j.used
}

// Close writes what is still to be written and returns, or returns when ctx ends.
// The journal can still be used. Without a file nothing outlives the process, so
// nothing is written.
func (j *Journal) Close(ctx context.Context) error {
	if j == nil || j.store.Path() == "" {
		return nil
	}
	return j.Flush(ctx)
}
