//go:build realservers

package realservers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/internal/replay"
)

// folder is where everything lies that the servers were seeded with.
func folder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("FRANK_REAL_SERVERS"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "frank-ci", "servers")
}

// script runs a script of this folder to its end and returns what it prints.
func script(t *testing.T, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(arguments, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// serve runs a script that serves until its input ends, which it does with the test,
// whatever becomes of that. It waits until something listens at each address.
func serve(t *testing.T, addresses []string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(arguments[0], arguments[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it ends by what it was told
		close(ended)
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		<-ended
		_ = stderr.Close()
	})
	limit := time.After(2 * time.Minute)
	for _, address := range addresses {
		for !listens(address) {
			select {
			case <-time.After(20 * time.Millisecond):
				continue
			case <-ended:
			case <-limit:
			}
			said, _ := os.ReadFile(stderr.Name())
			t.Fatalf("%s: nothing listens on %s\n%s", strings.Join(arguments, " "), address, said)
		}
	}
}

func listens(address string) bool {
	c, err := net.Dial("tcp", address)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// local is an address on loopback with a port that is free now.
func local(t *testing.T) (address, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return l.Addr().String(), port
}

// fetch asks a server without frank, with a key of Redmine's where one is given.
func fetch(t *testing.T, method, address, key, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("X-Redmine-API-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, got
}

// desk is frank before servers, as one program has it.
type desk struct {
	frank   *app.App
	secrets map[string]string // by the name of the environment variable
	journal string
	cursor  string // of the answer before
}

// newDesk starts frank with a configuration. A nil clock is the machine's; an empty
// journal is one in memory.
func newDesk(t *testing.T, yaml string, secrets map[string]string, now func() time.Time, journal string) *desk {
	t.Helper()
	cfg, err := config.Parse("frank.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	host := config.SystemHost()
	host.LookupEnv = func(name string) (string, bool) { s, ok := secrets[name]; return s, ok }
	a, err := app.New(cfg, app.Options{Version: "test", Host: host, Now: now, Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &desk{frank: a, secrets: secrets, journal: journal}
}

// ask calls a tool and compares the answer. An argument "next" is the cursor of the
// answer before.
func (d *desk) ask(t *testing.T, tool, arguments string, want replay.Want) answer {
	t.Helper()
	a := d.call(t, tool, arguments)
	for _, problem := range want.Check(a.raw) {
		t.Errorf("%s %s: %s", tool, arguments, problem)
	}
	if t.Failed() {
		t.Logf("answered:\n%s", a.text)
	}
	return a
}

// answer is what the tests read of one.
type answer struct {
	Status, Code, Summary string
	Failure               struct {
		Reason string
		Called string `json:"api_called"`
	}
	Data     json.RawMessage
	Coverage struct {
		Next string `json:"next_cursor"`
	}
	Trace struct {
		Attempts  int
		Recovered []struct{ Reason string }
	}
	raw  []byte
	text string
}

// items are those of a set.
func (a answer) items(t *testing.T) []item {
	t.Helper()
	var v struct{ Items []item }
	if err := json.Unmarshal(a.Data, &v); err != nil {
		t.Fatal(err)
	}
	return v.Items
}

type item struct{ Ref, Title string }

// call calls a tool. No answer may hold a secret.
func (d *desk) call(t *testing.T, tool, arguments string) answer {
	t.Helper()
	got := d.frank.Call(t.Context(), tool, json.RawMessage(strings.ReplaceAll(arguments, `"next"`, `"`+d.cursor+`"`)))
	for name, secret := range d.secrets {
		if _, password, pair := strings.Cut(secret, ":"); pair {
			secret = password
		}
		if strings.Contains(string(got.Structured)+got.Text, secret) {
			t.Errorf("the answer holds %s", name)
		}
	}
	a := answer{raw: got.Structured, text: got.Text}
	if err := json.Unmarshal(got.Structured, &a); err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	d.cursor = a.Coverage.Next
	return a
}

func answers(status, code, reason string, contains ...string) replay.Want {
	return replay.Want{Status: status, Code: code, Reason: reason, Contains: contains}
}

func found(contains ...string) replay.Want { return answers("success", "NONE", "", contains...) }

func refused(code, reason string, contains ...string) replay.Want {
	return answers("access_failure", code, reason, contains...)
}

func partly(code, reason string, contains ...string) replay.Want {
	return answers("partial", code, reason, contains...)
}

// absent is a named thing that was proved not to be there.
var absent = answers("empty", "REFERENCE_UNRESOLVED", "not_found_confirmed")

// provedEmpty is a set that was proved to be empty.
var provedEmpty = answers("empty", "NONE", "")

func counted(w replay.Want, items int, more bool) replay.Want {
	w.Items, w.More = &items, &more
	return w
}

func without(w replay.Want, lacks ...string) replay.Want {
	w.Lacks = lacks
	return w
}

// question is a call of a tool and its answer where nothing goes wrong.
type question struct {
	name, tool, arguments string
	want                  replay.Want
}

func (d *desk) askAll(t *testing.T, questions []question) {
	for _, q := range questions {
		t.Run(q.name, func(t *testing.T) { d.ask(t, q.tool, q.arguments, q.want) })
	}
}

// walk follows the cursor of a set to its end, and returns what is in it by its ref.
// No item may come twice, and there must be so many pages at least.
func (d *desk) walk(t *testing.T, tool, arguments string, pages int) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	next := arguments + "}"
	for n := 1; ; n++ {
		a := d.call(t, tool, next)
		for _, i := range a.items(t) {
			if seen[i.Ref] {
				t.Errorf("%s comes twice", i.Ref)
			}
			seen[i.Ref] = true
		}
		if a.Coverage.Next == "" {
			if a.Status != "success" || a.Code != "NONE" || n < pages {
				t.Errorf("page %d, the last, answers\n%s", n, a.text)
			}
			return seen
		}
		if a.Status != "partial" || a.Code != "NONE" || n > 20 {
			t.Fatalf("page %d answers\n%s", n, a.text)
		}
		next = arguments + `,"cursor":"` + a.Coverage.Next + `"}`
	}
}
