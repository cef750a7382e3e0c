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

// expireLocked takes out what is idle for too long, and the longest unused
// session in any case if there is no room.
func (s *sessions) expireLocked() (gone []*session) {
	full := len(s.byID) >= maxSessions
	for el := s.used.Back(); el != nil; {
		old, prev := el.Value.(*session), el.Prev()
		stale := s.now().Sub(old.seen) > sessionIdle
		if !stale && !full {
			break // the rest was used later still
		}
		if old.stream == nil && !old.busy() {
			s.used.Remove(el)
			delete(s.byID, old.id)
			gone = append(gone, old)
			full = false
		}
		el = prev
	}
	return gone
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
	found := el.Value.(*session)
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
	gone := el.Value.(*session)
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
