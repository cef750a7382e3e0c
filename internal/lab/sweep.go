package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/frank-mcp/frank/connectors"
	"github.com/frank-mcp/frank/internal/app"
	"github.com/frank-mcp/frank/internal/config"
	"github.com/frank-mcp/frank/status"
)

// Seen is what an agent sees of one fault through one tool.
type Seen struct {
	Source     string        `json:"source"`
	Provider   string        `json:"provider"`
	Fault      string        `json:"fault"`
	Tool       string        `json:"tool"`
	Status     string        `json:"status"`
	Code       string        `json:"code"`
	Reason     string        `json:"reason"`
	Retryable  bool          `json:"retryable"`
	RetryAfter int           `json:"retry_after_seconds,omitempty"`
	Summary    string        `json:"summary"`
	Problems   []string      `json:"problems,omitempty"` // why this must not be; none: as it should be
	Took       time.Duration `json:"-"`
}

// Swept is what a sweep found.
type Swept struct {
	Seen  []Seen
	Left  []string // sources on which nothing could be tried
	Local []string // sources of this machine: faults of the file system are not tried
}

// Sweep tries every fault at every source that speaks HTTP, each through a frank of
// its own, so that no circuit, cache or budget of one case is seen in another. Of
// the configuration it takes sources and policy; it gets no credential and writes
// no journal.
func Sweep(ctx context.Context, cfg *config.Config) (Swept, error) {
	var out Swept
	var cases []experiment
	for _, s := range cfg.Sources {
		i := slices.IndexFunc(app.Providers(), func(p connectors.Provider) bool { return p.Name == s.Provider })
		switch {
		case s.Provider == config.Local:
			out.Local = append(out.Local, s.Name)
		case i < 0 || app.Providers()[i].Credential == nil:
			out.Left = append(out.Left, s.Name)
		default:
			cases = append(cases, experiments(cfg, s, app.Providers()[i])...)
		}
	}
	out.Seen = make([]Seen, len(cases))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for i, e := range cases {
		group.Go(func() (err error) {
			out.Seen[i], err = e.run(ctx)
			return cmp.Or(err, ctx.Err())
		})
	}
	return out, group.Wait()
}

// experiment is one fault, seen through one tool.
type experiment struct {
	cfg    *config.Config
	source config.Source
	fault  Fault
	tool   string
	args   json.RawMessage
}

func experiments(cfg *config.Config, s config.Source, p connectors.Provider) []experiment {
	var out []experiment
	for _, f := range Faults(s.Provider) {
		for _, q := range questions(s, p.Kinds) {
			out = append(out, experiment{cfg, s, f, q.tool, q.args})
		}
	}
	return out
}

// question is a call that every source of its kind can be asked.
type question struct {
	kind connectors.Kind
	tool string
	args json.RawMessage
}

// questions are about a container that the source may be asked about, which need
// not exist.
func questions(s config.Source, kinds []connectors.Kind) []question {
	in := container(s)
	ask := func(k connectors.Kind, tool string, pairs ...string) question {
		object := map[string]string{"source": s.Name}
		for i := 0; i < len(pairs); i += 2 {
			object[pairs[i]] = pairs[i+1]
		}
		args, _ := json.Marshal(object) // texts alone
		return question{k, tool, args}
	}
	all := []question{
		ask(connectors.KindTracker, "tracker_search", "project", in, "query", "crash"),
		ask(connectors.KindTracker, "tracker_get_issue", "ref", in+"#1"),
		ask(connectors.KindTracker, "tracker_describe", "project", in),
		ask(connectors.KindRepo, "repo_search_code", "repo", in, "query", "crash"),
		ask(connectors.KindRepo, "repo_read_file", "repo", in, "path", "README.md"),
		ask(connectors.KindRepo, "repo_list", "repo", in),
		ask(connectors.KindRepo, "repo_get_change", "ref", in+"#1"),
		ask(connectors.KindRepo, "repo_history", "repo", in),
		ask(connectors.KindDocs, "docs_search", "space", in, "query", "crash"),
		ask(connectors.KindDocs, "docs_read", "ref", "README.md"),
		ask(connectors.KindDocs, "docs_list", "space", in),
	}
	return slices.DeleteFunc(all, func(q question) bool { return !slices.Contains(kinds, q.kind) })
}

// container is one that the configuration lets pass: the default, else the first of
// the allow-list with its stars filled in, else a made-up one.
func container(s config.Source) string {
	if s.DefaultProject != "" {
		return s.DefaultProject
	}
	for _, only := range s.Only {
		if name := strings.NewReplacer("**", "app", "*", "app").Replace(only); name != "app" {
			return name
		}
	}
	return "acme/app"
}

// run asks once and judges the answer.
func (e experiment) run(ctx context.Context) (Seen, error) {
	a, err := e.frank()
	if err != nil {
		return Seen{}, err
	}
	defer func() { _ = a.Close(ctx) }() // there is nothing to store
	began := time.Now()
	out := e.judge(Frank(a).Call(ctx, e.tool, e.args))
	out.Took = time.Since(began)
	return out, nil
}

// judge says what an answer must not be: where nothing was proved, nothing may be
// concluded.
func (e experiment) judge(r Reply) Seen {
	got, wrong := read(r)
	out := Seen{
		Source: e.source.Name, Provider: e.source.Provider, Fault: e.fault.Name, Tool: e.tool, Status: got.Status, Code: got.Code, Reason: got.reason(),
		Retryable: got.retryable(), Summary: got.Summary, Problems: wrong,
	}
	if got.Failure != nil {
		out.RetryAfter = got.Failure.RetryAfter
	}
	if out.Status == status.Success.String() || out.Status == status.Empty.String() {
		out.Problems = append(out.Problems, out.Status+" without any proof")
	}
	if got.crashed() {
		out.Problems = append(out.Problems, "frank itself failed")
	}
	return out
}

// standIn is what the upstream of the lab gets instead of a credential.
const standIn = "lab-stands-in-for-a-token"

// frank is wired over the fault, for that source alone. It tries once: repeating
// waits, and ends the same.
func (e experiment) frank() (*app.App, error) {
	s := e.source
	s.DefaultProject = container(s) // a path alone means the same container
	if s.Auth.Method != config.MethodNone {
		s.Auth = config.Auth{Method: config.MethodEnv, Env: "FRANK_LAB", Source: s.Name, Provider: s.Provider}
	}
	host := config.SystemHost()
	host.LookupEnv = func(string) (string, bool) { return standIn, true }
	cfg := &config.Config{Sources: []config.Source{s}, Policy: e.cfg.Policy, Retry: config.DefaultRetry()}
	cfg.Retry.MaxAttempts = 1
	return app.New(cfg, app.Options{Version: "lab", Transport: e.fault, Host: host, Deadline: patience})
}

// Results are the sweep as cases, for JUnit.
func (s Swept) Results() []Result {
	var out []Result
	for _, x := range s.Seen {
		r := Result{
			Suite: "faults of " + x.Source, Name: x.Fault + " " + x.Tool, Tool: x.Tool, State: Passed, Want: "neither success nor empty",
			Got: x.verdict(), Problems: x.Problems, Summary: x.Summary, Took: x.Took,
		}
		if len(x.Problems) > 0 {
			r.State = Failed
		}
		out = append(out, r)
	}
	return out
}

func (x Seen) verdict() string { return strings.Join([]string{x.Status, x.Code, x.Reason}, " ") }
