package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
)

// TestEventsAreWholeLinesOfOneShape, of concurrent calls and of escalations, and
// hold nothing but ids and words of closed lists.
func TestEventsAreWholeLinesOfOneShape(t *testing.T) {
	var out guardedBuffer
	whole := writer(func(line []byte) (int, error) {
		if !bytes.HasSuffix(line, []byte("}\n")) { // another writer may come in between
			t.Errorf("a part of a line was written: %s", line)
		}
		return out.Write(line)
	})
	a := observed(t, &hub{}, nil, func(o *app.Options) { o.Events = whole })
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			a.Call(context.Background(), "tracker_get_issue", json.RawMessage(fmt.Sprintf(`{"ref":"acme/app#%d","extra":%q}`, i, secretArgument)))
			a.Escalated(app.Escalation{Event: "escalation.opened", ID: fmt.Sprintf("ESC-%d", i), Trigger: "policy_denied", Destination: "specialist:dba", Reason: "policy_denied", Source: secretArgument + " x", Tool: "a\nb"})
		})
	}
	all.Wait()
	count := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var e struct {
			Event, Time, Reason, Stage, Severity, Source, Tool string
			Version                                            int
			CallID                                             string `json:"call_id"`
			Metadata                                           *struct {
				ID string `json:"escalation_id"`
			}
		}
		d := json.NewDecoder(strings.NewReader(line))
		if err := d.Decode(&e); err != nil || e.Version != 1 || e.Metadata == nil || !strings.HasSuffix(line, "}\n") {
			t.Errorf("%v: %s", err, line)
		}
		if _, err := time.Parse(time.RFC3339, e.Time); err != nil {
			t.Error(err)
		}
		count[e.Event]++
		switch e.Event {
		case "escalation.opened":
			if e.Stage != "policy" || e.Severity != "fatal" || e.Source != "" || e.Tool != "" || e.Metadata.ID == "" {
				t.Errorf("%s", line)
			}
		default:
			if e.CallID == "" || e.Tool != "tracker_get_issue" {
				t.Errorf("%s", line)
			}
		}
	}
	if count["call.started"] != 20 || count["call.failed"] != 20 || count["escalation.opened"] != 20 || len(count) != 3 {
		t.Error(count)
	}
	for _, secret := range []string{secretArgument, secretToken, "acme"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s in\n%s", secret, out.String())
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// guardedBuffer is a buffer for several writers.
type guardedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *guardedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *guardedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
