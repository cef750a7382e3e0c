package cli_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// dying takes the connection away as soon as an issue is stored, and breaks down
// whenever it is asked for its issues.
type dying struct {
	*writable
	mu   sync.Mutex
	dies bool
}

func (d *dying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	dies := d.dies
	d.mu.Unlock()
	switch {
	case dies && r.Method == http.MethodPost:
		_ = d.add(r)
		panic(http.ErrAbortHandler) // the connection ends without an answer
	case dies && strings.HasSuffix(r.URL.Path, "/issues"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"message":"Server Error"}`)
	default:
		d.writable.ServeHTTP(w, r)
	}
}

type doubt struct {
	Status, Code, Summary string
	Failure               struct {
		Called   string `json:"api_called"`
		Retry    bool   `json:"retryable"`
		Message  string `json:"operator_message"`
		Evidence struct {
			ID string `json:"escalation_id"`
		}
	}
}

// A change that was sent, was never answered and cannot be looked up is handed to
// a person, once, however often it is tried; another change is another question.
// When it can be looked up it is found.
func TestAWriteOfUnknownOutcomeIsEscalated(t *testing.T) {
	d := &dying{writable: newWritable(t), dies: true}
	d.Config.Handler = d
	dir := t.TempDir()
	var first doubt
	for i := range 2 {
		v := doubtOf(t, d.writer(t, dir, "call", "--json", "tracker_create_issue", creation))
		if v.Status != "access_failure" || v.Code != "SOURCE_UNRELIABLE" || v.Failure.Called != "maybe" || v.Failure.Retry || v.Failure.Evidence.ID == "" ||
			!strings.Contains(v.Summary, "it may have taken effect") || !strings.Contains(v.Failure.Message, "Look in acme/app") {
			t.Errorf("call %d answers %+v", i+1, v)
		}
		if i == 0 {
			first = v
		} else if v.Failure.Evidence.ID != first.Failure.Evidence.ID {
			t.Errorf("a second escalation: %s after %s", v.Failure.Evidence.ID, first.Failure.Evidence.ID)
		}
	}
	other := doubtOf(t, d.writer(t, dir, "call", "--json", "tracker_create_issue", strings.Replace(creation, "fail", "fail too", 1)))
	out, err := d.writer(t, dir, "escalations", "list", "--json").Output()
	if err != nil || strings.Count(string(out), "\n") != 2 || other.Failure.Evidence.ID == first.Failure.Evidence.ID || !strings.Contains(string(out), first.Failure.Evidence.ID) || !strings.Contains(string(out), `"trigger":"write_outcome_unknown"`) || !strings.Contains(string(out), `"count":2`) {
		t.Errorf("%v: frank escalations lists\n%s", err, out)
	}
	if shown, err := d.writer(t, dir, "escalations").Output(); err != nil || !strings.Contains(string(shown), "acme/app") {
		t.Errorf("%v: a person sees\n%s", err, shown)
	}
	d.mu.Lock()
	d.dies = false
	d.mu.Unlock()
	found := callOnce(t, d.writer(t, dir, "call", "--json", "tracker_create_issue", creation))
	if issues, _ := d.count(); issues != 2 || found.Status != "success" || !found.Trace.Replayed {
		t.Errorf("%d issues, %+v", issues, found)
	}
}

// doubtOf is the answer of a call that fails.
func doubtOf(t *testing.T, c *exec.Cmd) doubt {
	t.Helper()
	out, err := c.Output()
	var v doubt
	if failed := new(exec.ExitError); !errors.As(err, &failed) || failed.ExitCode() != 4 || json.Unmarshal(out, &v) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v
}
