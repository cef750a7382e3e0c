package server

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
)

var errNoResource = errors.New("server: there is no such resource")

func (s *Server) addTemplates(templates []Template) {
	for _, t := range templates {
		template := mcp.NewResourceTemplate(t.URI, t.Name, mcp.WithTemplateDescription(t.Description), mcp.WithTemplateMIMEType(t.MIMEType), mcp.WithTemplateTitle(t.Title))
		s.core.AddResourceTemplate(template, func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			text, found, err := t.Read(ctx, r.Params.URI)
			switch {
			case err != nil:
				return nil, err // its text is replaced before it reaches anybody
			case !found:
				refuseResource(ctx, r.Params.URI)
				return nil, errNoResource
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: t.MIMEType, Text: text}}, nil
		})
	}
}

// refuseResource answers as mcp-go does for a resource that it does not know, which
// for one of a template it has no way to.
func refuseResource(ctx context.Context, uri string) {
	e := exchangeOf(ctx)
	if e == nil {
		return
	}
	bad := &rpcError{Code: mcp.RESOURCE_NOT_FOUND, Message: "resource not found", Data: struct {
		URI string `json:"uri"`
	}{clip(uri)}}
	if e.modern {
		bad.Code = mcp.INVALID_PARAMS
	}
	e.mu.Lock()
	e.override = bad
	e.mu.Unlock()
}
