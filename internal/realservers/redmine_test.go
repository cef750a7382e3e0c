//go:build realservers

package realservers

import (
	"context"
	"encoding/json"
	"fmt"
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

// redmine is a running Redmine, and frank before it with a source for each account.
type redmine struct {
	dir    string
	keys   map[string]string
	frank  *app.App
	cursor string
}

// startRedmine seeds and starts a Redmine, which ends with the test.
func startRedmine(t *testing.T) *redmine {
	t.Helper()
	root := os.Getenv("FRANK_REAL_SERVERS")
	if root == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		root = filepath.Join(cache, "frank-ci", "servers")
	}
	r := &redmine{dir: filepath.Join(root, "redmine"), keys: map[string]string{"nobody": "0123456789abcdef0123456789abcdef01234567"}}
	out, err := exec.CommandContext(t.Context(), "./redmine.sh", "seed", r.dir).CombinedOutput()
	if err != nil {
		t.Fatalf("seed: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "KEY" {
			r.keys[f[1]] = f[2]
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // it only showed a port that is free
	_, port, _ := net.SplitHostPort(address)
	serve := exec.Command("./redmine.sh", "serve", r.dir, port)
	serve.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := serve.StdinPipe() // it ends the server when it closes, whatever becomes of this test
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
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		resp, err := http.Get("http://" + address + "/issue_statuses.json")
		if err == nil {
			_ = resp.Body.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("Redmine does not answer: %v", err)
		}
	}
	r.frank = r.open(t, address)
	return r
}

// open puts frank before the server.
func (r *redmine) open(t *testing.T, address string) *app.App {
	t.Helper()
	yaml := "writes: true\nretry: {timeout: 20s, budget: 40s}\nsources:\n"
	for name := range r.keys {
		yaml += fmt.Sprintf("  - {name: %s, provider: redmine, base_url: \"http://%s\", default_project: pub, auth: {token_env: KEY_%s}}\n", name, address, strings.ToUpper(name))
	}
	yaml += fmt.Sprintf("  - {name: anonymous, provider: redmine, base_url: \"http://%s\", auth: {none: true}}\n", address)
	yaml += fmt.Sprintf("  - {name: nowhere, provider: redmine, base_url: \"http://%s/no/redmine\", auth: {token_env: KEY_ALICE}}\n", address)
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(name string) (string, bool) {
		key, ok := r.keys[strings.ToLower(strings.TrimPrefix(name, "KEY_"))]
		return key, ok
	}
	a, err := app.New(cfg, app.Options{Version: "test", Host: host, Journal: filepath.Join(t.TempDir(), "frank.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

// ask calls a tool and compares the answer. An argument "next" is the cursor of the
// answer before.
func (r *redmine) ask(t *testing.T, tool, arguments string, want replay.Want) []byte {
	t.Helper()
	got := r.frank.Call(t.Context(), tool, json.RawMessage(strings.ReplaceAll(arguments, `"next"`, `"`+r.cursor+`"`)))
	for _, problem := range want.Check(got.Structured) {
		t.Errorf("%s %s: %s", tool, arguments, problem)
	}
	if t.Failed() {
		t.Logf("answered:\n%s", got.Text)
	}
	for name, key := range r.keys {
		if strings.Contains(string(got.Structured)+got.Text, key) {
			t.Errorf("the answer holds the key of %s", name)
		}
	}
	var v struct {
		Coverage struct {
			Next string `json:"next_cursor"`
		} `json:"coverage"`
	}
	_ = json.Unmarshal(got.Structured, &v) // checked above
	r.cursor = v.Coverage.Next
	return got.Structured
}

func answers(status, code, reason string, contains ...string) replay.Want {
	return replay.Want{Status: status, Code: code, Reason: reason, Contains: contains}
}

func counted(w replay.Want, items int, more bool) replay.Want {
	w.Items, w.More = &items, &more
	return w
}

func without(w replay.Want, lacks ...string) replay.Want {
	w.Lacks = lacks
	return w
}

type question struct {
	name, tool, arguments string
	want                  replay.Want
}

func (r *redmine) askAll(t *testing.T, questions []question) {
	for _, q := range questions {
		t.Run(q.name, func(t *testing.T) { r.ask(t, q.tool, q.arguments, q.want) })
	}
}

func TestRedmine(t *testing.T) {
	r := startRedmine(t)
	good := answers("success", "NONE", "")
	denied := answers("access_failure", "ACCESS_DENIED", "scope_missing")
	off := answers("access_failure", "CAPABILITY_UNAVAILABLE", "feature_disabled")
	nothing := answers("empty", "NONE", "")
	gone := answers("empty", "REFERENCE_UNRESOLVED", "not_found_confirmed")
	unknown := answers("access_failure", "REFERENCE_UNRESOLVED", "filter_unresolved")
	holds := func(texts ...string) replay.Want { w := good; w.Contains = texts; return w }

	t.Run("issues", func(t *testing.T) {
		r.askAll(t, []question{
			{"found", "tracker_search", `{"source":"alice","query":"Crash on save"}`, counted(holds(`"ref":"#1"`, "ünïcode ✓", `"labels":["UI"]`), 1, false)},
			{"found in a comment", "tracker_search", `{"source":"eve","query":"THREE machines"}`, counted(holds(`"ref":"#1"`), 1, false)},
			{"found in a custom field", "tracker_search", `{"source":"eve","query":"acme"}`, counted(holds(`"ref":"#1"`), 1, false)},
			{"found in all projects", "tracker_search", `{"source":"alice","project":"*","query":"In the"}`, holds("In the subproject", "In the closed project")},
			{"a sign that databases take for any", "tracker_search", `{"source":"root","query":"number_2"}`, counted(nothing, 0, false)},
			{"proved empty", "tracker_search", `{"source":"alice","query":"zebra"}`, replay.Want{Status: "empty", Code: "NONE", Unproven: []string{"rows_hidden_from_account"}}},
			{"proved empty for an administrator", "tracker_search", `{"source":"root","project":"void"}`, replay.Want{Status: "empty", Code: "NONE", Unproven: []string{}}},
			{"a private comment", "tracker_search", `{"source":"alice","query":"zanzibar"}`, holds(`"ref":"#1"`)},
			{"a private comment of others", "tracker_search", `{"source":"bob","query":"zanzibar"}`, nothing},
			{"not the issues of a subproject", "tracker_search", `{"source":"alice","project":"pub","query":"subproject"}`, nothing},
			{"closed", "tracker_search", `{"source":"alice","project":"pub","state":"closed"}`, counted(holds(`"ref":"#2"`, `"state":"Closed"`), 1, false)},
			{"a closed project", "tracker_search", `{"source":"eve","project":"closedproj"}`, counted(good, 1, false)},
			{"mine", "tracker_search", `{"source":"alice","assignee":"me"}`, counted(good, 1, false)},
			{"by a member, as Redmine shows the name", "tracker_search", `{"source":"alice","author":"bob test","query":"number 150"}`, nothing},
			{"by a login, as an administrator", "tracker_search", `{"source":"root","author":"bob","query":"number 149"}`, counted(good, 1, false)},
			{"by nobody", "tracker_search", `{"source":"alice","author":"Nobody"}`, unknown},
			{"a label", "tracker_search", `{"source":"alice","labels":["ui"]}`, counted(good, 1, false)},
			{"a label that is not used", "tracker_search", `{"source":"alice","labels":["Unused"]}`, nothing},
			{"no label", "tracker_search", `{"source":"alice","labels":["Nope"]}`, unknown},
			{"since tomorrow", "tracker_search", fmt.Sprintf(`{"source":"alice","updated_since":%q}`, time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339)), nothing},
			{"an archived project", "tracker_search", `{"source":"alice","project":"archived"}`, denied},
			{"a hidden project", "tracker_search", `{"source":"eve","project":"priv"}`, denied},
			{"a hidden project, asked by nobody", "tracker_search", `{"source":"anonymous","project":"priv"}`, answers("access_failure", "ACCESS_DENIED", "auth_context_required")},
			{"no project", "tracker_search", `{"source":"eve","project":"nope"}`, gone},
			{"the tracker is off", "tracker_search", `{"source":"alice","project":"noissues"}`, off},
			{"a bad key", "tracker_search", `{"source":"nobody","query":"Crash"}`, answers("access_failure", "ACCESS_DENIED", "auth_failed")},
			{"a wrong address", "tracker_search", `{"source":"nowhere","query":"Crash"}`, answers("access_failure", "CAPABILITY_UNAVAILABLE", "misconfigured")},
			{"mine, asked by nobody", "tracker_search", `{"source":"anonymous","assignee":"me"}`, answers("access_failure", "ACCESS_DENIED", "auth_context_required")},
		})
	})
	t.Run("one issue", func(t *testing.T) {
		r.askAll(t, []question{
			{"whole", "tracker_get_issue", `{"source":"alice","ref":"#1","include":["comments","links","history"]}`, holds("h2. Steps", `"name":"Customer","value":"Acme"`, `"comments_total":2`, "zanzibar", `"ref":"#2","title":"Issue number 2"`, `"ref":"#152"`)},
			{"to others", "tracker_get_issue", `{"source":"bob","ref":"#1","include":["comments","links"]}`, without(holds(`"comments_total":1`), "zanzibar", "#152")},
			{"history", "tracker_get_issue", `{"source":"alice","ref":"#2","include":["history"]}`, holds(`"what":"status","from":"New","to":"Closed"`)},
			{"hidden in a public project", "tracker_get_issue", `{"source":"bob","ref":"#153"}`, denied},
			{"hidden in a private project", "tracker_get_issue", `{"source":"eve","ref":"#152"}`, denied},
			{"absent", "tracker_get_issue", `{"source":"eve","ref":"#99999"}`, gone},
			{"a bad key", "tracker_get_issue", `{"source":"nobody","ref":"#1"}`, answers("access_failure", "ACCESS_DENIED", "auth_failed")},
		})
	})
	t.Run("projects", func(t *testing.T) {
		r.askAll(t, []question{
			{"one", "tracker_describe", `{"source":"alice","project":"pub"}`, holds("In Progress", `"types":["Bug","Feature","Support"]`, `"labels":["UI","Unused"]`, "Bob Test", `"2.0"`, "Urgent", "Customer")},
			{"all", "tracker_describe", `{"source":"eve","project":"*"}`, without(holds("closed: can only be read"), "Priv", "Archived")},
		})
	})
	t.Run("wikis", func(t *testing.T) {
		r.askAll(t, []question{
			{"found", "docs_search", `{"source":"alice","query":"WALRUS","space":"*"}`, counted(holds("priv:Wiki", "pub:User guide", "Everything about the walrus."), 2, false)},
			{"found by others", "docs_search", `{"source":"eve","query":"walrus","space":"*"}`, counted(without(good, "priv"), 1, false)},
			{"proved empty", "docs_search", `{"source":"eve","query":"zebra"}`, nothing},
			{"not to be viewed", "docs_search", `{"source":"walt","query":"walrus","space":"priv"}`, answers("partial", "ACCESS_DENIED", "scope_missing")},
			{"read", "docs_read", `{"source":"eve","ref":"User guide"}`, holds("h1. User guide", `"format":"textile"`, `"parent":"Wiki"`)},
			{"section", "docs_read", `{"source":"eve","ref":"pub:Wiki","section":"Setup"}`, without(holds("Install it."), "Start it.")},
			{"renamed", "docs_read", `{"source":"eve","ref":"Old name"}`, holds("pub:New name", "It has moved.")},
			{"absent", "docs_read", `{"source":"eve","ref":"Nope"}`, answers("empty", "REFERENCE_UNRESOLVED", "not_found_confirmed", "pub:User guide")},
			{"hidden", "docs_read", `{"source":"eve","ref":"priv:Wiki"}`, denied},
			{"not to be read", "docs_read", `{"source":"walt","ref":"priv:Wiki"}`, denied},
			{"list", "docs_list", `{"source":"eve","space":"pub"}`, counted(good, 3, false)},
			{"below", "docs_list", `{"source":"eve","space":"pub","parent":"Wiki"}`, counted(holds("pub:User guide"), 1, false)},
			{"begun by nobody", "docs_list", `{"source":"eve","space":"void"}`, nothing},
			{"switched off", "docs_list", `{"source":"alice","space":"nowiki"}`, off},
			{"not to be listed", "docs_list", `{"source":"walt","space":"priv"}`, denied},
			{"of no project", "docs_list", `{"source":"anonymous"}`, answers("access_failure", "INPUT_MISSING", "dynamic_option_required", "pub-sub")},
		})
	})
	t.Run("paging", r.pages)
	t.Run("changes", r.changes)
	t.Run("switched off", r.switchedOff)
}

// pages reads all 151 issues of a project by pages of 100, the most that Redmine
// serves, and each just once.
func (r *redmine) pages(t *testing.T) {
	first := r.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":100}`, counted(answers("partial", "NONE", ""), 100, true))
	second := r.ask(t, "tracker_search", `{"source":"alice","project":"pub","limit":100,"cursor":"next"}`, counted(answers("success", "NONE", ""), 51, false))
	seen := map[string]bool{}
	for _, answer := range [][]byte{first, second} {
		var v struct {
			Data struct {
				Items []struct{ Ref string }
			}
		}
		if err := json.Unmarshal(answer, &v); err != nil {
			t.Fatal(err)
		}
		for _, item := range v.Data.Items {
			seen[item.Ref] = true
		}
	}
	if len(seen) != 151 {
		t.Errorf("%d different issues", len(seen))
	}
	r.ask(t, "tracker_search", `{"source":"bob","project":"pub","query":"number","author":"me","limit":50}`, counted(answers("partial", "NONE", ""), 50, true))
	r.ask(t, "tracker_search", `{"source":"bob","project":"pub","query":"number","author":"me","limit":50,"cursor":"next"}`, counted(answers("success", "NONE", ""), 24, false))
}

// changes makes, comments and changes issues, also as accounts that may not.
func (r *redmine) changes(t *testing.T) {
	good := answers("success", "NONE", "")
	create := `{"source":"alice","project":"pub","title":"Made by a test","body":"With *text*","labels":["UI"],"assignees":["Bob Test"]}`
	r.ask(t, "tracker_create_issue", create, answers("success", "NONE", "", "Created issue #156", `"assignees":["Bob Test"]`, `"labels":["UI"]`))
	r.ask(t, "tracker_create_issue", create, answers("success", "NONE", "", "#156", `"replayed":true`))
	r.ask(t, "tracker_search", `{"source":"eve","query":"made by a test"}`, counted(good, 1, false))
	r.askAll(t, []question{
		{"comment", "tracker_add_comment", `{"source":"bob","ref":"#156","body":"A comment"}`, answers("success", "NONE", "", "A comment", "Bob Test")},
		{"the comment is there", "tracker_get_issue", `{"source":"eve","ref":"#156","include":["comments"]}`, answers("success", "NONE", "", `"comments_total":1`)},
		{"two states are closed", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"closed"}`, answers("access_failure", "INPUT_MISSING", "dynamic_option_required", `"Closed","Rejected"`)},
		{"no state", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"Melted"}`, answers("access_failure", "INPUT_MISSING", "dynamic_option_required", "In Progress")},
		{"update", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"Closed","title":"Changed by a test","remove_labels":["UI"],"assignees":[]}`, without(answers("success", "NONE", "", "Changed by a test", `"state":"Closed"`), "Bob Test", `"UI"`)},
		{"nothing left to do", "tracker_update_issue", `{"source":"alice","ref":"#156","state":"closed","title":"Changed by a test"}`, good},
		{"a state that Redmine drops", "tracker_update_issue", `{"source":"bob","ref":"#4","state":"Closed"}`, answers("access_failure", "ACCESS_DENIED", "scope_missing", "nothing was changed")},
		{"an issue that is hidden", "tracker_update_issue", `{"source":"bob","ref":"#153","title":"x"}`, answers("access_failure", "ACCESS_DENIED", "scope_missing")},
		{"no issue", "tracker_add_comment", `{"source":"bob","ref":"#99999","body":"x"}`, answers("empty", "REFERENCE_UNRESOLVED", "not_found_confirmed")},
		{"a closed project", "tracker_create_issue", `{"source":"alice","project":"closedproj","title":"x"}`, answers("access_failure", "CAPABILITY_UNAVAILABLE", "feature_disabled")},
		{"no role", "tracker_create_issue", `{"source":"walt","project":"priv","title":"x"}`, answers("access_failure", "INPUT_MISSING", "invalid_argument", "no role")},
		{"a title that is too long", "tracker_create_issue", fmt.Sprintf(`{"source":"alice","project":"pub","title":%q}`, strings.Repeat("ü", 256)), answers("access_failure", "INPUT_MISSING", "invalid_argument")},
		{"no project", "tracker_create_issue", `{"source":"alice","title":"x"}`, without(answers("access_failure", "INPUT_MISSING", "dynamic_option_required", `"options":["pub","nowiki","priv","pub-sub","void"]`), "not looked at")},
		{"no project, with a bad key", "tracker_create_issue", `{"source":"nobody","title":"x"}`, without(answers("access_failure", "INPUT_MISSING", "dynamic_option_required", "not looked at"), "priv")},
		{"no category", "tracker_create_issue", `{"source":"alice","project":"pub","title":"x","labels":["Nope"]}`, answers("access_failure", "INPUT_MISSING", "dynamic_option_required", `["UI","Unused"]`)},
		{"no member", "tracker_create_issue", `{"source":"alice","project":"pub","title":"x","assignees":["Nemo"]}`, answers("access_failure", "INPUT_MISSING", "dynamic_option_required", "Bob Test")},
		{"a bad key", "tracker_add_comment", `{"source":"nobody","ref":"#156","body":"x"}`, answers("access_failure", "ACCESS_DENIED", "auth_failed")},
		{"nobody", "tracker_add_comment", `{"source":"anonymous","ref":"#156","body":"x"}`, answers("access_failure", "ACCESS_DENIED", "auth_context_required")},
	})
}

// switchedOff asks while the REST interface is off: Redmine then takes everybody for
// anonymous. An identity that was proved before is remembered for a while, so that
// others are asked.
func (r *redmine) switchedOff(t *testing.T) {
	api := func(state string) {
		if out, err := exec.CommandContext(t.Context(), "./redmine.sh", "api", r.dir, state).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	api("off")
	off := answers("access_failure", "CAPABILITY_UNAVAILABLE", "feature_disabled")
	r.frank.Call(t.Context(), "list_capabilities", json.RawMessage(`{"refresh":true}`)) // forgets what was proved
	r.ask(t, "tracker_search", `{"source":"alice","query":"Crash"}`, off)
	r.ask(t, "docs_read", `{"source":"eve","ref":"pub:Wiki"}`, off)
	api("on")
	r.frank.Call(t.Context(), "list_capabilities", json.RawMessage(`{"refresh":true}`))
	r.ask(t, "tracker_search", `{"source":"alice","query":"Crash"}`, answers("success", "NONE", ""))
}
