package contracttest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/tools"
)

// lacking makes a call of every tool without each argument that it needs, of a source
// without a default project, and of an upstream that is wrong in every way: whoever
// asks for what is missing has spent one request at most, repetitions and redirects
// included, and says neither that there is none nor that all is well.
func lacking(t *testing.T, p connectors.Provider, s Suite) {
	config := without(s.Config, "default_project:", "retry:")
	for _, call := range lessOne(t, p, s) {
		t.Run(call.Tool+" without "+call.argument, func(t *testing.T) {
			for _, f := range lame() {
				synctest.Test(t, func(t *testing.T) {
					var sent atomic.Int64
					r := open(t, config, false, roundTripper(func(r *http.Request) (*http.Response, error) {
						sent.Add(1)
						return f.answer(r)
					}), new(bytes.Buffer)).Call(t.Context(), call.Tool, call.Arguments)
					Sound(t, r)
					v := verdict(t, r)
					asks := v.Code == "INPUT_MISSING"
					if call.required && !asks && v.Code != "ACCESS_DENIED" {
						t.Errorf("%s: answers %s/%s/%s", f.name, v.Status, v.Code, v.Failure.Reason)
					}
					if (asks || call.required) && sent.Load() > 1 {
						t.Errorf("%s: %d requests were sent for %s/%s", f.name, sent.Load(), v.Code, v.Failure.Reason)
					}
				})
			}
		})
	}
}

// less is a call without one of its arguments, which the schema requires or which a
// source may want.
type less struct {
	replay.Call
	argument string
	required bool
}

func lessOne(t *testing.T, p connectors.Provider, s Suite) []less {
	t.Helper()
	container := map[connectors.Kind]string{connectors.KindTracker: "project", connectors.KindRepo: "repo", connectors.KindDocs: "space"}
	var out []less
	for _, tool := range tools.All() {
		spec := tool.Spec()
		i := slices.IndexFunc(s.Calls, func(c replay.Call) bool { return c.Tool == spec.Name })
		if i < 0 || !slices.Contains(p.Kinds, spec.Kind) {
			continue
		}
		var schema struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		var given map[string]json.RawMessage
		if json.Unmarshal(tool.InputSchema(), &schema) != nil || json.Unmarshal(s.Calls[i].Arguments, &given) != nil {
			t.Fatalf("%s: schema or call cannot be read", spec.Name)
		}
		names := schema.Required
		if _, takes := schema.Properties[container[spec.Kind]]; takes && !slices.Contains(names, container[spec.Kind]) {
			names = append(names, container[spec.Kind])
		}
		for _, name := range names {
			rest := map[string]json.RawMessage{}
			for k, v := range given {
				if k != name {
					rest[k] = v
				}
			}
			raw, err := json.Marshal(rest)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, less{replay.Call{Tool: spec.Name, Arguments: raw}, name, slices.Contains(schema.Required, name)})
		}
	}
	return out
}

// lame are the faults of which some would be tried again, or lead on.
func lame() []fault {
	out := append(bodies(), connections()...)
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		out = append(out, fault{http.StatusText(code), reply(code, "application/json", "{}")})
	}
	return append(out, fault{"leads on", func(r *http.Request) (*http.Response, error) {
		resp, err := reply(http.StatusFound, "application/json", "{}")(r)
		resp.Header.Set("Location", r.URL.Path+"/on")
		return resp, err
	}})
}

// without leaves the lines out that speak of any of the keys.
func without(yaml string, keys ...string) string {
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(yaml, "\n"), func(line string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(strings.TrimSpace(line), k) })
	}), "")
}
