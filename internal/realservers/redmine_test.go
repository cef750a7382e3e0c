//go:build realservers

package realservers

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/replay"
)

// redmine is a running Redmine, and frank before it with a source for each account.
type redmine struct {
	*desk
	dir     string
	address string
	keys    map[string]string // by the login
}

// patient are the settings for questions that nothing disturbs: the machine may be slow.
const patient = "{timeout: 20s, budget: 40s}"

// startRedmine seeds and starts a Redmine, which ends with the test.
func startRedmine(t *testing.T) *redmine {
	t.Helper()
	r := &redmine{dir: filepath.Join(folder(t), "redmine"), keys: map[string]string{"nobody": "0123456789abcdef0123456789abcdef01234567"}}
	for line := range strings.Lines(script(t, "./redmine.sh", "seed", r.dir)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "KEY" {
			r.keys[f[1]] = f[2]
		}
	}
	address, port := local(t)
	r.address = address
	serve(t, []string{address}, "./redmine.sh", "serve", r.dir, port)
	r.desk = r.open(t, address, patient, nil)
	return r
}

// open puts a new frank before the server, or before what stands before that.
func (r *redmine) open(t *testing.T, address, retry string, now func() time.Time) *desk {
	t.Helper()
	return r.reopen(t, address, retry, now, filepath.Join(t.TempDir(), "frank.db"))
}

// reopen starts frank with what another one remembers.
func (r *redmine) reopen(t *testing.T, address, retry string, now func() time.Time, journal string) *desk {
	t.Helper()
	yaml := "writes: true\nretry: " + retry + "\nsources:\n"
	secrets := map[string]string{}
	for name, key := range r.keys {
		secrets["KEY_"+strings.ToUpper(name)] = key
		yaml += fmt.Sprintf("  - {name: %s, provider: redmine, base_url: \"http://%s\", default_project: pub, auth: {token_env: KEY_%s}}\n", name, address, strings.ToUpper(name))
	}
	yaml += fmt.Sprintf("  - {name: anonymous, provider: redmine, base_url: \"http://%s\", auth: {none: true}}\n", address)
	yaml += fmt.Sprintf("  - {name: nowhere, provider: redmine, base_url: \"http://%s/no/redmine\", auth: {token_env: KEY_ALICE}}\n", address)
	return newDesk(t, yaml, secrets, now, journal)
}

func TestRedmine(t *testing.T) {
	t.Parallel()
	r := startRedmine(t)
	denied := refused("ACCESS_DENIED", "scope_missing")
	off := refused("CAPABILITY_UNAVAILABLE", "feature_disabled")
	unknown := refused("REFERENCE_UNRESOLVED", "filter_unresolved")

	t.Run("issues", func(t *testing.T) {
		r.askAll(t, []question{
			{"found", "tracker_search", `{"source":"alice","query":"Crash on save"}`, counted(found(`"ref":"#1"`, "ünïcode ✓", `"labels":["UI"]`), 1, false)},
			{"found in a comment", "tracker_search", `{"source":"eve","query":"THREE machines"}`, counted(found(`"ref":"#1"`), 1, false)},
			{"found in a custom field", "tracker_search", `{"source":"eve","query":"acme"}`, counted(found(`"ref":"#1"`), 1, false)},
			{"found in all projects", "tracker_search", `{"source":"alice","project":"*","query":"In the"}`, found("In the subproject", "In the closed project")},
			{"a sign that databases take for any", "tracker_search", `{"source":"root","query":"number_2"}`, counted(provedEmpty, 0, false)},
			{"proved empty", "tracker_search", `{"source":"alice","query":"zebra"}`, replay.Want{Status: "empty", Code: "NONE", Unproven: []string{"rows_hidden_from_account"}}},
			{"proved empty for an administrator", "tracker_search", `{"source":"root","project":"void"}`, replay.Want{Status: "empty", Code: "NONE", Unproven: []string{}}},
			{"a private comment", "tracker_search", `{"source":"alice","query":"zanzibar"}`, found(`"ref":"#1"`)},
			{"a private comment of others", "tracker_search", `{"source":"bob","query":"zanzibar"}`, provedEmpty},
			{"not the issues of a subproject", "tracker_search", `{"source":"alice","project":"pub","query":"subproject"}`, provedEmpty},
			{"closed", "tracker_search", `{"source":"alice","project":"pub","state":"closed"}`, counted(found(`"ref":"#2"`, `"state":"Closed"`), 1, false)},
			{"a closed project", "tracker_search", `{"source":"eve","project":"closedproj"}`, counted(found(), 1, false)},
			{"mine", "tracker_search", `{"source":"alice","assignee":"me"}`, counted(found(), 1, false)},
			{"by a member, as Redmine shows the name", "tracker_search", `{"source":"alice","author":"bob test","query":"number 150"}`, provedEmpty},
			{"by a login, as an administrator", "tracker_search", `{"source":"root","author":"bob","query":"number 149"}`, counted(found(), 1, false)},
			{"by nobody", "tracker_search", `{"source":"alice","author":"Nobody"}`, unknown},
			{"a label", "tracker_search", `{"source":"alice","labels":["ui"]}`, counted(found(), 1, false)},
			{"a label that is not used", "tracker_search", `{"source":"alice","labels":["Unused"]}`, provedEmpty},
			{"no label", "tracker_search", `{"source":"alice","labels":["Nope"]}`, unknown},
			{"since tomorrow", "tracker_search", fmt.Sprintf(`{"source":"alice","updated_since":%q}`, time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339)), provedEmpty},
			{"an archived project", "tracker_search", `{"source":"alice","project":"archived"}`, denied},
			{"a hidden project", "tracker_search", `{"source":"eve","project":"priv"}`, denied},
			{"a hidden project, asked by nobody", "tracker_search", `{"source":"anonymous","project":"priv"}`, refused("ACCESS_DENIED", "auth_context_required")},
			{"no project", "tracker_search", `{"source":"eve","project":"nope"}`, absent},
			{"the tracker is off", "tracker_search", `{"source":"alice","project":"noissues"}`, off},
			{"a bad key", "tracker_search", `{"source":"nobody","query":"Crash"}`, refused("ACCESS_DENIED", "auth_failed")},
			{"a wrong address", "tracker_search", `{"source":"nowhere","query":"Crash"}`, refused("CAPABILITY_UNAVAILABLE", "misconfigured")},
			{"mine, asked by nobody", "tracker_search", `{"source":"anonymous","assignee":"me"}`, refused("ACCESS_DENIED", "auth_context_required")},
		})
	})
	t.Run("one issue", func(t *testing.T) {
		r.askAll(t, []question{
			{"whole", "tracker_get_issue", `{"source":"alice","ref":"#1","include":["comments","links","history"]}`, found("h2. Steps", `"name":"Customer","value":"Acme"`, `"comments_total":2`, "zanzibar", `"ref":"#2","title":"Issue number 2"`, `"ref":"#152"`)},
			{"to others", "tracker_get_issue", `{"source":"bob","ref":"#1","include":["comments","links"]}`, without(found(`"comments_total":1`), "zanzibar", "#152")},
			{"history", "tracker_get_issue", `{"source":"alice","ref":"#2","include":["history"]}`, found(`"what":"status","from":"New","to":"Closed"`)},
			{"hidden in a public project", "tracker_get_issue", `{"source":"bob","ref":"#153"}`, denied},
			{"hidden in a private project", "tracker_get_issue", `{"source":"eve","ref":"#152"}`, denied},
			{"absent", "tracker_get_issue", `{"source":"eve","ref":"#99999"}`, absent},
			{"a bad key", "tracker_get_issue", `{"source":"nobody","ref":"#1"}`, refused("ACCESS_DENIED", "auth_failed")},
		})
	})
	t.Run("projects", func(t *testing.T) {
		r.askAll(t, []question{
			{"one", "tracker_describe", `{"source":"alice","project":"pub"}`, found("In Progress", `"types":["Bug","Feature","Support"]`, `"labels":["UI","Unused"]`, "Bob Test", `"2.0"`, "Urgent", "Customer")},
			{"all", "tracker_describe", `{"source":"eve","project":"*"}`, without(found("closed: can only be read"), "Priv", "Archived")},
		})
	})
	t.Run("wikis", func(t *testing.T) {
		r.askAll(t, []question{
			{"found", "docs_search", `{"source":"alice","query":"WALRUS","space":"*"}`, counted(found("priv:Wiki", "pub:User guide", "Everything about the walrus."), 2, false)},
			{"found by others", "docs_search", `{"source":"eve","query":"walrus","space":"*"}`, counted(without(found(), "priv"), 1, false)},
			{"proved empty", "docs_search", `{"source":"eve","query":"zebra"}`, provedEmpty},
			{"not to be viewed", "docs_search", `{"source":"walt","query":"walrus","space":"priv"}`, partly("ACCESS_DENIED", "scope_missing")},
			{"read", "docs_read", `{"source":"eve","ref":"User guide"}`, found("h1. User guide", `"format":"textile"`, `"parent":"Wiki"`)},
			{"section", "docs_read", `{"source":"eve","ref":"pub:Wiki","section":"Setup"}`, without(found("Install it."), "Start it.")},
			{"renamed", "docs_read", `{"source":"eve","ref":"Old name"}`, found("pub:New name", "It has moved.")},
			{"absent", "docs_read", `{"source":"eve","ref":"Nope"}`, answers("empty", "REFERENCE_UNRESOLVED", "not_found_confirmed", "pub:User guide")},
			{"hidden", "docs_read", `{"source":"eve","ref":"priv:Wiki"}`, denied},
			{"not to be read", "docs_read", `{"source":"walt","ref":"priv:Wiki"}`, denied},
			{"list", "docs_list", `{"source":"eve","space":"pub"}`, counted(found(), 3, false)},
			{"below", "docs_list", `{"source":"eve","space":"pub","parent":"Wiki"}`, counted(found("pub:User guide"), 1, false)},
			{"begun by nobody", "docs_list", `{"source":"eve","space":"void"}`, provedEmpty},
			{"switched off", "docs_list", `{"source":"alice","space":"nowiki"}`, off},
			{"not to be listed", "docs_list", `{"source":"walt","space":"priv"}`, denied},
			{"of no project", "docs_list", `{"source":"anonymous"}`, refused("INPUT_MISSING", "dynamic_option_required", "pub-sub")},
		})
	})
	t.Run("paging", r.pages)
	t.Run("changes", r.changes)
	t.Run("conflicts", r.conflicts)
	t.Run("disturbed", r.disturbed)
	t.Run("switched off", r.switchedOff)
}

// pages reads all 151 issues of a project by pages of 100, the most that Redmine
// serves, and each just once.
func (r *redmine) pages(t *testing.T) {
	r.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":100}`, counted(partly("NONE", ""), 100, true))
	r.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":100,"cursor":"next"}`, counted(found(), 51, false))
	for limit, pages := range map[int]int{100: 2, 40: 4} {
		seen := r.walk(t, "tracker_search", fmt.Sprintf(`{"source":"alice","project":"pub","limit":%d`, limit), pages)
		if len(seen) != 151 {
			t.Errorf("%d different issues by pages of %d", len(seen), limit)
		}
	}
	r.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":101}`, refused("INPUT_MISSING", "invalid_argument"))
	r.ask(t, "tracker_search", `{"source":"bob","project":"pub","query":"number","author":"me","limit":50}`, counted(partly("NONE", ""), 50, true))
	r.ask(t, "tracker_search", `{"source":"bob","project":"pub","query":"number","author":"me","limit":50,"cursor":"next"}`, counted(found(), 24, false))
}

// changes makes, comments and changes issues, also as accounts that may not.
func (r *redmine) changes(t *testing.T) {
	create := `{"source":"alice","project":"pub","title":"Made by a test","body":"With *text*","labels":["UI"],"assignees":["Bob Test"]}`
	r.ask(t, "tracker_create_issue", create, found("Created issue #156", `"assignees":["Bob Test"]`, `"labels":["UI"]`))
	r.ask(t, "tracker_create_issue", create, found("#156", `"replayed":true`))
	r.ask(t, "tracker_search", `{"source":"eve","query":"made by a test"}`, counted(found(), 1, false))
	r.askAll(t, []question{
		{"comment", "tracker_add_comment", `{"source":"bob","ref":"#156","body":"A comment"}`, found("A comment", "Bob Test")},
		{"the comment is there", "tracker_get_issue", `{"source":"eve","ref":"#156","include":["comments"]}`, found(`"comments_total":1`)},
		{"two states are closed", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"closed"}`, refused("INPUT_MISSING", "dynamic_option_required", `"Closed","Rejected"`)},
		{"no state", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"Melted"}`, refused("INPUT_MISSING", "dynamic_option_required", "In Progress")},
		{"update", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"Closed","title":"Changed by a test","remove_labels":["UI"],"assignees":[]}`, without(found("Changed by a test", `"state":"Closed"`), "Bob Test", `"UI"`)},
		{"nothing left to do", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"closed","title":"Changed by a test"}`, found()},
		{"a state that Redmine drops", "tracker_update_issue", `{"source":"bob","ref":"#4","state":"Closed"}`, refused("ACCESS_DENIED", "scope_missing", "nothing was changed")},
		{"an issue that is hidden", "tracker_update_issue", `{"source":"bob","ref":"#153","title":"x"}`, refused("ACCESS_DENIED", "scope_missing")},
		{"no issue", "tracker_add_comment", `{"source":"bob","ref":"#99999","body":"x"}`, absent},
		{"a closed project", "tracker_create_issue", `{"source":"alice","project":"closedproj","title":"x"}`, refused("CAPABILITY_UNAVAILABLE", "feature_disabled")},
		{"no role", "tracker_create_issue", `{"source":"walt","project":"priv","title":"x"}`, refused("INPUT_MISSING", "invalid_argument", "no role")},
		{"a title that is too long", "tracker_create_issue", fmt.Sprintf(`{"source":"alice","project":"pub","title":%q}`, strings.Repeat("ü", 256)), refused("INPUT_MISSING", "invalid_argument")},
		{"no project", "tracker_create_issue", `{"source":"alice","title":"x"}`, without(refused("INPUT_MISSING", "dynamic_option_required", `"options":["pub","nowiki","priv","pub-sub","void"]`), "not looked at")},
		{"no project, with a bad key", "tracker_create_issue", `{"source":"nobody","title":"x"}`, without(refused("INPUT_MISSING", "dynamic_option_required", "not looked at"), "priv")},
		{"no category", "tracker_create_issue", `{"source":"alice","project":"pub","title":"x","labels":["Nope"]}`, refused("INPUT_MISSING", "dynamic_option_required", `["UI","Unused"]`)},
		{"no member", "tracker_create_issue", `{"source":"alice","project":"pub","title":"x","assignees":["Nemo"]}`, refused("INPUT_MISSING", "dynamic_option_required", "Bob Test")},
		{"a bad key", "tracker_add_comment", `{"source":"nobody","ref":"#156","body":"x"}`, refused("ACCESS_DENIED", "auth_failed")},
		{"nobody", "tracker_add_comment", `{"source":"anonymous","ref":"#156","body":"x"}`, refused("ACCESS_DENIED", "auth_context_required")},
	})
}

// conflicts has somebody else change what frank is changing.
func (r *redmine) conflicts(t *testing.T) {
	t.Run("another value in the end", func(t *testing.T) {
		issue := r.fresh(t)
		g := r.gate(t, r.address)
		g.after = func() { r.put(t, issue, `{"subject":"Of somebody else"}`) }
		d := r.open(t, g.host, patient, nil)
		d.ask(t, "tracker_update_issue", fmt.Sprintf(`{"source":"alice","ref":"#%d","title":"Ours","body":"Ours too"}`, issue),
			partly("SOURCE_UNRELIABLE", "contradictory", "Of somebody else", "Ours too", "somebody else changed it at the same time"))
	})
	t.Run("deleted meanwhile", func(t *testing.T) {
		issue := r.fresh(t)
		g := r.gate(t, r.address)
		g.before = func() { r.remove(t, issue) }
		d := r.open(t, g.host, patient, nil)
		d.ask(t, "tracker_update_issue", fmt.Sprintf(`{"source":"alice","ref":"#%d","title":"Ours"}`, issue), refused("REFERENCE_UNRESOLVED", "absent_or_hidden"))
	})
	t.Run("deleted after it was changed", func(t *testing.T) {
		issue := r.fresh(t)
		g := r.gate(t, r.address)
		g.after = func() { r.remove(t, issue) }
		d := r.open(t, g.host, patient, nil)
		d.ask(t, "tracker_update_issue", fmt.Sprintf(`{"source":"alice","ref":"#%d","title":"Ours"}`, issue), absent)
	})
	t.Run("one key for two changes", func(t *testing.T) {
		first := `{"source":"alice","project":"pub","title":"Under a key","idempotency_key":"one"}`
		r.ask(t, "tracker_create_issue", first, found("Under a key"))
		r.ask(t, "tracker_create_issue", strings.Replace(first, "Under", "Another under", 1), refused("INPUT_MISSING", "invalid_argument", "used for another change"))
		r.ask(t, "tracker_search", `{"source":"alice","query":"under a key"}`, counted(found(), 1, false))
	})
	t.Run("a repetition of what was changed since", func(t *testing.T) {
		issue := r.fresh(t)
		update := func(title, key string) string {
			return fmt.Sprintf(`{"source":"alice","ref":"#%d","title":%q,"idempotency_key":%q}`, issue, title, key)
		}
		r.ask(t, "tracker_update_issue", update("First", "first"), found("First"))
		r.ask(t, "tracker_update_issue", update("Second", "second"), found("Second"))
		r.ask(t, "tracker_update_issue", update("First", "first"), found(`"replayed":true`, "there has been another change since"))
		r.ask(t, "tracker_get_issue", fmt.Sprintf(`{"source":"alice","ref":"#%d"}`, issue), found(`"title":"Second"`))
	})
}

// put changes an issue and remove deletes it, as the administrator, without frank.
func (r *redmine) put(t *testing.T, issue int, fields string) {
	t.Helper()
	fetch(t, http.MethodPut, fmt.Sprintf("http://%s/issues/%d.json", r.address, issue), r.keys["root"], `{"issue":`+fields+`}`)
}

func (r *redmine) remove(t *testing.T, issue int) {
	t.Helper()
	fetch(t, http.MethodDelete, fmt.Sprintf("http://%s/issues/%d.json", r.address, issue), r.keys["root"], "")
}

// switchedOff asks while the REST interface is off: Redmine then takes everybody for
// anonymous. An identity that was proved before is remembered for a while, so that
// others are asked.
func (r *redmine) switchedOff(t *testing.T) {
	api := func(state string) { script(t, "./redmine.sh", "api", r.dir, state) }
	api("off")
	off := refused("CAPABILITY_UNAVAILABLE", "feature_disabled")
	r.call(t, "list_capabilities", `{"refresh":true}`) // forgets what was proved
	r.ask(t, "tracker_search", `{"source":"alice","query":"Crash"}`, off)
	r.ask(t, "docs_read", `{"source":"eve","ref":"pub:Wiki"}`, off)
	api("on")
	r.call(t, "list_capabilities", `{"refresh":true}`)
	r.ask(t, "tracker_search", `{"source":"alice","query":"Crash"}`, found())
}
