package journal_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vault is a secret without any form of its own, as a configuration may hold it.
const vault = "swordfish-melon"

// private draws what must never be stored: a text and the parts of it that would
// give it away.
func private() *rapid.Generator[string] {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	random := func(n int) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), n, n, -1)
	}
	prefixed := func(prefix string, n int) *rapid.Generator[string] {
		return rapid.Map(random(n), func(s string) string { return prefix + s })
	}
	word := rapid.StringMatching(`[a-z]{6,12}`)
	return rapid.OneOf(
		prefixed("gh"+"p_", 36), prefixed("gl"+"pat-", 20), prefixed("xo"+"xb-", 24), prefixed("s"+"k-", 40), prefixed("AKIA", 16), prefixed("lin"+"_api_", 32),
		prefixed("Bearer ", 24), prefixed("Cookie: session=", 16), prefixed("Set-Cookie: id=", 12),
		rapid.Map(word, func(s string) string { return s + "@" + s + ".example.org" }),
		rapid.Map(word, func(s string) string { return "https://" + s + ":" + s + "secret@host/x" }),
		rapid.Map(word, func(s string) string { return "Dear " + s + ",\n\nthe invoice of " + s + " is wrong." }),
		rapid.Map(word, func(s string) string { return `{"title":"` + s + `"}` }),
		rapid.Just(vault),
	)
}

// telling are the longest parts of a text without the punctuation at which it may
// have been cut.
func telling(text string) []string {
	var parts []string
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \n:/@\"{},=", c) }) {
		switch part {
		case "Bearer", "Cookie", "Set", "session", "Dear", "the", "invoice", "is", "wrong.", "of", "title", "https", "host", "example.org", "Set-Cookie", "id", "x":
		default:
			parts = append(parts, part)
		}
	}
	return parts
}

// TestNothingPrivateIsEverInTheFile feeds what must not be stored into every field
// of every kind of record, and looks for it in the bytes of the file.
func TestNothingPrivateIsEverInTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		s := store.Open(filepath.Join(dir, "journal.db"), store.Options{})
		j := journal.Open(s, journal.Options{Clean: func(s string) string { return strings.ReplaceAll(s, vault, "[secret]") }})
		var fed []string
		text := func() string {
			x := private().Draw(t, "text")
			fed = append(fed, x)
			return x
		}
		record := func() journal.Record {
			return journal.Record{
				At: time.Now(), CallID: text(), TraceID: text(), Tool: text(), Operation: text(), Endpoint: text(), Source: text(), Stage: text(), Reason: text(),
				Code: text(), Severity: text(), Outcome: text(), Fingerprint: text(), Escalation: text(),
			}
		}
		j.Note(journal.Call{
			At: time.Now(), ID: text(), TraceID: text(), Tool: text(), Status: text(), Code: text(), Session: text(), Answered: []string{text(), text()},
			Failures: []journal.Record{record(), record()}, Recovered: []status.Recovery{{Source: text(), Reason: text(), At: time.Now()}},
		})
		j.Add(record())
		if err := j.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := j.List(context.Background(), journal.Query{}); !got.Read || got.Total != 3 {
			t.Fatalf("%d records", got.Total)
		}
		stored := contents(t, dir) // while the log that SQLite writes ahead is there, too
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		stored = append(stored, contents(t, dir)...)
		for _, f := range fed {
			for _, part := range telling(f) {
				if bytes.Contains(stored, []byte(part)) {
					t.Fatalf("the file holds %q of %q", part, f)
				}
			}
		}
	})
}

func contents(t *rapid.T, dir string) (all []byte) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}
