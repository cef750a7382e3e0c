package jira

import (
	"context"
	"net/http"
	"testing"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// setup is that of a source which sends nothing.
func setup(t *testing.T, base string) connectors.Setup {
	t.Helper()
	up, f := upstream.New(upstream.Options{Source: "jira", BaseURL: base})
	if f != nil {
		t.Fatal(f.Reason())
	}
	return connectors.Setup{Name: "jira", BaseURL: base, DefaultProject: "PAY", Upstream: up}
}

// TestTheSecretTellsTheScheme: a pair is sent as Basic, anything else as a bearer
// token, and a slip of the configuration not at all. HT-16.
func TestTheSecretTellsTheScheme(t *testing.T) {
	for secret, want := range map[string]string{
		"ada@acme.example:abc": "Basic YWRhQGFjbWUuZXhhbXBsZTphYmM=", "abcdef": "Bearer abcdef", "${TOKEN}": "", "": "", "a:b\n": "", `"a:b"`: "",
	} {
		c := newCredential(func(context.Context) (string, *status.Failure) { return secret, nil })
		h := http.Header{}
		f := c.Authorize(t.Context(), h)
		if h.Get("Authorization") != want || (f == nil) != (want != "") {
			t.Errorf("%q: %q, %v", secret, h.Get("Authorization"), f)
		}
	}
}

// TestCounted: what the headers of an answer say about the credential. JR-01, JR-05.
func TestCounted(t *testing.T) {
	for _, tc := range []struct {
		reason, name string
		want         sight
	}{
		{"", "", untold}, {"OK", "", accepted}, {"AUTHENTICATED_FAILED", "", rejected}, {"AUTHENTICATION_DENIED", "", locked},
		{"OUT", "", ignored}, {"OUT, OK", "", accepted}, {"AUTHENTICATED_FAILED,AUTHENTICATED_FAILED", "", rejected},
		{"", "ada", accepted}, {"", "anonymous", ignored}, {"AUTHENTICATED_FAILED", "anonymous", rejected},
	} {
		h := http.Header{}
		if tc.reason != "" {
			h.Set("X-Seraph-LoginReason", tc.reason)
		}
		if tc.name != "" {
			h.Set("X-AUSERNAME", tc.name)
		}
		if got := counted(h); got != tc.want {
			t.Errorf("%q %q: %d, want %d", tc.reason, tc.name, got, tc.want)
		}
	}
}
