//go:build realservers

package realservers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// The secrets that the sources of these tests use; mediawiki.sh makes the first.
const (
	wikiBot      = "Alice@reader:0123456789abcdef0123456789abcdef"
	wikiWrongBot = "Alice@reader:0123456789abcdef0123456789abcde0"
)

// wikis are the running wikis, and frank before them.
type wikis struct {
	*desk
	dir             string // of their data
	public, private string // their addresses
}

// startWikis seeds and starts the wikis, which end with the test.
func startWikis(t *testing.T) *wikis {
	t.Helper()
	w := &wikis{dir: filepath.Join(folder(t), "mediawiki")}
	script(t, "./mediawiki.sh", "seed", w.dir)
	var first, second string
	w.public, first = local(t)
	w.private, second = local(t)
	serve(t, []string{w.public, w.private}, "./mediawiki.sh", "serve", w.dir, first, second)
	w.desk = openWikis(t, w.public, w.private, patient)
	return w
}

// openWikis puts a new frank before the wikis, or before what stands before them.
func openWikis(t *testing.T, public, private, retry string) *desk {
	t.Helper()
	source := func(name, address, path, auth string) string {
		return fmt.Sprintf("  - {name: %s, provider: mediawiki, base_url: \"http://%s%s\", auth: {%s}}\n", name, address, path, auth)
	}
	yaml := "retry: " + retry + "\nsources:\n" +
		source("public", public, "/api.php", "none: true") +
		source("member", public, "/api.php", "token_env: WIKI_BOT") +
		source("private", private, "/api.php", "none: true") +
		source("private-member", private, "/api.php", "token_env: WIKI_BOT") +
		source("wrong", private, "/api.php", "token_env: WIKI_WRONG_BOT") +
		source("bearer", public, "/api.php", "token_env: WIKI_TOKEN") +
		source("article", public, "/index.php", "none: true") +
		source("nowhere", public, "/w/api.php", "none: true")
	secrets := map[string]string{"WIKI_BOT": wikiBot, "WIKI_WRONG_BOT": wikiWrongBot, "WIKI_TOKEN": "not-a-token-that-anybody-gave"}
	return newDesk(t, yaml, secrets, nil, "")
}

func TestMediaWiki(t *testing.T) {
	t.Parallel()
	w := startWikis(t)
	w.askAll(t, []question{
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
		{"section", "docs_read", `{"source":"public","ref":"Übersicht Größe","section":"Maß"}`, without(found("12 m"), "Krans")},
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
	})
	t.Run("paging", w.pages)
	t.Run("disturbed", w.disturbed)
	t.Run("a session that is forgotten", w.forgets)
}

// pages goes through 130 pages, which is beyond what one answer holds.
func (w *wikis) pages(t *testing.T) {
	for _, c := range []struct{ name, tool, arguments string }{
		{"search", "docs_search", `{"source":"member","query":"line of the ledger","limit":50`},
		{"namespace", "docs_list", `{"source":"member","space":"Main","limit":50`},
		{"category", "docs_list", `{"source":"member","space":"Category:Entries","limit":50`},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := w.walk(t, c.tool, c.arguments, 3)
			for i := 1; i <= 130; i++ {
				if ref := fmt.Sprintf("Entry %03d", i); !seen[ref] {
					t.Errorf("%s is not among the %d", ref, len(seen))
				}
			}
		})
	}
}

// disturbed asks with faults between frank and the public wiki. PHP's server does not
// say how long an answer is, and closes the connection at its end: of a body that is
// cut, nothing but the body itself shows it.
func (w *wikis) disturbed(t *testing.T) {
	p := startToxiproxy(t)
	s := stage{
		address: w.public,
		open: func(t *testing.T, address, retry string) *desk {
			t.Helper()
			return openWikis(t, address, w.private, retry)
		},
		questions: []question{
			{"found", "docs_search", `{"source":"public","query":"quokka"}`, found("Help:Lifting")},
			{"proved empty", "docs_search", `{"source":"member","query":"zebra"}`, provedEmpty},
			{"a page", "docs_read", `{"source":"public","ref":"Übersicht Größe"}`, found("日本語のクレーン")},
			{"no page", "docs_read", `{"source":"member","ref":"Nope"}`, absent},
			{"an empty category", "docs_list", `{"source":"member","space":"Category:Empty shelf"}`, provedEmpty},
			{"a page in part", "docs_read", `{"source":"public","ref":"Handbook"}`, partly("CAPABILITY_UNAVAILABLE", "content_not_included", "12 bolts of quality 8.8")},
			{"kept from the account", "docs_read", `{"source":"member","ref":"Vault:Codes"}`, refused("ACCESS_DENIED", "scope_missing")},
			{"a category", "docs_list", `{"source":"public","space":"Category:Guides"}`, found("Handbook")},
			{"a bearer that the wiki does not know", "docs_search", `{"source":"bearer","query":"quokka"}`, refused("ACCESS_DENIED", "auth_failed")},
		},
	}
	t.Run("faults", func(t *testing.T) { s.faults(t, p) })
	t.Run("cuts", func(t *testing.T) { s.cuts(t, p) })
	t.Run("limits", s.limits)
	t.Run("an end that does not come", func(t *testing.T) {
		way := p.before(t, w.public)
		way.disturb(t, down("slow_close", map[string]int{"delay": 60_000})...)
		s.open(t, way.address, hasty).ask(t, "docs_search", `{"source":"public","query":"quokka"}`, refused("SOURCE_UNRELIABLE", "timeout"))
	})
}

// forgets has the wiki forget a session: it is renewed. Without the assertion the wiki
// would answer as to a visitor.
func (w *wikis) forgets(t *testing.T) {
	question := `{"source":"private-member","query":"quokka"}`
	w.ask(t, "docs_search", question, found("Help:Lifting"))
	forget := `foreach (["public", "private"] as $w) { (new PDO("sqlite:$argv[1]/$w/data/wikicache.sqlite"))->exec("DELETE FROM objectcache"); }`
	if out, err := exec.CommandContext(t.Context(), "php", "-r", forget, w.dir).CombinedOutput(); err != nil {
		t.Fatalf("forget: %v\n%s", err, out)
	}
	again := found("Help:Lifting", `"recovered":[{"source":"private-member","reason":"auth_failed"`)
	w.ask(t, "docs_search", question, again)
}
