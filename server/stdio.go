package server

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// drainFor is how long a shutdown waits for calls in flight.
	drainFor = 5 * time.Second
	// lastWords is the end of that time, in which calls that did not finish
	// are cancelled and may still say so.
	lastWords = 2 * grace
)

// stdioClient is the id of the one client that a pair of streams has.
const stdioClient = "stdio"

// ServeStdio serves one client over a pair of streams, one message a line. It
// returns nil when the input ends or ctx is cancelled (on SIGTERM, say), after
// calls in flight were answered or 5 seconds have passed; callers exit with
// status 0 then. The error is one of reading the input. Reading cannot be
// interrupted: one goroutine stays until in is closed.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	calls, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	w := &lineWriter{w: out, turn: make(chan struct{}, 1), failed: func() { stop(errGone) }}
	c := newClient(stdioClient)
	defer c.leave(errShutdown)
	reach, deaf := context.WithCancel(calls)
	defer deaf()
	o := origin{client: c, out: w, stream: w, transport: "pipe", reach: reach, revisions: allRevisions()}
	var inflight sync.WaitGroup
	err := s.readAll(ctx, in, func(m message) {
		if m.urgent() {
			w.reply(s.answer(calls, o, m))
			return
		}
		inflight.Go(func() { w.reply(s.answer(calls, o, m)) })
	})
	deaf()
	c.cancelAll(errShutdown, (*exchange).isListen)
	drained(&inflight, drainFor-lastWords)
	stop(errShutdown)
	drained(&inflight, lastWords)
	w.close()
	return err
}

// readAll hands over messages until the input ends, ctx is done or the client
// does not read any more.
func (s *Server) readAll(ctx context.Context, in io.Reader, take func(message)) error {
	type read struct {
		m   message
		err error
	}
	reads := make(chan read)
	done := make(chan struct{})
	defer close(done)
	go func() {
		lines := newLineReader(in)
		for {
			m, err := lines.next()
			select {
			case reads <- read{m, err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-reads:
			if errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrClosedPipe) {
				return nil
			}
			if r.err != nil {
				return r.err
			}
			if !r.m.blank {
				take(r.m)
			}
		}
	}
}

// drained waits for the group, at most for d, and reports whether it ended.
func drained(group *sync.WaitGroup, d time.Duration) bool {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// lineWriter writes whole lines, one at a time.
type lineWriter struct {
	turn   chan struct{} // holds the one who writes
	w      io.Writer
	err    error
	closed atomic.Bool
	failed func()
}

func (w *lineWriter) send(msg []byte) error {
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	switch {
	case w.err != nil:
		return w.err
	case w.closed.Load():
		return errShutdown
	}
	// One Write for the whole line, so that nothing can come between.
	if _, w.err = w.w.Write(append(msg, '\n')); w.err != nil {
		w.failed()
	}
	return w.err
}

// close makes it take nothing more, and waits for the line that is being written
// unless its reader is stuck: what comes late is not written once the caller has
// its output back.
func (w *lineWriter) close() {
	w.closed.Store(true)
	late := time.NewTimer(lastWords)
	defer late.Stop()
	select {
	case w.turn <- struct{}{}:
		<-w.turn
	case <-late.C:
	}
}

func (w *lineWriter) reply(o outgoing) {
	if o.raw != nil {
		_ = w.send(o.raw) // a failure has already stopped the calls
	}
}
