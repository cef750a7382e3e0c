package store

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// migrations bring a file from the version that is its index to the next one.
// A released migration never changes. All times are Unix milliseconds, all texts
// that stand for a value somebody wrote are hashes or have passed the scrubber.
var migrations = []string{`
CREATE TABLE calls (
	id          TEXT PRIMARY KEY,
	at          INTEGER NOT NULL,
	trace_id    TEXT NOT NULL DEFAULT '',
	tool        TEXT NOT NULL,
	status      TEXT NOT NULL,
	code        TEXT NOT NULL,
	attempts    INTEGER NOT NULL DEFAULT 0,
	duration_us INTEGER NOT NULL DEFAULT 0,
	session     TEXT NOT NULL DEFAULT '', -- a hash, the same for all calls of one connection
	answered    TEXT NOT NULL DEFAULT ''  -- the sources that answered without a failure, each between spaces
);
CREATE INDEX calls_at ON calls (at);
CREATE INDEX calls_status ON calls (status, at); -- counted without a look at the rows
CREATE TABLE failures (
	call_id     TEXT NOT NULL,
	n           INTEGER NOT NULL,
	at          INTEGER NOT NULL,
	trace_id    TEXT NOT NULL DEFAULT '',
	tool        TEXT NOT NULL,
	operation   TEXT NOT NULL DEFAULT '',
	endpoint    TEXT NOT NULL DEFAULT '',
	source      TEXT NOT NULL DEFAULT '',
	stage       TEXT NOT NULL,
	reason      TEXT NOT NULL,
	code        TEXT NOT NULL,
	severity    TEXT NOT NULL,
	outcome     TEXT NOT NULL,
	http_status INTEGER NOT NULL DEFAULT 0,
	attempts    INTEGER NOT NULL DEFAULT 0,
	retryable   INTEGER NOT NULL DEFAULT 0,
	fingerprint TEXT NOT NULL DEFAULT '',
	escalation  TEXT NOT NULL DEFAULT '',
	trigger     TEXT NOT NULL DEFAULT '', -- of an escalation, which it is without judgement
	PRIMARY KEY (call_id, n)
);
CREATE INDEX failures_at ON failures (at);
CREATE INDEX failures_kind ON failures (code, reason, source, fingerprint, at); -- likewise
CREATE TABLE recoveries (
	call_id TEXT NOT NULL,
	n       INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	tool    TEXT NOT NULL,
	source  TEXT NOT NULL DEFAULT '',
	reason  TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	PRIMARY KEY (call_id, n)
);
CREATE INDEX recoveries_at ON recoveries (at);
CREATE TABLE writes (
	key        TEXT PRIMARY KEY, -- a hash
	arguments  TEXT NOT NULL,    -- a hash
	at         INTEGER NOT NULL, -- when the first attempt began
	expires    INTEGER NOT NULL, -- from when a repetition is a new write
	call_id    TEXT NOT NULL,
	tool       TEXT NOT NULL,
	source     TEXT NOT NULL,
	state      TEXT NOT NULL,    -- started, done, unknown, failed
	owner      TEXT NOT NULL,    -- the process that carries it out
	lease      INTEGER NOT NULL, -- until when it is believed to be alive
	answer     BLOB              -- sealed with a key that only a repetition of the call has
);
CREATE INDEX writes_expires ON writes (expires);
CREATE TABLE escalations (
	id          TEXT PRIMARY KEY,
	at          INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	trigger     TEXT NOT NULL,
	destination TEXT NOT NULL,
	join_key    TEXT NOT NULL, -- hash of fingerprint and question
	state       TEXT NOT NULL, -- open, resolved, rejected
	count       INTEGER NOT NULL DEFAULT 1,
	record      TEXT NOT NULL, -- JSON
	resolution  TEXT NOT NULL DEFAULT '',
	resolved_by TEXT NOT NULL DEFAULT '',
	resolved_at INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX escalations_open ON escalations (join_key) WHERE state = 'open';
CREATE TABLE deliveries (
	id          TEXT PRIMARY KEY, -- escalation, destination and event
	escalation  TEXT NOT NULL,
	destination TEXT NOT NULL,
	event       TEXT NOT NULL,
	state       TEXT NOT NULL, -- waiting, held (by the rate limit), digested (in another one), done, given_up
	digest      TEXT NOT NULL DEFAULT '', -- the delivery that it is a part of
	attempts    INTEGER NOT NULL DEFAULT 0,
	unsure      INTEGER NOT NULL DEFAULT 0, -- an attempt may have arrived
	next_at     INTEGER NOT NULL,
	owner       TEXT NOT NULL DEFAULT '',
	lease       INTEGER NOT NULL DEFAULT 0,
	problem     TEXT NOT NULL DEFAULT '' -- a reason, never a text of the other side
);
CREATE INDEX deliveries_next ON deliveries (state, next_at);
CREATE TABLE aliases (
	source   TEXT NOT NULL,
	kind     TEXT NOT NULL, -- of what is named: project, repo, space, ref
	said     TEXT NOT NULL,
	meant    TEXT NOT NULL,
	state    TEXT NOT NULL, -- shadow, promoted, rejected
	seen     INTEGER NOT NULL DEFAULT 1,
	first_at INTEGER NOT NULL,
	last_at  INTEGER NOT NULL,
	last_run TEXT NOT NULL DEFAULT '', -- the session that saw it last
	PRIMARY KEY (source, kind, said, meant)
);
`}

var errTooNew = errors.New("store: the file has a newer version")

// migrate runs what is missing, each step in a transaction of its own.
func migrate(db *sql.DB) error {
	for {
		done := false
		err := transact(db, updating, func(tx *sql.Tx) error {
			var version int
			if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
				return broken{err}
			}
			if version > len(migrations) {
				return broken{errTooNew}
			}
			if done = version == len(migrations); done {
				return nil
			}
			if _, err := tx.Exec(migrations[version]); err != nil {
				return broken{err}
			}
			_, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version+1))
			return err
		})
		if err != nil || done {
			return err
		}
	}
}

// prune drops calls, failures and recoveries that are too old, and the oldest of
// them while the file is too large, writes whose time is over, and escalations
// that ended long ago. What is open stays, whatever its age.
func (s *Store) prune(db *sql.DB, maxBytes int64) error {
	return transact(db, updating, func(tx *sql.Tx) error {
		now := s.opts.Now()
		oldest := now.Add(-s.opts.MaxAge).UnixMilli()
		var used int64 // pages that were freed are used again, but a file never shrinks
		if err := tx.QueryRow("SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&used); err != nil {
			return broken{err}
		}
		if used > maxBytes { // the older half
			var middle sql.NullInt64
			if err := tx.QueryRow("SELECT at FROM calls ORDER BY at LIMIT 1 OFFSET (SELECT count(*)/2 FROM calls)").Scan(&middle); err == nil && middle.Int64 > oldest {
				oldest = middle.Int64
			}
		}
		for _, table := range []string{"calls", "failures", "recoveries"} {
			if _, err := tx.Exec("DELETE FROM "+table+" WHERE at < ?", oldest); err != nil {
				return broken{err}
			}
		}
		for _, q := range []string{
			"DELETE FROM writes WHERE expires < ? AND state <> 'unknown'",
			"DELETE FROM escalations WHERE state <> 'open' AND updated < ?",
			"DELETE FROM deliveries WHERE state NOT IN ('waiting', 'held') AND escalation NOT IN (SELECT id FROM escalations) AND ? > 0",
		} {
			limit := now.UnixMilli()
			if strings.Contains(q, "updated") {
				limit = now.Add(-s.opts.MaxAge).UnixMilli()
			}
			if _, err := tx.Exec(q, limit); err != nil {
				return broken{err}
			}
		}
		return nil
	})
}

// Millis is a time as the tables keep it; the zero time is 0.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the inverse of [Millis], in UTC.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// tables lists all of them, for [move].
var tables = []string{"calls", "failures", "recoveries", "writes", "escalations", "deliveries", "aliases"}

// move copies every row to another database, unless it is there.
func move(from, to *sql.DB) error {
	return transact(from, viewing, func(read *sql.Tx) error {
		return transact(to, updating, func(write *sql.Tx) error {
			for _, table := range tables {
				if err := copyRows(read, write, table); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func copyRows(read, write *sql.Tx, table string) error {
	rows, err := read.Query("SELECT * FROM " + table)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err tells
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	insert := "INSERT OR IGNORE INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	apart := slices.Index(columns, "join_key")
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		done, err := write.Exec(insert, values...)
		if err != nil {
			return err
		}
		// An equal escalation was opened in the file meanwhile. Somebody has the id of
		// this one, so it stays, and is joined no more.
		if n, err := done.RowsAffected(); err == nil && n == 0 && apart >= 0 {
			values[apart] = fmt.Sprint(values[apart], ".", values[0])
			if _, err := write.Exec(insert, values...); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}
