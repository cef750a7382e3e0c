package cli_test

import (
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// TestScripts runs frank as a program: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup:         setup(t),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"expand": expand, "served": served, "exits": exits, "masked": masked, "events": events, "talk": talk,
			"hook": hookCommand, "hooked": hooked, "served-until-hooked": servedUntilHooked, "captured": captured,
		},
	})
}

// setup gives a script a fake GitHub, a home of its own, a port that is taken and
// one that is free.
func setup(t *testing.T) func(*testscript.Env) error {
	return func(e *testscript.Env) error {
		busy, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		e.Defer(func() { _ = busy.Close() })
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		e.Setenv("FREE", free.Addr().String())
		e.Setenv("BUSY", busy.Addr().String())
		e.Setenv("GITHUB", newGitHub(t).URL)
		e.Setenv("FLAKY", newFlaky(t, e.Getenv("GITHUB")).URL)
		e.Setenv("GOOD", goodToken)
		e.Setenv("PLACES", newPlaces(t).URL)
		repo, err := filepath.Abs("../..")
		if err != nil {
			return err
		}
		e.Setenv("REPO", repo)
		h, err := newHook()
		if err != nil {
			return err
		}
		e.Defer(h.down)
		e.Values[hookOfScript{}] = h
		e.Setenv("HOOK", "http://"+h.address)
		e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
		e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
		e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
		e.Setenv("TZ", "UTC")
		e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
		e.Setenv("TERM", "xterm-256color")
		return free.Close()
	}
}

// expand FILE puts the script's variables into a file.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// served waits until the server at the address answers.
func served(ts *testscript.TestScript, _ bool, args []string) {
	limit := time.Now().Add(20 * time.Second)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for time.Now().Before(limit) {
		if r, err := client.Get("http://" + args[0] + "/healthz"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
	}
	ts.Fatalf("nothing is served at %s", args[0])
}

// exits CODE frank ARGS… runs a command that must end with that status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with %s, not %s", strings.Join(args[1:], " "), got, args[0])
	}
}

var (
	anyID   = regexp.MustCompile(`"(call_id|trace_id|span_id)":"[^"]+"`)
	anyTime = regexp.MustCompile(`"time":"20[0-9T:.-]+Z"|"(wait_ms|duration_ms)":[0-9]+`)
)

// events FROM FILE writes the events among the lines, with everything replaced that
// differs from run to run. They are of one call, and every line of JSON is whole.
func events(ts *testscript.TestScript, _ bool, args []string) {
	var out strings.Builder
	ids := map[string]bool{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e struct {
			Event  string `json:"event"`
			CallID string `json:"call_id"`
		}
		if !strings.HasPrefix(line, "{") {
			continue
		}
		ts.Check(json.Unmarshal([]byte(line), &e))
		if e.Event == "" {
			continue
		}
		ids[strings.Join(anyID.FindAllString(line, -1), " ")] = true
		line = anyID.ReplaceAllString(line, `"$1":"…"`)
		out.WriteString(anyTime.ReplaceAllStringFunc(line, func(field string) string { return field[:strings.Index(field, ":")] + `:"…"` }))
	}
	if len(ids) != 1 {
		ts.Fatalf("events of %d calls: %v", len(ids), ids)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o600))
}

// masked FILE writes what the last command printed with everything replaced that
// differs from run to run.
func masked(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile("stdout")
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	lines := strings.Split(text, "\n")
	if len(lines) > 0 && strings.HasPrefix(lines[0], "frank ") {
		lines[0] = "frank VERSION"
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "\n")), 0o600))
}
