package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// What follows is the exchange as mcp-go wants a session to be.
var (
	_ mcpserver.SessionWithLogging                  = (*exchange)(nil)
	_ mcpserver.SessionWithClientInfo               = (*exchange)(nil)
	_ mcpserver.SessionWithResourceSubscriptionsErr = (*exchange)(nil)
	_ mcpserver.SessionWithSubscriptionFilter       = (*exchange)(nil)
	_ mcpserver.SessionWithProtocolVersion          = (*exchange)(nil)
	_ mcpserver.SessionWithSampling                 = (*exchange)(nil)
	_ mcpserver.SessionWithElicitation              = (*exchange)(nil)
	_ mcpserver.SessionWithRoots                    = (*exchange)(nil)
)

// exchangeOf returns the exchange that a handler of mcp-go works for.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := mcpserver.ClientSessionFromContext(ctx).(*exchange)
	return e
}

// Initialize and Initialized: every request is served, before initialize too.
func (e *exchange) Initialize()       {}
func (e *exchange) Initialized() bool { return true }

// SessionID is the client's.
func (e *exchange) SessionID() string { return e.client.id }

// NotificationChannel starts a pump; most requests never need one.
func (e *exchange) NotificationChannel() chan<- mcp.JSONRPCNotification {
	e.pumpOnce.Do(func() {
		e.notes = make(chan mcp.JSONRPCNotification, 64)
		e.pumped = make(chan struct{})
		go e.pump()
	})
	return e.notes
}

// SetLogLevel and GetLogLevel are the client's.
func (e *exchange) SetLogLevel(level mcp.LoggingLevel) {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.client.level = level
}

// GetLogLevel returns the level below which nothing is sent.
func (e *exchange) GetLogLevel() mcp.LoggingLevel {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	return e.client.level
}

// GetClientInfo returns what the client said of itself.
func (e *exchange) GetClientInfo() mcp.Implementation {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// SetClientInfo: a 2026-07-28 request speaks for itself alone, initialize for
// the requests that follow.
func (e *exchange) SetClientInfo(info mcp.Implementation) {
	e.mu.Lock()
	e.info = info
	e.mu.Unlock()
	if !e.modern {
		e.client.mu.Lock()
		e.client.info = info
		e.client.mu.Unlock()
	}
}

// GetClientCapabilities returns what the client can do.
func (e *exchange) GetClientCapabilities() mcp.ClientCapabilities {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.caps
}

// SetClientCapabilities: see SetClientInfo.
func (e *exchange) SetClientCapabilities(caps mcp.ClientCapabilities) {
	e.mu.Lock()
	e.caps = caps
	e.mu.Unlock()
	if !e.modern {
		e.client.mu.Lock()
		e.client.caps = caps
		e.client.mu.Unlock()
	}
}

// ProtocolVersion is the request's own, or else the negotiated one.
func (e *exchange) ProtocolVersion() string {
	if e.modern {
		return e.meta.Version
	}
	return e.client.revision()
}

// SetProtocolVersion is called by initialize.
func (e *exchange) SetProtocolVersion(version string) {
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.client.version = version
}

// SubscribeToResourceErr refuses more than maxSubscriptions. A listen request
// has its own list, in its filter.
func (e *exchange) SubscribeToResourceErr(uri string) error {
	if e.modern {
		return nil
	}
	err := e.client.subscribe(uri)
	e.server.audience.heed()
	return err
}

// SubscribeToResource is never called, as there is SubscribeToResourceErr.
func (e *exchange) SubscribeToResource(uri string) { _ = e.SubscribeToResourceErr(uri) }

// UnsubscribeFromResource forgets a subscription.
func (e *exchange) UnsubscribeFromResource(uri string) {
	if !e.modern {
		e.client.unsubscribe(uri)
	}
}

// SubscribedResources lists the subscriptions.
func (e *exchange) SubscribedResources() []string { return e.client.subscriptions() }

// IsSubscribedToResource is for mcp-go's own fan-out, which is not used.
func (e *exchange) IsSubscribedToResource(string) bool { return false }

// SetSubscriptionFilter is called by subscriptions/listen, at its end with
// the zero filter.
func (e *exchange) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.filter = filter
	e.listening = true
}

// SubscriptionFilter reports what the listen request asked for.
func (e *exchange) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.filter, e.listening
}

// RequestSampling asks the client's model.
func (e *exchange) RequestSampling(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	result, err := asked[mcp.CreateMessageResult](ctx, e, mcp.MethodSamplingCreateMessage, r.CreateMessageParams)
	if err != nil {
		return nil, err
	}
	if result.Content, err = mcp.ParseSamplingContent(result.Content); err != nil {
		return nil, fmt.Errorf("read the sampled content: %w", err)
	}
	return result, nil
}

// RequestElicitation asks the person at the client.
func (e *exchange) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return asked[mcp.ElicitationResult](ctx, e, mcp.MethodElicitationCreate, r.Params)
}

// ListRoots asks for the client's roots.
func (e *exchange) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return asked[mcp.ListRootsResult](ctx, e, mcp.MethodListRoots, nil)
}

func asked[T any](ctx context.Context, e *exchange, method mcp.MCPMethod, params any) (*T, error) {
	if e.reach != nil {
		within, cancel := until(ctx, e.reach)
		defer cancel()
		ctx = within
	}
	raw, err := e.client.ask(ctx, emitter{e}, string(method), params)
	if err != nil {
		return nil, fmt.Errorf("ask the client for %s: %w", method, err)
	}
	var result T
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("read the client's answer to %s: %w", method, err)
	}
	return &result, nil
}
