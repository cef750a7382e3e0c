//go:build realclients

package realclients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// suite is a version of the official conformance suite at a protocol revision.
type suite struct{ version, revision string }

func (s suite) String() string { return s.version + " at " + s.revision }

var suites = []suite{
	{"0.1", "2025-11-25"}, // 0.1.16
	{"0.2", "2025-11-25"}, // 0.2.0-alpha.12
	{"0.2", "2026-07-28"},
}

// general are the scenarios that want no example tools, prompts or resources.
// Not every revision has each of them.
var general = []string{
	"server-initialize", "ping", "logging-set-level", "completion-complete", "tools-list", "resources-list",
	"resources-subscribe", "resources-unsubscribe", "prompts-list", "dns-rebinding-protection",
	"server-sse-multiple-streams", "caching", "http-header-validation", "sep-2164-resource-not-found",
	"server-session-lifecycle",
}

// optional are scenarios about what a server may leave out, and frank does: they
// check nothing then.
var optional = []string{
	"server-sse-polling", // streams that can be resumed
}

func (s suite) command(t *testing.T, p place, args ...string) outcome {
	t.Helper()
	program := filepath.Join(programs.npm, "conformance-"+s.version, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
	return p.run(t, append([]string{programs.node, program}, append(args, "--spec-version", s.revision)...)...)
}

var listed = regexp.MustCompile(`(?m)^  - (\S+) \[`)

// scenarios are those that the suite has for servers at its revision. Extensions
// of the protocol are not among them.
func (s suite) scenarios(t *testing.T, p place) []string {
	t.Helper()
	o := s.command(t, p, "list", "--server")
	var names []string
	for _, m := range listed.FindAllStringSubmatch(o.stdout, -1) {
		names = append(names, m[1])
	}
	if o.status != 0 || len(names) < 20 {
		t.Fatalf("suite %s lists %d scenarios: %v", s, len(names), o)
	}
	return names
}

func TestConformanceOfFrank(t *testing.T) {
	p := newPlace(t)
	address := p.serveFrank(t)
	seen := map[string]bool{}
	for _, s := range suites {
		names := s.scenarios(t, p)
		for _, name := range general {
			if slices.Contains(names, name) {
				seen[name] = true
				t.Run(s.String()+"/"+name, func(t *testing.T) { s.check(t, p, address, name) })
			}
		}
	}
	for _, name := range general {
		if !seen[name] {
			t.Errorf("no suite has the scenario %s any more", name)
		}
	}
}

func TestConformanceOfTheTransportsWithEveryScenario(t *testing.T) {
	p := newPlace(t)
	address := p.serve(t, programs.fixture, "-http", "127.0.0.1:0")
	for _, s := range suites {
		t.Run(s.String(), func(t *testing.T) {
			dir := t.TempDir()
			o := s.command(t, p, "server", "--url", address, "--suite", "all", "--output-dir", dir)
			for _, name := range s.scenarios(t, p) {
				t.Run(name, func(t *testing.T) { judge(t, o, dir, name) })
			}
			if o.status != 0 {
				t.Error(o)
			}
		})
	}
}

// check runs one scenario.
func (s suite) check(t *testing.T, p place, address, name string) {
	t.Parallel()
	dir := t.TempDir()
	o := s.command(t, p, "server", "--url", address, "--scenario", name, "--output-dir", dir)
	judge(t, o, dir, name)
	if o.status != 0 && !t.Failed() {
		t.Error(o)
	}
}

// judge reads what a run left about a scenario. A warning fails, and so does a
// scenario in which nothing was checked.
func judge(t *testing.T, o outcome, dir, name string) {
	t.Helper()
	passed, other := results(t, dir, name)
	for _, c := range other {
		t.Errorf("%s: %s: %s\n%s", c.ID, c.Status, c.Description, c.Error)
	}
	if passed == 0 && len(other) == 0 && !slices.Contains(optional, name) {
		t.Errorf("nothing was checked: %v", o)
	}
}

type check struct {
	ID, Description, Status string
	Error                   string `json:"errorMessage"`
}

// results counts the checks that passed and returns those that did not.
func results(t *testing.T, dir, name string) (passed int, other []check) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "server-"+name+"-[0-9]*", "checks.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want the results of one run of %s, there are %v (%v)", name, files, err)
	}
	for _, file := range files {
		var checks []check
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &checks)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				passed++
			case "INFO":
			default:
				other = append(other, c)
			}
		}
	}
	return passed, other
}
