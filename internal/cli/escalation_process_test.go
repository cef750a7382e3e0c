package cli_test

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frank-mcp/frank/internal/escalation"
)

// receiver is a webhook. What comes to /held is read, told, and never answered.
type receiver struct {
	*httptest.Server
	held chan string
	mu   sync.Mutex
	got  map[string][]bool // for each delivery, whether each arrival says that it is a repetition
	took map[string]int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	v := &receiver{held: make(chan string, 10), got: map[string][]bool{}, took: map[string]int{}}
	v.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the headers tell all
		id := r.Header.Get(escalation.HeaderDelivery)
		v.mu.Lock()
		v.got[id] = append(v.got[id], r.Header.Get(escalation.HeaderRepeat) == "true")
		if r.URL.Path != "/held" {
			v.took[id]++
		}
		v.mu.Unlock()
		if r.URL.Path == "/held" {
			v.held <- id
			<-r.Context().Done()
		}
	}))
	t.Cleanup(v.Close)
	return v
}

func (v *receiver) taken(id string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.took[id+".opened"]
}

// host is a client of one frank that serves over stdio.
type host struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// hosted starts a frank that shares dir with others and delivers to that address.
func hosted(t *testing.T, dir, hook string) *host {
	t.Helper()
	config := filepath.Join(t.TempDir(), "frank.yaml")
	write(t, config, "sources:\n  - {name: gh, provider: github, auth: {token_env: GITHUB_TOKEN}}\npolicy: {deny: ['tracker.issue:read on acme/*']}\n"+
		"escalation: {destinations: {human: {webhook: '"+hook+"', secret_env: GITHUB_TOKEN}}}\n")
	h := &host{t: t, cmd: frank(t, "stdio")}
	h.cmd.Env = append(h.cmd.Env, "FRANK_CONFIG="+config, "XDG_STATE_HOME="+dir)
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewScanner(out)
	h.out.Buffer(nil, 1<<20)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.say(initialize)
	return h
}

func (h *host) say(line string) string {
	h.t.Helper()
	if _, err := io.WriteString(h.in, line); err != nil {
		h.t.Fatal(err)
	}
	if !h.out.Scan() {
		h.t.Fatalf("no answer to %s: %v", line, h.out.Err())
	}
	return h.out.Text()
}

// escalates asks what policy denies, and returns the id of what that opened.
func (h *host) escalates(question string) string {
	h.t.Helper()
	line := h.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tracker_search","arguments":{"project":"acme/secret","query":"` + question + `"}}}` + "\n")
	var v struct {
		Result struct {
			Structured struct {
				Failure struct {
					Evidence struct {
						ID string `json:"escalation_id"`
					}
				}
			} `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal([]byte(line), &v); err != nil || v.Result.Structured.Failure.Evidence.ID == "" {
		h.t.Fatalf("%v: %s", err, line)
	}
	return v.Result.Structured.Failure.Evidence.ID
}

// TestAServerThatIsKilledWhileItDeliversLosesNothing: another one over the same file
// goes on, and what may have arrived before says so.
func TestAServerThatIsKilledWhileItDeliversLosesNothing(t *testing.T) {
	v, dir := newReceiver(t), t.TempDir()
	one := hosted(t, dir, v.URL+"/held")
	ids := []string{one.escalates("first")}
	select {
	case id := <-v.held:
		if id != ids[0]+".opened" {
			t.Errorf("%s is under way", id)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nothing is delivered")
	}
	other := hosted(t, dir, v.URL+"/taken")
	ids = append(ids, one.escalates("second"), other.escalates("third"), one.escalates("fourth"))
	if err := one.cmd.Process.Kill(); err != nil { // SIGKILL: it cannot note anything
		t.Fatal(err)
	}
	_ = one.cmd.Wait() // it was killed
	if v.taken(ids[0]) != 0 {
		t.Error("what another process is at was taken from it")
	}
	leaseIsOver(t, filepath.Join(dir, "frank", "journal.db"), ids[0])
	ids = append(ids, other.escalates("fifth"))
	for limit := time.Now().Add(50 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		missing := 0
		for _, id := range ids {
			if v.taken(id) == 0 {
				missing++
			}
		}
		if missing == 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("%d of %d never arrived", missing, len(ids))
		}
	}
	if err := other.in.Close(); err != nil {
		t.Fatal(err)
	}
	for other.out.Scan() { // to its end, before Wait closes it
	}
	if err := other.cmd.Wait(); err != nil {
		t.Error(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, arrivals := range v.got {
		for i, repeat := range arrivals {
			if repeat != (i > 0) {
				t.Errorf("arrival %d of %s: repeat %v", i+1, id, repeat)
			}
		}
		if v.took[id] != 1 {
			t.Errorf("%s was taken %d times", id, v.took[id])
		}
	}
	if n := len(v.got[ids[0]+".opened"]); n != 2 || len(v.got) != len(ids) {
		t.Errorf("the first arrived %d times; %d deliveries in all", n, len(v.got))
	}
	out, err := func() ([]byte, error) {
		c := frank(t, "escalations")
		c.Env = append(c.Env, "XDG_STATE_HOME="+dir)
		return c.CombinedOutput()
	}()
	if err != nil || strings.Count(string(out), " open ") != len(ids) || strings.Contains(string(out), "word of") {
		t.Errorf("%v: %s", err, out)
	}
}

// leaseIsOver lets the time pass after which a process is believed to be dead.
func leaseIsOver(t *testing.T, path, id string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	done, err := db.Exec("UPDATE deliveries SET lease = 1 WHERE id = ? AND lease > 1 AND unsure", id+".opened")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		t.Fatal(fmt.Sprint("the claim of the dead process is not in the file: ", n, err))
	}
}
