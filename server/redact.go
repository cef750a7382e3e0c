package server

import (
	"context"
	"encoding/json"
)

// redacted wraps what a configuration offers, so that nothing leaves before
// Redact has seen it: both channels, _meta, progress and resources.
func (c Config) redacted() Config {
	if c.Redact == nil {
		return c
	}
	call, fallback, clean := c.Call, c.Fallback, c.Redact
	c.Call = func(ctx context.Context, c Call) Reply {
		if tell := c.Progress; tell != nil {
			c.Progress = func(message string, done, total float64) { tell(string(clean([]byte(message))), done, total) }
		}
		return call(ctx, c).redacted(clean)
	}
	c.Fallback = func(f Fault, call Call) Reply { return fallback(f, call).redacted(clean) }
	resources := make([]Resource, len(c.Resources))
	for i, r := range c.Resources {
		read := r.Read
		r.Read = func(ctx context.Context) (string, error) {
			text, err := read(ctx)
			return string(clean([]byte(text))), err
		}
		resources[i] = r
	}
	c.Resources = resources
	return c
}

// redacted returns the reply as clean leaves it.
func (r Reply) redacted(clean func([]byte) []byte) Reply {
	r.Text = string(clean([]byte(r.Text)))
	r.Structured = clean(r.Structured)
	meta := make(map[string]json.RawMessage, len(r.Meta))
	for k, v := range r.Meta {
		meta[k] = clean(v)
	}
	r.Meta = meta
	return r
}
