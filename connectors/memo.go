package connectors

import (
	"sync"
	"time"
)

// memoSize bounds how many proofs of one kind are kept.
const memoSize = 512

// Memo keeps what a connector proved for a while, such as whose a credential is. It
// is safe for concurrent use. Only proofs are kept, never failures:
// a denial that was lifted must show at the next call.
type Memo[T any] struct {
	now  func() time.Time
	life time.Duration
	mu   sync.Mutex
	kept map[string]remembered[T]
}

type remembered[T any] struct {
	value T
	until time.Time
}

// NewMemo keeps each proof for life, as now tells the time.
func NewMemo[T any](now func() time.Time, life time.Duration) *Memo[T] {
	return &Memo[T]{now: now, life: life, kept: map[string]remembered[T]{}}
}

// Get returns what was proved under that key, if it still counts.
func (m *Memo[T]) Get(key string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[key]
	return k.value, ok && m.now().Before(k.until)
}

// Put keeps a proof.
func (m *Memo[T]) Put(key string, v T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= memoSize { // rare enough that starting over is the simplest bound
		clear(m.kept)
	}
	m.kept[key] = remembered[T]{v, m.now().Add(m.life)}
}

// Clear forgets all of them: a probe looks anew.
func (m *Memo[T]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.kept)
}
