package scrub_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/frank-mcp/frank/internal/scrub"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The secrets are put together here, so that no scanner takes this file for a leak.
func secrets() []string {
	return []string{
		"gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a", "gh" + "s_16C7e42F292c6912E771", "github" + "_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv",
		"gl" + "pat-abcdefghij1234567890", "xo" + "xb-123456789012-abcdefghijkl", "s" + "k-abcdefghijklmnopqrstuvwxyz", "AK" + "IAIOSFODNN7EXAMPLE",
		"lin" + "_api_aBcDeFgHiJkLmNoP", "nt" + "n_1234567890abcdefghij", "ATA" + "TT3xFfGF0abcdefghij",
		"ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
		"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "3f786850e387550fdab836ed7e6dc881de23001b", "Zm9vYmFyOmJhekVYQU1QTEUxMjM0",
		"ada.lovelace+work@mail.example.org", "ada%40example.org", "josé@exämple.org",
	}
}

func TestASecretIsTakenOutWhereverItStands(t *testing.T) {
	for _, secret := range secrets() {
		for _, around := range []string{"%", "before % after", "(%)", "\"%\"", "a\n%\nb", "x=%", "https://host/path?q=%", "<%>", "%, %"} {
			text := strings.ReplaceAll(around, "%", secret)
			if got := scrub.Text(text); strings.Contains(got, secret) || !scrub.Dirty(text) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

func TestWhatBelongsToACredentialIsTakenOut(t *testing.T) {
	for text, secret := range map[string]string{
		"Authorization: Bearer hunter2hunter2":         "hunter2",
		"authorization=Basic YWRhOmxvdmVsYWNl":         "YWRh",
		"the header said bearer hunterhunter":          "hunter",
		"Basic dTpw":                                   "",
		"Cookie: a=b; session=c":                       "session",
		"> Set-Cookie: id=tiny; Path=/":                "tiny",
		`{"Cookie":"a=tiny"}`:                          "tiny",
		"PRIVATE-TOKEN: tiny":                          "tiny",
		"X-Redmine-API-Key: tiny":                      "tiny",
		"password=tiny&x=1":                            "tiny",
		`"client_secret": "tiny"`:                      "tiny",
		"GITHUB_TOKEN=tiny":                            "tiny",
		"https://ada:lovelace@host/path":               "lovelace",
		"postgres://ada:p@ss@host/db":                  "p@ss",
		"see https://hooks.slack.com/services/T0/B0/x": "services",
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----": "abc",
		"-----BEGIN PRIVATE KEY-----\nabc\ndef":                               "def",
	} {
		got := scrub.Text(text)
		if secret != "" && strings.Contains(got, secret) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	for _, text := range []string{
		"", "tracker_search", "acme/payments-api#12", "https://github.com/acme/payments-api/issues/12", "why did PAY-12 fail?",
		"GET /repos/{owner}/{repo}/issues", "2026-11-30T12:00:00.000000000Z", "2026-11-30-how-we-moved-the-payments-service", "3f9c2a71",
		"the bearer token lacks 'Issues: read'", "basic authentication is off", "github.com/acme/app@v1.2.3", "@acme/design-system",
		"internal/journal/list_failures_test.go", "getResponseFromServerWithRetryAndBackoff", "the token lacks a scope", "10000000000000000000000",
		"550e8400-e29b-41d4-a716-446655440000", scrub.Mark, "Cookie: " + scrub.Mark,
	} {
		if got := scrub.Text(text); got != text || scrub.Dirty(text) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestScrubbingTwiceChangesNothing(t *testing.T) {
	word := rapid.SampledFrom(append(secrets(), "Cookie:", "Bearer", "password=", "://", "@", " ", "\n", "=", scrub.Mark, "acme/app", "-----BEGIN PRIVATE KEY-----", "a", ".", "\""))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 1, 8).Draw(t, "words"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		once := scrub.Text(text)
		if twice := scrub.Text(once); twice != once {
			t.Fatalf("%q became %q and then %q", text, once, twice)
		}
	})
}
