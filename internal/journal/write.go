package journal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/frank-mcp/frank/internal/store"
)

// item is what waits to be written, or a mark that somebody waits for.
type item struct {
	call  Call
	alone bool          // only the failures, the call is not known
	mark  chan struct{} // closed when all before it is written
}

// Add records a failure whose call is recorded by somebody else, or by nobody.
func (j *Journal) Add(r Record) {
	if j == nil {
		return
	}
	j.mu.Lock()
	r.n = lone + j.loners
	j.loners++
	j.mu.Unlock()
	j.put(item{call: Call{Failures: []Record{r}}, alone: true})
}

// Note records a call with its failures and recoveries. It returns at once.
func (j *Journal) Note(c Call) {
	if j == nil {
		return
	}
	first := 0
	if c.Instead {
		first = instead
	}
	for i := range c.Failures {
		c.Failures[i].n = first + i
	}
	j.put(item{call: c})
}

// put queues an item and sees that somebody writes it. What does not fit is
// counted.
func (j *Journal) put(it item) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.queue) >= maxQueue && it.mark == nil {
		j.lost++
		if j.lost == 1 && j.opts.Changed != nil {
			go j.opts.Changed(full) // it may be slow, and is told once
		}
		return
	}
	j.queue = append(j.queue, it)
	j.used = j.used || it.mark == nil
	// Without a file nothing is gained by writing before somebody reads.
	wanted := it.mark != nil || j.store.Path() != "" || len(j.queue) == maxQueue/2
	if !j.writing && wanted {
		j.writing = true
		go j.write()
	}
	if it.mark != nil || len(j.queue) >= maxBatch {
		select {
		case j.hurry <- struct{}{}:
		default: // it has been told
		}
	}
}

const full = "more calls came in than could be written; some records are lost"

// write writes until nothing is left. What comes in meanwhile waits for the next
// transaction, so that these are few when calls are many.
func (j *Journal) write() {
	late := time.NewTimer(linger)
	defer late.Stop()
	for {
		select {
		case <-j.hurry:
		case <-late.C:
		}
		late.Reset(linger)
		j.mu.Lock()
		n := min(len(j.queue), maxBatch)
		j.taken, j.queue = j.queue[:n:n], j.queue[n:]
		batch := j.taken
		j.mu.Unlock()
		for !j.stored(batch) { // the file system hangs: go on waiting, nobody waits for us
		}
		j.mu.Lock()
		j.taken, j.proved, j.writing = nil, j.store.Durable(), len(j.queue) > 0
		more := j.writing
		j.mu.Unlock()
		for _, it := range batch {
			if it.mark != nil {
				close(it.mark)
			}
		}
		if !more {
			return
		}
	}
}

// stored reports whether the batch needs no further attempt. Writing it twice is
// the same as once.
func (j *Journal) stored(batch []item) bool {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	err := j.store.Update(ctx, func(tx *sql.Tx) error {
		w := writer{tx, shape{j.opts.Clean}}
		for _, it := range batch {
			if err := w.item(it); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return true
	}
	if ctx.Err() != nil {
		return false
	}
	j.mu.Lock() // a statement failed: no attempt would go better
	defer j.mu.Unlock()
	for _, it := range batch {
		if it.mark == nil {
			j.lost++
		}
	}
	return true
}

// writer writes within one transaction.
type writer struct {
	tx *sql.Tx
	shape
}

func (w writer) item(it item) error {
	c := it.call
	if it.mark != nil {
		return nil
	}
	if !it.alone {
		if err := w.callRow(c); err != nil {
			return err
		}
	}
	for _, f := range c.Failures {
		if err := w.failureRow(f); err != nil {
			return err
		}
	}
	for i, r := range c.Recovered {
		_, err := w.tx.Exec("INSERT OR IGNORE INTO recoveries (call_id, n, at, tool, source, reason, attempt) VALUES (?, ?, ?, ?, ?, ?, ?)",
			w.id(c.ID), i, store.Millis(r.At), w.word(c.Tool), w.word(r.Source), w.word(r.Reason), r.Attempt)
		if err != nil {
			return fmt.Errorf("record a recovery: %w", err)
		}
	}
	return nil
}

func (w writer) callRow(c Call) error {
	verb := "INSERT OR IGNORE"
	if c.Instead {
		verb = "INSERT OR REPLACE"
	}
	_, err := w.tx.Exec(verb+" INTO calls (id, at, trace_id, tool, status, code, attempts, duration_us, session, answered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		w.id(c.ID), store.Millis(c.At), w.hash(c.TraceID), w.word(c.Tool), w.word(c.Status), w.word(c.Code), c.Attempts, c.Duration.Microseconds(), w.hash(c.Session), w.words(c.Answered))
	if err != nil {
		return fmt.Errorf("record a call: %w", err)
	}
	return nil
}

func (w writer) failureRow(r Record) error {
	r = r.Fit(w.clean)
	_, err := w.tx.Exec(`INSERT OR IGNORE INTO failures (call_id, n, at, trace_id, tool, operation, endpoint, source, stage, reason, code, severity, outcome,
		http_status, attempts, retryable, fingerprint, escalation, trigger) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.CallID, r.n, store.Millis(r.At), r.TraceID, r.Tool, r.Operation, r.Endpoint, r.Source, r.Stage, r.Reason,
		r.Code, r.Severity, r.Outcome, r.HTTPStatus, r.Attempts, r.Retryable, r.Fingerprint, r.Escalation, r.Trigger)
	if err != nil {
		return fmt.Errorf("record a failure: %w", err)
	}
	return nil
}

// Flush returns when all that was recorded before is stored, or ctx ends.
func (j *Journal) Flush(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	idle := !j.writing && len(j.queue) == 0
	j.mu.Unlock()
	if idle {
		return nil
	}
	mark := make(chan struct{})
	j.put(item{mark: mark})
	select {
	case <-mark:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Problem says in one line, without values, what is wrong with the journal: why
// its file is not used, what became of it, or that records were lost. Empty if
// nothing is.
func (j *Journal) Problem() string {
	if j == nil {
		return ""
	}
	j.mu.Lock()
	lost := j.lost
	telling := !j.proved || slices.ContainsFunc(j.queue, func(it item) bool { return len(it.call.Failures) > 0 })
	j.mu.Unlock()
	if telling && j.store.Path() != "" { // the calls before this one may show what nobody has seen yet
		ctx, stop := context.WithTimeout(context.Background(), patience/4)
		_ = j.Flush(ctx) // late is as good as nothing
		stop()
	}
	if why := j.store.Problem(); why != "" {
		return why + "; records are kept in memory only"
	}
	if lost > 0 {
		return fmt.Sprintf("%d records could not be kept", lost)
	}
	return j.store.Incident()
}
