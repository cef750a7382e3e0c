package server

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frank-mcp/frank/status"
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
	r.Question = string(clean([]byte(r.Question)))
	choices := slices.Clone(r.Choices)
	for i, c := range choices {
		choices[i].Ref, choices[i].Title = string(clean([]byte(c.Ref))), string(clean([]byte(c.Title)))
		choices[i].Sets = cleaned(c.Sets, clean)
		choices[i].Call = &status.NextCall{Tool: c.Call.Tool, Arguments: cleaned(c.Call.Arguments, clean), AsGiven: c.Call.AsGiven}
	}
	r.Choices = choices
	return r
}

// cleaned returns the settings as clean leaves their values.
func cleaned(settings []status.Setting, clean func([]byte) []byte) []status.Setting {
	out := slices.Clone(settings)
	for i, x := range out {
		out[i].Value = clean(slices.Clone(x.Value))
	}
	return out
}
