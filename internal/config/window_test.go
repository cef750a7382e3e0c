package config

import (
	"strings"
	"testing"
	"time"
)

func TestTheWindowOfRepetitions(t *testing.T) {
	for in, want := range map[string]time.Duration{"": DefaultIdempotencyWindow, "idempotency_window: 1h": time.Hour, "idempotency_window: 1m": time.Minute} {
		if c, err := Parse("f.yaml", []byte(in)); err != nil || c.IdempotencyWindow != want {
			t.Errorf("%q: %v, %v", in, c, err)
		}
	}
	for _, in := range []string{"idempotency_window: 59s", "idempotency_window: 25h", "idempotency_window: soon", "idempotency_window: [1]"} {
		if _, err := Parse("f.yaml", []byte(in)); err == nil || !strings.Contains(err.Error(), "f.yaml:1:21: idempotency_window") {
			t.Errorf("%q: %v", in, err)
		}
	}
}
