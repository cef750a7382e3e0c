package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// addChangeTools: tools that make the server say that its lists changed.
func (f fixture) addChangeTools() {
	f.tool("test_trigger_tool_change", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.srv.ToolsChanged()
		return mcp.NewToolResultText("told"), nil
	})
	f.tool("test_trigger_prompt_change", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.srv.PromptsChanged()
		return mcp.NewToolResultText("told"), nil
	})
}

func (f fixture) prompt(name string, messages func(arguments map[string]string) []mcp.PromptMessage, options ...mcp.PromptOption) {
	options = append([]mcp.PromptOption{mcp.WithPromptDescription("Conformance fixture " + name)}, options...)
	f.core.AddPrompt(mcp.NewPrompt(name, options...), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", messages(r.Params.Arguments)), nil
	})
}

func says(content mcp.Content) mcp.PromptMessage { return mcp.NewPromptMessage(mcp.RoleUser, content) }

func (f fixture) addPrompts() {
	f.prompt("test_simple_prompt", func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{says(mcp.NewTextContent("This is a simple prompt for testing."))}
	})
	f.prompt("test_prompt_with_arguments", func(a map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{says(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))}
	}, mcp.WithArgument("arg1", mcp.RequiredArgument(), mcp.ArgumentDescription("First test argument")),
		mcp.WithArgument("arg2", mcp.RequiredArgument(), mcp.ArgumentDescription("Second test argument")))
	f.prompt("test_prompt_with_embedded_resource", func(a map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{
			says(embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing.")),
			says(mcp.NewTextContent("Please process the embedded resource above.")),
		}
	}, mcp.WithArgument("resourceUri", mcp.RequiredArgument(), mcp.ArgumentDescription("URI of the resource to embed")))
	f.prompt("test_prompt_with_image", func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{
			says(mcp.NewImageContent(onePixel, "image/png")),
			says(mcp.NewTextContent("Please analyze the image above.")),
		}
	})
}

func (f fixture) addResources() {
	f.resource("test://static-text", "text/plain", mcp.TextResourceContents{Text: "This is the content of the static text resource."})
	f.resource("test://watched-resource", "text/plain", mcp.TextResourceContents{Text: "Watched."})
	f.core.AddResource(mcp.NewResource("test://static-binary", "static-binary", mcp.WithMIMEType("image/png")),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: onePixel}}, nil
		})
	f.core.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := fmt.Sprint(r.Params.Arguments["id"])
			if ids, ok := r.Params.Arguments["id"].([]string); ok && len(ids) == 1 {
				id = ids[0]
			}
			text, err := json.Marshal(struct {
				ID   string `json:"id"`
				Test bool   `json:"templateTest"`
				Data string `json:"data"`
			}{id, true, "Data for ID: " + id})
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}, err
		})
}

func (f fixture) resource(uri, mime string, contents mcp.TextResourceContents) {
	contents.URI, contents.MIMEType = uri, mime
	f.core.AddResource(mcp.NewResource(uri, uri, mcp.WithMIMEType(mime)),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{contents}, nil
		})
}
