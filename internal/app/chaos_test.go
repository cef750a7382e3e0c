package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/store"
)

// mishap is what happens to the journal while frank runs. Break returns what
// repairs it again.
type mishap struct {
	limits store.Options
	broken func(t *testing.T, path string) (repair func())
	says   string // part of what the manifest and the log say
}

func mishaps() map[string]mishap {
	return map[string]mishap{
		"deleted": {broken: deleted, says: "removed or replaced"},
		"its folder deleted": {broken: func(t *testing.T, path string) func() {
			must(t, os.RemoveAll(filepath.Dir(path)))
			return func() {}
		}, says: "removed or replaced"},
		"a directory in its place": {broken: func(t *testing.T, path string) func() {
			deleted(t, path)
			must(t, os.Mkdir(path, 0o700))
			return func() { must(t, os.Remove(path)) }
		}, says: "no regular file"},
		"its folder made a file": {broken: func(t *testing.T, path string) func() {
			must(t, os.RemoveAll(filepath.Dir(path)))
			must(t, os.WriteFile(filepath.Dir(path), nil, 0o600))
			return func() { must(t, os.Remove(filepath.Dir(path))) }
		}, says: "cannot be opened"},
		"read-only": {broken: readOnly, says: "may not be written"},
		"full":      {limits: store.Options{MaxFile: 200 << 10}, broken: full, says: "no room left"},
		"locked":    {broken: locked, says: "locked"},
		"corrupt":   {broken: corrupt, says: "damaged"},
		"newer": {broken: func(t *testing.T, path string) func() {
			deleted(t, path)
			exec(t, path, "PRAGMA user_version = 999")
			return func() { deleted(t, path) }
		}, says: "newer version"},
	}
}

// TestNoMishapOfTheJournalChangesAnAnswer: each is seen in the manifest and in the
// log, and once it is over, records go on and those of meanwhile are not lost.
func TestNoMishapOfTheJournalChangesAnAnswer(t *testing.T) {
	for name, m := range mishaps() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m.run(t)
		})
	}
}

func (m mishap) run(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "journal.db")
	c, log := newClock(), new(logged)
	o := app.Options{Version: "test", Journal: path, Now: c.now, Limits: m.limits, Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelError}))}
	a := wiredWith(t, o)
	before, _ := ask(t, a, "tracker_search", `{"query":"x"}`)
	eventually(t, "the first record is there", func() bool { return rows(path, "tracker_search") > 0 })
	repair := m.broken(t, path)

	during, _ := ask(t, a, "tracker_search", `{"query":"x"}`)
	if shown(before.Text) != shown(during.Text) || before.IsError != during.IsError {
		t.Errorf("the answer was\n%s\nand is\n%s", before.Text, during.Text)
	}
	eventually(t, "the manifest and the log say so", func() bool {
		_, v := ask(t, a, "list_capabilities", `{}`)
		return strings.Contains(strings.Join(v.Data.Item.Notes, " "), m.says) && strings.Contains(log.String(), m.says)
	})
	if n := strings.Count(log.String(), m.says); n != 1 {
		t.Errorf("said %d times:\n%s", n, log)
	}
	if strings.Contains(log.String(), path) {
		t.Errorf("the log quotes an error: %s", log)
	}

	repair()
	c.skip(time.Minute)
	after, _ := ask(t, a, "docs_search", `{"query":"after"}`)
	if after.Text == "" {
		t.Error("no answer")
	}
	eventually(t, "records go on, and those of meanwhile are there", func() bool {
		return rows(path, "docs_search") > 0 && rows(path, "list_capabilities") > 0 && rows(path, "tracker_search") > 0
	})
}

// shown is what of an answer does not differ from call to call.
func shown(text string) string {
	head, _, _ := strings.Cut(text, "{")
	return head
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rows counts the calls of a tool in the file; -1 if it cannot be read.
func rows(path, tool string) (n int) {
	if _, err := os.Stat(path); err != nil {
		return -1
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return -1
	}
	defer func() { _ = db.Close() }()
	if db.QueryRow("SELECT count(*) FROM calls WHERE tool = ?", tool).Scan(&n) != nil {
		return -1
	}
	return n
}

// exec changes the file as another process would.
func exec(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer func() { _ = db.Close() }()
	for _, s := range statements {
		_, err := db.Exec(s)
		must(t, err)
	}
}

func deleted(t *testing.T, path string) func() {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return func() {}
}

func readOnly(t *testing.T, path string) func() {
	if os.Geteuid() == 0 {
		t.Skip("nothing is read-only for root")
	}
	deleted(t, path)
	must(t, os.WriteFile(path, nil, 0o400))
	must(t, os.Chmod(filepath.Dir(path), 0o500))
	return func() {
		must(t, os.Chmod(filepath.Dir(path), 0o700))
		must(t, os.Chmod(path, 0o600))
	}
}

// full fills the file with what is never dropped.
func full(t *testing.T, path string) func() {
	exec(t, path, "PRAGMA max_page_count = 60", "CREATE TABLE filler (b BLOB)")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=max_page_count(50)")
	must(t, err)
	defer func() { _ = db.Close() }()
	for err == nil {
		_, err = db.Exec("INSERT INTO filler VALUES (zeroblob(3000))")
	}
	for err = nil; err == nil; { // and the last corners
		_, err = db.Exec("INSERT INTO filler VALUES (zeroblob(10))")
	}
	for i := 0; ; i++ {
		if _, err := db.Exec("INSERT INTO calls (id, at, tool, status, code) VALUES (?, 0, 'filler', '', '')", fmt.Sprint(i)); err != nil {
			break
		}
	}
	return func() { exec(t, path, "DROP TABLE filler") }
}

func locked(t *testing.T, path string) func() {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	must(t, err)
	c, err := db.Conn(context.Background())
	must(t, err)
	_, err = c.ExecContext(context.Background(), "BEGIN EXCLUSIVE")
	must(t, err)
	return func() {
		_, err := c.ExecContext(context.Background(), "ROLLBACK")
		must(t, err)
		must(t, c.Close())
		must(t, db.Close())
	}
}

// corrupt overwrites the file and what belongs to it in place.
func corrupt(t *testing.T, path string) func() {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		f, err := os.OpenFile(path+suffix, os.O_WRONLY, 0)
		if os.IsNotExist(err) {
			continue
		}
		must(t, err)
		info, err := f.Stat()
		must(t, err)
		_, err = f.WriteAt(bytes.Repeat([]byte{'x'}, int(info.Size())), 0)
		must(t, err)
		must(t, f.Close())
	}
	return func() {}
}
