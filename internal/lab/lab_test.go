package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/lab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a target that answers each tool with one text and remembers its calls.
type fake struct {
	answers map[string]string
	calls   []string
	text    string // of the text channel, if it is not as it must be
	broken  bool   // isError is the opposite of what it must be
}

func (f *fake) Tools() []lab.Tool {
	return []lab.Tool{{Name: "read"}, {Name: "write", Writes: true}, {Name: "undo", Writes: true}}
}

func (f *fake) Call(_ context.Context, tool string, arguments json.RawMessage) lab.Reply {
	f.calls = append(f.calls, tool+" "+string(arguments))
	var a struct{ Status, Code string }
	_ = json.Unmarshal([]byte(f.answers[tool]), &a)
	text := f.text
	if text == "" {
		text = "status=" + a.Status + " code=" + a.Code + " retryable=false\n"
	}
	return lab.Reply{Structured: json.RawMessage(f.answers[tool]), Text: text, IsError: (a.Status == "access_failure") != f.broken}
}

const (
	found  = `{"status":"success","code":"NONE","summary":"Found it.","data":{"item":{"ref":"acme/app#7","number":7,"title":"a \"quoted\" name"}}}`
	empty  = `{"status":"empty","code":"NONE","summary":"Found nothing: …","data":{"items":[]}}`
	denied = `{"status":"access_failure","code":"ACCESS_DENIED","summary":"Could not check it.","failure":{"reason":"auth_profile_missing","api_called":"no","retryable":false}}`
	maybe  = `{"status":"access_failure","code":"SOURCE_UNRELIABLE","summary":"Could not check it.","failure":{"reason":"timeout","api_called":"maybe","retryable":true}}`
	crash  = `{"status":"access_failure","code":"SOURCE_UNRELIABLE","summary":"Could not check it.","failure":{"reason":"uncaught_server_error","api_called":"maybe","retryable":false}}`
)

// files reads one file of cases.
func files(t *testing.T, text string, f *fake) ([]lab.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cases.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return lab.Read([]string{path}, f.Tools())
}

// run runs the cases against the fake.
func run(t *testing.T, f *fake, text string) []lab.Result {
	t.Helper()
	fs, err := files(t, text, f)
	if err != nil {
		t.Fatal(err)
	}
	var told []lab.Result
	all := lab.Run(t.Context(), f, fs, func(r lab.Result) { told = append(told, r) })
	if len(told) != len(all) {
		t.Errorf("told %d of %d", len(told), len(all))
	}
	return all
}

func TestAssertions(t *testing.T) {
	for name, c := range map[string]struct {
		expect, answer string
		problem        string // empty: it passes
	}{
		"as expected":           {`{status: success, code: NONE}`, found, ""},
		"one of several":        {`{status: [empty, success]}`, found, ""},
		"another status":        {`{status: empty}`, found, "status: want empty, got success"},
		"another code":          {`{code: [INPUT_MISSING, ACCESS_DENIED]}`, found, "code: want INPUT_MISSING or ACCESS_DENIED, got NONE"},
		"an allowed reason":     {`{code: ACCESS_DENIED, reasons: [auth_context_required, auth_profile_missing]}`, denied, ""},
		"another reason":        {`{code: ACCESS_DENIED, reasons: [auth_failed]}`, denied, "reason: want auth_failed, got auth_profile_missing"},
		"no failure at all":     {`{reasons: [auth_failed]}`, found, "reason: want auth_failed, got no failure"},
		"not retryable":         {`{status: access_failure, retryable: true}`, denied, "retryable: want true, got false"},
		"too few":               {`{min_items: 1}`, empty, "items: want at least 1, got 0"},
		"too many":              {`{max_items: 0}`, found, "items: want at most 0, got 1"},
		"a text with quotes":    {`{contains: 'a "quoted" name'}`, found, ""},
		"no such text":          {`{contains: nowhere}`, found, "contains:"},
		"frank failed":          {`{status: access_failure}`, crash, "uncaught_server_error: want false, got true"},
		"frank failed as meant": {`{uncaught_server_error: true}`, crash, ""},
		"frank did not fail":    {`{uncaught_server_error: true}`, found, "uncaught_server_error: want true, got false"},
		"no pair":               {`{status: success}`, strings.Replace(found, "NONE", "ACCESS_DENIED", 1), "illegal result: success and ACCESS_DENIED"},
		"no such status":        {`{min_items: 0}`, `{"status":"fine"}`, "illegal result: status or code"},
		"no result":             {`{min_items: 0}`, `[]`, "illegal result: the structured channel"},
		"no failure in it":      {`{status: access_failure}`, `{"status":"access_failure","code":"ACCESS_DENIED","summary":"Could not check it."}`, "illegal result: failure and code"},
		"no such reason":        {`{status: access_failure}`, strings.Replace(denied, "auth_profile_missing", "moon", 1), "illegal result: its reason"},
		"a wrong opening":       {`{status: success}`, strings.Replace(found, "Found it", "Found nothing", 1), "illegal result: the summary"},
		"no opening":            {`{status: access_failure}`, strings.Replace(denied, "Could not check", "No", 1), "illegal result: the summary"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, &fake{answers: map[string]string{"read": c.answer}}, "cases:\n  - {name: x, tool: read, expect: "+c.expect+"}\n")[0]
			if (r.State == lab.Passed) != (c.problem == "") || c.problem != "" && !strings.HasPrefix(strings.Join(r.Problems, "\n"), c.problem) {
				t.Errorf("%s: %q", r.State, r.Problems)
			}
		})
	}
}

func TestBothChannelsMustAgree(t *testing.T) {
	const yaml = "cases: [{name: x, tool: read, expect: {status: success}}]"
	for _, f := range []*fake{{text: "Found it."}, {broken: true}} {
		f.answers = map[string]string{"read": found}
		if r := run(t, f, yaml)[0]; r.State != lab.Failed {
			t.Errorf("%+v: %+v", f, r)
		}
	}
}

func TestAMutatingCaseIsRefusedBeforeAnythingRunsUnlessItCleansUp(t *testing.T) {
	for name, more := range map[string]string{
		"a tool that writes":      "tool: write",
		"said, and no cleanup":    "tool: write, mutates: true",
		"a read that says it too": "tool: read, mutates: true",
	} {
		f := &fake{answers: map[string]string{"write": found, "read": found}}
		r := run(t, f, "cases: [{name: x, expect: {status: success}, "+more+"}]")[0]
		if r.State != lab.Refused || len(f.calls) != 0 || !strings.HasPrefix(r.Problems[0], "cleanup_not_configured") {
			t.Errorf("%s: %+v, called %q", name, r, f.calls)
		}
	}
}

func TestCleanUp(t *testing.T) {
	const mutating = `cases:
  - name: makes one
    tool: write
    arguments: {title: x}
    expect: {status: success, contains: CONTAINS}
    mutates: true
    cleanup: {tool: undo, arguments: {ref: "${item.ref}", again: ["n ${item.number}"], state: closed}}
`
	first, undo := `write {"title":"x"}`, `undo {"ref":"acme/app#7","again":["n 7"],"state":"closed"}`
	for name, c := range map[string]struct {
		write, undo, contains string
		calls                 []string
		problems              []string
	}{
		"after the case":         {found, found, "Found", []string{first, undo}, nil},
		"after a failed one":     {found, found, "moon", []string{first, undo}, []string{"contains:"}},
		"that fails":             {found, denied, "Found", []string{first, undo}, []string{"cleanup_failed: undo answered access_failure ACCESS_DENIED auth_profile_missing; still there: acme/app#7"}},
		"of nothing":             {denied, found, "Could", []string{first}, []string{"status:"}},
		"of what is not known":   {maybe, found, "Could", []string{first}, []string{"status:", "cleanup_failed: the answer has no ${item.ref}; what the case changed, if it did, is still there"}},
		"that answers no result": {found, `[]`, "Found", []string{first, undo}, []string{"cleanup_failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answers: map[string]string{"write": c.write, "undo": c.undo}}
			r := run(t, f, strings.Replace(mutating, "CONTAINS", c.contains, 1))[0]
			var got []string
			for _, call := range f.calls {
				got = append(got, strings.ReplaceAll(call, ", ", ","))
			}
			if !slices.Equal(clean(got), clean(c.calls)) {
				t.Errorf("called %q", f.calls)
			}
			if len(r.Problems) != len(c.problems) || (r.State == lab.Passed) != (len(c.problems) == 0) {
				t.Fatalf("%s %q", r.State, r.Problems)
			}
			for i, p := range c.problems {
				if !strings.HasPrefix(r.Problems[i], p) {
					t.Errorf("%q", r.Problems)
				}
			}
		})
	}
}

// clean takes spaces out of what stands between values.
func clean(calls []string) []string {
	for i, c := range calls {
		calls[i] = strings.NewReplacer(`": `, `":`, `, "`, `,"`).Replace(c)
	}
	return calls
}

func TestAnInterruptedRunSkipsTheRestButCleansUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &stopping{fake{answers: map[string]string{"write": found, "undo": found}}, cancel}
	fs, err := files(t, `cases:
  - {name: a, tool: write, expect: {status: success}, mutates: true, cleanup: {tool: undo}}
  - {name: b, tool: read, expect: {status: success}}
`, &f.fake)
	if err != nil {
		t.Fatal(err)
	}
	all := lab.Run(ctx, f, fs, func(lab.Result) {})
	if all[0].State != lab.Passed || all[1].State != lab.Skipped || len(f.calls) != 2 || lab.Failures(all) != 1 {
		t.Errorf("%+v, called %q", all, f.calls)
	}
}

// stopping ends the run with its first call, and refuses calls after their end.
type stopping struct {
	fake
	stop context.CancelFunc
}

func (s *stopping) Call(ctx context.Context, tool string, arguments json.RawMessage) lab.Reply {
	s.stop()
	if ctx.Err() != nil && tool != "write" {
		return lab.Reply{}
	}
	return s.fake.Call(ctx, tool, arguments)
}

func TestFaultsOfAFileHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"cases: [{name: x, tool: read, expect: {status: success}, colour: red}]":           "1:58: unknown field",
		"cases:\n  - name: x\n    tool: reed\n    expect: {status: success}\n":             `2:`,
		"cases:\n  - name: x\n    tool: read\n    expect: {status: fine}\n":                `status "fine" does not exist`,
		"cases:\n  - name: x\n    tool: read\n    expect: {code: NOPE, reasons: [moon]}\n": `reason "moon" does not exist`,
		"cases: [{name: x, tool: read}]":                                                   "expects nothing",
		"cases: [{tool: read, expect: {status: success}}]":                                 "no name",
		"cases: []": "proves nothing",
		"":          "no cases",
		"cases: [":  "1:",
		"cases: [{name: x, name: y, tool: read, expect: {status: success}}]":                                        "1:19: ",
		"cases: [{name: x, tool: read, expect: {status: success, max_items: many}}]":                                "1:68: ",
		"cases: [{name: x, tool: read, arguments: [1], expect: {status: success}}]":                                 "arguments must be keys",
		"cases: [{name: x, tool: read, expect: {status: success}, cleanup: {tool: undo}}]":                          "mutates: true",
		"cases: [{name: x, tool: read, expect: {status: success}}]\n---\ncases: []":                                 "second document",
		"cases: [{name: x, tool: read, expect: {status: success}}, {name: x, tool: read, expect: {status: empty}}]": "taken",
		"\x00{[": "cases.yaml",
	} {
		_, err := files(t, text, &fake{})
		var faults config.Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := lab.Read([]string{filepath.Join(t.TempDir(), "none.yaml")}, nil); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestJUnitIsWellFormedAndCounts(t *testing.T) {
	all := []lab.Result{
		{Suite: "a.yaml", Name: "x <&\x00\x1b>", Tool: "read", State: lab.Passed, Got: "success NONE", Took: 1500 * time.Millisecond},
		{Suite: "a.yaml", Name: "y", Tool: "read", State: lab.Failed, Problems: []string{`status: want "empty"`, "more"}},
		{Suite: "b.yaml", Name: "z", Tool: "write", State: lab.Refused, Problems: []string{"cleanup_not_configured"}},
		{Suite: "b.yaml", Name: "w", Tool: "write", State: lab.Skipped, Problems: []string{"interrupted"}},
	}
	var b bytes.Buffer
	if err := lab.WriteJUnit(&b, all, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	type counts struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     float64 `xml:"time,attr"`
	}
	var v struct {
		XMLName xml.Name `xml:"testsuites"`
		counts
		Suites []struct {
			counts
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Class   string  `xml:"classname,attr"`
				Time    float64 `xml:"time,attr"`
				Failure []struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
				Error   []struct{} `xml:"error"`
				Skipped []struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	d := xml.NewDecoder(&b)
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if v.counts != (counts{4, 1, 1, 1, 1.5}) || len(v.Suites) != 2 || v.Suites[0].counts != (counts{2, 1, 0, 0, 1.5}) || v.Suites[1].counts != (counts{2, 0, 1, 1, 0}) {
		t.Errorf("%+v", v)
	}
	a, z := v.Suites[0].Cases, v.Suites[1].Cases
	if a[0].Name != "x <&\uFFFD\uFFFD>" || len(a[0].Failure) != 0 || a[1].Failure[0].Message != `status: want "empty"; more` || len(z[0].Error) != 1 || len(z[1].Skipped) != 1 {
		t.Errorf("%+v", v)
	}
}

// TestACaseThatWasNotRunGotNothing: a report must not say "got" where nothing came.
func TestACaseThatWasNotRunGotNothing(t *testing.T) {
	var b strings.Builder
	results := []lab.Result{
		{Suite: "s", Name: "refused", State: lab.Refused, Want: "success", Problems: []string{"there is no cleanup"}},
		{Suite: "s", Name: "failed", State: lab.Failed, Want: "success", Got: "empty NONE", Problems: []string{"status"}},
	}
	if err := lab.WriteJUnit(&b, results, time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "got "); n != 1 || !strings.Contains(b.String(), "got empty NONE") || !strings.Contains(b.String(), "want success&#xA;there is no cleanup<") {
		t.Errorf("%s", b.String())
	}
}
