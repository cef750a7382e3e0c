// Command conformancefixture serves the example tools, prompts and resources
// that the official MCP conformance suites look for, over frank's transports
// and behind frank's middleware, so that these can be put through every
// scenario of the suites. It is a program for tests: it answers with constants,
// reaches nothing, and is never part of a release. It never handles a tracker,
// a repository or a document.
//
// usage: conformancefixture            stdio
//
//	conformancefixture -http ADDR
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/frank-mcp/frank/server"
)

func main() {
	addr := flag.String("http", "", "serve HTTP on this address instead of stdio")
	flag.Parse()
	if err := run(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "conformancefixture:", err)
		os.Exit(1)
	}
}

func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	srv := newFixture(log).srv
	if addr == "" {
		return srv.ServeStdio(ctx, os.Stdin, os.Stdout)
	}
	return srv.ListenHTTP(ctx, server.HTTPOptions{Addr: addr, Listening: func(a net.Addr) {
		log.Info("listening", "streamable_http", "http://"+a.String()+"/mcp")
	}})
}

// fixture adds what the suites look for to a core.
type fixture struct {
	core *mcpserver.MCPServer
	srv  *server.Server
}

func newFixture(log *slog.Logger) fixture {
	core := mcpserver.NewMCPServer("conformance-fixture", "1",
		mcpserver.WithToolCapabilities(true),
		mcpserver.WithPromptCapabilities(true),
		mcpserver.WithResourceCapabilities(true, true),
		mcpserver.WithLogging(),
		mcpserver.WithCompletions(),
	)
	f := fixture{core: core, srv: server.Wrap(core, log)}
	f.addContentTools()
	f.addAskingTools()
	f.addRoundTripTools()
	f.addChangeTools()
	f.addPrompts()
	f.addResources()
	return f
}
