package upstream

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// sharedPool holds the connections of all sources that bring no transport.
//
// Go's transport repeats a request by itself if a kept-alive connection turns
// out to be dead before a byte of the answer came. That cannot matter here: it
// does so only for reads, for requests with an idempotency key, and for what
// was provably never written; it stays within the attempt's time and counts as
// part of that attempt.
var sharedPool = sync.OnceValue(func() http.RoundTripper {
	dialer := net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         16 << 10,
	}
})
