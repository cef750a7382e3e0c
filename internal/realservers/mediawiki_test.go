//go:build realservers

package realservers

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/replay"
)

// The secrets that the sources of these tests use; mediawiki.sh makes the first.
const (
	wikiBot      = "Alice@reader:0123456789abcdef0123456789abcdef"
	wikiWrongBot = "Alice@reader:0123456789abcdef0123456789abcde0"
)

// wikis are the running wikis, and frank before them.
type wikis struct {
	frank *app.App
	dir   string // of their data
}

// startWikis seeds and starts the wikis, which end with the test.
func startWikis(t *testing.T) *wikis {
	t.Helper()
	dir := os.Getenv("FRANK_REAL_SERVERS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(cache, "frank-ci", "servers")
	}
	dir = filepath.Join(dir, "mediawiki")
	if out, err := exec.CommandContext(t.Context(), "./mediawiki.sh", "seed", dir).CombinedOutput(); err != nil {
		t.Fatalf("seed: %v\n%s", err, out)
	}
	public, private := freePort(t), freePort(t)
	serve := exec.Command("./mediawiki.sh", "serve", dir, public, private)
	serve.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := serve.StdinPipe() // it ends the servers when it closes, whatever becomes of this test
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = serve.Wait() // it ends by what it was told
	})
	for _, port := range []string{public, private} {
		await(t, "http://127.0.0.1:"+port+"/api.php?action=query&format=json")
	}
	return &wikis{frank: openWikis(t, public, private), dir: dir}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// await waits for a server to answer at all.
func await(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(address)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer: %v", address, err)
		}
	}
}

func openWikis(t *testing.T, public, private string) *app.App {
	t.Helper()
	source := func(name, port, path, auth string) string {
		return fmt.Sprintf("  - {name: %s, provider: mediawiki, base_url: \"http://127.0.0.1:%s%s\", auth: {%s}}\n", name, port, path, auth)
	}
	yaml := "sources:\n" +
		source("public", public, "/api.php", "none: true") +
		source("member", public, "/api.php", "token_env: WIKI_BOT") +
		source("private", private, "/api.php", "none: true") +
		source("private-member", private, "/api.php", "token_env: WIKI_BOT") +
		source("wrong", private, "/api.php", "token_env: WIKI_WRONG_BOT") +
		source("bearer", public, "/api.php", "token_env: WIKI_TOKEN") +
		source("article", public, "/index.php", "none: true") +
		source("nowhere", public, "/w/api.php", "none: true")
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	secrets := map[string]string{"WIKI_BOT": wikiBot, "WIKI_WRONG_BOT": wikiWrongBot, "WIKI_TOKEN": "not-a-token-that-anybody-gave"}
	host.LookupEnv = func(name string) (string, bool) { s, ok := secrets[name]; return s, ok }
	a, err := app.New(cfg, app.Options{Version: "test", Host: host})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ask calls a tool and compares the answer.
func (w *wikis) ask(t *testing.T, tool, arguments string, want replay.Want) {
	t.Helper()
	r := w.frank.Call(t.Context(), tool, json.RawMessage(arguments))
	for _, problem := range want.Check(r.Structured) {
		t.Errorf("%s %s: %s", tool, arguments, problem)
	}
	if t.Failed() {
		t.Logf("answered:\n%s", r.Text)
	}
	if text := string(r.Structured) + r.Text; strings.Contains(text, "0123456789abcdef") {
		t.Error("the answer holds the bot password")
	}
}

func found(contains ...string) replay.Want {
	return replay.Want{Status: "success", Code: "NONE", Contains: contains}
}

func refused(code, reason string) replay.Want {
	return replay.Want{Status: "access_failure", Code: code, Reason: reason}
}

// absent is a named thing that was proved not to be there.
var absent = replay.Want{Status: "empty", Code: "REFERENCE_UNRESOLVED", Reason: "not_found_confirmed"}

// provedEmpty is a set that was proved to be empty.
var provedEmpty = replay.Want{Status: "empty", Code: "NONE"}

func partly(code, reason string, contains ...string) replay.Want {
	return replay.Want{Status: "partial", Code: code, Reason: reason, Contains: contains}
}

func TestMediaWiki(t *testing.T) {
	w := startWikis(t)
	for _, c := range []struct {
		name, tool, arguments string
		want                  replay.Want
	}{
		{"found in a text", "docs_search", `{"source":"public","query":"quokka"}`, found("Help:Lifting", "quokka included")},
		{"found in titles and texts, whichever is asked by default", "docs_search", `{"source":"public","query":"lifting"}`, found("Help:Lifting")},
		{"found by a member", "docs_search", `{"source":"member","query":"quokka"}`, found("Help:Lifting")},
		{"found in one namespace", "docs_search", `{"source":"public","query":"crane","space":"Help"}`, found("Help:Lifting")},
		{"proved empty", "docs_search", `{"source":"member","query":"zebra"}`, provedEmpty},
		{"empty in one namespace", "docs_search", `{"source":"member","query":"quokka","space":"Main"}`, provedEmpty},
		{"an unknown namespace", "docs_search", `{"source":"member","query":"quokka","space":"Nope"}`, refused("REFERENCE_UNRESOLVED", "filter_unresolved")},
		{"Unicode", "docs_search", `{"source":"public","query":"größe"}`, found("Übersicht Größe", "日本語")},
		{"a script without spaces", "docs_search", `{"source":"public","query":"日本語"}`, partly("CAPABILITY_UNAVAILABLE", "index_not_covering")},

		{"read", "docs_read", `{"source":"public","ref":"Übersicht Größe"}`, found("日本語のクレーン", `"slug":"maß"`)},
		{"read as a member", "docs_read", `{"source":"member","ref":"Handbook/Install"}`, found("How to install")},
		{"by number", "docs_read", `{"source":"public","ref":"1"}`, found("Main Page")},
		{"section", "docs_read", `{"source":"public","ref":"Übersicht Größe","section":"Maß"}`, replay.Want{Status: "success", Code: "NONE", Contains: []string{"12 m"}, Lacks: []string{"Krans"}}},
		{"footnotes", "docs_read", `{"source":"public","ref":"Wiring plan"}`, found("By hand.")},
		{"a section that is not there", "docs_read", `{"source":"public","ref":"Handbook","section":"Brakes"}`, refused("REFERENCE_UNRESOLVED", "no_candidates")},
		{"a template that is not there", "docs_read", `{"source":"public","ref":"Handbook"}`, partly("CAPABILITY_UNAVAILABLE", "content_not_included", "12 bolts of quality 8.8", "Template:No such template", "| 10 t | slow |")},
		{"redirects", "docs_read", `{"source":"public","ref":"Older handbook","section":"Limits"}`, partly("CAPABILITY_UNAVAILABLE", "content_not_included", `"redirected_from":["Older handbook","Old handbook"]`, "10 t")},
		{"a redirect in a circle", "docs_read", `{"source":"public","ref":"Round"}`, refused("SOURCE_UNRELIABLE", "contradictory")},
		{"a redirect to another wiki", "docs_read", `{"source":"public","ref":"Crane abroad"}`, refused("REFERENCE_UNRESOLVED", "moved_out_of_sight")},
		{"another wiki", "docs_read", `{"source":"public","ref":"wikipedia:Crane"}`, refused("CAPABILITY_UNAVAILABLE", "connector_not_configured")},
		{"moved", "docs_read", `{"source":"public","ref":"Draft plan"}`, found("Paint the crane.", `"redirected_from":["Draft plan"]`)},
		{"absent", "docs_read", `{"source":"member","ref":"Nope"}`, absent},
		{"absent in a namespace", "docs_read", `{"source":"member","ref":"help:nope"}`, absent},
		{"deleted", "docs_read", `{"source":"member","ref":"Deleted note"}`, absent},
		{"special", "docs_read", `{"source":"public","ref":"Special:Version"}`, refused("REFERENCE_UNRESOLVED", "wrong_kind")},
		{"no title", "docs_read", `{"source":"public","ref":"A|B"}`, refused("INPUT_MISSING", "invalid_argument")},
		{"kept from the account", "docs_read", `{"source":"member","ref":"Vault:Codes"}`, refused("ACCESS_DENIED", "scope_missing")},
		{"kept from visitors", "docs_read", `{"source":"public","ref":"Vault:Codes"}`, refused("ACCESS_DENIED", "auth_context_required")},

		{"list", "docs_list", `{"source":"public","space":"Help"}`, found("Help:Lifting")},
		{"list below a page", "docs_list", `{"source":"public","parent":"Handbook"}`, found("Handbook/Install", "Handbook/Use")},
		{"list below a page that is not there", "docs_list", `{"source":"public","parent":"Nope"}`, absent},
		{"category", "docs_list", `{"source":"public","space":"Category:Guides"}`, found("Handbook", "Übersicht Größe")},
		{"an empty category", "docs_list", `{"source":"member","space":"Category:Empty shelf"}`, provedEmpty},
		{"no category", "docs_list", `{"source":"member","space":"Category:Nope"}`, refused("REFERENCE_UNRESOLVED", "filter_unresolved")},
		{"an empty namespace", "docs_list", `{"source":"member","space":"User"}`, provedEmpty},

		{"private, without a credential", "docs_search", `{"source":"private","query":"crane"}`, refused("ACCESS_DENIED", "auth_context_required")},
		{"private, read without a credential", "docs_read", `{"source":"private","ref":"Handbook"}`, refused("ACCESS_DENIED", "auth_context_required")},
		{"private, as a member", "docs_search", `{"source":"private-member","query":"quokka"}`, found("Help:Lifting")},
		{"private, read as a member", "docs_read", `{"source":"private-member","ref":"Handbook/Use"}`, found("How to use")},
		{"private, absent for a member", "docs_read", `{"source":"private-member","ref":"Nope"}`, absent},
		{"a wrong bot password", "docs_search", `{"source":"wrong","query":"quokka"}`, refused("ACCESS_DENIED", "auth_failed")},
		{"a bearer that the wiki does not know", "docs_search", `{"source":"bearer","query":"quokka"}`, refused("ACCESS_DENIED", "auth_failed")},
		{"a page in place of the API", "docs_search", `{"source":"article","query":"quokka"}`, refused("CAPABILITY_UNAVAILABLE", "misconfigured")},
		{"no API there", "docs_search", `{"source":"nowhere","query":"quokka"}`, refused("CAPABILITY_UNAVAILABLE", "misconfigured")},
	} {
		t.Run(c.name, func(t *testing.T) { w.ask(t, c.tool, c.arguments, c.want) })
	}
}

// TestMediaWikiPages goes through 130 pages, which is beyond what one answer holds.
func TestMediaWikiPages(t *testing.T) {
	w := startWikis(t)
	for _, c := range []struct{ name, tool, arguments string }{
		{"search", "docs_search", `{"source":"member","query":"line of the ledger","limit":50`},
		{"namespace", "docs_list", `{"source":"member","space":"Main","limit":50`},
		{"category", "docs_list", `{"source":"member","space":"Category:Entries","limit":50`},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := map[string]bool{}
			arguments := c.arguments + "}"
			for pages := 1; ; pages++ {
				r := w.frank.Call(t.Context(), c.tool, json.RawMessage(arguments))
				var v struct {
					Status, Code string
					Data         struct{ Items []struct{ Ref string } }
					Coverage     struct {
						Next string `json:"next_cursor"`
					}
				}
				if err := json.Unmarshal(r.Structured, &v); err != nil {
					t.Fatal(err)
				}
				for _, i := range v.Data.Items {
					if seen[i.Ref] {
						t.Errorf("%s comes twice", i.Ref)
					}
					seen[i.Ref] = true
				}
				if v.Coverage.Next == "" {
					if v.Status != "success" || v.Code != "NONE" || pages < 3 {
						t.Errorf("page %d, the last, answers\n%s", pages, r.Text)
					}
					break
				}
				if v.Status != "partial" || v.Code != "NONE" || pages > 10 {
					t.Fatalf("page %d answers\n%s", pages, r.Text)
				}
				arguments = c.arguments + `,"cursor":"` + v.Coverage.Next + `"}`
			}
			for i := 1; i <= 130; i++ {
				if ref := fmt.Sprintf("Entry %03d", i); !seen[ref] {
					t.Errorf("%s is not among the %d", ref, len(seen))
				}
			}
		})
	}
}

// TestMediaWikiForgetsASession: a session that the wiki no longer knows is renewed;
// without the assertion it would answer as to a visitor.
func TestMediaWikiForgetsASession(t *testing.T) {
	w := startWikis(t)
	question := `{"source":"private-member","query":"quokka"}`
	w.ask(t, "docs_search", question, found("Help:Lifting"))
	forget := `foreach (["public", "private"] as $w) { (new PDO("sqlite:$argv[1]/$w/data/wikicache.sqlite"))->exec("DELETE FROM objectcache"); }`
	if out, err := exec.CommandContext(t.Context(), "php", "-r", forget, w.dir).CombinedOutput(); err != nil {
		t.Fatalf("forget: %v\n%s", err, out)
	}
	again := found("Help:Lifting", `"recovered":[{"source":"private-member","reason":"auth_failed"`)
	w.ask(t, "docs_search", question, again)
}
