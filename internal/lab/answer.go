package lab

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frank-mcp/frank/status"
)

// answer is what a client reads of a result.
type answer struct {
	Status  string `json:"status"`
	Code    string `json:"code"`
	Summary string `json:"summary"`
	Failure *struct {
		Stage      string `json:"stage"`
		Reason     string `json:"reason"`
		Called     string `json:"api_called"`
		Retryable  bool   `json:"retryable"`
		RetryAfter int    `json:"retry_after_seconds"`
	} `json:"failure"`
	Data struct {
		Item  json.RawMessage   `json:"item"`
		Items []json.RawMessage `json:"items"`
	} `json:"data"`
	Coverage struct {
		Sources []struct {
			Reason string `json:"reason"`
		} `json:"sources"`
	} `json:"coverage"`

	text string // of data and summary
}

// read takes a reply apart and says what is wrong with it as a result, whatever was
// asked.
func read(r Reply) (a answer, wrong []string) {
	if err := json.Unmarshal(r.Structured, &a); err != nil {
		return a, []string{"illegal result: the structured channel is no result of a tool"}
	}
	var whole struct {
		Data    json.RawMessage `json:"data"`
		Summary json.RawMessage `json:"summary"`
	}
	_ = json.Unmarshal(r.Structured, &whole) // it was readable just now
	a.text = string(whole.Data) + string(whole.Summary)
	for _, w := range a.illegal(r) {
		wrong = append(wrong, "illegal result: "+w)
	}
	return a, wrong
}

// illegal lists what the contract does not allow.
func (a answer) illegal(r Reply) (wrong []string) {
	s, badStatus := status.ParseStatus(a.Status)
	c, badCode := status.ParseCode(a.Code)
	switch {
	case badStatus != nil || badCode != nil:
		return []string{"status or code is none of those that exist"}
	case !status.Legal(s, c):
		wrong = append(wrong, a.Status+" and "+a.Code+" do not go together")
	}
	if r.IsError != (s == status.AccessFailure) {
		wrong = append(wrong, "isError does not follow from the status")
	}
	if (a.Failure != nil) != (c != status.None) {
		wrong = append(wrong, "failure and code do not go together")
	}
	if a.Failure != nil {
		if _, known := status.ReasonNamed(a.Failure.Reason); !known {
			wrong = append(wrong, "its reason is none of those that exist")
		}
	}
	if first, _, _ := strings.Cut(r.Text, "\n"); !strings.HasPrefix(first, "status="+a.Status+" code="+a.Code+" ") {
		wrong = append(wrong, "the text channel says something else")
	}
	for opening, only := range map[string]status.Status{"Found nothing": status.Empty, "Could not check": status.AccessFailure, "Partial results": status.Partial} {
		if strings.HasPrefix(a.Summary, opening) != (s == only) {
			wrong = append(wrong, "the summary does not follow from the status")
			break
		}
	}
	return wrong
}

// verdict is status, code and reason in one line.
func (a answer) verdict() string {
	words := []string{a.Status, a.Code}
	if a.Failure != nil {
		words = append(words, a.Failure.Reason)
		if a.Failure.Retryable {
			words = append(words, "retryable")
		}
	}
	return strings.Join(words, " ")
}

func (a answer) reason() string {
	if a.Failure == nil {
		return ""
	}
	return a.Failure.Reason
}

func (a answer) retryable() bool { return a.Failure != nil && a.Failure.Retryable }

// crashed reports whether frank itself failed, in whole or for one source.
func (a answer) crashed() bool {
	name := status.UncaughtServerError.Name()
	if a.reason() == name {
		return true
	}
	for _, s := range a.Coverage.Sources {
		if s.Reason == name {
			return true
		}
	}
	return false
}

// untouched reports whether nothing can have been changed.
func (a answer) untouched() bool { return a.Failure != nil && a.Failure.Called == "no" }

func (a answer) items() int {
	if len(a.Data.Item) > 0 {
		return 1
	}
	return len(a.Data.Items)
}

// has looks for a text where the answer has it: in data or the summary, in the
// spelling of JSON.
func (a answer) has(text string) bool {
	quoted, err := json.Marshal(text)
	return strings.Contains(a.text, text) || err == nil && strings.Contains(a.text, strings.Trim(string(quoted), `"`))
}

// check compares the answer with what is expected.
func (e Expect) check(a answer) (wrong []string) {
	add := func(what, want, got string) { wrong = append(wrong, what+": want "+want+", got "+got) }
	if len(e.Status) > 0 && !slices.Contains(e.Status, a.Status) {
		add("status", strings.Join(e.Status, " or "), a.Status)
	}
	if len(e.Code) > 0 && !slices.Contains(e.Code, a.Code) {
		add("code", strings.Join(e.Code, " or "), a.Code)
	}
	if len(e.Reasons) > 0 && a.Failure != nil && !slices.Contains(e.Reasons, a.reason()) {
		add("reason", strings.Join(e.Reasons, " or "), a.reason())
	}
	if len(e.Reasons) > 0 && a.Failure == nil && len(e.Status) == 0 && len(e.Code) == 0 {
		add("reason", strings.Join(e.Reasons, " or "), "no failure")
	}
	if e.Retryable != nil && *e.Retryable != a.retryable() {
		add("retryable", strconv.FormatBool(*e.Retryable), strconv.FormatBool(a.retryable()))
	}
	if n := a.items(); e.MinItems != nil && n < *e.MinItems {
		add("items", "at least "+strconv.Itoa(*e.MinItems), strconv.Itoa(n))
	}
	if n := a.items(); e.MaxItems != nil && n > *e.MaxItems {
		add("items", "at most "+strconv.Itoa(*e.MaxItems), strconv.Itoa(n))
	}
	if e.Contains != "" && !a.has(e.Contains) {
		add("contains", strconv.Quote(e.Contains), "no such text in data or summary")
	}
	if e.UncaughtServerError != a.crashed() {
		add("uncaught_server_error", strconv.FormatBool(e.UncaughtServerError), strconv.FormatBool(a.crashed()))
	}
	return wrong
}

// String words what is expected in one line.
func (e Expect) String() string {
	words := []string{strings.Join(e.Status, "|"), strings.Join(e.Code, "|"), strings.Join(e.Reasons, "|")}
	if e.Retryable != nil {
		words = append(words, map[bool]string{true: "retryable", false: "not retryable"}[*e.Retryable])
	}
	if e.MinItems != nil {
		words = append(words, "items ≥ "+strconv.Itoa(*e.MinItems))
	}
	if e.MaxItems != nil {
		words = append(words, "items ≤ "+strconv.Itoa(*e.MaxItems))
	}
	if e.Contains != "" {
		words = append(words, "with "+strconv.Quote(status.Line(e.Contains, 60)))
	}
	if e.UncaughtServerError {
		words = append(words, status.UncaughtServerError.Name())
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
