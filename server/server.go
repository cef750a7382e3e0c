package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// Server answers MCP requests over any number of transports at once. Make one
// with New or Wrap.
type Server struct {
	core     *mcpserver.MCPServer
	log      *slog.Logger
	audience audience
	seal     *seal
	offer    func()             // adds the tools, once
	answers  map[string]*schema // output schema by tool, once they are added
	known    func(string) bool  // see [Config]
}

// New makes a Server from its configuration. It does no work that could be
// done at the first request, as hosts wait for it at every start.
func New(cfg Config) (*Server, error) {
	if cfg.Call == nil || cfg.Fallback == nil {
		return nil, errors.New("server: Call and Fallback are required")
	}
	cfg = cfg.redacted()
	core := mcpserver.NewMCPServer("frank", cfg.Version,
		mcpserver.WithInstructions(cfg.Instructions),
		mcpserver.WithToolCapabilities(true),
		mcpserver.WithPromptCapabilities(true),
		mcpserver.WithResourceCapabilities(true, true),
		mcpserver.WithLogging(),
		mcpserver.WithCompletions(),
		mcpserver.WithPromptCompletionProvider(completer{cfg.Prompts}),
	)
	s := Wrap(core, cfg.Log)
	s.seal, s.answers, s.known = newSeal(cfg, s.log), map[string]*schema{}, cfg.Known
	if cfg.Tools != nil {
		s.offer = sync.OnceFunc(func() { s.addTools(cfg.Tools()) })
	}
	s.addPrompts(cfg.Prompts)
	s.addResources(cfg.Resources)
	s.addTemplates(cfg.Templates)
	s.audience.listening = cfg.Listening
	return s, nil
}

// Wrap serves a core made elsewhere over the same transports, behind the same
// checks. The conformance fixture uses it; frank itself uses New.
func Wrap(core *mcpserver.MCPServer, log *slog.Logger) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	core.Use(typedErrors)
	return &Server{core: core, log: log, offer: func() {}}
}

// typedErrors keeps the one error of mcp-go that has a code of its own, which
// mcp-go itself turns into an internal error.
func typedErrors(next mcpserver.ToolHandlerFunc) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := next(ctx, r)
		var lacking mcp.MissingRequiredClientCapabilityError
		if e := exchangeOf(ctx); e != nil && errors.As(err, &lacking) {
			e.mu.Lock()
			e.override = &rpcError{
				Code:    mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
				Message: "the client did not declare a capability that this request needs",
				Data: struct {
					Required map[string]struct{} `json:"requiredCapabilities"`
				}{map[string]struct{}{lacking.Capability: {}}},
			}
			e.mu.Unlock()
		}
		return result, err
	}
}

func (s *Server) addTools(offered []Tool) {
	tools := make([]mcpserver.ServerTool, 0, len(offered))
	for _, t := range offered {
		if t.Name == "" || len(t.InputSchema) == 0 || len(t.OutputSchema) == 0 {
			panic(fmt.Sprintf("server: tool %q needs a name and both schemas", t.Name))
		}
		schema := s.seal.schemas.of(t.OutputSchema)
		s.answers[t.Name] = schema
		tools = append(tools, mcpserver.ServerTool{
			Tool: mcp.Tool{
				Name: t.Name, Title: t.Title, Description: t.Description,
				RawInputSchema: t.InputSchema, RawOutputSchema: t.OutputSchema,
				Annotations: annotations(t),
			},
			Handler: func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return s.seal.handle(ctx, r, schema), nil
			},
		})
	}
	s.core.AddTools(tools...)
}

func annotations(t Tool) mcp.ToolAnnotation {
	// A client that finds no destructive hint must assume the worst.
	a := mcp.ToolAnnotation{ReadOnlyHint: &t.ReadOnly, OpenWorldHint: &t.OpenWorld, DestructiveHint: &t.Destructive}
	if !t.ReadOnly { // it means nothing for a tool that only reads
		a.IdempotentHint = &t.Idempotent
	}
	return a
}

func (s *Server) addPrompts(prompts []Prompt) {
	for _, p := range prompts {
		prompt := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			prompt.Arguments = append(prompt.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
		}
		s.core.AddPrompt(prompt, func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			result := &mcp.GetPromptResult{Description: p.Description}
			messages, err := p.Render(ctx, r.Params.Arguments)
			if err != nil {
				refusePrompt(ctx, err)
				return nil, err
			}
			for _, m := range messages {
				role := mcp.RoleUser
				if m.Assistant {
					role = mcp.RoleAssistant
				}
				result.Messages = append(result.Messages, mcp.PromptMessage{Role: role, Content: mcp.NewTextContent(m.Text)})
			}
			return result, nil
		})
	}
}

// refusePrompt answers with the prompt's own reason, which mcp-go would turn into
// an internal error.
func refusePrompt(ctx context.Context, reason error) {
	if e := exchangeOf(ctx); e != nil {
		e.mu.Lock()
		e.override = &rpcError{Code: mcp.INVALID_PARAMS, Message: clip(reason.Error())}
		e.mu.Unlock()
	}
}

func (s *Server) addResources(resources []Resource) {
	for _, r := range resources {
		resource := mcp.NewResource(r.URI, r.Name, mcp.WithResourceDescription(r.Description), mcp.WithMIMEType(r.MIMEType))
		resource.Title = r.Title
		s.core.AddResource(resource, func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			text, err := r.Read(ctx)
			if err != nil {
				return nil, err // its text is replaced before it reaches anybody
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.URI, MIMEType: r.MIMEType, Text: text}}, nil
		})
	}
}
