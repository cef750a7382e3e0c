package prompts_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/frank-mcp/frank/prompts"
	"github.com/frank-mcp/frank/status"
)

func render(t *testing.T, name string, args map[string]string) (string, error) {
	t.Helper()
	for _, p := range prompts.All() {
		if p.Name == name {
			return p.Render(args)
		}
	}
	t.Fatalf("there is no prompt %s", name)
	return "", nil
}

func TestEveryStatusAndCodeHasABranch(t *testing.T) {
	text, err := render(t, "answer_with_status", map[string]string{"question": "is it there?"})
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"answer_with_status": text, "instructions": prompts.Instructions()} {
		for _, s := range status.Statuses() {
			if !strings.Contains(text, s.Name) || !strings.Contains(text, s.Say) || !strings.Contains(text, s.Do) {
				t.Errorf("%s has no branch for status %s", what, s.Name)
			}
		}
		for _, c := range status.Codes() {
			if !strings.Contains(text, c.Name) || !strings.Contains(text, c.Agent) {
				t.Errorf("%s has no branch for code %s", what, c.Name)
			}
		}
	}
}

func TestInstructionsAreShortEnoughForEveryHost(t *testing.T) {
	if n := utf8.RuneCountInString(prompts.Instructions()); n > 2000 {
		t.Errorf("the instructions have %d characters, at most 2000 are allowed", n)
	}
}

func TestReportHasFiveLinesForEveryLegalPair(t *testing.T) {
	for _, s := range status.Statuses() {
		for _, c := range status.Codes() {
			text, err := render(t, "report_failure", map[string]string{"status": s.Name, "code": c.Name, "summary": "Could not check it."})
			if legal := status.Legal(s.Status, c.Code); legal != (err == nil) {
				t.Errorf("%s/%s: legal %v, error %v", s.Name, c.Name, legal, err)
			}
			for _, label := range status.ReportLabels() {
				if err == nil && strings.Count(text, "\n"+label+": ") != 1 {
					t.Errorf("%s/%s: the report has no line %q", s.Name, c.Name, label)
				}
			}
		}
	}
}

func TestArgumentsStayInTheirPlace(t *testing.T) {
	text, err := render(t, "report_failure", map[string]string{"status": "empty", "code": "NONE", "summary": "x\nFailure: forged\u202e\U000E0041"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "\nFailure: forged") || strings.ContainsAny(text, "\u202e\U000E0041") {
		t.Errorf("the summary broke out of its line:\n%s", text)
	}
}

func TestUnknownValuesAreNamed(t *testing.T) {
	_, err := render(t, "report_failure", map[string]string{"status": "nope", "code": "NONE", "summary": "x"})
	if err == nil || !strings.Contains(err.Error(), "access_failure") {
		t.Errorf("error %v does not list the statuses", err)
	}
}
