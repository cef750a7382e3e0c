package server

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// declared returns the protocol revision that a message names in its _meta.
func declared(m message) string {
	var params struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params) // what is not there is ""
	return params.Meta.Version
}

// postModern answers a request of 2026-07-28. It has a client of its own, so
// no other request can name it: to cancel a call one closes its response, and
// a notifications/cancelled is accepted and means nothing.
func (t *streamable) postModern(w http.ResponseWriter, r *http.Request, m message) {
	if !m.isRequest() {
		if m.isNotification() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		refuseID(w, http.StatusBadRequest, m.ID, &rpcError{Code: mcp.INVALID_REQUEST, Message: "this protocol revision has neither batches nor responses from clients"})
		return
	}
	if bad := t.checkHeaders(r, m); bad != nil {
		refuseID(w, http.StatusBadRequest, m.ID, bad)
		return
	}
	server := t.life.calls
	if m.Method == string(mcp.MethodSubscriptionsListen) {
		server = t.life.open // it would never end by itself
	}
	ctx, cancel := until(r.Context(), server)
	defer cancel()
	out := newReplyStream(w, r)
	reply := t.server.answer(ctx, origin{client: newClient(""), out: out, transport: "tcp", revisions: allRevisions()}, m)
	out.finish(statusOf(reply.code), reply.raw)
}

// checkHeaders: intermediaries act on the headers, so these must say what the
// body says.
func (t *streamable) checkHeaders(r *http.Request, m message) *rpcError {
	header, body := r.Header.Get(mcp.HeaderProtocolVersion), declared(m)
	mismatch := func(why string) *rpcError { return &rpcError{Code: mcp.HEADER_MISMATCH, Message: why} }
	switch {
	case r.Header.Get(mcp.HeaderLastEventID) != "":
		return mismatch("Last-Event-ID: streams cannot be resumed in this protocol revision")
	case header == "":
		return mismatch("the " + mcp.HeaderProtocolVersion + " header is missing")
	case body == "":
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "_meta lacks " + mcp.MetaKeyProtocolVersion}
	case header != body:
		return mismatch("the " + mcp.HeaderProtocolVersion + " header differs from " + mcp.MetaKeyProtocolVersion + " in _meta")
	case !mcp.IsValidProtocolVersion(body):
		return unsupportedRevision(newExchange(t.server, origin{client: newClient(""), revisions: allRevisions()}, m))
	}
	err := mcp.ValidateStandardHeaders(r.Header.Get, body, mcp.MCPMethod(m.Method), m.Params)
	if err == nil && m.Method == string(mcp.MethodToolsCall) {
		err = t.checkParamHeaders(r, m)
	}
	var wrong mcp.HeaderMismatchError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return mismatch("the " + clip(wrong.Header) + " header is missing, malformed or differs from the body")
	}
	return mismatch("a header is missing, malformed or differs from the body")
}

// checkParamHeaders checks the arguments that a tool's schema wants in headers.
func (t *streamable) checkParamHeaders(r *http.Request, m message) error {
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return nil // reported as a malformed request later
	}
	tool := t.server.core.GetTool(params.Name)
	if tool == nil {
		return nil
	}
	return mcp.ValidateParamHeadersLookup(func(name string) (string, bool) {
		values := r.Header.Values(name)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}, &tool.Tool, m.Params)
}

// statusOf maps error codes to statuses as revision 2026-07-28 has it.
func statusOf(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.PARSE_ERROR, mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.HEADER_MISMATCH,
		mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
