package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxSubscriptions bounds what one client can make the server remember.
const maxSubscriptions = 100

var (
	errCancelled = errors.New("the caller cancelled the request")
	errShutdown  = errors.New("the server is shutting down")
	errGone      = errors.New("the client is gone")
	errTooMany   = errors.New("too many subscriptions")
)

// outlet takes whole JSON-RPC messages to a client. It is safe for concurrent
// use; once it has failed it goes on failing.
type outlet interface {
	send(msg []byte) error
}

// origin is where a message came from.
type origin struct {
	client *client
	// transport is "pipe" or "tcp", as traces name it.
	transport string
	// out takes what belongs to the message being answered, except the answer.
	out outlet
	// reach ends when no answer of the client to a question can come any more; nil
	// if the calls end then too.
	reach context.Context
	// revisions of the protocol that the transport speaks, newest first.
	revisions []string
	// stream, if set, is a lasting connection: it gets unsolicited
	// notifications once initialized, and no answer to a cancelled request.
	stream outlet
}

// client is what the server knows of one client. Nothing of it is shared
// between clients, so equal request ids of two clients never meet.
type client struct {
	id string

	mu         sync.Mutex
	version    string // negotiated by initialize; "" before
	info       mcp.Implementation
	caps       mcp.ClientCapabilities
	level      mcp.LoggingLevel
	subscribed []string
	inflight   map[string]*exchange
	asked      map[int64]chan message
	lastAsked  int64
	stop       func() // ends unsolicited notifications
}

func newClient(id string) *client {
	return &client{id: id, level: mcp.LoggingLevelError}
}

func (c *client) revision() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// begin records a request in flight; end must be called with the same exchange.
func (c *client) begin(e *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inflight == nil {
		c.inflight = map[string]*exchange{}
	}
	c.inflight[string(e.id)] = e
}

func (c *client) end(e *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inflight[string(e.id)] == e { // else the client reused the id meanwhile
		delete(c.inflight, string(e.id))
	}
}

func (c *client) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inflight) > 0
}

// cancel stops the request with that id, if this client has one in flight.
func (c *client) cancel(id json.RawMessage, cause error) {
	c.mu.Lock()
	e := c.inflight[string(id)]
	c.mu.Unlock()
	if e != nil {
		e.cancel(cause)
	}
}

// cancelAll stops the requests in flight for which match holds.
func (c *client) cancelAll(cause error, match func(*exchange) bool) {
	c.mu.Lock()
	var hit []*exchange
	for _, e := range c.inflight {
		if match(e) {
			hit = append(hit, e)
		}
	}
	c.mu.Unlock()
	for _, e := range hit {
		e.cancel(cause)
	}
}

// leave ends everything that the client has here.
func (c *client) leave(cause error) {
	c.cancelAll(cause, func(*exchange) bool { return true })
	c.mu.Lock()
	stop := c.stop
	c.stop = nil
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// ask sends a request of ours and waits for the client's answer.
func (c *client) ask(ctx context.Context, out outlet, method string, params any) (json.RawMessage, error) {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.lastAsked++
	id := c.lastAsked
	if c.asked == nil {
		c.asked = map[int64]chan message{}
	}
	c.asked[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.asked, id)
		c.mu.Unlock()
	}()
	raw, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, id, method, params})
	if err != nil {
		return nil, err
	}
	if err := out.send(raw); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		if raw, err := json.Marshal(notification{mcp.JSONRPC_VERSION, "notifications/cancelled", struct {
			RequestID int64 `json:"requestId"`
		}{id}}); err == nil {
			_ = out.send(raw) // so that nobody is shown a question that is over
		}
		return nil, context.Cause(ctx)
	case m := <-answer:
		if m.Result == nil {
			return nil, errors.New("the client refused " + method)
		}
		return m.Result, nil
	}
}

// deliver hands the client's answer to whoever asked; it reports whether
// anybody did.
func (c *client) deliver(m message) bool {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return false
	}
	c.mu.Lock()
	answer := c.asked[id]
	delete(c.asked, id)
	c.mu.Unlock()
	if answer == nil {
		return false
	}
	answer <- m
	return true
}

func (c *client) subscribe(uri string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.subscribed, uri) {
		return nil
	}
	if len(c.subscribed) >= maxSubscriptions {
		return errTooMany
	}
	c.subscribed = append(c.subscribed, uri)
	return nil
}

func (c *client) unsubscribe(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribed = slices.DeleteFunc(c.subscribed, func(s string) bool { return s == uri })
}

func (c *client) subscriptions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.subscribed)
}
