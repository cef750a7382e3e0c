package contracttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/server"
)

// breaker answers the request of that index with a fault, and the others as they
// were recorded. What was not recorded is answered with a 404 of the provider's.
type breaker struct {
	recorded http.RoundTripper
	index    int64
	fault    fault
	count    atomic.Int64
}

func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.count.Add(1)-1 == b.index {
		return b.fault.answer(r)
	}
	if resp, err := b.recorded.RoundTrip(r); !errors.Is(err, replay.ErrUnexpected) { // a recorded fault stays one
		return resp, err
	}
	return reply(http.StatusNotFound, "application/json", `{"message":"Not Found"}`)(r)
}

// quiet is a test that does not mind what was not recorded or not used.
type quiet struct{ *testing.T }

func (quiet) Errorf(string, ...any) {}

// broken breaks each recorded answer of each case in turn, in every way that has
// a name. The answer may then be no better than before: it is not empty or
// success, unless the very same was proved without the broken answer.
func broken(t *testing.T, s Suite) {
	n := 0
	replay.Each(t, filepath.Join("testdata", "*.txtar"), func(t *testing.T, c replay.Case) {
		if n++; n%oneOf != 0 {
			return
		}
		t.Parallel()
		if c.Config == "" {
			c.Config = s.Config
		}
		if strings.HasPrefix(c.Name, "write-") && strings.Contains(c.Name, "lost") {
			return // a connection that fails is recorded there, which counts as not recorded here
		}
		whole, requests := askBroken(t, c, -1, fault{})
		for index := range requests {
			for _, f := range named() {
				r, _ := askBroken(t, c, index, f)
				v := verdict(t, r)
				if v.Status != "empty" && v.Status != "success" {
					continue
				}
				if w := verdict(t, whole); v.Status != w.Status || v.Code != w.Code || said(t, r) != said(t, whole) {
					t.Errorf("request %d answered with %q:\n%s", index+1, f.name, r.Text)
				}
			}
		}
	})
}

// askBroken puts the first call of the case and counts the requests.
func askBroken(t *testing.T, c replay.Case, index int64, f fault) (r server.Reply, requests int64) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(Noon))
		b := &breaker{recorded: replay.Transport(quiet{t}, c.Exchanges), index: index, fault: f}
		r = open(t, c.Config, false, b, new(bytes.Buffer)).Call(t.Context(), c.Calls[0].Tool, c.Calls[0].Arguments)
		Sound(t, r)
		requests = b.count.Load()
	})
	return r, requests
}

// named are the faults that stand for a kind of their own.
func named() []fault {
	var out []fault
	for _, code := range []int{202, 401, 403, 404, 409, 422, 429, 500} {
		out = append(out, fault{http.StatusText(code), reply(code, "application/json; charset=utf-8", `{"message":"`+marker+`","documentation_url":"x"}`)})
	}
	return append(append(out, bodies()...), connections()[:2]...)
}

// address is where an item says it is: naming it may need an answer that proves
// nothing about it.
var address = regexp.MustCompile(`"(ref|url|repo|revision|space)":"[^"]*",?`)

// said is what an answer says, without when and by what it was proved.
func said(t *testing.T, r server.Reply) string {
	t.Helper()
	var v struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	return address.ReplaceAllString(string(v.Data), "")
}
