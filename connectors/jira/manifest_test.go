package jira

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// answers is a Jira that answers by path: a status, a space, a body.
type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	code, body := 404, `{"errorMessages":["no"],"errors":{}}`
	if text, ok := a[r.URL.Path]; ok {
		code, body = 200, text
		if rest, refused := strings.CutPrefix(text, "401 "); refused {
			code, body = 401, rest
		}
	}
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}, nil
}

// TestProbe: what the manifest tells of a source.
func TestProbe(t *testing.T) {
	const (
		cloud   = `{"baseUrl":"https://acme.atlassian.net","deploymentType":"Cloud"}`
		bot     = `{"accountId":"b07","displayName":"Frank Bot"}`
		project = `{"key":"PAY","name":"Payments"}`
		old     = `{"key":"PAY","name":"Payments","archived":true}`
		mayNot  = `{"permissions":{"CREATE_ISSUES":{"havePermission":false},"EDIT_ISSUES":{"havePermission":false},"ADD_COMMENTS":{"havePermission":false}}}`
		may     = `{"permissions":{"CREATE_ISSUES":{"havePermission":false},"EDIT_ISSUES":{"havePermission":false},"ADD_COMMENTS":{"havePermission":true}}}`
	)
	const server, me, key, mine = "/rest/api/2/serverInfo", "/rest/api/3/myself", "/rest/api/3/project/PAY", "/rest/api/3/mypermissions"
	for name, c := range map[string]struct {
		jira        answers
		state       connectors.State
		read, write connectors.GrantState
	}{
		"all":           {answers{server: cloud, me: bot, key: project, mine: may}, connectors.Ready, connectors.Granted, connectors.Granted},
		"reads only":    {answers{server: cloud, me: bot, key: project, mine: mayNot}, connectors.Ready, connectors.Granted, connectors.NotGranted},
		"untold":        {answers{server: cloud, me: bot, key: project}, connectors.Ready, connectors.Granted, connectors.UnknownGrant},
		"archived":      {answers{server: cloud, me: bot, key: old}, connectors.Ready, connectors.Granted, connectors.Unsupported},
		"hidden":        {answers{server: cloud, me: bot}, connectors.Degraded, connectors.UnknownGrant, connectors.UnknownGrant},
		"bad token":     {answers{server: cloud, me: `401 {"errorMessages":["no"]}`}, connectors.Denied, connectors.NotGranted, connectors.NotGranted},
		"no Jira":       {answers{}, connectors.Misconfigured, connectors.UnknownGrant, connectors.UnknownGrant},
		"no Jira's own": {answers{server: cloud}, connectors.Misconfigured, connectors.UnknownGrant, connectors.UnknownGrant},
	} {
		secret := upstream.BasicToken(func(context.Context) (string, *status.Failure) { return "a@acme.example:secret", nil })
		up, f := upstream.New(upstream.Options{
			Source: "jira", BaseURL: "https://acme.atlassian.net", Transport: c.jira, Classify: Classify, Credential: secret, Retry: upstream.Retry{MaxAttempts: 1},
		})
		if f != nil {
			t.Fatal(f.Reason())
		}
		src, f := Provider.Open(connectors.Setup{Name: "jira", BaseURL: "https://acme.atlassian.net", DefaultProject: "PAY", Upstream: up})
		if f != nil {
			t.Fatal(f.Reason())
		}
		p := src.Prober.Probe(t.Context())
		grants := map[connectors.Capability]connectors.Grant{}
		for _, g := range p.Capabilities {
			grants[g.Capability] = g
		}
		read, write := grants[connectors.IssueRead], grants[connectors.IssueWrite]
		if p.State != c.state || read.State != c.read || write.State != c.write {
			t.Errorf("%s: %s, reads %s, writes %s", name, p.State, read.State, write.State)
		}
		if (write.State == connectors.NotGranted || write.State == connectors.Unsupported) != (write.Failure != nil) {
			t.Errorf("%s: %s without its failure, or the reverse", name, write.State)
		}
		if c.state == connectors.Ready && p.Identity != "Frank Bot" {
			t.Errorf("%s: %q", name, p.Identity)
		}
	}
}
