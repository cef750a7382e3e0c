// Package server speaks MCP: over stdio, Streamable HTTP and HTTP with
// server-sent events, for every protocol revision from 2024-11-05 to
// 2026-07-28. It turns a request into a Call, seals what comes back (recover,
// deadline, schema check) and renders it.
//
// It is the only package that imports mcp-go, and it uses of it the protocol
// core alone: mcp-go's transports lose replies at shutdown, mix up clients
// that use the same request id, never look at Origin, read bodies of any size
// and keep every session for ever. The transports here are our own, so that
// each of these is closed in one place.
//
// It never decides what an answer means: verdicts come from the Call function
// and, where that fails, from the Fallback function of its configuration. It
// never puts the text of a Go error or a panic into an answer or a log.
package server
