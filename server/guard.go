package server

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// readLimit is how long a client may take to send a body.
	readLimit = 30 * time.Second
	// maxDrained is how much of a refused body is read and thrown away, so
	// that a client that sends first and reads later sees the refusal.
	maxDrained = 128 << 20
)

// guard decides which requests come from whom they should. Browsers run pages
// of strangers, and any of these can send requests to loopback.
type guard struct {
	port    string
	origins []string
	hosts   []string
	token   [sha256.Size]byte
	secured bool
}

func newGuard(o HTTPOptions, bound net.Addr) *guard {
	g := &guard{hosts: o.Hosts, secured: o.Token != "", token: sha256.Sum256([]byte(o.Token))}
	_, g.port, _ = net.SplitHostPort(bound.String())
	for _, origin := range o.Origins {
		g.origins = append(g.origins, strings.ToLower(strings.TrimSuffix(origin, "/")))
	}
	return g
}

// protect lets requests through to next only if host, origin and token are
// right, in this order: nothing is told to a page of a stranger.
func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		if !g.hostAllowed(r) {
			refuse(w, http.StatusForbidden, "this Host is not served here")
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" || len(r.Header.Values("Origin")) > 0 {
			if !g.originAllowed(origin) {
				refuse(w, http.StatusForbidden, "this Origin may not use the server")
				return
			}
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers", headerSession)
			if r.Method == http.MethodOptions {
				preflight(w)
				return
			}
		}
		if !g.authorized(r) {
			h.Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "a valid bearer token is required")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id, Traceparent")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// hostAllowed: who comes over loopback must have asked for a loopback name. A
// page whose own name was rebound to 127.0.0.1 shows itself here.
func (g *guard) hostAllowed(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(hostOf(local.String())) {
		return true
	}
	return isLoopback(hostOf(r.Host)) || slices.ContainsFunc(g.hosts, func(h string) bool {
		return strings.EqualFold(h, r.Host) || strings.EqualFold(h, hostOf(r.Host))
	})
}

// originAllowed: loopback pages served at our own port, and those configured.
func (g *guard) originAllowed(origin string) bool {
	origin = strings.ToLower(origin)
	if slices.Contains(g.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return isLoopback(u.Hostname()) && port == g.port
}

func (g *guard) authorized(r *http.Request) bool {
	if !g.secured {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// hostOf is the host of host, host:port, [v6] or [v6]:port.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// refuse answers with a JSON-RPC error that belongs to no request.
func refuse(w http.ResponseWriter, status int, why string) {
	refuseID(w, status, nil, &rpcError{Code: mcp.INVALID_REQUEST, Message: why})
}

func refuseID(w http.ResponseWriter, status int, id []byte, e *rpcError) {
	writeJSON(w, status, failed(id, e))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
}

// readMessage reads the one message of a POST. If it returns false, the
// request has been answered.
func readMessage(w http.ResponseWriter, r *http.Request) (message, bool) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
		return message{}, false
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(readLimit))
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, MaxMessage))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuseBody(w, r, body)
		return message{}, false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the body could not be read to its end")
		return message{}, false
	}
	_ = rc.SetReadDeadline(time.Time{}) // the answer may be a stream that lives
	m := parse(body)
	if m.bad != nil {
		refuseID(w, http.StatusBadRequest, m.ID, m.bad)
		return message{}, false
	}
	return m, true
}

func refuseBody(w http.ResponseWriter, r *http.Request, start []byte) {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
	}
	w.Header().Set("Connection", "close")
	refuseID(w, http.StatusRequestEntityTooLarge, leadingID(bytes.Clone(start[:min(len(start), keptOfOversized)])), tooLarge())
}
