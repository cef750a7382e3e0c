package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// defaultsSchema and enumsSchema hold every kind of field that SEP-1034 and
// SEP-1330 name.
const (
	defaultsSchema = `{"type":"object","properties":{
"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}},"required":[]}`
	enumsSchema = `{"type":"object","properties":{
"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}`
	userSchema = `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`
)

// addAskingTools: tools that ask the client something while they run, as was
// done before 2026-07-28.
func (f fixture) addAskingTools() {
	f.tool("test_sampling", f.sample, mcp.WithString("prompt", mcp.Required()))
	f.tool("test_elicitation", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return f.elicit(ctx, r.GetString("message", ""), userSchema, "User response: ")
	}, mcp.WithString("message", mcp.Required()))
	f.tool("test_elicitation_sep1034_defaults", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return f.elicit(ctx, "Please review the defaults", defaultsSchema, "Elicitation completed: ")
	})
	f.tool("test_elicitation_sep1330_enums", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return f.elicit(ctx, "Please choose", enumsSchema, "Elicitation completed: ")
	})
	f.tool("test_missing_capability", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if capabilities(ctx).Sampling == nil {
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		}
		return mcp.NewToolResultText("The client can sample."), nil
	})
}

func capabilities(ctx context.Context) mcp.ClientCapabilities {
	if session, ok := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo); ok {
		return session.GetClientCapabilities()
	}
	return mcp.ClientCapabilities{}
}

func question(text string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}},
		MaxTokens: tokens,
	}
}

func (f fixture) sample(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	result, err := f.core.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: question(r.GetString("prompt", ""), 100)})
	if err != nil {
		return mcp.NewToolResultError("the client does not sample"), nil
	}
	text, _ := result.Content.(mcp.TextContent)
	return mcp.NewToolResultText("LLM response: " + text.Text), nil
}

func form(message, schema string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

func (f fixture) elicit(ctx context.Context, message, schema, opening string) (*mcp.CallToolResult, error) {
	result, err := f.core.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form(message, schema)})
	if err != nil {
		return mcp.NewToolResultError("the client does not elicit"), nil
	}
	content, err := json.Marshal(result.Content)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(opening + "action=" + string(result.Action) + ", content=" + string(content)), nil
}
