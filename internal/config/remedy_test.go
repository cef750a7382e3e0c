package config

import "testing"

// What is advised depends on where the credential is to come from.
func TestRemedyNamesThePlaceOfTheCredential(t *testing.T) {
	for _, c := range []struct{ path, host, want string }{
		{"", "github.com", "set GITHUB_TOKEN or GH_TOKEN where frank runs, or run gh auth login"},
		{"", "acme.ghe.com", "set GITHUB_TOKEN or GH_TOKEN where frank runs, or run gh auth login --hostname acme.ghe.com"},
		{"", "api.corp", "set GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN where frank runs, or run gh auth login --hostname api.corp"},
	} {
		got := (&Config{Path: c.path}).Remedy(Source{Name: "github", Provider: GitHub, BaseURL: restRoot(c.host)})
		if got != c.want {
			t.Errorf("%s: got %q", c.host, got)
		}
	}
	for method, want := range map[Method]string{
		MethodUnset: "give source hub an auth in the configuration, such as auth: {token_env: NAME}",
		MethodNone:  "replace auth: {none: true} of source hub in the configuration with one that names a credential, such as auth: {token_env: NAME}",
		MethodFile:  "make token_file of source hub give a credential that works",
	} {
		got := (&Config{Path: "/etc/frank.yaml"}).Remedy(Source{Name: "hub", Provider: GitHub, BaseURL: restRoot("github.com"), Auth: Auth{Method: method}})
		if got != want {
			t.Errorf("%s: got %q", method, got)
		}
	}
}
