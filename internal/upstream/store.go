package upstream

import (
	"container/list"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	storeBytes   = 16 << 20
	storeEntries = 512
)

// store keeps answers that the source can confirm with a 304, the least recently
// used going first. It answers nothing by itself: every read asks the source.
type store struct {
	mu       sync.Mutex
	entries  map[string]*list.Element
	order    *list.List // of *stored, most recently used first
	size     int
	maxSize  int
	maxCount int
}

// stored is one answer. It is never changed.
type stored struct {
	key      string
	etag     string
	modified string
	status   int
	header   http.Header
	body     []byte
	markers  []string
}

func newStore(bytes, entries int) *store {
	return &store{entries: map[string]*list.Element{}, order: list.New(), maxSize: bytes, maxCount: entries}
}

func (st *store) get(key string) *stored {
	st.mu.Lock()
	defer st.mu.Unlock()
	e, ok := st.entries[key]
	if !ok {
		return nil
	}
	st.order.MoveToFront(e)
	return held(e)
}

func (st *store) put(s *stored) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if e, ok := st.entries[s.key]; ok {
		st.drop(e)
	}
	if s.cost() > st.maxSize/4 {
		return
	}
	st.entries[s.key] = st.order.PushFront(s)
	st.size += s.cost()
	for st.size > st.maxSize || len(st.entries) > st.maxCount {
		st.drop(st.order.Back())
	}
}

func (st *store) forget(key string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if e, ok := st.entries[key]; ok {
		st.drop(e)
	}
}

func (st *store) drop(e *list.Element) {
	s := held(e)
	st.order.Remove(e)
	delete(st.entries, s.key)
	st.size -= s.cost()
}

// held is the answer in an element; the list holds nothing else.
func held(e *list.Element) *stored {
	s, ok := e.Value.(*stored)
	if !ok {
		panic("upstream: store holds something else")
	}
	return s
}

// cost is about what an entry occupies; headers are taken as 2 KiB.
func (s *stored) cost() int { return len(s.body) + len(s.key) + 2<<10 }

// condition asks the source whether the answer is still the same.
func (s *stored) condition(h http.Header) {
	if s.etag != "" {
		h.Set("If-None-Match", s.etag)
		return
	}
	h.Set("If-Modified-Since", s.modified)
}

// sameAs reports whether a 304 speaks of the stored answer: it may leave its
// validator out, but not name another.
func (s *stored) sameAs(by *Exchange) bool {
	etag := by.Header.Get("Etag")
	return etag == "" || s.etag == "" || strings.TrimPrefix(etag, "W/") == strings.TrimPrefix(s.etag, "W/")
}

// representation lists the headers that describe the content itself, paging
// included. All others were said of one delivery to one credential: its scopes,
// quota, visibility, account and age must not be taken from an older one.
var representation = []string{
	"Content-Type", "Content-Language", "Content-Disposition", "Etag", "Last-Modified", "Link",
	"X-Total-Count", "X-Total", "X-Total-Pages", "X-Page", "X-Per-Page", "X-Next-Page", "X-Prev-Page", "X-Hasmore",
}

// confirmed is the stored answer as the 304 confirmed it: what the content is
// comes from the store, what was said of this delivery from the 304.
func (s *stored) confirmed(by *Exchange) *Exchange {
	x := *by
	x.Status, x.Body, x.Cached, x.Markers = s.status, s.body, true, s.markers
	x.Header = by.Header.Clone()
	for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding"} {
		x.Header.Del(name) // of a body that a 304 does not have
	}
	for _, name := range representation {
		if values := s.header.Values(name); len(values) > 0 && x.Header.Get(name) == "" {
			x.Header[name] = slices.Clone(values)
		}
	}
	return &x
}

// storeKey identifies the answer: whose it is, its address and how it was asked
// for. It is empty for what must not be kept, such as an answer for a credential
// that cannot be told from another.
func (s *sending) storeKey() string {
	if s.req.Method != http.MethodGet || s.want.NoCache || s.unnamed() || s.req.Header.Get("Range") != "" {
		return ""
	}
	return s.identity + "\n" + s.req.URL.String() + "\n" + s.req.Header.Get("Accept") + "\n" + strconv.Itoa(int(s.want.Media))
}

// kept is the stored answer to this request, or nil.
func (s *sending) kept() *stored {
	if key := s.storeKey(); key != "" {
		return s.c.store.get(key)
	}
	return nil
}

// keep stores a usable answer that the source can confirm later.
func (s *sending) keep(x *Exchange) {
	key := s.storeKey()
	etag, modified := x.Header.Get("Etag"), x.Header.Get("Last-Modified")
	if key == "" || x.Cached || x.Status != http.StatusOK {
		return
	}
	secret := strings.Contains(strings.ToLower(x.Header.Get("Cache-Control")), "no-store")
	if etag == "" && modified == "" || secret || x.Location != "" || x.Header.Get("Vary") == "*" {
		s.c.store.forget(key)
		return
	}
	s.c.store.put(&stored{key: key, etag: etag, modified: modified, status: x.Status, header: x.Header, body: x.Body, markers: x.Markers})
}

// rateSeconds reads a number of seconds, 0 if there is none.
func rateSeconds(text string) time.Duration { return after2wait(strings.TrimSpace(text), time.Time{}) }
