package contracttest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/frank-mcp/frank/server"
	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

type answer struct {
	Status  string
	Code    string
	Summary string
	Failure struct {
		Reason, Stage string
		Candidates    []struct {
			Ref  string
			Call *status.NextCall
		}
	}
}

// verdict reads the structured channel.
func verdict(t testing.TB, r server.Reply) answer {
	t.Helper()
	var v answer
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatalf("the structured channel is not JSON: %v", err)
	}
	return v
}

// absence is how nothing else than an empty result may speak outside its data.
var absence = regexp.MustCompile(`(?i)\b(found nothing|no (results?|match(es)?|issues?|items?|documents?|files?|commits?)|not found|none found|does ?n[o']t exist|which is visible)\b`)

// Sound checks what holds for every answer whatever was asked: both channels
// agree, the pair is legal, the wording fits, and nothing secret is in it.
func Sound(t testing.TB, r server.Reply) {
	t.Helper()
	v := verdict(t, r)
	s, err1 := status.ParseStatus(v.Status)
	c, err2 := status.ParseCode(v.Code)
	if err1 != nil || err2 != nil || !status.Legal(s, c) {
		t.Errorf("illegal pair %s/%s", v.Status, v.Code)
	}
	if r.IsError != (s == status.AccessFailure) {
		t.Errorf("isError is %v for %s", r.IsError, v.Status)
	}
	lines := strings.SplitN(r.Text, "\n", 3)
	if len(lines) < 3 || !strings.HasPrefix(lines[0], fmt.Sprintf("status=%s code=%s retryable=", v.Status, v.Code)) || lines[1] != v.Summary {
		t.Errorf("the text opens with:\n%s", r.Text)
	}
	if (c == status.None) != (v.Failure.Reason == "") {
		t.Errorf("code %s with reason %q", v.Code, v.Failure.Reason)
	}
	if s != status.Empty {
		if m := absence.FindString(outsideData(t, r.Structured)); m != "" {
			t.Errorf("a result of status %s says %q", v.Status, m)
		}
	}
	v.choosable(t, r)
	for channel, text := range map[string]string{"text": r.Text, "structure": string(r.Structured)} {
		if strings.Contains(text, Token) {
			t.Errorf("the %s holds the credential", channel)
		}
	}
}

// choosable: each candidate of an ambiguity names a call, in both channels, of a
// tool that there is, by arguments that it takes.
func (v answer) choosable(t testing.TB, r server.Reply) {
	t.Helper()
	if v.Failure.Reason != status.AmbiguousTarget.Name() {
		return
	}
	if len(v.Failure.Candidates) < 2 {
		t.Errorf("an ambiguity of %d candidates", len(v.Failure.Candidates))
	}
	for i, c := range v.Failure.Candidates {
		if c.Call == nil {
			t.Errorf("candidate %s names no call", c.Ref)
			continue
		}
		if line := fmt.Sprintf("\nCandidate %d: %s\n", i+1, c.Call); !strings.Contains(r.Text, line) {
			t.Errorf("the text lacks %q", line)
		}
		n := slices.IndexFunc(tools.All(), func(x tools.Tool) bool { return x.Spec().Name == c.Call.Tool })
		if n < 0 {
			t.Errorf("candidate %s names the tool %q", c.Ref, c.Call.Tool)
			continue
		}
		var schema struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(tools.All()[n].InputSchema(), &schema); err != nil {
			t.Fatal(err)
		}
		for _, a := range c.Call.Arguments {
			if schema.Properties[a.Name] == nil {
				t.Errorf("candidate %s: %s takes no %s", c.Ref, c.Call.Tool, a.Name)
			}
		}
	}
}

// outsideData is the structured answer without its data and without the filters,
// which repeat the question.
func outsideData(t testing.TB, structured []byte) string {
	t.Helper()
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(structured, &whole); err != nil {
		t.Fatal(err)
	}
	delete(whole, "data")
	b, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// writes reports whether a tool changes something.
func writes(name string) bool {
	return slices.ContainsFunc(tools.All(), func(t tools.Tool) bool { return t.Spec().Name == name && t.Spec().Writes })
}
