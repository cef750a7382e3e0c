//go:build realclients

package realclients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programs are the paths of what the tests start.
var programs struct {
	frank, fixture string
	node           string // the pinned one
	npm            string // folder with a folder of packages for each client
}

func TestMain(m *testing.M) {
	status, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "realclients:", err)
	}
	os.Exit(status)
}

func prepare(m *testing.M) (int, error) {
	programs.npm = os.Getenv("FRANK_REAL_CLIENTS")
	if programs.npm == "" {
		return 1, errors.New("FRANK_REAL_CLIENTS must name the folder that .ci/run installs the clients into")
	}
	nodes, err := filepath.Glob(filepath.Join(programs.npm, "node/node_modules/node-*/bin/node"))
	if err != nil || len(nodes) != 1 {
		return 1, fmt.Errorf("want one Node in %s, found %v", programs.npm, nodes)
	}
	programs.node = nodes[0]
	dir, err := os.MkdirTemp("", "realclients")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs.frank, programs.fixture = filepath.Join(dir, "frank"), filepath.Join(dir, "conformancefixture")
	for path, from := range map[string]string{programs.frank: ".", programs.fixture: "./internal/conformancefixture"} {
		build := exec.Command("go", "build", "-o", path, from)
		build.Dir = "../.."
		if out, err := build.CombinedOutput(); err != nil {
			return 1, fmt.Errorf("go build %s: %w\n%s", from, err, out)
		}
	}
	return m.Run(), nil
}

// place is a fresh home and a fresh checkout to start programs in.
type place struct {
	home, dir string
	env       []string
}

// newPlace makes a place whose programs find nothing of the caller's.
func newPlace(t *testing.T) place {
	t.Helper()
	root := t.TempDir()
	p := place{home: filepath.Join(root, "home"), dir: filepath.Join(root, "checkout")}
	for _, dir := range []string{p.home, p.dir, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{
		"HOME=" + p.home, "TMPDIR=" + filepath.Join(root, "tmp"), "LANG=C.UTF-8",
		"PATH=" + filepath.Dir(programs.node) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1",
	}
	if err := os.WriteFile(filepath.Join(p.dir, "README.md"), []byte("# A checkout\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "Begin"},
	} {
		if o := p.run(t, append([]string{"git"}, args...)...); o.status != 0 {
			t.Fatalf("git %v: %v", args, o)
		}
	}
	return p
}

// offline makes every way to the internet end at a closed port, for programs
// that would try.
func (p place) offline() place {
	const nowhere, loopback = "http://127.0.0.1:9", "127.0.0.1,localhost"
	p.env = append(slices.Clip(p.env),
		"HTTP_PROXY="+nowhere, "HTTPS_PROXY="+nowhere, "http_proxy="+nowhere, "https_proxy="+nowhere,
		"NO_PROXY="+loopback, "no_proxy="+loopback)
	return p
}

// outcome is what a program that has ended left behind.
type outcome struct {
	stdout, stderr string
	status         int
}

// String is for reports of failures.
func (o outcome) String() string {
	const most = 4000 // characters of each stream; the end tells why
	end := func(s string) string { return s[max(0, len(s)-most):] }
	return fmt.Sprintf("exit status %d\n%s%s", o.status, end(o.stdout), end(o.stderr))
}

// run runs a program to its end, at most three minutes.
func (p place) run(t *testing.T, argv ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env, &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%v: %v: %v", argv, err, outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()})
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// serve starts a server and returns the address of its Streamable HTTP endpoint,
// which it logs as JSON. At the end the server must stop by itself when told to.
func (p place) serve(t *testing.T, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.env
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening, read := make(chan string, 1), make(chan string, 1)
	go watch(stderr, listening, read)
	t.Cleanup(func() { stop(t, cmd, read) })
	select {
	case address := <-listening:
		return address
	case log := <-read:
		read <- log
		t.Fatalf("%s ended before it listened:\n%s", argv[0], log)
	case <-time.After(30 * time.Second):
		t.Fatalf("%s does not listen", argv[0])
	}
	return ""
}

// watch reads the log to its end, so that the server never waits for a reader.
func watch(stderr io.Reader, listening, read chan<- string) {
	var all strings.Builder
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		var record struct {
			Address string `json:"streamable_http"`
		}
		if json.Unmarshal(lines.Bytes(), &record) == nil && record.Address != "" {
			listening <- record.Address
		}
	}
	read <- all.String()
}

func stop(t *testing.T, cmd *exec.Cmd, read <-chan string) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	log := <-read
	err := cmd.Wait()
	if !late.Stop() || err != nil {
		t.Errorf("%s did not end well on SIGTERM: %v\n%s", cmd.Path, err, log)
	}
	if t.Failed() {
		t.Logf("log of %s:\n%s", filepath.Base(cmd.Path), log)
	}
}

// serveFrank starts frank's HTTP server.
func (p place) serveFrank(t *testing.T) string {
	t.Helper()
	return p.serve(t, programs.frank, "--log-format", "json", "serve", "--http", "127.0.0.1:0")
}
