package github_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/connectors/github"
	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is when every case happens.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const secret = "ghp_donotshow"

// open makes the source of a case: the first of its configuration.
func open(t *testing.T, config string, rt http.RoundTripper) connectors.Source {
	t.Helper()
	type source struct {
		Name           string         `yaml:"name"`
		Provider       string         `yaml:"provider"`
		BaseURL        string         `yaml:"base_url"`
		DefaultProject string         `yaml:"default_project"`
		Auth           map[string]any `yaml:"auth"`
		Only           []string       `yaml:"only"`
	}
	var file struct {
		Sources []source `yaml:"sources"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(config), &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	s := source{Name: "github", DefaultProject: "acme/app"}
	if len(file.Sources) > 0 {
		s = file.Sources[0]
	}
	if s.BaseURL == "" {
		s.BaseURL = "https://api.github.com"
	}
	now := func() time.Time { return noon }
	o := upstream.Options{
		Source: s.Name, BaseURL: s.BaseURL, Transport: rt, Classify: github.Provider.Classify, Now: now, Retry: upstream.Retry{MaxAttempts: 1},
	}
	anonymous := s.Auth["none"] == true
	if !anonymous {
		o.Credential = upstream.BearerToken(func(context.Context) (string, *status.Failure) { return secret, nil })
	}
	client, f := upstream.New(o)
	if f != nil {
		t.Fatal(f.Reason())
	}
	src, f := github.Provider.Open(connectors.Setup{
		Name: s.Name, BaseURL: s.BaseURL, DefaultProject: s.DefaultProject, Anonymous: anonymous, Only: s.Only, Upstream: client, Now: now,
	})
	if f != nil {
		t.Fatal(f.Reason())
	}
	return src
}

func seal[T any](r status.Result[T]) (status.Envelope, string) {
	next := ""
	for _, row := range r.Rows() {
		next += row.NextCursor
	}
	return r.Envelope(status.Question{One: "item", Many: "items", NextCursor: next}), next
}
