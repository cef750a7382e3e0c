package server

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxCompletions is the specification's limit for one answer.
const maxCompletions = 100

// completer offers the values that prompts declare for their arguments.
type completer struct{ prompts []Prompt }

// CompletePromptArgument implements mcp-go's interface; it never fails.
func (c completer) CompletePromptArgument(_ context.Context, prompt string, typed mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	values := []string{}
	for _, v := range c.values(prompt, typed.Name) {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(typed.Value)) {
			values = append(values, v)
		}
	}
	total := len(values)
	return &mcp.Completion{Values: values[:min(total, maxCompletions)], Total: total, HasMore: total > maxCompletions}, nil
}

func (c completer) values(prompt, argument string) []string {
	for _, p := range c.prompts {
		for _, a := range p.Arguments {
			if p.Name == prompt && a.Name == argument {
				return a.Values
			}
		}
	}
	return nil
}
