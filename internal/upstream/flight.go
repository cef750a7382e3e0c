package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frank-mcp/frank/status"
)

// flights lets identical concurrent reads share one request. The request lives
// as long as somebody waits for it: one caller's cancellation ends that caller's
// wait, the last one's ends the request.
type flights struct {
	mu sync.Mutex
	up map[string]*flight
}

type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	until   time.Time // the end of the budget it was started with
	key, fp string
	c       *Client
	x       *Exchange
	f       *status.Failure
}

// do joins the flight under that key, or starts it. Each caller waits no longer
// than its own budget; whom a flight disappoints that had less, tries again.
func (g *flights) do(ctx context.Context, key string, s *sending) (*Exchange, *status.Failure) {
	until := s.until // s belongs to the flight that it starts
	for {
		g.mu.Lock()
		fl, joined := g.up[key]
		if !joined {
			fl = g.start(ctx, key, s)
		}
		fl.waiting++
		g.mu.Unlock()
		if !joined {
			return g.wait(ctx, fl)
		}
		own, cancel := context.WithDeadline(ctx, until)
		x, f := g.wait(own, fl)
		again := f != nil && f.Reason() == status.Timeout && fl.until.Before(until) && own.Err() == nil
		cancel()
		if !again {
			return x, f
		}
	}
}

// wait returns when the flight has landed or the caller leaves.
func (g *flights) wait(ctx context.Context, fl *flight) (*Exchange, *status.Failure) {
	select {
	case <-fl.done:
		return fl.land()
	case <-ctx.Done():
	}
	g.leave(fl)
	select {
	case <-fl.done: // it landed at the same time
		return fl.land()
	default:
	}
	return nil, fl.c.abandoned(ctx, fl.fp)
}

// start begins a flight; the lock is held.
func (g *flights) start(ctx context.Context, key string, s *sending) *flight {
	// The values of whoever asked first stay: attempts count once, there.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	fl := &flight{done: make(chan struct{}), cancel: cancel, until: s.until, key: key, fp: s.fp, c: s.c}
	if g.up == nil {
		g.up = map[string]*flight{}
	}
	g.up[key] = fl
	go func() {
		defer cancel()
		fl.x, fl.f = s.run(ctx)
		g.mu.Lock()
		if g.up[key] == fl {
			delete(g.up, key)
		}
		g.mu.Unlock()
		close(fl.done)
	}()
	return fl
}

// leave ends one wait, and the flight with the last one.
func (g *flights) leave(fl *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fl.waiting--; fl.waiting > 0 {
		return
	}
	fl.cancel()
	if g.up[fl.key] == fl { // nobody may join what is being given up
		delete(g.up, fl.key)
	}
}

// land gives each waiter an exchange of its own; header and body are shared.
func (fl *flight) land() (*Exchange, *status.Failure) {
	if fl.x == nil {
		return nil, fl.f
	}
	x := *fl.x
	return &x, fl.f
}

// abandoned is the failure of a caller who does not wait to the end.
func (c *Client) abandoned(ctx context.Context, fp string) *status.Failure {
	r := status.Timeout
	if errors.Is(ctx.Err(), context.Canceled) {
		r = status.Cancelled
	}
	return failed(r, status.By(c.opts.Source), status.Fingerprint(fp), status.MaybeCalled)
}

// shareKey identifies requests whose answers are the same: same address, same
// headers, same expectations. It is empty for what is not shared. It is made
// before the credential is set; the identity is added when it is known.
func (s *sending) shareKey() string {
	probing, _ := s.caller.Value(probeKey{}).(bool)
	if s.req.Method != http.MethodGet && s.req.Method != http.MethodHead || s.want.NoCache || len(s.body) > 0 || probing {
		return ""
	}
	var b strings.Builder
	b.Grow(256)
	fmt.Fprintf(&b, "%s %s\n%v %d %d %s\n", s.req.Method, s.req.URL, s.want.Statuses, s.want.Media, s.want.MaxBody, s.want.Class)
	names := make([]string, 0, len(s.req.Header))
	for name := range s.req.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s=%q\n", name, s.req.Header[name])
	}
	return b.String()
}

// unnamed reports whether a credential is sent that cannot be told from another;
// then nothing is kept or shared.
func (s *sending) unnamed() bool { return s.identity == "" && s.c.Configured() }
