package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frank-mcp/frank/status"
	"github.com/frank-mcp/frank/tools"
)

type file struct {
	path  string
	parts []part
}

type part struct {
	name  string
	table func() string
}

func files() []file {
	verdicts := part{"statuses and codes", verdictTable}
	return []file{
		{"README.md", []part{{"tools", toolTable}, verdicts}},
		{"docs/failures.md", []part{verdicts, {"reasons", reasonTable}}},
	}
}

func row(b *strings.Builder, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func head(b *strings.Builder, cells ...string) {
	row(b, cells...)
	row(b, slices.Repeat([]string{"---"}, len(cells))...)
}

func toolTable() string {
	var b strings.Builder
	head(&b, "tool", "what it does", "arguments (required in bold)")
	for _, t := range tools.All() {
		s := t.Spec()
		row(&b, "`"+s.Name+"`", s.Description, arguments(t.InputSchema()))
	}
	return b.String()
}

// arguments lists the arguments of a schema in its order.
func arguments(schema json.RawMessage) string {
	var s struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		panic("docgen: " + err.Error())
	}
	var out []string
	for _, name := range keys(s.Properties) {
		if slices.Contains(s.Required, name) {
			name = "**" + name + "**"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// keys lists the keys of an object in the order in which they are written.
func keys(object json.RawMessage) []string {
	d := json.NewDecoder(strings.NewReader(string(object)))
	var out []string
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return out
		}
		out = append(out, fmt.Sprint(key))
	}
	return out
}

func verdictTable() string {
	var b strings.Builder
	head(&b, "status", "it means", "the agent may say")
	for _, s := range status.Statuses() {
		row(&b, "`"+s.Name+"`", s.Meaning, "“"+s.Say+" …”")
	}
	b.WriteByte('\n')
	head(&b, "code", "it means", "what the agent does", "what a person can do")
	for _, c := range status.Codes() {
		row(&b, "`"+c.Name+"`", c.Meaning, c.Agent, c.Human)
	}
	return b.String()
}

func reasonTable() string {
	var b strings.Builder
	head(&b, "reason", "stage", "code", "severity", "retryable", "because …", "what would unblock it")
	retry := map[status.Retry]string{status.NoRetry: "no", status.RetryLater: "yes", status.RetryCooldown: "after the cool-down"}
	for _, r := range status.Reasons() {
		code := "`" + r.Code().String() + "`"
		if r == status.CircuitOpen {
			code = "that of the first failure"
		}
		row(&b, "`"+r.Name()+"`", r.Stage().String(), code, r.Severity().String(), retry[r.Retry()], r.Because(), r.Action())
	}
	return b.String()
}
