package server

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// writeLimit is how long a client may take to accept one message.
	writeLimit = 10 * time.Second
	// heartbeat keeps idle streams alive through proxies and finds dead ones.
	heartbeat = 25 * time.Second
)

// eventStream writes server-sent events to one HTTP response. Any goroutine
// may send, until the handler closes it.
type eventStream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	rc      *http.ResponseController
	started bool
	err     error
	over    chan struct{} // closed with the first error or by close
	once    sync.Once
}

func newEventStream(w http.ResponseWriter) *eventStream {
	return &eventStream{w: w, rc: http.NewResponseController(w), over: make(chan struct{})}
}

// start sends the headers; later calls do nothing.
func (s *eventStream) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.startLocked()
}

func (s *eventStream) startLocked() {
	if s.started || s.err != nil {
		return
	}
	s.started = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	s.flushLocked()
}

func (s *eventStream) send(msg []byte) error { return s.event("message", msg) }

func (s *eventStream) event(name string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.startLocked()
	buf := make([]byte, 0, len(name)+len(data)+len("event: \ndata: \n\n"))
	buf = append(append(append(buf, "event: "...), name...), "\ndata: "...)
	return s.writeLocked(append(append(buf, data...), "\n\n"...))
}

func (s *eventStream) writeLocked(raw []byte) error {
	if s.err != nil {
		return s.err
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeLimit)) // writers without deadlines still write
	if _, err := s.w.Write(raw); err != nil {
		s.failLocked(err)
		return s.err
	}
	s.flushLocked()
	return s.err
}

func (s *eventStream) flushLocked() {
	if err := s.rc.Flush(); err != nil {
		s.failLocked(err)
	}
}

func (s *eventStream) failLocked(err error) {
	s.err = err
	s.once.Do(func() { close(s.over) })
}

// beat writes a comment, which clients ignore.
func (s *eventStream) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		_ = s.writeLocked([]byte(": \n\n"))
	}
}

// close ends the stream: nothing is written to the response afterwards.
func (s *eventStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		// The end of the response is still to be written, perhaps long after
		// the last message.
		_ = s.rc.SetWriteDeadline(time.Now().Add(writeLimit))
		s.failLocked(errGone)
	}
}

// hold keeps the stream open until the client leaves (ctx), writing fails, or
// end is closed.
func (s *eventStream) hold(ctx context.Context, end <-chan struct{}) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.over:
			return
		case <-end:
			return
		case <-tick.C:
			s.beat()
		}
	}
}
