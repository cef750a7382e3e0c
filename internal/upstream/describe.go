package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/frank-mcp/frank/status"
)

// describe adds to a failure what this package knows of the call.
func (s *sending) describe(f status.Failure, attempts int) *status.Failure {
	opts := []status.Option{status.By(s.c.opts.Source), s.called}
	if f.DependencyFingerprint() == "" {
		opts = append(opts, status.Fingerprint(s.fp))
	}
	if attempts > 0 {
		opts = append(opts, status.Attempts.Is(attempts))
	}
	if s.want.Class != "" {
		opts = append(opts, status.Endpoint.Is(s.want.Class))
	}
	f = f.With(opts...)
	return &f
}

// facts is what an answer shows of itself, where the failure does not say so yet.
func (s *sending) facts(x *Exchange, f status.Failure) []status.Option {
	opts := []status.Option{status.HTTPStatus.Is(x.Status)}
	if f.Reason() == status.RateLimited && f.RetryAfter() == 0 && f.Text("reset_at") == "" {
		opts = append(opts, rateOf(x.Header, s.c.opts.Now()).facts()...) // the connector knew it by the body
	}
	if media := mediaType(x.Header); media != "" && f.Text("media_type") == "" {
		opts = append(opts, status.MediaType.Is(media))
	}
	if id := requestID(x.Header); id != "" && f.Text("request_id") == "" {
		opts = append(opts, status.RequestID.Is(id))
	}
	return opts
}

// idHeaders are the headers in which providers name a request.
var idHeaders = [...]string{"X-Github-Request-Id", "X-Request-Id", "X-Arequestid", "X-Amzn-Requestid"}

// requestID is what the operator of the source can look the request up by. Only
// what looks like an identifier is passed on.
func requestID(h http.Header) string {
	for _, name := range idHeaders {
		if id := h.Get(name); id != "" && len(id) <= 80 && !strings.ContainsFunc(id, notID) {
			return id
		}
	}
	return ""
}

func notID(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune(":_.-", r)
}

// ended is the failure of a call whose time is over or whose callers left. A
// deadline of the caller's is no cancellation: the source took too long.
func (s *sending) ended(ctx context.Context, attempts int) *status.Failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return s.describe(status.Fail(status.Cancelled), attempts)
	}
	return s.describe(status.Fail(status.Timeout), attempts)
}

// unreached reads the error of a request that got no answer. Only types tell;
// the text of an error never does.
func (s *sending) unreached(ctx context.Context, err error, attempts int) *status.Failure {
	class, before := errorClass(err)
	if !before || ctx.Err() != nil {
		s.called = max(s.called, status.MaybeCalled)
	}
	if ctx.Err() != nil {
		return s.ended(ctx, attempts)
	}
	switch class {
	case "tls":
		return s.describe(status.Fail(status.TLSError, status.ErrorClass.Is(class)), attempts)
	case "timeout":
		return s.describe(status.Fail(status.Timeout), attempts)
	default:
		return s.describe(status.Fail(status.NetworkError, status.ErrorClass.Is(class)), attempts)
	}
}

// errorClass names the kind of a network error, and tells whether it happened
// before the request can have reached the source.
func errorClass(err error) (class string, before bool) {
	var (
		dns  *net.DNSError
		op   *net.OpError
		slow net.Error
	)
	dialling := errors.As(err, &op) && op.Op == "dial"
	switch {
	case isTLS(err):
		return "tls", true
	case errors.As(err, &dns):
		return "dns", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused", true
	case errors.As(err, &slow) && slow.Timeout():
		return "timeout", dialling
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return "reset", dialling
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "closed", dialling
	}
	return "other", dialling
}

// isTLS reports whether the identity of the source could not be verified.
func isTLS(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		op        *net.OpError
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
	)
	alert := errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") // how crypto/tls marks alerts
	return errors.As(err, &verify) || errors.As(err, &record) || alert || errors.As(err, &host) ||
		errors.As(err, &authority) || errors.As(err, &invalid) || errors.Is(err, http.ErrSchemeMismatch)
}
