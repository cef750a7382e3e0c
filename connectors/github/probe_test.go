package github_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/replay"
)

// answer is one exchange of a probe.
func answer(path string, status int, body string, headers ...string) string {
	s := fmt.Sprintf("> GET %s\n< %d\n< Content-Type: application/json\n< X-GitHub-Request-Id: C0DE:1\n", path, status)
	for _, h := range headers {
		s += "< " + h + "\n"
	}
	return s + "\n" + body + "\n"
}

const (
	core      = "X-RateLimit-Limit: 5000"
	public    = `{"full_name":"acme/app","private":false,"has_issues":true}`
	private   = `{"full_name":"acme/app","private":true,"has_issues":true}`
	trackless = `{"full_name":"acme/app","private":false,"has_issues":false}`
	ada       = `{"login":"ada"}`
	refusal   = `{"message":"Resource not accessible by personal access token","documentation_url":"https://docs.github.com/rest"}`
	nothing   = `{"message":"Not Found","documentation_url":"https://docs.github.com/rest"}`
)

// TestProbe: what the manifest says of a source, and by which requests.
func TestProbe(t *testing.T) {
	project := "sources: [{name: github, provider: github, default_project: acme/app}]"
	scopes := core + "|X-OAuth-Scopes: repo, read:org"
	bare := "sources: [{name: github, provider: github}]"
	one := func(resource string, status int, body string) string {
		return answer("/repos/acme/app/"+resource+"?per_page=1", status, body, core)
	}
	cases := map[string]struct {
		config    string
		exchanges []string
		want      string // state identity reason, then the capabilities that are not granted
	}{
		"classic token": {bare, []string{answer("/user", 200, ada, strings.Split(scopes, "|")...)}, "ready ada - tracker.issue:write unknown"},
		"classic token that writes": {project, []string{answer("/user", 200, ada, strings.Split(scopes, "|")...),
			answer("/repos/acme/app", 200, `{"full_name":"acme/app","private":true,"has_issues":true,"permissions":{"pull":true,"triage":true}}`, core)}, "ready ada -"},
		"classic token for reading": {project, []string{answer("/user", 200, ada, core, "X-OAuth-Scopes: read:org"), answer("/repos/acme/app", 200, public, core)},
			"ready ada - tracker.issue:write denied scope_missing in acme/app"},
		"classic token for public repositories": {project, []string{answer("/user", 200, ada, core, "X-OAuth-Scopes: public_repo"),
			answer("/repos/acme/app", 200, private, core)}, "ready ada - tracker.issue:write denied scope_missing in acme/app"},
		"archived project": {project, []string{answer("/user", 200, ada, core),
			answer("/repos/acme/app", 200, `{"full_name":"acme/app","private":false,"has_issues":true,"archived":true}`, core)},
			"ready ada - tracker.issue:write unsupported feature_disabled in acme/app"},
		"fine-grained token without a project": {bare, []string{answer("/user", 200, ada, core)},
			"ready ada - all unknown"},
		"installation of an application": {bare, []string{answer("/user", 403, refusal, core)}, "ready  - all unknown"},
		"installation that no header shows": {bare, []string{answer("/user", 403, refusal), answer("/installation/repositories?per_page=1", 200, `{"total_count":1}`)},
			"ready  - all unknown"},
		"rejected":       {bare, []string{answer("/user", 401, `{"message":"Bad credentials"}`)}, "denied  auth_failed all denied"},
		"ignored":        {bare, []string{answer("/user", 200, ada, "X-RateLimit-Limit: 60")}, "denied  auth_context_required all denied"},
		"broken":         {bare, []string{answer("/user", 500, `{"message":"Server Error"}`)}, "unreachable  http_5xx all unknown"},
		"no GitHub":      {bare, []string{answer("/user", 404, `{}`)}, "misconfigured  misconfigured all unknown"},
		"public project": {project, []string{answer("/user", 200, ada, core), answer("/repos/acme/app", 200, public, core)}, "ready ada - tracker.issue:write unknown"},
		"project without a tracker": {project, []string{answer("/user", 200, ada, core), answer("/repos/acme/app", 200, trackless, core)},
			"degraded ada - tracker.issue:read unsupported feature_disabled in acme/app, tracker.issue:write unsupported feature_disabled in acme/app, tracker.project:read unsupported feature_disabled in acme/app"},
		"private project, permission missing": {project, []string{
			answer("/user", 200, ada, core), answer("/repos/acme/app", 200, private, core),
			answer("/repos/acme/app/issues?per_page=1", 403, refusal, core, "X-Accepted-GitHub-Permissions: issues=read"),
			one("commits", 409, `{"message":"Git Repository is empty.","documentation_url":"https://docs.github.com/rest"}`), one("pulls", 200, "[]"),
		}, "degraded ada - tracker.issue:read denied scope_missing in acme/app, tracker.issue:write denied scope_missing in acme/app, tracker.project:read denied scope_missing in acme/app"},
		"hidden project": {project, []string{answer("/user", 200, ada, core), answer("/repos/acme/app", 404, nothing, core)},
			"degraded ada absent_or_hidden all unknown"},
		"anonymous": {`sources: [{name: github, provider: github, auth: {none: true}}]`, []string{answer("/meta", 200, "{}", "X-RateLimit-Limit: 60")},
			"ready  - tracker.issue:write denied auth_context_required, repo.code:search denied auth_context_required"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := ""
			for i, x := range tc.exchanges {
				text += fmt.Sprintf("-- exchange %d --\n%s", i+2, x)
			}
			c, err := replay.Parse(name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			src := open(t, tc.config, replay.Transport(t, c.Exchanges))
			if got := told(src.Prober.Probe(t.Context())); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// told is a probe in one line.
func told(p connectors.Probe) string {
	reason := "-"
	if p.Failure != nil {
		reason = p.Failure.Reason().Name()
	}
	states := map[connectors.GrantState]int{}
	var rest []string
	for _, g := range p.Capabilities {
		states[g.State]++
		if g.State == connectors.Granted {
			continue
		}
		line := fmt.Sprint(g.Capability, " ", g.State)
		if g.Failure != nil {
			line += " " + g.Failure.Reason().Name()
		}
		if g.Container != "" {
			line += " in " + g.Container
		}
		rest = append(rest, line)
	}
	out := fmt.Sprintf("%s %s %s", p.State, p.Identity, reason)
	for state, n := range states {
		if n == len(p.Capabilities) && state != connectors.Granted {
			return out + " all " + string(state)
		}
	}
	if len(rest) > 0 {
		out += " " + strings.Join(rest, ", ")
	}
	return out
}
