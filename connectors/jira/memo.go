package jira

import (
	"sync"
	"time"
)

// memoSize bounds how many proofs of one kind are kept.
const memoSize = 512

// memo keeps what was proved for a while. Only proofs are kept, never failures:
// a denial that was lifted must show at the next call.
type memo[T any] struct {
	now  func() time.Time
	life time.Duration
	mu   sync.Mutex
	kept map[string]kept[T]
}

type kept[T any] struct {
	value T
	until time.Time
}

func newMemo[T any](now func() time.Time, life time.Duration) *memo[T] {
	return &memo[T]{now: now, life: life, kept: map[string]kept[T]{}}
}

func (m *memo[T]) get(key string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[key]
	return k.value, ok && m.now().Before(k.until)
}

func (m *memo[T]) put(key string, v T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= memoSize { // rare enough that starting over is the simplest bound
		clear(m.kept)
	}
	m.kept[key] = kept[T]{v, m.now().Add(m.life)}
}

func (m *memo[T]) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.kept)
}
