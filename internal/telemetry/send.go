package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	firstPause = 500 * time.Millisecond
	maxPause   = 5 * time.Second
	// maxAnswer bounds what is read of an answer, which says nothing that is used.
	maxAnswer = 64 << 10
)

// request is a message of OTLP.
type request interface{ proto() message }

// sender brings the messages of one signal to the collector. The provider that
// owns it sends one at a time.
type sender struct {
	target
	client *http.Client
	log    *slog.Logger

	ctx     context.Context // ends what is under way
	stop    context.CancelFunc
	hurried chan struct{} // closed when there is no time for repetitions
	once    sync.Once

	mu   sync.Mutex
	last string // what went wrong last, empty for nothing
}

func newSender(t target, log *slog.Logger) *sender {
	s := &sender{target: t, log: log, hurried: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	wire := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConns: 1, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: defaultTimeout}
	s.client = &http.Client{
		Transport: wire,
		// Elsewhere the headers, which may hold a secret, have no business.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// hurry ends waiting for repetitions.
func (s *sender) hurry() { s.once.Do(func() { close(s.hurried) }) }

// close ends what is still under way.
func (s *sender) close() {
	s.hurry()
	s.stop()
	s.client.CloseIdleConnections()
}

// send tries until it is taken, refused, or the time for it is over.
func (s *sender) send(ctx context.Context, r request) {
	body, err := s.encode(r)
	if err != nil {
		s.tell("encoding")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	pause := firstPause
	for {
		wait, again, problem := s.post(ctx, body)
		if problem == "" || !again {
			s.tell(problem)
			return
		}
		if wait == 0 {
			wait = pause/2 + rand.N(pause/2)
			pause = min(2*pause, maxPause)
		}
		if !s.rest(ctx, wait) {
			s.tell(problem)
			return
		}
	}
}

// rest waits, unless that takes longer than there is time.
func (s *sender) rest(ctx context.Context, wait time.Duration) bool {
	if until, ok := ctx.Deadline(); ok && time.Until(until) <= wait {
		return false
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.hurried:
	case <-ctx.Done():
	}
	return false
}

// post sends once. problem is empty if it was taken; again tells that a repetition
// may help, after that wait if it is known.
func (s *sender) post(ctx context.Context, body []byte) (wait time.Duration, again bool, problem string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return 0, false, "address"
	}
	for name, values := range s.header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if s.json {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	req.Header.Set("User-Agent", "frank OTLP")
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, true, "unreachable"
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // so that the connection can be used again
	_ = resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retryAfter(resp.Header.Get("Retry-After")), true, strconv.Itoa(resp.StatusCode)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return 0, false, strconv.Itoa(resp.StatusCode)
	}
	return 0, false, ""
}

// retryAfter reads seconds or a date.
func retryAfter(v string) time.Duration {
	if n, err := strconv.Atoi(v); err == nil {
		return max(0, time.Duration(min(n, 3600))*time.Second)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

func (s *sender) encode(r request) ([]byte, error) {
	raw := []byte(nil)
	if s.json {
		var err error
		if raw, err = json.Marshal(r); err != nil {
			return nil, err
		}
	} else {
		raw = r.proto()
	}
	if !s.gzip {
		return raw, nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// tell logs what goes wrong when that changes: a collector that is down is no news
// every five seconds.
func (s *sender) tell(problem string) {
	s.mu.Lock()
	was := s.last
	s.last = problem
	s.mu.Unlock()
	switch {
	case was == problem:
	case problem == "":
		s.log.Info("telemetry is exported again", "signal", s.signal)
	default:
		s.log.Warn("telemetry cannot be exported, and what does not fit into the queue is dropped", "signal", s.signal, "problem", problem)
	}
}
