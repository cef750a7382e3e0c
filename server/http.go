package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// HTTPOptions says where and for whom to serve HTTP.
type HTTPOptions struct {
	// Addr is host:port; port 0 takes a free one.
	Addr string
	// Token, if set, must come as a bearer token with every request but
	// /healthz. It is required where Addr is not loopback.
	Token string
	// Origins of web pages that may use the server, as scheme://host[:port],
	// besides loopback pages on the server's own port.
	Origins []string
	// Hosts that requests over loopback may name, besides loopback names: for
	// a reverse proxy that keeps the Host header.
	Hosts []string
	// Listening is told the bound address; optional.
	Listening func(net.Addr)
}

var (
	// ErrTokenRequired: the address can be reached from other machines and
	// there is no token that would keep strangers out.
	ErrTokenRequired = errors.New("an address that is not loopback needs a bearer token: set FRANK_HTTP_TOKEN or --token-file, or listen on 127.0.0.1")
	// ErrAddressInUse: another program listens on the address.
	ErrAddressInUse = errors.New("the address is in use by another program: choose another port, or 0 for a free one")
	// ErrAddressInvalid: the address is not host:port, or not one of this machine.
	ErrAddressInvalid = errors.New("the address cannot be listened on: it must be host:port with a host of this machine")
)

// ListenHTTP serves Streamable HTTP at /mcp, the older HTTP+SSE at /sse and
// /message, and /healthz. It returns nil after ctx was cancelled: calls in
// flight were answered then, or 5 seconds have passed. Before it listens it may
// return ErrTokenRequired, ErrAddressInUse or ErrAddressInvalid, wrapped.
func (s *Server) ListenHTTP(ctx context.Context, o HTTPOptions) error {
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return fmt.Errorf("%w: %q", ErrAddressInvalid, o.Addr)
	}
	if o.Token == "" && !isLoopback(host) {
		return fmt.Errorf("%w: %q", ErrTokenRequired, o.Addr)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w: %q", ErrAddressInUse, o.Addr)
	case err != nil:
		return fmt.Errorf("%w: %q", ErrAddressInvalid, o.Addr)
	}
	life := newLife()
	defer life.stop(errShutdown)
	web := &http.Server{
		Handler:           s.routes(newGuard(o, listener.Addr()), life),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// Its records quote what strangers sent.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	if o.Listening != nil {
		o.Listening(listener.Addr())
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	life.drain(web)
	return nil
}

func (s *Server) routes(g *guard, life *life) http.Handler {
	mux := http.NewServeMux()
	old := &sse{server: s, life: life}
	mux.Handle("/mcp", g.protect(&streamable{server: s, life: life, sessions: newSessions(time.Now)}))
	mux.Handle("/sse", g.protect(http.HandlerFunc(old.connect)))
	mux.Handle("/message", g.protect(http.HandlerFunc(old.message)))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notAllowed(w, "GET")
			return
		}
		writeJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "nothing is served here: use /mcp, /sse or /healthz")
	})
	return mux
}

func notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	refuse(w, http.StatusMethodNotAllowed, "this HTTP method is not served here")
}

// life is the time in which an HTTP server answers.
type life struct {
	// open ends when the server begins to shut down.
	open  context.Context
	close context.CancelFunc
	// calls ends when calls in flight must stop.
	calls context.Context
	stop  context.CancelCauseFunc

	mu       sync.Mutex
	inflight sync.WaitGroup
}

func newLife() *life {
	l := &life{}
	l.open, l.close = context.WithCancel(context.Background())
	l.calls, l.stop = context.WithCancelCause(context.Background())
	return l
}

// enter counts a call in; false means that the server is shutting down.
func (l *life) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open.Err() != nil {
		return false
	}
	l.inflight.Add(1)
	return true
}

func (l *life) leave() { l.inflight.Done() }

// drain ends streams that only wait, lets calls finish, then tells those that
// did not to stop, and closes what is left.
func (l *life) drain(web *http.Server) {
	l.mu.Lock()
	l.close()
	l.mu.Unlock()
	limit, cancel := context.WithTimeout(context.Background(), drainFor)
	defer cancel()
	shut := make(chan struct{})
	go func() {
		defer close(shut)
		if web.Shutdown(limit) != nil {
			_ = web.Close()
		}
	}()
	if !drained(&l.inflight, drainFor-lastWords) {
		l.stop(errShutdown)
	}
	<-shut
	l.stop(errShutdown)
}
