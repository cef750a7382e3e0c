package confluence

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Classify reads an answer in Confluence's terms. What the login of both products of
// Atlassian says in a header goes before any status: an answer to somebody who was
// not recognized is one for anybody, and looks like a good one. CF-10.
func Classify(x *upstream.Exchange) *status.Failure {
	if x.Status == http.StatusTooManyRequests || x.Status >= 500 {
		return nil // CF-22: nothing else is known then
	}
	if reason := x.Header.Get("X-Seraph-Loginreason"); rejected(reason) {
		return x.Fail(status.AuthFailed, status.Header.Is("X-Seraph-LoginReason"))
	}
	switch x.Status {
	case http.StatusUnauthorized:
		if scopeMismatch(x.Body) {
			return x.Fail(status.ScopeMissing)
		}
	case http.StatusBadRequest:
		if isReport(x) { // a query that the server cannot read
			return x.Fail(status.QueryRefused)
		}
	case http.StatusRequestEntityTooLarge:
		return x.Fail(status.QueryRefused)
	}
	return nil
}

// rejected reads the reason that the login gives. Several may be there, and one that
// is OK counts.
func rejected(reason string) bool {
	reason = strings.ToUpper(reason)
	for part := range strings.SplitSeq(reason, ",") {
		if strings.TrimSpace(part) == "OK" {
			return false
		}
	}
	return strings.Contains(reason, "AUTHENTICATED_FAILED") || strings.Contains(reason, "AUTHENTICATION_DENIED")
}

// scopeMismatch recognizes how the gateway says that a token lacks a scope. There is
// no code for it: the status is that of a wrong token.
func scopeMismatch(body []byte) bool {
	var told struct {
		Message string `json:"message"`
	}
	return json.Unmarshal(body, &told) == nil && strings.Contains(told.Message, "scope does not match")
}

// isReport reports whether a body is an error of Confluence's own, not one of
// something in front of it. CF-11.
func isReport(x *upstream.Exchange) bool {
	var told struct {
		StatusCode int               `json:"statusCode"`
		Errors     []json.RawMessage `json:"errors"`
	}
	return json.Unmarshal(x.Body, &told) == nil && (told.StatusCode != 0 || len(told.Errors) > 0)
}
