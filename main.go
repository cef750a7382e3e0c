// Command frank is an MCP server for trackers, repositories and documents whose
// every answer says what may be concluded from it. It hands its arguments and
// streams to package cli and does nothing else.
package main

import (
	"os"

	"github.com/frank-mcp/frank/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
