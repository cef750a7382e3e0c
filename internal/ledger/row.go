package ledger

import (
	"database/sql"
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

// write puts the claim's row into the place of what is there: the file may have
// taken over from memory, or memory from the file, since the claim began.
func (c *Claim) write(tx *sql.Tx, state string, lease time.Time, answer []byte) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO writes (key, arguments, at, expires, call_id, tool, source, state, owner, lease, answer)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.id.key, c.id.arguments, store.Millis(c.Since), store.Millis(c.Since.Add(c.change.Keep)), c.change.CallID,
		c.change.Tool, c.change.Source, state, c.ledger.self().String(), store.Millis(lease), answer)
	return err
}
