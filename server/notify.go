package server

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// ToolsChanged tells every client that listens that the list of tools changed.
func (s *Server) ToolsChanged() {
	s.audience.tell(mcp.MethodNotificationToolsListChanged, "")
}

// PromptsChanged tells every client that listens that the list of prompts changed.
func (s *Server) PromptsChanged() {
	s.audience.tell(mcp.MethodNotificationPromptsListChanged, "")
}

// ResourcesChanged tells every client that listens that the list of resources changed.
func (s *Server) ResourcesChanged() {
	s.audience.tell(mcp.MethodNotificationResourcesListChanged, "")
}

// ResourceUpdated tells every client subscribed to uri that its content
// changed. Like the others it returns at once; delivery is best effort.
func (s *Server) ResourceUpdated(uri string) {
	s.audience.tell(mcp.MethodNotificationResourceUpdated, uri)
}

// audience is everybody who may get notifications that answer no request.
type audience struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	sending   sync.WaitGroup
	listening func() // see Config
}

// listener is one stream that takes such notifications.
type listener struct {
	out outlet
	// client decides for revisions before 2026-07-28: lists always, resources
	// it subscribed to.
	client *client
	// filter decides otherwise; subscription is the id of the listen request.
	filter       mcp.SubscriptionFilter
	subscription json.RawMessage
}

func (a *audience) add(l *listener) (remove func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners == nil {
		a.listeners = map[*listener]struct{}{}
	}
	a.listeners[l] = struct{}{}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.listeners, l)
	}
}

// heed says that somebody may have begun to listen to a resource. No lock of a
// client may be held.
func (a *audience) heed() {
	if a.listening != nil {
		a.listening()
	}
}

// Listened reports whether somebody takes notifications of a resource whose URI
// begins so.
func (s *Server) Listened(prefix string) bool {
	s.audience.mu.Lock()
	defer s.audience.mu.Unlock()
	for l := range s.audience.listeners {
		uris := l.filter.ResourceSubscriptions
		if l.client != nil {
			uris = l.client.subscriptions()
		}
		if slices.ContainsFunc(uris, func(uri string) bool { return strings.HasPrefix(uri, prefix) }) {
			return true
		}
	}
	return false
}

// tell sends without making the caller wait for slow clients. Order between
// two notifications is not kept; they carry no content, only "look again".
func (a *audience) tell(method, uri string) {
	a.mu.Lock()
	var wanting []*listener
	for l := range a.listeners {
		wanting = append(wanting, l)
	}
	a.mu.Unlock()
	for _, l := range wanting {
		if l.wants(method, uri) {
			a.sending.Go(func() { _ = l.out.send(l.render(method, uri)) })
		}
	}
}

func (l *listener) wants(method, uri string) bool {
	if l.client != nil {
		return uri == "" || slices.Contains(l.client.subscriptions(), uri)
	}
	switch method {
	case mcp.MethodNotificationToolsListChanged:
		return l.filter.ToolsListChanged
	case mcp.MethodNotificationPromptsListChanged:
		return l.filter.PromptsListChanged
	case mcp.MethodNotificationResourcesListChanged:
		return l.filter.ResourcesListChanged
	}
	return slices.Contains(l.filter.ResourceSubscriptions, uri)
}

func (l *listener) render(method, uri string) []byte {
	type params struct {
		URI  string                     `json:"uri,omitempty"`
		Meta map[string]json.RawMessage `json:"_meta,omitempty"`
	}
	p := params{URI: uri}
	if l.subscription != nil {
		p.Meta = map[string]json.RawMessage{mcp.MetaKeySubscriptionID: l.subscription}
	}
	// Strings and an id that was valid JSON cannot fail to marshal.
	raw, _ := json.Marshal(notification{JSONRPC: mcp.JSONRPC_VERSION, Method: method, Params: p})
	return raw
}
