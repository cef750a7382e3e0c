package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// fanGoal is how much longer four sources may take than the slowest of them, and
	// one that hangs than the deadline.
	fanGoal = 1.15
	// fanDeadline is the budget of a call of which a source hangs.
	fanDeadline = 2 * time.Second
	// fanItems is how many issues each source has.
	fanItems = 5
)

// tracker is a server on loopback that lists issues as GitHub, Jira Data Center or
// Redmine does, after a while.
type tracker struct {
	name, provider, container string
	latency                   time.Duration
}

// trackers are four sources of different speed, the slowest first.
func trackers(slowest time.Duration) []tracker {
	return []tracker{
		{"slow", "github", "acme/app", slowest}, {"redmine", "redmine", "app", slowest / 4},
		{"jira", "jira", "PAY", slowest / 2}, {"quick", "github", "acme/lib", slowest / 8},
	}
}

// ServeHTTP answers; a latency below zero never does.
func (t tracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wait := time.NewTimer(t.latency)
	if t.latency < 0 {
		wait.Reset(time.Hour)
	}
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Ausername", "ada")
	_, _ = io.WriteString(w, t.answer(filepath.Base(r.URL.Path), "http://"+r.Host))
}

func (t tracker) answer(what, base string) string {
	at := func(n int) string { return time.Date(2026, 1, 1, n, 0, 0, 0, time.UTC).Format(time.RFC3339) }
	switch t.provider + " " + what {
	case "github user":
		return `{"login":"ada"}`
	case "github issues":
		return fmt.Sprintf(`{"total_count":%d,"incomplete_results":false,"items":[%s]}`, fanItems, rows(func(n int) string {
			return fmt.Sprintf(`{"number":%d,"title":"Ticket","state":"open","html_url":"%s/%s/issues/%d","repository_url":"%s/api/v3/repos/%s","user":{"login":"ada"},"updated_at":"%s"}`, n, base, t.container, n, base, t.container, at(n))
		}))
	case "jira serverInfo":
		return fmt.Sprintf(`{"baseUrl":"%s","version":"9.12.0","deploymentType":"Server"}`, base)
	case "jira search":
		return fmt.Sprintf(`{"startAt":0,"maxResults":50,"total":%d,"issues":[%s]}`, fanItems, rows(func(n int) string {
			when := strings.Replace(at(n), "Z", ".000+0000", 1)
			return fmt.Sprintf(`{"id":"%d","key":"PAY-%d","fields":{"summary":"Ticket","status":{"name":"New","statusCategory":{"key":"new"}},"created":"%s","updated":"%s","project":{"id":"1","key":"PAY","name":"Pay"}}}`, n, n, when, when)
		}))
	case "redmine current.json":
		return `{"user":{"id":5,"login":"ada","admin":false,"firstname":"Ada","lastname":"Smith"}}`
	case "redmine issues.json":
		return fmt.Sprintf(`{"total_count":%d,"offset":0,"limit":25,"issues":[%s]}`, fanItems, rows(func(n int) string {
			return fmt.Sprintf(`{"id":%d,"project":{"id":1,"name":"App"},"tracker":{"id":1,"name":"Bug"},"status":{"id":1,"name":"New","is_closed":false},"priority":{"id":2,"name":"Normal"},"author":{"id":5,"name":"Ada"},"subject":"Ticket","description":"","created_on":"%s","updated_on":"%s","closed_on":null}`, n, at(n), at(n))
		}))
	case "redmine app.json":
		return `{"project":{"id":1,"name":"App","identifier":"app","description":"","status":1,"is_public":true,"trackers":[{"id":1,"name":"Bug"}],"issue_categories":[],"issue_custom_fields":[],"updated_on":"2026-01-01T00:00:00Z","enabled_modules":[{"id":0,"name":"issue_tracking"}]}}`
	default:
		return fmt.Sprintf(`{"full_name":%q,"private":false,"has_issues":true,"default_branch":"main","html_url":"%s/%s","key":"PAY","id":"1","name":"ada","displayName":"Ada","active":true}`, t.container, base, t.container)
	}
}

func rows(one func(n int) string) string {
	var out []string
	for n := fanItems; n > 0; n-- {
		out = append(out, one(n))
	}
	return strings.Join(out, ",")
}

// asker is a frank over those trackers, as a host starts it.
type asker struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	close []func()
}

func startFan(binary, dir string, ts []tracker) (*asker, error) {
	a := &asker{}
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "retry: {max_attempts: 1, budget: %s, timeout: %s}\nsources:\n", fanDeadline, fanDeadline)
	for _, t := range ts {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		s := &http.Server{Handler: t, ReadHeaderTimeout: time.Minute}
		go func() { _ = s.Serve(l) }()
		a.close = append(a.close, func() { _ = s.Close() })
		base := "http://" + l.Addr().String()
		if t.provider == "github" {
			base += "/api/v3"
		}
		fmt.Fprintf(&yaml, "  - {name: %s, provider: %s, base_url: %q, default_project: %q, auth: {token_env: BENCH_TOKEN}}\n", t.name, t.provider, base, t.container)
	}
	config := filepath.Join(dir, "several.yaml")
	if err := os.WriteFile(config, []byte(yaml.String()), 0o600); err != nil {
		return nil, err
	}
	a.cmd = exec.Command(binary)
	a.cmd.Dir = dir
	a.cmd.Env = append(os.Environ(), "FRANK_CONFIG="+config, "XDG_STATE_HOME="+dir, "BENCH_TOKEN=token")
	in, err := a.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.in, a.lines = in, bufio.NewReaderSize(out, 1<<20)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a, err
}

// search asks for all issues and returns how many came and how long that took.
func (a *asker) search(source string) (items int, took time.Duration, err error) {
	begin := time.Now()
	if _, err := fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"tracker_search","arguments":{"updated_since":"2025-01-01","limit":40%s}}}`+"\n", source); err != nil {
		return 0, 0, err
	}
	for {
		line, err := a.lines.ReadString('\n')
		if err != nil {
			return 0, 0, err
		}
		var v struct {
			ID     int
			Result struct {
				Structured struct {
					Data struct{ Items []json.RawMessage }
				} `json:"structuredContent"`
			}
		}
		if json.Unmarshal([]byte(line), &v) == nil && v.ID == 9 {
			return len(v.Result.Structured.Data.Items), time.Since(begin), nil
		}
	}
}

func (a *asker) stop() error {
	_ = a.in.Close()
	err := a.cmd.Wait()
	for _, f := range a.close {
		f()
	}
	return err
}

// fan measures a question to four sources beside one to the slowest of them alone,
// and one of which a source hangs beside the deadline. A missed goal is an error.
func fan(binary, dir string, rounds int) error {
	ts := trackers(200 * time.Millisecond)
	a, err := startFan(binary, dir, ts)
	if err != nil {
		return err
	}
	var all, alone []time.Duration
	for i := range rounds + 1 {
		n, one, err := a.search(`,"source":"slow"`)
		if err == nil && n != fanItems {
			err = fmt.Errorf("%d items of the slowest source", n)
		}
		m, four, err2 := a.search("")
		if err2 == nil && m != len(ts)*fanItems {
			err2 = fmt.Errorf("%d items of four sources", m)
		}
		if err != nil || err2 != nil {
			return fmt.Errorf("fan-out: %w", first(err, err2))
		}
		if i > 0 { // the first question also learns whose the credentials are
			alone, all = append(alone, one), append(all, four)
		}
	}
	if err := a.stop(); err != nil {
		return err
	}
	m, n := median(all), median(alone)
	met := goal("four sources / the slowest alone", m, n)
	return first(fanHanging(binary, dir, ts), met)
}

// fanHanging: the slowest never answers.
func fanHanging(binary, dir string, ts []tracker) error {
	ts = slices.Clone(ts)
	ts[0].latency = -1
	var took []time.Duration
	for range 3 { // each in a new process, since then the circuit is open
		a, err := startFan(binary, dir, ts)
		if err != nil {
			return err
		}
		n, d, err := a.search("")
		if err = first(err, a.stop()); err != nil {
			return err
		}
		if want := (len(ts) - 1) * fanItems; n != want {
			return fmt.Errorf("beside a source that hangs came %d items of %d", n, want)
		}
		took = append(took, d)
	}
	return goal("one of four hangs / the deadline", median(took), fanDeadline)
}

// goal shows a ratio beside the most that it may be.
func goal(what string, got, base time.Duration) error {
	ratio := float64(got) / float64(base)
	fmt.Printf("%-34s %14s %18s %8.2f  goal ≤ %.2f\n", what, got.Round(10*time.Microsecond), base.Round(10*time.Microsecond), ratio, fanGoal)
	if ratio > fanGoal {
		return fmt.Errorf("%s is %.2f, above %.2f", what, ratio, fanGoal)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
