package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

const (
	// onePixel is a PNG of one red pixel, noSound a WAV header without samples.
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
	noSound  = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
	// step is the pause that the suites want between notifications.
	step = 50 * time.Millisecond
)

func (f fixture) tool(name string, handler mcpserver.ToolHandlerFunc, options ...mcp.ToolOption) {
	tool := mcp.NewTool(name, append([]mcp.ToolOption{mcp.WithDescription("Conformance fixture " + name)}, options...)...)
	f.core.AddTool(tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.Arguments != nil && r.GetArguments() == nil {
			return mcp.NewToolResultError("the arguments must be an object"), nil
		}
		return handler(ctx, r)
	})
}

func (f fixture) constant(name string, content ...mcp.Content) {
	f.tool(name, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	})
}

func embedded(uri, mime, text string) mcp.Content {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
}

func (f fixture) addContentTools() {
	f.constant("test_simple_text", mcp.NewTextContent("This is a simple text response for testing."))
	f.constant("test_image_content", mcp.NewImageContent(onePixel, "image/png"))
	f.constant("test_audio_content", mcp.NewAudioContent(noSound, "audio/wav"))
	f.constant("test_embedded_resource", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	f.constant("test_multiple_content_types",
		mcp.NewTextContent("Multiple content types test:"),
		mcp.NewImageContent(onePixel, "image/png"),
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	f.tool("test_error_handling", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	f.tool("test_tool_with_logging", f.logging)
	f.tool("test_logging_tool", f.logging)
	f.tool("test_tool_with_progress", f.progress)
	f.tool("slow", slow, mcp.WithNumber("seconds", mcp.Description("how long to take")))
	f.tool("panics", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		panic(errors.New("a text that no client may see"))
	})
	f.tool("test_headers", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("The headers match."), nil
	}, mcp.WithString("region", func(property map[string]any) { property["x-mcp-header"] = "Region" }))
	f.core.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", json.RawMessage(schema2020)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("ok"), nil
		})
}

const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

// pause waits unless the call is cancelled.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func slow(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if pause(ctx, time.Duration(r.GetFloat("seconds", 1)*float64(time.Second))) != nil {
		return mcp.NewToolResultError("stopped"), nil
	}
	return mcp.NewToolResultText("done"), nil
}

func (f fixture) logging(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx, step); err != nil {
				return nil, err
			}
		}
		// A client that wants no such messages is no failure of the tool.
		_ = f.core.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", text))
	}
	return mcp.NewToolResultText("Logged three messages."), nil
}

func (f fixture) progress(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, done := range []int{0, 50, 100} {
		if done > 0 {
			if err := pause(ctx, step); err != nil {
				return nil, err
			}
		}
		if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
			params := map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": done, "total": 100}
			if err := f.core.SendNotificationToClient(ctx, "notifications/progress", params); err != nil {
				return nil, err
			}
		}
	}
	return mcp.NewToolResultText("Reported progress."), nil
}
