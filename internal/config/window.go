package config

import (
	"time"

	"github.com/goccy/go-yaml/ast"
)

// DefaultIdempotencyWindow is [Config.IdempotencyWindow] where the file names none.
const DefaultIdempotencyWindow = 10 * time.Minute

// window reads idempotency_window. Less than a minute would be less than a call
// and its repetition may take.
func (r *reader) window(n ast.Node, to *time.Duration) {
	if d, ok := r.duration(n, "idempotency_window", span{time.Minute, 24 * time.Hour}); ok {
		*to = d
	}
}
