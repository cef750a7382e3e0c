package server

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

const headerSession = "Mcp-Session-Id"

var errNoStream = errors.New("the client does not accept a stream")

// streamable serves /mcp. Which generation of the protocol a request belongs
// to is decided for each request: from 2026-07-28 on it stands alone, before
// it belongs to a session.
type streamable struct {
	server   *Server
	life     *life
	sessions *sessions
}

// ServeHTTP implements http.Handler.
func (t *streamable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	switch {
	case r.Method == http.MethodPost:
		t.post(w, r)
	case modern || r.Method != http.MethodGet && r.Method != http.MethodDelete:
		allow := "GET, POST, DELETE"
		if modern {
			allow = "POST"
		}
		notAllowed(w, allow)
	case !knownRevision(w, r):
	case r.Method == http.MethodGet:
		t.listen(w, r)
	default:
		t.end(w, r)
	}
}

func (t *streamable) post(w http.ResponseWriter, r *http.Request) {
	m, ok := readMessage(w, r)
	if !ok {
		return
	}
	if !t.life.enter() {
		refuseID(w, http.StatusServiceUnavailable, m.ID, &rpcError{Code: mcp.INTERNAL_ERROR, Message: "the server is shutting down"})
		return
	}
	defer t.life.leave()
	if mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) || mcp.IsModernProtocol(declared(m)) {
		t.postModern(w, r, m)
		return
	}
	t.postLegacy(w, r, m)
}

// postLegacy: a client that goes away has not cancelled its call; that takes a
// notifications/cancelled. So the call's context is not the request's.
func (t *streamable) postLegacy(w http.ResponseWriter, r *http.Request, m message) {
	initialize := m.isRequest() && m.Method == string(mcp.MethodInitialize)
	if !initialize && !knownRevision(w, r) {
		return
	}
	var found *session
	if initialize {
		if found = t.sessions.open(); found == nil {
			refuseID(w, http.StatusServiceUnavailable, m.ID, &rpcError{Code: mcp.INTERNAL_ERROR, Message: "too many sessions are in use"})
			return
		}
	} else if found = t.find(w, r, m.ID); found == nil {
		return
	}
	if !initialize && m.Method != "notifications/initialized" {
		t.sessions.work(found)
	}
	out := newReplyStream(w, r)
	reach, cancel := until(r.Context(), t.life.open)
	defer cancel()
	reply := t.server.answer(t.life.calls, origin{client: found.client, out: out, transport: "tcp", reach: reach, revisions: allRevisions()}, m)
	switch {
	case initialize && reply.code != 0:
		t.sessions.close(found.id)
	case initialize:
		w.Header().Set(headerSession, found.id)
	}
	out.finish(http.StatusOK, reply.raw)
}

// find returns the session that the request names, or refuses the request.
func (t *streamable) find(w http.ResponseWriter, r *http.Request, id []byte) *session {
	name := r.Header.Get(headerSession)
	if name == "" {
		refuseID(w, http.StatusBadRequest, id, &rpcError{Code: mcp.INVALID_REQUEST, Message: "the " + headerSession + " header is missing: initialize first and send the one you got"})
		return nil
	}
	found := t.sessions.get(name)
	if found == nil {
		refuseID(w, http.StatusNotFound, id, &rpcError{Code: mcp.INVALID_REQUEST, Message: "there is no such session (any more): initialize again"})
	}
	return found
}

// listen serves the stream on which a session gets what answers no request.
func (t *streamable) listen(w http.ResponseWriter, r *http.Request) {
	if streams, _ := accepts(r); !streams || r.Header.Get("Accept") == "" {
		refuse(w, http.StatusNotAcceptable, "a GET must accept text/event-stream")
		return
	}
	found := t.find(w, r, nil)
	if found == nil {
		return
	}
	t.sessions.work(found)
	stream := newEventStream(w)
	defer stream.close()
	before, ok := t.sessions.listen(found, stream)
	if !ok {
		refuse(w, http.StatusNotFound, "there is no such session (any more): initialize again")
		return
	}
	defer t.sessions.unlisten(found, stream)
	if before != nil {
		before.close() // one stream a session, or notifications would come twice
	}
	defer t.server.audience.add(&listener{out: stream, client: found.client})()
	t.server.audience.heed() // it may have subscribed before
	stream.start()           // now, as nothing that follows may be missed
	stream.hold(r.Context(), t.life.open.Done())
}

func (t *streamable) end(w http.ResponseWriter, r *http.Request) {
	if found := t.find(w, r, nil); found != nil {
		t.sessions.close(found.id)
		w.WriteHeader(http.StatusNoContent)
	}
}

// knownRevision refuses a Mcp-Protocol-Version that was never released. A
// missing one is fine: clients before 2025-06-18 send none.
func knownRevision(w http.ResponseWriter, r *http.Request) bool {
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	if version == "" || mcp.IsValidProtocolVersion(version) {
		return true
	}
	refuse(w, http.StatusBadRequest, "unsupported "+mcp.HeaderProtocolVersion+"; supported are "+strings.Join(allRevisions(), ", "))
	return false
}

// accepts reports which kinds of answer to a POST the client can take; one
// that says nothing takes JSON.
func accepts(r *http.Request) (streams, plain bool) {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	for item := range strings.SplitSeq(accept, ",") {
		media, _, _ := mime.ParseMediaType(item)
		streams = streams || media == "text/event-stream" || media == "text/*" || media == "*/*"
		plain = plain || media == "application/json" || media == "application/*" || media == "*/*"
	}
	return streams, plain || !streams
}

// replyStream answers one POST: with JSON, or with a stream once something
// has to be said before the answer.
type replyStream struct {
	*eventStream
	streams, plain bool
}

func newReplyStream(w http.ResponseWriter, r *http.Request) *replyStream {
	s := &replyStream{eventStream: newEventStream(w)}
	s.streams, s.plain = accepts(r)
	return s
}

func (s *replyStream) send(msg []byte) error {
	if !s.streams {
		return errNoStream
	}
	return s.eventStream.send(msg)
}

// finish sends the answer, nil for none, and ends the response.
func (s *replyStream) finish(status int, raw []byte) {
	defer s.close()
	s.mu.Lock()
	started := s.started
	s.mu.Unlock()
	switch {
	case raw == nil && !started:
		s.w.WriteHeader(http.StatusAccepted)
	case raw == nil:
	case started || !s.plain && status == http.StatusOK:
		_ = s.eventStream.send(raw) // the client has gone: nobody is left to tell
	default:
		writeJSON(s.w, status, raw)
	}
}

// until returns a context that ends with either of the two.
func until(request, server context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(request)
	unhook := context.AfterFunc(server, func() { cancel(errShutdown) })
	return ctx, func() { unhook(); cancel(nil) }
}
