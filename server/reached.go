//go:build !reasons

package server

import "github.com/frank-mcp/frank/status"

// reached is told of every answer that leaves the handler. Built with the tag
// reasons, it keeps the list by which CI fails for a reason that no test reaches.
func reached(status.Envelope) {}
