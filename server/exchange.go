package server

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// requestMeta is what this package reads of a request's _meta.
type requestMeta struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	Traceparent   string          `json:"traceparent"`
	Version       string          `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
}

// exchange is one request while it is being answered. To mcp-go it is the
// session: one for each request, so that nothing that mcp-go keys by session
// is ever shared between requests.
type exchange struct {
	origin
	server *Server
	id     json.RawMessage
	method string
	meta   requestMeta
	modern bool
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	closed   bool // the answer is under way: nothing may follow it
	info     mcp.Implementation
	caps     mcp.ClientCapabilities
	override *rpcError

	filter    mcp.SubscriptionFilter
	listening bool
	forget    func()

	plain     []byte          // the message without the arguments below
	arguments json.RawMessage // what the tool gets, if mcp-go cannot read it

	pumpOnce sync.Once
	notes    chan mcp.JSONRPCNotification
	closing  chan struct{}
	pumped   chan struct{}
}

func newExchange(s *Server, o origin, m message) *exchange {
	e := &exchange{origin: o, server: s, id: m.ID, method: m.Method, closing: make(chan struct{})}
	var params struct {
		Meta requestMeta `json:"_meta"`
	}
	// A malformed _meta is reported by the checks of the method; what could
	// be read of it stays.
	_ = json.Unmarshal(m.Params, &params)
	e.meta = params.Meta
	e.modern = mcp.IsModernProtocol(e.meta.Version)
	o.client.mu.Lock()
	e.info, e.caps = o.client.info, o.client.caps
	o.client.mu.Unlock()
	return e
}

// setAside takes the arguments out of a call that mcp-go refuses because of them:
// a number beyond the range of a float is JSON, and which argument cannot have it
// is the tool's to say.
func (e *exchange) setAside(m message) bool {
	var params map[string]json.RawMessage
	if m.Method != string(mcp.MethodToolsCall) || json.Unmarshal(m.Params, &params) != nil {
		return false
	}
	var decoded any
	if arguments := params["arguments"]; arguments == nil || json.Unmarshal(arguments, &decoded) == nil {
		return false
	}
	e.arguments, params["arguments"] = params["arguments"], json.RawMessage("{}")
	raw, err := json.Marshal(struct {
		JSONRPC string                     `json:"jsonrpc"`
		ID      json.RawMessage            `json:"id"`
		Method  string                     `json:"method"`
		Params  map[string]json.RawMessage `json:"params"`
	}{mcp.JSONRPC_VERSION, m.ID, m.Method, params})
	e.plain = raw
	return err == nil
}

// notify sends a notification that belongs to the request; after the answer it
// sends nothing.
func (e *exchange) notify(method string, params any) {
	raw, err := json.Marshal(notification{JSONRPC: mcp.JSONRPC_VERSION, Method: method, Params: params})
	if err == nil {
		_ = e.emit(raw) // if the client is gone, the answer meets the same error
	}
}

func (e *exchange) emit(raw []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errGone
	}
	return e.out.send(raw)
}

// close flushes what mcp-go queued and lets nothing follow.
func (e *exchange) close() {
	close(e.closing)
	e.pumpOnce.Do(func() {}) // no pump may start from here on
	if e.pumped != nil {
		<-e.pumped
	}
	e.mu.Lock()
	e.closed = true
	forget := e.forget
	e.forget = nil
	e.mu.Unlock()
	if forget != nil {
		forget()
	}
}

// pump takes notifications from mcp-go's channel, in order.
func (e *exchange) pump() {
	defer close(e.pumped)
	for {
		select {
		case n := <-e.notes:
			e.forward(n)
		case <-e.closing:
			for range len(e.notes) {
				e.forward(<-e.notes)
			}
			return
		}
	}
}

func (e *exchange) forward(n mcp.JSONRPCNotification) {
	raw, err := json.Marshal(n)
	if err != nil {
		return
	}
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
		e.listen(raw)
		return
	}
	_ = e.emit(raw)
}

// listen acknowledges a subscriptions/listen request and starts its
// notifications. The lock keeps these behind the acknowledgement, and nothing
// that happens after the client has read it is missed.
func (e *exchange) listen(ack []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	if !e.filter.IsEmpty() {
		e.forget = e.server.audience.add(&listener{out: emitter{e}, filter: e.filter, subscription: e.id})
		e.server.audience.heed()
	}
	_ = e.out.send(ack)
}

// emitter is the exchange as an outlet.
type emitter struct{ e *exchange }

func (m emitter) send(raw []byte) error { return m.e.emit(raw) }

type notification struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// isListen: a subscriptions/listen request, which ends only when told to.
func (e *exchange) isListen() bool { return e.method == string(mcp.MethodSubscriptionsListen) }
