package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/frank-mcp/frank/status"
)

const (
	// maxOutput bounds what is kept of one command's output.
	maxOutput = 32 << 20
	// maxMessages bounds what is kept of its standard error.
	maxMessages = 16 << 10
	// atOnce bounds how many git processes one source runs at a time.
	atOnce = 4
)

// errEnough is what a reader of output returns when it needs no more of it.
var errEnough = errors.New("enough output was read")

// git runs the git command in one checkout. It only ever reads: no command that
// it is given writes, fetches, or compares the work tree by filters, and the
// settings in [git.fixed] and [git.environment] keep a hostile repository from
// having a program of its choice run.
type git struct {
	top   string // absolute, without symbolic links
	slots chan struct{}
}

func newGit(top string) *git { return &git{top: top, slots: make(chan struct{}, atOnce)} }

// command is one run of git.
type command struct {
	args    []string
	stdin   string
	input   io.Reader             // instead of stdin
	answers []int                 // exit codes beside 0 that are answers, not failures
	limit   int64                 // bytes of output to keep; 0: maxOutput
	read    func(io.Reader) error // takes the output instead of keeping it
}

// output is what one run of git said. With a fault nothing may be concluded;
// with a doubt the output stands, but something was left out of it.
type output struct {
	bytes []byte
	code  int
	cut   bool // the output is longer than the limit
	fault *status.Failure
	doubt *status.Failure
}

// text is the output without its final line end.
func (o output) text() string { return strings.TrimRight(string(o.bytes), "\n") }

// fixed are the arguments in front of every command. The settings given with -c
// win over those of the repository, the user and the machine.
func (g *git) fixed() []string {
	return []string{
		"-C", g.top, "--no-pager", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.untrackedCache=false",
		"-c", "core.alternateRefsCommand=", "-c", "core.quotePath=false", "-c", "log.showSignature=false",
		"-c", "submodule.recurse=false", "-c", "color.ui=false", "-c", "protocol.allow=never", "-c", "gc.auto=0",
	}
}

// environment is the process's own without anything that steers git or its
// language, and with what keeps git from asking, fetching, locking and
// rewriting what it shows. LG-07, LG-26, LG-32.
func (g *git) environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name)
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LC_") || name == "LANG" || name == "LANGUAGE" {
			continue
		}
		env = append(env, kv)
	}
	return append(env,
		"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull,
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none",
		// A damaged .git must not make git answer for a repository further up.
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(g.top))
}

// run runs one command to its end, to the limit of its output, or until ctx ends.
func (g *git) run(ctx context.Context, c command) output {
	program, err := exec.LookPath("git")
	if err != nil { // LG-26
		return broken(status.Fail(status.Misconfigured, status.ConfigKey.Is("PATH"), status.Part.Is("git is not installed"),
			status.Remedy.Is("Install git, or add it to the PATH with which frank runs.")))
	}
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return broken(ended(ctx))
	}
	own, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(own, program, append(g.fixed(), c.args...)...)
	cmd.Env = g.environment()
	cmd.WaitDelay = 2 * time.Second
	cmd.Stdin = c.input
	if c.stdin != "" {
		cmd.Stdin = strings.NewReader(c.stdin)
	}
	messages := &bounded{limit: maxMessages}
	cmd.Stderr = messages
	ownGroup(cmd)
	// The system ends git when the thread that started it ends (see ownGroup), so
	// that thread must be nobody else's until git has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return broken(failedStart())
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return broken(ended(ctx))
		}
		return broken(failedStart())
	}
	var out output
	read := c.read
	if read == nil {
		read = out.keep(c.limit)
	}
	readErr := read(pipe)
	if readErr != nil {
		stop()
	}
	waitErr := cmd.Wait()
	out.judge(ctx, c, ending{readErr, waitErr, messages.buf.Bytes()})
	return out
}

// keep reads the output into o, up to a limit.
func (o *output) keep(limit int64) func(io.Reader) error {
	if limit == 0 {
		limit = maxOutput
	}
	return func(r io.Reader) error {
		var buf bytes.Buffer
		n, err := io.Copy(&buf, io.LimitReader(r, limit+1))
		o.bytes = buf.Bytes()
		if n > limit { // LG-31
			o.bytes, o.cut = o.bytes[:limit], true
			return errEnough
		}
		return err
	}
}

// ending is how a run of git ended.
type ending struct {
	read, wait error
	messages   []byte
}

// judge decides what the end of a run means.
func (o *output) judge(ctx context.Context, c command, e ending) {
	if ctx.Err() != nil {
		*o = broken(ended(ctx))
		return
	}
	if errors.Is(e.read, errEnough) {
		return
	}
	var exit *exec.ExitError
	switch {
	case e.wait == nil:
	case errors.As(e.wait, &exit):
		o.code = exit.ExitCode()
	default:
		*o = broken(failedStart())
		return
	}
	switch {
	case e.read != nil:
		f := status.Fail(status.TruncatedBody, status.ExitCode.Is(o.code))
		o.fault = &f
	case o.code == 0:
		o.doubt = doubtOf(e.messages)
	case contains(c.answers, o.code):
		// LG-18: an exit code that means "nothing" counts only if git had nothing to complain of.
		o.fault = doubtOf(e.messages)
	default:
		f := classify(o.code, e.messages)
		o.fault = &f
	}
}

func contains(codes []int, code int) bool {
	for _, c := range codes {
		if c == code {
			return true
		}
	}
	return false
}

func broken(f status.Failure) output { return output{code: -1, fault: &f} }

func failedStart() status.Failure {
	return status.Fail(status.ProgramFailed, status.Part.Is("git did not start"), status.ExitCode.Is(-1))
}

// ended is why a context is over.
func ended(ctx context.Context) status.Failure {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return status.Fail(status.Timeout)
	}
	return status.Fail(status.Cancelled)
}

// bounded keeps the first bytes that are written to it and takes the rest.
type bounded struct {
	buf   bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.buf.Len(); room > 0 {
		b.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
