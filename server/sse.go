package server

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxConnections bounds the streams of the older transport open at once.
const maxConnections = 256

// sse serves /sse and /message, the transport of revision 2024-11-05. It
// speaks no revision that has no sessions: a client that asks for one is told
// which there are.
type sse struct {
	server *Server
	life   *life
	mu     sync.Mutex
	byID   map[string]*connection
}

// connection is a client and the stream that takes everything for it.
type connection struct {
	*client
	stream *eventStream
	ctx    context.Context

	mu      sync.Mutex
	closing bool
	calls   sync.WaitGroup
}

// begin counts a call in; false means that the stream is about to end.
func (t *sse) begin(c *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing || !t.life.enter() {
		return false
	}
	c.calls.Add(1)
	return true
}

// finish waits for the results of calls to be on the stream, at most until ctx
// ends or the time for a shutdown is over.
func (c *connection) finish(ctx context.Context) {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	done := make(chan struct{})
	go func() { c.calls.Wait(); close(done) }()
	limit := time.NewTimer(drainFor)
	defer limit.Stop()
	select {
	case <-done:
	case <-ctx.Done():
	case <-limit.C:
	}
}

// connect serves the stream.
func (t *sse) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		notAllowed(w, "GET")
		return
	}
	ctx, stop := context.WithCancelCause(t.life.calls)
	defer stop(errGone) // who goes away cancels: results have nowhere to go
	c := &connection{client: newClient(rand.Text()), stream: newEventStream(w), ctx: ctx}
	defer c.stream.close()
	if !t.add(c) {
		refuse(w, http.StatusServiceUnavailable, "too many streams are open, or the server is shutting down")
		return
	}
	defer t.remove(c)
	c.stream.start()
	if c.stream.event("endpoint", []byte("/message?sessionId="+c.id)) != nil {
		return
	}
	c.stream.hold(r.Context(), t.life.open.Done())
	if t.life.open.Err() != nil {
		c.finish(r.Context())
	}
}

func (t *sse) add(c *connection) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) >= maxConnections || t.life.open.Err() != nil {
		return false
	}
	if t.byID == nil {
		t.byID = map[string]*connection{}
	}
	t.byID[c.id] = c
	return true
}

func (t *sse) remove(c *connection) {
	t.mu.Lock()
	delete(t.byID, c.id)
	t.mu.Unlock()
	c.leave(errGone)
}

func (t *sse) find(id string) *connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// message takes one message for a connection. What it is answered with goes to
// the stream.
func (t *sse) message(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		notAllowed(w, "POST")
		return
	}
	m, ok := readMessage(w, r)
	if !ok {
		return
	}
	c := t.find(r.URL.Query().Get("sessionId"))
	if c == nil {
		refuseID(w, http.StatusNotFound, m.ID, &rpcError{Code: mcp.INVALID_REQUEST, Message: "there is no such session (any more): open /sse again"})
		return
	}
	o := origin{client: c.client, out: c.stream, stream: c.stream, transport: "tcp", revisions: legacyRevisions()}
	if m.isNotification() || m.isResponse() {
		t.server.answer(c.ctx, o, m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if !t.begin(c) {
		refuseID(w, http.StatusServiceUnavailable, m.ID, &rpcError{Code: mcp.INTERNAL_ERROR, Message: "the server is shutting down"})
		return
	}
	go func() {
		defer t.life.leave()
		defer c.calls.Done()
		if reply := t.server.answer(c.ctx, o, m); reply.raw != nil {
			_ = c.stream.send(reply.raw) // a broken stream has ended the connection
		}
	}()
	w.WriteHeader(http.StatusAccepted)
}
