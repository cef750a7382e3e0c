package server

import (
	"container/list"
	"crypto/rand"
	"sync"
	"time"
)

const (
	// maxSessions bounds what clients that never say goodbye can cost.
	maxSessions = 1000
	// sessionIdle is how long an unused session is kept.
	sessionIdle = 30 * time.Minute
	// sessionRecent is how long a session that did something is kept even if others
	// want its place.
	sessionRecent = 5 * time.Minute
)

// sessions holds the clients of Streamable HTTP before 2026-07-28, least
// recently used last. Who was forgotten gets a 404 and initializes again, as
// the specification has it.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*list.Element
	used list.List // of *session
	now  func() time.Time
}

// session is a client with the stream it listens on, if it does.
type session struct {
	*client
	seen   time.Time
	worked bool // it sent more than the messages that open a session
	stream *eventStream
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{byID: map[string]*list.Element{}, now: now}
}

// open starts a session. It returns nil if there are maxSessions already and
// all of them are in use.
func (s *sessions) open() *session {
	opened := &session{client: newClient(rand.Text()), seen: s.now()}
	s.mu.Lock()
	gone := s.expireLocked()
	if len(s.byID) < maxSessions {
		s.byID[opened.id] = s.used.PushFront(opened)
	} else {
		opened = nil
	}
	s.mu.Unlock()
	for _, g := range gone {
		g.leave(errGone)
	}
	return opened
}

// expireLocked takes out what is idle for too long and, if there is no room, one
// more: the longest unused of those that never did more than introduce
// themselves, else of those that did nothing lately. So whoever floods the server
// with introductions drives out only his own.
func (s *sessions) expireLocked() (gone []*session) {
	now := s.now()
	for el := s.used.Back(); el != nil && now.Sub(held(el).seen) > sessionIdle; {
		prev := el.Prev()
		gone = s.dropIdleLocked(el, gone)
		el = prev
	}
	for _, may := range []func(*session) bool{
		func(old *session) bool { return !old.worked },
		func(old *session) bool { return now.Sub(old.seen) > sessionRecent },
	} {
		for el := s.used.Back(); el != nil && len(s.byID) >= maxSessions; {
			prev := el.Prev()
			if may(held(el)) {
				gone = s.dropIdleLocked(el, gone)
			}
			el = prev
		}
	}
	return gone
}

// dropIdleLocked takes a session out, unless it has a stream or a call in flight.
func (s *sessions) dropIdleLocked(el *list.Element, gone []*session) []*session {
	old := held(el)
	if old.stream != nil || old.busy() {
		return gone
	}
	s.used.Remove(el)
	delete(s.byID, old.id)
	return append(gone, old)
}

// held is the session in an element; the list holds nothing else.
func held(el *list.Element) *session {
	found, _ := el.Value.(*session)
	return found
}

// work marks a session as one that does more than introduce itself.
func (s *sessions) work(found *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found.worked = true
}

// get finds a session and marks it as used.
func (s *sessions) get(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	el := s.byID[id]
	if el == nil {
		return nil
	}
	s.used.MoveToFront(el)
	found := held(el)
	found.seen = s.now()
	return found
}

// listen makes stream the one that the session listens on, and returns the one
// before, nil if there was none. The session may be gone by then: false.
func (s *sessions) listen(found *session, stream *eventStream) (before *eventStream, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[found.id] == nil {
		return nil, false
	}
	before, found.stream = found.stream, stream
	return before, true
}

// unlisten forgets the stream, unless another has taken its place.
func (s *sessions) unlisten(found *session, stream *eventStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found.seen = s.now()
	if found.stream == stream {
		found.stream = nil
	}
}

// close ends a session and reports whether there was one.
func (s *sessions) close(id string) bool {
	s.mu.Lock()
	el := s.byID[id]
	if el == nil {
		s.mu.Unlock()
		return false
	}
	gone := held(el)
	s.used.Remove(el)
	delete(s.byID, id)
	stream := gone.stream
	s.mu.Unlock()
	if stream != nil {
		stream.close()
	}
	gone.leave(errGone)
	return true
}
