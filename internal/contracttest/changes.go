package contracttest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frank-mcp/frank/internal/replay"
)

// changer answers the first request that changes something with a fault, all
// others as they were recorded, and counts those that change something.
type changer struct {
	recorded http.RoundTripper
	fault    fault
	changes  atomic.Int64
}

func (c *changer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead && c.changes.Add(1) == 1 {
		return c.fault.answer(r)
	}
	if resp, err := c.recorded.RoundTrip(r); err == nil {
		return resp, nil
	}
	return reply(http.StatusNotFound, "application/json", `{"message":"Not Found"}`)(r)
}

// changes breaks the first change of each case that has one in every way. It is
// then neither taken for done, nor sent again while nobody has looked what became
// of it: what a case has recorded of a second look is all that there is.
func changes(t *testing.T, s Suite) {
	replay.Each(t, filepath.Join("testdata", "write-*.txtar"), func(t *testing.T, c replay.Case) {
		if c.Config == "" {
			c.Config = s.Config
		}
		if strings.Contains(c.Name, "lost") || strings.Contains(c.Name, "limited") || strings.Contains(c.Name, "gone") || !changing(c) { // these record what makes up for a fault
			return
		}
		t.Parallel()
		kinds := named()
		if c.Name == "write-create" {
			kinds = faults()
		}
		for _, f := range kinds {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(Noon))
				rt := &changer{recorded: replay.Transport(quiet{t}, c.Exchanges), fault: f}
				var logs bytes.Buffer
				r := open(t, c.Config, false, rt, &logs).Call(t.Context(), c.Calls[0].Tool, c.Calls[0].Arguments)
				Sound(t, r)
				// A change that was lost may be sent again after a look at a whole issue.
				if n := rt.changes.Load(); n > 1 && !looked(r.Structured) {
					t.Errorf("%s: %d changes were sent:\n%s", f.name, n, r.Text)
				}
				if v := verdict(t, r); v.Status != "access_failure" && !looked(r.Structured) {
					t.Errorf("%s answers %s/%s/%s:\n%s", f.name, v.Status, v.Code, v.Failure.Reason, r.Text)
				}
			})
		}
	})
}

func changing(c replay.Case) bool {
	for _, x := range c.Exchanges {
		if x.Method != http.MethodGet {
			return true
		}
	}
	return false
}

// looked reports whether the answer says that a failure was overcome.
func looked(structured json.RawMessage) bool {
	return bytes.Contains(structured, []byte(`"recovered":[`))
}
