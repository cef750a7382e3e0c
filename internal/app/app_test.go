package app_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/contracttest"
	"github.com/frank-mcp/frank/internal/replay"
	"github.com/frank-mcp/frank/server"
)

var update = flag.Bool("update", false, "rewrite the README's table of answers")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEveryProviderPassesTheContract: a provider is listed only if its tests run
// the suite.
func TestEveryProviderPassesTheContract(t *testing.T) {
	for _, p := range app.Providers() {
		files, err := filepath.Glob(filepath.Join("../../connectors", p.Name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		runs := false
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			runs = runs || strings.Contains(string(src), "contracttest.Run(t, "+p.Name+".Provider")
		}
		if !runs {
			t.Errorf("connectors/%s never calls contracttest.Run(t, %s.Provider, …)", p.Name, p.Name)
		}
	}
}

// TestTheReadmeShowsSixTrueAnswers makes the README's table from the program: six
// recorded ways in which GitHub may answer one question.
func TestTheReadmeShowsSixTrueAnswers(t *testing.T) {
	var b strings.Builder
	b.WriteString("| what GitHub sends | status | code | what frank says |\n| --- | --- | --- | --- |\n")
	rows := map[string]string{}
	var order []string
	replay.Each(t, "testdata/answers/*.txtar", func(t *testing.T, c replay.Case) {
		order = append(order, c.Comment)
		c.Config = "sources:\n  - {name: github, provider: github, auth: {token_env: GITHUB_TOKEN}}\nretry: {max_attempts: 1}\n"
		contracttest.Ask(t, c, func(t *testing.T, i int, r server.Reply) {
			for _, problem := range c.Wants[i].Check(r.Structured) {
				t.Error(problem)
			}
			var v struct{ Status, Code, Summary string }
			if err := json.Unmarshal(r.Structured, &v); err != nil {
				t.Fatal(err)
			}
			rows[c.Comment] = fmt.Sprintf("| %s | `%s` | `%s` | %s |\n", c.Comment, v.Status, v.Code, v.Summary)
		})
	})
	if len(rows) != 6 {
		t.Fatalf("%d answers", len(rows))
	}
	for _, what := range order {
		b.WriteString(rows[what])
	}
	compare(t, "../../README.md", "<!-- answers -->\n", "<!-- end: answers -->", b.String())
}

func compare(t *testing.T, path, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks the markers %q", path, begin)
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: run go test ./internal/app -update\n%s", path, want)
	}
	if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
