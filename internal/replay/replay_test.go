package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeTB records what a test would have been told.
type fakeTB struct {
	errors  []string
	cleanup []func()
}

func (f *fakeTB) Helper() {}
func (f *fakeTB) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}
func (f *fakeTB) Cleanup(fn func()) { f.cleanup = append(f.cleanup, fn) }
func (f *fakeTB) end() []string {
	for _, fn := range f.cleanup {
		fn()
	}
	return f.errors
}

func parse(t *testing.T, text string) []replay.Exchange {
	t.Helper()
	c, err := replay.Parse("case", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c.Exchanges
}

// ask sends one request and returns the answer's body or the error.
func ask(t *testing.T, rt http.RoundTripper, method, target, body string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://api.example.com"+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

func TestLoadReadsAllSections(t *testing.T) {
	c, err := replay.Load("testdata/HT-04.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "HT-04" || !strings.Contains(c.Config, "provider: github") || len(c.Calls) != 2 || len(c.Wants) != 2 || len(c.Exchanges) != 4 {
		t.Fatalf("%+v", c)
	}
	if c.Calls[1].Tool != "docs_read" || c.Wants[1].Reason != "truncated_body" || *c.Wants[0].Items != 0 {
		t.Errorf("%+v", c)
	}
	got, err := os.ReadFile(filepath.Join(c.Lay(t), "docs", "a.md"))
	if err != nil || string(got) != "# A\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestExchangesAnswerInTheirOrderAndRepeat(t *testing.T) {
	c, err := replay.Load("testdata/HT-04.txtar")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeTB{}
	rt := replay.Transport(f, c.Exchanges)
	if _, body, err := ask(t, rt, "GET", "/items?a=1&b=2", "", "Authorization", "Bearer tok"); !errors.Is(err, io.ErrUnexpectedEOF) || body != `{"items` {
		t.Errorf("cut answer: %q %v", body, err)
	}
	for range 2 {
		resp, body, err := ask(t, rt, "GET", "/items?b=2&a=1", "")
		if err != nil || body != `{"items": ["https://api.example.com/1"]}` || resp.ContentLength != int64(len(body)) {
			t.Errorf("whole answer: %q %v", body, err)
		}
		if link := resp.Header.Get("Link"); link != `<https://api.example.com/items?page=2>; rel="next"` {
			t.Errorf("Link %q", link)
		}
	}
	if resp, _, err := ask(t, rt, "POST", "/query", `{"first":10}`); err != nil || resp.StatusCode != 204 {
		t.Errorf("%v %v", resp, err)
	}
	if errs := f.end(); len(errs) > 0 {
		t.Errorf("errors: %q", errs)
	}
}

const two = "-- exchange --\n> GET /a?x=1\n> Authorization: Bearer tok\n> !Accept\n< 200\n\n{}\n-- exchange 2 --\n> POST /b\n> ~ word\ntimes: 2\n< 200\n\n{}\n"

// TestItFails: every way in which a recorded upstream must fail its test does.
func TestItFails(t *testing.T) {
	ok := func(rt http.RoundTripper) {
		_, _, _ = ask(t, rt, "GET", "/a?x=1", "", "Authorization", "Bearer tok")
		_, _, _ = ask(t, rt, "POST", "/b", "a word")
		_, _, _ = ask(t, rt, "POST", "/b", "a word")
	}
	cases := map[string]struct {
		do   func(http.RoundTripper)
		want string
	}{
		"nothing wrong":    {ok, ""},
		"unexpected":       {func(rt http.RoundTripper) { ok(rt); _, _, _ = ask(t, rt, "GET", "/c?y=2", "") }, "unexpected request: GET /c?y=2"},
		"once too often":   {func(rt http.RoundTripper) { ok(rt); _, _, _ = ask(t, rt, "POST", "/b", "word") }, "unexpected request: POST /b"},
		"other query":      {func(rt http.RoundTripper) { _, _, _ = ask(t, rt, "GET", "/a?x=2", "") }, "unexpected request: GET /a?x=2"},
		"unused":           {func(http.RoundTripper) {}, "exchange was used 0 times of 1: GET /a?x=1"},
		"used too seldom":  {func(rt http.RoundTripper) { _, _, _ = ask(t, rt, "POST", "/b", "word") }, "exchange 2 was used 1 times of 2: POST /b"},
		"header missing":   {func(rt http.RoundTripper) { _, _, _ = ask(t, rt, "GET", "/a?x=1", "") }, "header Authorization is not as recorded (sent: false)"},
		"header forbidden": {func(rt http.RoundTripper) { _, _, _ = ask(t, rt, "GET", "/a?x=1", "", "Accept", "x") }, "has the header Accept"},
		"body differs":     {func(rt http.RoundTripper) { _, _, _ = ask(t, rt, "POST", "/b", "other") }, "body lacks word"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &fakeTB{}
			tc.do(replay.Transport(f, parse(t, two)))
			all := strings.Join(f.end(), "\n")
			if tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
				t.Errorf("told %q, want %q", all, tc.want)
			}
			if strings.Contains(all, "Bearer") {
				t.Errorf("prints a header's value: %q", all)
			}
		})
	}
}

func TestOrderedExchangesComeInOrder(t *testing.T) {
	f := &fakeTB{}
	rt := replay.Transport(f, parse(t, "ordered\n"+two))
	_, _, _ = ask(t, rt, "POST", "/b", "word")
	if len(f.errors) != 1 || !strings.Contains(f.errors[0], "unexpected request: POST /b") {
		t.Errorf("%q", f.errors)
	}
}

func TestNobodyIsToldAfterTheTest(t *testing.T) {
	f := &fakeTB{}
	rt := replay.Transport(f, nil)
	f.end()
	if _, _, err := ask(t, rt, "GET", "/late", ""); err == nil || len(f.errors) > 0 {
		t.Errorf("%v %q", err, f.errors)
	}
}

// TestFaultsLookReal: the HTTP client reads each fault as it would the real one.
func TestFaultsLookReal(t *testing.T) {
	for fault, want := range map[string]string{
		"reset": "network_error reset maybe", "refused": "network_error refused no", "closed": "network_error closed maybe",
		"dns": "network_error dns no", "tls": "tls_error tls no", "cut 3": "truncated_body closed yes",
	} {
		t.Run(fault, func(t *testing.T) {
			rt := replay.Transport(t, parse(t, "-- exchange --\n> GET /a\n< "+fault+"\n\n{\"a\": 1}\n"))
			c, bad := upstream.New(upstream.Options{Source: "src", BaseURL: "https://api.example.com", Transport: rt, Retry: upstream.Retry{MaxAttempts: 1}})
			if bad != nil {
				t.Fatal(bad.Reason())
			}
			req, err := http.NewRequestWithContext(t.Context(), "GET", "https://api.example.com/a", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, f := c.Send(req, upstream.Want{})
			if f == nil {
				t.Fatal("usable")
			}
			if got := fmt.Sprint(f.Reason(), " ", f.Text("error_class"), " ", f.APICalled()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func TestHangEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := replay.Transport(t, parse(t, "-- exchange --\n> GET /a\n< hang\n"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := rt.RoundTrip(req); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(resp, err)
		}
	})
}

func TestSlipsOfThePenAreErrors(t *testing.T) {
	for name, text := range map[string]string{
		"unknown section":      "-- exchnage --\n> GET /\n< 200\n",
		"twice":                "-- config.yaml --\n-- config.yaml --\n",
		"unknown key":          "-- call.json --\n{}\n-- want.json --\n{\"satus\": \"empty\"}\n",
		"two values":           "-- call.json --\n{} {}\n",
		"no answer":            "-- exchange --\n> GET /\n",
		"no request":           "-- exchange --\n< 200\n",
		"bad status":           "-- exchange --\n> GET /\n< OK\n",
		"bad target":           "-- exchange --\n> GET\n< 200\n",
		"bad times":            "-- exchange --\n> GET /\ntimes: 0\n< 200\n",
		"after fault":          "-- exchange --\n> GET /\n< reset\n< X: y\n",
		"stray line":           "-- exchange --\nGET /\n< 200\n",
		"calls without a want": "-- call.json --\n{}\n-- call 2.json --\n{}\n-- want.json --\n{}\n",
		"file outside":         "-- file ../x --\n",
	} {
		if _, err := replay.Parse("case", []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := replay.Load("testdata/none.txtar"); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestWantCheck(t *testing.T) {
	got, err := json.Marshal(json.RawMessage(`{"status":"access_failure","code":"SOURCE_UNRELIABLE","summary":"s",
		"failure":{"stage":"execute","reason":"truncated_body","api_called":"yes","retryable":true,"evidence":{"http_status":200}},
		"data":{"items":[1,2]},"coverage":{"unproven":["b","a"],"next_cursor":"c"}}`))
	if err != nil {
		t.Fatal(err)
	}
	same := `{"status":"access_failure","code":"SOURCE_UNRELIABLE","reason":"truncated_body"`
	for extra, differences := range map[string]int{
		``:                                            0,
		`,"retryable":true,"items":2`:                 0,
		`,"unproven":["a","b"],"more":true`:           0,
		`,"evidence":{"http_status":200}`:             0,
		`,"stage":"execute","api_called":"yes"`:       0,
		`,"contains":["truncated"],"lacks":["token"]`: 0,
		`,"retryable":false`:                          1,
		`,"items":1`:                                  1,
		`,"unproven":["a"]`:                           1,
		`,"more":false`:                               1,
		`,"evidence":{"http_status":500}`:             1,
		`,"evidence":{"attempts":1}`:                  1,
		`,"stage":"resolve"`:                          1,
		`,"api_called":"no"`:                          1,
		`,"retry_after_seconds":5`:                    1,
		`,"lacks":["truncated"]`:                      1,
		`,"contains":["empty"]`:                       1,
	} {
		var w replay.Want
		if err := json.Unmarshal([]byte(same+extra+"}"), &w); err != nil {
			t.Fatal(err)
		}
		if d := w.Check(got); len(d) != differences {
			t.Errorf("%s: %q", extra, d)
		}
	}
	w := replay.Want{Status: "empty", Code: "NONE"}
	if d := w.Check(got); len(d) != 3 { // status, code, reason
		t.Errorf("%q", d)
	}
	if d := w.Check([]byte("not json")); len(d) != 1 {
		t.Errorf("%q", d)
	}
}

func TestEachRunsEveryCase(t *testing.T) {
	var names []string
	replay.Each(t, "testdata/*.txtar", func(_ *testing.T, c replay.Case) { names = append(names, c.Name) })
	if len(names) != 1 || names[0] != "HT-04" {
		t.Errorf("%q", names)
	}
}
