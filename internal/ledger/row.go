package ledger

import (
	"database/sql"
	"errors"
	"time"

	"github.com/frank-mcp/frank/internal/store"
)

// row is a change in the store.
type row struct {
	arguments   string
	at, expires time.Time
	state       string // started, done, unknown
	owner       string
	lease       time.Time // of started: until when; else when the attempt ended
	answer      []byte
}

// read is the row of a key; the error is sql.ErrNoRows if there is none.
func read(tx *sql.Tx, key string) (row, error) {
	var r row
	var at, expires, lease int64
	err := tx.QueryRow("SELECT arguments, at, expires, state, owner, lease, answer FROM writes WHERE key = ?", key).
		Scan(&r.arguments, &at, &expires, &r.state, &r.owner, &lease, &r.answer)
	r.at, r.expires, r.lease = store.Time(at), store.Time(expires), store.Time(lease)
	return r, err
}

// keepObject is how long it is remembered which change of an object was the last:
// longer than any repetition is taken for the same.
const keepObject = 7 * 24 * time.Hour

// last reports whether no other change of the object was begun after this one.
func (id identity) last(tx *sql.Tx) (bool, error) {
	if id.object == "" {
		return true, nil
	}
	r, err := read(tx, id.object)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return r.arguments == id.key, err
}

// begin puts the claim's row there, and makes it the last change of its object.
func (c *Claim) begin(tx *sql.Tx, now time.Time) error {
	if c.id.object != "" {
		r := row{arguments: c.id.key, at: now, expires: now.Add(max(keepObject, c.change.Keep)), state: "done", lease: now}
		if err := c.put(tx, c.id.object, r); err != nil {
			return err
		}
	}
	return c.write(tx, "started", now.Add(lease), nil)
}

// write puts the claim's row into the place of what is there: the file may have
// taken over from memory, or memory from the file, since the claim began.
func (c *Claim) write(tx *sql.Tx, state string, lease time.Time, answer []byte) error {
	return c.put(tx, c.id.key, row{arguments: c.id.arguments, at: c.Since, expires: c.Since.Add(c.change.Keep), state: state, lease: lease, answer: answer})
}

func (c *Claim) put(tx *sql.Tx, key string, r row) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO writes (key, arguments, at, expires, call_id, tool, source, state, owner, lease, answer)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key, r.arguments, store.Millis(r.at), store.Millis(r.expires), c.change.CallID,
		c.change.Tool, c.change.Source, r.state, c.ledger.self().String(), store.Millis(r.lease), r.answer)
	return err
}
