// Package realclients puts the built programs before clients that others wrote:
// the official conformance suites, the MCP Inspector, Claude Code; and before
// recorded answers of the real api.github.com. It holds nothing but tests.
//
// They need Node and packages from npm, hence the build tag realclients and the
// folder named by FRANK_REAL_CLIENTS; .ci/run installs and runs all of it. No
// test here skips: what is missing fails. None reaches beyond loopback, reads
// the caller's home or needs an account.
package realclients
