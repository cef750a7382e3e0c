package cli

import (
	"strings"
	"testing"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

// Whoever reads the doctor's advice has run it already.
func TestDoctorSendsNobodyToTheDoctor(t *testing.T) {
	for _, reason := range status.Reasons() {
		if got := withoutDoctor(reason.Action()); strings.Contains(got, "frank doctor") {
			t.Errorf("%s: %s", reason, got)
		}
	}
	source := config.Source{Name: "github", Provider: config.GitHub, BaseURL: "https://api.github.com"}
	refused := app.ManifestCapability{ID: "repo.code:search", State: "denied", Reason: status.AuthContextRequired.Name(), Unblock: status.Fail(status.AuthContextRequired).Action()}
	d := diagnosis{s: screen{width: 80}, cfg: &config.Config{Sources: []config.Source{source}},
		m: app.Manifest{Sources: []app.ManifestSource{{Source: "github", Provider: config.GitHub, State: "ready", Capabilities: []app.ManifestCapability{refused}}}}}
	d.unblock()
	want := `
TO UNBLOCK
github repo.code:search (auth_context_required)
  Set GITHUB_TOKEN or GH_TOKEN where frank runs, or run gh auth login.
`
	if got := d.b.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}
