package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// revisions of the protocol, newest first.
func allRevisions() []string    { return slices.Clone(mcp.ValidProtocolVersions) }
func legacyRevisions() []string { return mcp.LegacyProtocolVersions() }

// outgoing is what to send back: raw is nil for nothing, code that of the
// JSON-RPC error, 0 for a result.
type outgoing struct {
	raw  []byte
	code int
}

func failure(id json.RawMessage, e *rpcError) outgoing { return outgoing{failed(id, e), e.Code} }

// answer processes one message.
func (s *Server) answer(ctx context.Context, o origin, m message) outgoing {
	switch {
	case m.bad != nil:
		return failure(m.ID, m.bad)
	case m.batch != nil:
		return s.answerBatch(ctx, o, m.batch)
	case m.isResponse():
		o.client.deliver(m)
		return outgoing{}
	case m.isNotification():
		s.noted(o, m)
		return outgoing{}
	}
	return s.answerRequest(ctx, o, m)
}

// answerBatch: only revision 2025-03-26 has batches.
func (s *Server) answerBatch(ctx context.Context, o origin, batch []message) outgoing {
	if o.client.revision() != mcp.ProtocolVersion20250326 {
		return failure(nil, &rpcError{Code: mcp.INVALID_REQUEST, Message: "this protocol revision has no batches: send one message at a time"})
	}
	replies := make([]json.RawMessage, len(batch))
	var all sync.WaitGroup
	for i, m := range batch {
		all.Go(func() { replies[i] = s.answer(ctx, o, m).raw })
	}
	all.Wait()
	replies = slices.DeleteFunc(replies, func(r json.RawMessage) bool { return r == nil })
	if len(replies) == 0 {
		return outgoing{}
	}
	raw, err := json.Marshal(replies)
	if err != nil {
		return failure(nil, internalError())
	}
	return outgoing{raw: raw}
}

// noted handles a notification. A cancellation reaches only calls of the
// client that sent it: every client has its own table of calls.
func (s *Server) noted(o origin, m message) {
	if m.Method != string(mcp.MethodNotificationCancelled) {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &params) == nil && validID(params.RequestID) {
		o.client.cancel(params.RequestID, errCancelled)
	}
}

func (s *Server) answerRequest(ctx context.Context, o origin, m message) outgoing {
	e := newExchange(s, o, m)
	ctx, e.cancel = context.WithCancelCause(ctx)
	o.client.begin(e)
	result, bad := s.serve(ctx, e, m)
	e.close()
	cause := context.Cause(ctx)
	e.cancel(nil)
	o.client.end(e)
	if o.stream != nil && errors.Is(cause, errCancelled) {
		return outgoing{} // who cancels on a lasting connection expects no answer
	}
	if bad != nil {
		return failure(m.ID, bad)
	}
	if o.stream != nil && m.Method == string(mcp.MethodInitialize) {
		s.greet(o)
	}
	return outgoing{raw: succeeded(m.ID, result)}
}

// greet starts unsolicited notifications on a lasting connection.
func (s *Server) greet(o origin) {
	o.client.mu.Lock()
	defer o.client.mu.Unlock()
	if o.client.stop == nil {
		o.client.stop = s.audience.add(&listener{out: o.stream, client: o.client})
	}
}

// serve runs the request through our checks and mcp-go's core. What comes back
// as an error is always text written in this package.
func (s *Server) serve(ctx context.Context, e *exchange, m message) (result any, bad *rpcError) {
	defer func() {
		if v := recover(); v != nil {
			s.log.Error("panic while answering", "method", knownMethod(m.Method), "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
			result, bad = nil, internalError()
		}
	}()
	if m.Method != string(mcp.MethodInitialize) {
		s.offer()
	}
	if bad := s.check(e, m); bad != nil {
		return nil, bad
	}
	ctx = mcpserver.WithSupportedProtocolVersions(s.core.WithContext(ctx, e), e.revisions)
	reply := s.core.HandleMessage(ctx, m.raw)
	if _, refused := reply.(mcp.JSONRPCError); refused && e.setAside(m) {
		reply = s.core.HandleMessage(ctx, e.plain)
	}
	switch r := reply.(type) {
	case mcp.JSONRPCResponse:
		return r.Result, nil
	case mcp.JSONRPCError:
		return nil, rewritten(e, m, r.Error)
	}
	return nil, internalError()
}

// rewritten replaces the texts of mcp-go's errors, which quote the request or
// a Go error, and keeps the codes.
func rewritten(e *exchange, m message, d mcp.JSONRPCErrorDetails) *rpcError {
	e.mu.Lock()
	override := e.override
	e.mu.Unlock()
	if override != nil {
		return override
	}
	bad := &rpcError{Code: d.Code}
	switch d.Code {
	case mcp.METHOD_NOT_FOUND:
		bad.Message = "this server has no such method in this protocol revision"
	case mcp.INVALID_REQUEST:
		bad.Message = "the request does not have the shape that its method needs"
	case mcp.INVALID_PARAMS:
		bad.Message = "the parameters are not valid for this method"
	case mcp.RESOURCE_NOT_FOUND:
		bad.Message = "resource not found"
	case mcp.HEADER_MISMATCH:
		bad.Message = "a header does not match the body"
	case mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return unsupportedRevision(e)
	case mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.URL_ELICITATION_REQUIRED:
		bad.Message, bad.Data = "the client lacks something that this request needs", d.Data
	default:
		bad.Message = "internal error"
	}
	if m.Method == string(mcp.MethodResourcesRead) && d.Code != mcp.INVALID_REQUEST {
		return resourceError(bad, m)
	}
	return bad
}

// resourceError names the resource that could not be read: the uri is the
// client's own, and the specification wants it in data.
func resourceError(bad *rpcError, m message) *rpcError {
	var params struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return bad
	}
	switch bad.Code {
	case mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS:
		bad.Message = "resource not found"
	default:
		bad.Message = "the resource could not be read"
	}
	bad.Data = struct {
		URI string `json:"uri"`
	}{clip(params.URI)}
	return bad
}

func unsupportedRevision(e *exchange) *rpcError {
	return &rpcError{
		Code:    mcp.UNSUPPORTED_PROTOCOL_VERSION,
		Message: "unsupported protocol version",
		Data:    mcp.UnsupportedProtocolVersionData{Supported: e.revisions, Requested: clip(e.meta.Version)},
	}
}
