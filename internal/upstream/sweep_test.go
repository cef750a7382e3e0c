package upstream_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/frank-mcp/frank/internal/upstream"
)

// TestSweep: of all statuses and bodies, only the wanted status with a whole
// body of the wanted media type is usable.
func TestSweep(t *testing.T) {
	bodies := map[string]func(int) step{
		"json":  func(code int) step { return answer(code, `{"items":[]}`) },
		"html":  func(code int) step { return html(code, "<!doctype html><title>x</title>") },
		"empty": func(code int) step { return answer(code, "") },
		"cut":   func(code int) step { return cutAnswer(code, `{"items":[`, "application/json") },
	}
	for name, make := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for code := 100; code <= 599; code++ {
					w := script(make(code))
					x, f := get(t, client(t, w))
					usable := f == nil
					if want := code == http.StatusOK && name == "json"; usable != want {
						t.Errorf("%d %s: usable %t", code, name, usable)
					}
					if f != nil && (f.Source() == "" || f.DependencyFingerprint() == "" || f.Text("attempts") == "") {
						t.Errorf("%d %s: %s says too little", code, name, f.Reason())
					}
					if x == nil && f == nil {
						t.Errorf("%d %s: neither answer nor failure", code, name)
					}
					if name == "cut" && x != nil && len(x.Body) > 0 {
						t.Errorf("%d: a cut answer can be read", code)
					}
					listed := code == 408 || code == 429 || code == 502 || code == 503 || code == 504 || name == "cut" && cutRetries(code)
					if got := len(w.requests()); (got > 1) != (listed || code == 304) {
						t.Errorf("%d %s: %d attempts", code, name, got)
					}
				}
			})
		})
	}
}

// cutRetries: a cut answer is a connection failure, unless its status tells more.
func cutRetries(code int) bool {
	moved := code == 301 || code == 302 || code == 303 || code == 307 || code == 308 // without Location
	return code < 500 && code != http.StatusUnauthorized && code != 304 && !moved
}

// TestOnlyWantedStatuses: a status counts because it is wanted, not because it is 2xx.
func TestOnlyWantedStatuses(t *testing.T) {
	for _, code := range []int{200, 201, 202, 206, 301, 302, 404, 422} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			c := client(t, script(answer(code, `{"a":1}`, "Location", "https://elsewhere.example.org/x")))
			x, f := c.Send(request(t, t.Context(), http.MethodGet, page), upstream.Want{Statuses: []int{code}})
			if f != nil || x.Status != code {
				t.Fatalf("%v %v", x, f)
			}
		})
	}
}
