package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
	"github.com/frank-mcp/frank/internal/store"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

// writer is a tool that changes something.
type writer struct{}

func (writer) Spec() tools.Spec             { return tools.Spec{Name: "w", Writes: true} }
func (writer) InputSchema() json.RawMessage { return nil }
func (writer) Call(context.Context, *tools.Deps, json.RawMessage) status.Envelope {
	return status.Envelope{}
}

func escalating(t *testing.T) (*Handler, *escalation.Keeper) {
	t.Helper()
	s := store.Open("", store.Options{})
	k := escalation.New(escalation.Options{Store: s})
	t.Cleanup(func() {
		k.Close(context.Background())
		_ = s.Close()
	})
	d := &tools.Deps{Escalations: k, Now: time.Now}
	return &Handler{Deps: d, Log: slog.New(slog.DiscardHandler), tools: map[string]tools.Tool{"w": writer{}}}, k
}

func escalatedBy(h *Handler, e status.Envelope, call *status.Call) status.Envelope {
	e, _ = h.escalated(e, call)
	return e
}

// TestAWriteWhoseOutcomeIsUnknownIsEscalatedEachForItself: also where the tool
// itself gave no answer. Two of them are never one, even if they look alike.
func TestAWriteWhoseOutcomeIsUnknownIsEscalatedEachForItself(t *testing.T) {
	h, k := escalating(t)
	unknown := status.Refuse(status.Question{One: "issue"}, status.Fail(status.Timeout, status.By("gh"), status.MaybeCalled))
	first, _ := escalatedBy(h, unknown, &status.Call{ID: "A", Tool: "w"}).Failure()
	second := h.Fallback(FaultDeadline, Call{Tool: "w", CallID: "B"})
	all, err := k.List(t.Context(), false)
	if err != nil || len(all) != 2 || all[0].Trigger != escalation.WriteOutcomeUnknown || all[0].ID != first.Text("escalation_id") || !strings.Contains(second.Text, all[1].ID) {
		t.Errorf("%v: %+v", err, all)
	}
	known := status.Refuse(status.Question{One: "issue"}, status.Fail(status.Timeout, status.By("gh"), status.NotCalled))
	if f, _ := escalatedBy(h, known, &status.Call{ID: "C", Tool: "w"}).Failure(); f.Text("escalation_id") != "" {
		t.Error("what surely was not made needs nobody")
	}
}

// TestWhatPolicyLeftOutOfAnAnswerIsNotEscalated: it is counted in the answer.
func TestWhatPolicyLeftOutOfAnAnswerIsNotEscalated(t *testing.T) {
	h, k := escalating(t)
	var audit status.Audit
	audit.Hold(status.Proof{Request: "r", At: time.Now()}, status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	r := status.Withhold(status.List("gh", []string{"a", "b"}, &audit), func(s string) (string, int, bool) { return s, 0, s == "a" }, status.Fail(status.PolicyDenied, status.WasCalled))
	e := r.Envelope(status.Question{One: "issue", Many: "issues"})
	if f, _ := escalatedBy(h, e, &status.Call{ID: "A", Tool: "w"}).Failure(); f.Reason() != status.PolicyDenied || f.Text("escalation_id") != "" {
		t.Errorf("%s %s", f.Reason(), f.Text("escalation_id"))
	}
	if all, err := k.List(t.Context(), true); err != nil || len(all) != 0 {
		t.Errorf("%v: %+v", err, all)
	}
}
