package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// writable is as much of GitHub as it takes to create issues in one repository.
type writable struct {
	*httptest.Server
	mu       sync.Mutex
	issues   []string
	requests int
	stored   chan struct{} // if set, an issue is stored, told here, and never answered
}

func newWritable(t *testing.T) *writable {
	t.Helper()
	g := &writable{}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

func (g *writable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{"Content-Type": "application/json; charset=utf-8", "X-GitHub-Request-Id": "C0DE:1", "X-RateLimit-Limit": "5000", "X-OAuth-Scopes": "repo"} {
		h.Set(name, value)
	}
	g.mu.Lock()
	g.requests++
	stored := g.stored
	g.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /repos/acme/app":
		_, _ = io.WriteString(w, `{"full_name":"acme/app","private":false,"has_issues":true,"html_url":"https://github.com/acme/app"}`)
	case "GET /repos/acme/app/issues":
		g.mu.Lock()
		defer g.mu.Unlock()
		_, _ = io.WriteString(w, "["+strings.Join(g.issues, ",")+"]")
	case "POST /repos/acme/app/issues":
		issue := g.add(r)
		if stored != nil {
			stored <- struct{}{}
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, issue)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"Not Found","documentation_url":"x"}`)
	}
}

func (g *writable) add(r *http.Request) string {
	var asked struct{ Title, Body string }
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return "{}"
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.issues) + 1
	issue, _ := json.Marshal(map[string]any{
		"number": n, "title": asked.Title, "body": asked.Body, "state": "open", "html_url": fmt.Sprintf("https://github.com/acme/app/issues/%d", n),
		"repository_url": g.URL + "/repos/acme/app", "user": map[string]string{"login": "octocat"}, "created_at": time.Now().UTC().Format(time.RFC3339),
	})
	g.issues = append(g.issues, string(issue))
	return string(issue)
}

func (g *writable) count() (issues, requests int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.issues), g.requests
}

// writer makes frank ready to write to g, with the state that lies in dir.
func (g *writable) writer(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	config := filepath.Join(dir, "frank.yaml")
	write(t, config, "sources:\n  - {name: gh, provider: github, base_url: "+g.URL+", default_project: acme/app, auth: {token_env: GITHUB_TOKEN}}\nwrites: true\n")
	c := frank(t, args...)
	c.Env = append(c.Env, "FRANK_CONFIG="+config, "XDG_STATE_HOME="+dir)
	return c
}

// answered is an answer without its trace, which differs from call to call.
type answered struct {
	Status  string          `json:"status"`
	Code    string          `json:"code"`
	Summary string          `json:"summary"`
	Data    json.RawMessage `json:"data"`
	Cover   json.RawMessage `json:"coverage"`
	Trace   *struct {
		Replayed bool   `json:"replayed"`
		Key      string `json:"idempotency_key"`
	} `json:"trace"`
}

func (a answered) same() string {
	return strings.Join([]string{a.Status, a.Code, a.Summary, string(a.Data), string(a.Cover)}, "\n")
}

const creation = `{"project":"acme/app","title":"Payments fail","body":"At midnight"}`

// However many ask for the same change at the same time, in one process or in
// two, it is made once, and all get the same answer.
func TestConcurrentIdenticalWritesAreOne(t *testing.T) {
	for _, processes := range []int{1, 2} {
		t.Run(fmt.Sprint(processes, " processes"), func(t *testing.T) {
			g, dir := newWritable(t), t.TempDir()
			const calls = 50
			answers := make(chan answered, calls)
			var all sync.WaitGroup
			for range processes {
				c := g.writer(t, dir, "stdio")
				all.Go(func() { session(t, c, calls/processes, answers) })
			}
			all.Wait()
			close(answers)
			n, replayed, first := 0, 0, ""
			for a := range answers {
				if n++; first == "" {
					first = a.same()
				}
				if a.Status != "success" || a.Trace == nil || a.Trace.Key == "" || a.same() != first {
					t.Errorf("got %+v\nwant %s", a, first)
				}
				if a.Trace != nil && a.Trace.Replayed {
					replayed++
				}
			}
			if issues, _ := g.count(); issues != 1 || n != calls || replayed != calls-1 {
				t.Errorf("%d issues, %d answers, %d of them replayed", issues, n, replayed)
			}
		})
	}
}

// session sends the same call so many times at once and hands the answers on.
func session(t *testing.T, c *exec.Cmd, calls int, answers chan<- answered) {
	in, err := c.StdinPipe()
	if err != nil {
		t.Error(err)
		return
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := c.Start(); err != nil {
		t.Error(err)
		return
	}
	var b bytes.Buffer
	b.WriteString(initialize)
	for i := range calls {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tracker_create_issue","arguments":%s}}`+"\n", i+2, creation)
	}
	if _, err := in.Write(b.Bytes()); err != nil {
		t.Error(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for got := 0; got < calls && lines.Scan(); {
		var v struct {
			ID     int
			Result struct {
				Structured *answered `json:"structuredContent"`
			}
		}
		if json.Unmarshal(lines.Bytes(), &v) == nil && v.Result.Structured != nil {
			answers <- *v.Result.Structured
			got++
		}
	}
	_ = in.Close()
	for lines.Scan() { // to its end, before Wait closes it
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// A process that is killed after its request arrived and before it could note
// that leaves an issue of which nobody knows. The same call finds it.
func TestAKilledWriteIsFoundAgain(t *testing.T) {
	g, dir := newWritable(t), t.TempDir()
	g.stored = make(chan struct{}, 1)
	c := g.writer(t, dir, "call", "tracker_create_issue", creation)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-g.stored:
	case <-time.After(30 * time.Second):
		t.Error("no request came")
	}
	if err := c.Process.Kill(); err != nil { // SIGKILL: it cannot note anything
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	g.mu.Lock()
	g.stored = nil
	g.mu.Unlock()
	found := callOnce(t, g.writer(t, dir, "call", "--json", "tracker_create_issue", creation))
	if issues, _ := g.count(); issues != 1 || found.Status != "success" || found.Trace == nil || !found.Trace.Replayed || !strings.Contains(found.Summary, "acme/app#1") {
		t.Errorf("%d issues, %+v", issues, found)
	}
	restarted(t, g, dir, found)
}

// What was finished is answered from the ledger by the next process, without a
// request, and the ledger shows nothing of it.
func TestAFinishedWriteIsReplayedAfterARestart(t *testing.T) {
	g, dir := newWritable(t), t.TempDir()
	first := callOnce(t, g.writer(t, dir, "call", "--json", "tracker_create_issue", creation))
	if first.Status != "success" || first.Trace.Replayed {
		t.Errorf("%+v", first)
	}
	restarted(t, g, dir, first)
}

func restarted(t *testing.T, g *writable, dir string, first answered) {
	t.Helper()
	_, before := g.count()
	again := callOnce(t, g.writer(t, dir, "call", "--json", "tracker_create_issue", creation))
	issues, after := g.count()
	if again.same() != first.same() || !again.Trace.Replayed || issues != 1 || after != before {
		t.Errorf("%d issues, %d more requests\n got %+v\nwant %+v", issues, after-before, again, first)
	}
	files, err := filepath.Glob(filepath.Join(dir, "frank", "*.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no ledger: %v", err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Payments", "midnight", "acme/app", "issues/1", goodToken} {
			if bytes.Contains(b, []byte(text)) {
				t.Errorf("%s holds %q", filepath.Base(path), text)
			}
		}
	}
}

func callOnce(t *testing.T, c *exec.Cmd) answered {
	t.Helper()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	var a answered
	if err != nil || json.Unmarshal(out, &a) != nil || a.Trace == nil {
		t.Fatalf("%v: %s%s", err, out, stderr.String())
	}
	return a
}
