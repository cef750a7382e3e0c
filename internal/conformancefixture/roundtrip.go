package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

const (
	nameForm    = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	colorForm   = `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`
	confirmForm = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
	contextForm = `{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`
)

var errTampered = errors.New("the state was not made here")

// signer marks states so that a changed one is noticed.
type signer struct{ key []byte }

func newSigner() signer { return signer{[]byte(rand.Text())} }

func (s signer) sign(state string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

func (s signer) open(signed string) (string, error) {
	state, _, _ := strings.Cut(signed, ".")
	if !hmac.Equal([]byte(s.sign(state)), []byte(signed)) {
		return "", errTampered
	}
	return state, nil
}

func asking(state string) *mcpserver.InputRequestBuilder {
	return mcpserver.NewInputRequestBuilder(state)
}

// accepted reports whether the person filled in the form with that id.
func accepted(r mcp.CallToolRequest, id string) (map[string]any, bool) {
	answer := mcpserver.ElicitationResponse(r.Params.InputResponses, id)
	if answer == nil || answer.Action != mcp.ElicitationResponseActionAccept {
		return nil, false
	}
	fields, ok := answer.Content.(map[string]any)
	return fields, ok
}

// addRoundTripTools: tools that ask by returning early (SEP-2322).
func (f fixture) addRoundTripTools() {
	s := newSigner()
	f.tool("test_input_required_result_elicitation", greet)
	f.tool("test_streaming_elicitation", greet)
	f.tool("test_input_required_result_sampling", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := mcpserver.SamplingResponse(r.Params.InputResponses, "capital_question")
		if answer == nil {
			return asking("").Sample("capital_question", question("What is the capital of France?", 100)).ToolResult(), nil
		}
		return mcp.NewToolResultText("The model answered."), nil
	})
	f.tool("test_input_required_result_list_roots", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := mcpserver.RootsResponse(r.Params.InputResponses, "client_roots")
		if answer == nil {
			return asking("").Roots("client_roots").ToolResult(), nil
		}
		var names []string
		for _, root := range answer.Roots {
			names = append(names, root.URI)
		}
		return mcp.NewToolResultText("Roots: " + strings.Join(names, ", ")), nil
	})
	f.tool("test_input_required_result_request_state", s.confirm)
	f.tool("test_input_required_result_tampered_state", s.confirm)
	f.tool("test_input_required_result_multiple_inputs", s.several)
	f.tool("test_input_required_result_multi_round", s.rounds)
	f.tool("test_input_required_result_capabilities", byCapability)
	f.core.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("Asks for its context")), contextPrompt)
}

func greet(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	fields, ok := accepted(r, "user_name")
	name, named := fields["name"].(string)
	if !ok || !named {
		return asking("").Elicit("user_name", form("What is your name?", nameForm)).ToolResult(), nil
	}
	return mcp.NewToolResultText("Hello, " + name + "!"), nil
}

func (s signer) confirm(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r.Params.RequestState == "" {
		return asking(s.sign("confirm")).Elicit("confirm", form("Please confirm", confirmForm)).ToolResult(), nil
	}
	if _, err := s.open(r.Params.RequestState); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText("state-ok"), nil
}

func (s signer) several(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r.Params.RequestState == "" {
		return asking(s.sign("several")).
			Elicit("user_name", form("What is your name?", nameForm)).
			Sample("greeting", question("Generate a greeting", 50)).
			Roots("client_roots").ToolResult(), nil
	}
	if _, err := s.open(r.Params.RequestState); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText("All inputs are there."), nil
}

func (s signer) rounds(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r.Params.RequestState == "" {
		return asking(s.sign("round1")).Elicit("step1", form("Step 1: What is your name?", nameForm)).ToolResult(), nil
	}
	state, err := s.open(r.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if state == "round1" {
		return asking(s.sign("round2")).Elicit("step2", form("Step 2: What is your favorite color?", colorForm)).ToolResult(), nil
	}
	return mcp.NewToolResultText("Both steps are done."), nil
}

func byCapability(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(r.Params.InputResponses) > 0 {
		return mcp.NewToolResultText("The inputs are there."), nil
	}
	caps, ask := capabilities(ctx), asking("")
	if caps.Sampling != nil {
		ask.Sample("greeting", question("Generate a greeting", 50))
	}
	if caps.Elicitation != nil {
		ask.Elicit("user_name", form("What is your name?", nameForm))
	}
	if caps.Sampling == nil && caps.Elicitation == nil {
		return mcp.NewToolResultText("The client can be asked nothing."), nil
	}
	return ask.ToolResult(), nil
}

func contextPrompt(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	answer := mcpserver.ElicitationResponse(r.Params.InputResponses, "user_context")
	if answer == nil {
		return asking("").Elicit("user_context", form("What context should the prompt use?", contextForm)).PromptResult(), nil
	}
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Use the context."))}), nil
}
