package server

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
)

// check refuses what mcp-go would let through or would answer with the text of
// a Go error. It returns nil for a request that may go on.
func (s *Server) check(e *exchange, m message) *rpcError {
	if m.Params != nil && m.Params[0] != '{' && string(m.Params) != "null" {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "the parameters must be an object"}
	}
	if e.modern {
		if bad := checkModern(e); bad != nil {
			return bad
		}
	}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall:
		return s.checkTool(m)
	case mcp.MethodPromptsGet:
		return s.checkPrompt(m)
	case mcp.MethodCompletionComplete:
		return s.checkCompletion(m)
	case mcp.MethodResourcesRead:
		return checkURI(m)
	}
	if e.modern {
		return nil // what follows is gone from this revision, as mcp-go will say
	}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		return checkURI(m)
	case mcp.MethodSetLogLevel:
		return checkLevel(m)
	}
	return nil
}

func checkModern(e *exchange) *rpcError {
	if !slices.Contains(e.revisions, e.meta.Version) {
		return unsupportedRevision(e)
	}
	if c := e.meta.Capabilities; len(c) == 0 || c[0] != '{' {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "_meta lacks " + mcp.MetaKeyClientCapabilities + " (an object, {} if there are none)"}
	}
	return nil
}

func (s *Server) checkTool(m message) *rpcError {
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(m.Params, &params) != nil || s.core.GetTool(params.Name) == nil {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "unknown tool: tools/list names those that there are"}
	}
	return nil
}

func (s *Server) checkPrompt(m message) *rpcError {
	var params struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "prompts/get needs a name, and arguments that are strings"}
	}
	prompt := s.core.ListPrompts()[params.Name]
	if prompt == nil {
		return unknownPrompt()
	}
	var missing []string
	for _, a := range prompt.Prompt.Arguments {
		if a.Required && strings.TrimSpace(params.Arguments[a.Name]) == "" {
			missing = append(missing, a.Name)
		}
	}
	if missing != nil {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "missing required arguments: " + strings.Join(missing, ", ")}
	}
	return nil
}

func unknownPrompt() *rpcError {
	return &rpcError{Code: mcp.INVALID_PARAMS, Message: "unknown prompt: prompts/list names those that there are"}
}

func (s *Server) checkCompletion(m message) *rpcError {
	var params struct {
		Ref struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"ref"`
		Argument *struct {
			Name string `json:"name"`
		} `json:"argument"`
	}
	if json.Unmarshal(m.Params, &params) != nil || params.Argument == nil {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "completion/complete needs ref and argument"}
	}
	switch params.Ref.Type {
	case "ref/resource", "ref/prompt": // for one that is not there, nothing is offered
		return nil
	}
	return &rpcError{Code: mcp.INVALID_PARAMS, Message: "ref.type must be ref/prompt or ref/resource"}
}

func checkURI(m message) *rpcError {
	var params struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(m.Params, &params) != nil || params.URI == "" || len(params.URI) > maxShown*4 {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "uri is missing, not a string or too long"}
	}
	return nil
}

func checkLevel(m message) *rpcError {
	levels := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	var params struct {
		Level string `json:"level"`
	}
	if json.Unmarshal(m.Params, &params) != nil || !slices.Contains(levels, params.Level) {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: "level must be one of " + strings.Join(levels, ", ")}
	}
	return nil
}

// maxShown bounds what of a client's own text is given back to it.
const maxShown = 512

// clip makes a client's text safe to give back: short, and without characters
// that do not show.
func clip(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown])
	}
	return text
}

// knownMethod keeps text of clients out of the log.
func knownMethod(method string) string {
	switch mcp.MCPMethod(method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodSubscriptionsListen,
		mcp.MethodToolsList, mcp.MethodToolsCall, mcp.MethodPromptsList, mcp.MethodPromptsGet,
		mcp.MethodResourcesList, mcp.MethodResourcesRead, mcp.MethodResourcesTemplatesList,
		mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe,
		mcp.MethodCompletionComplete, mcp.MethodSetLogLevel:
		return method
	}
	return "other"
}
