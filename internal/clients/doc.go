// Package clients holds Polaris against the programs that people really
// connect with: MCP clients, OpenAI libraries, the official conformance suite
// and a reverse proxy. Nothing here is part of the product.
//
// Its tests build bb, start one server with the demo's brain on loopback, and
// run each client against it as its users would. Clients in JavaScript are
// pinned in node/package-lock.json and installed once for each state of that
// file, below .cache; the short scripts beside it drive them and print what
// they saw as JSON, which the Go tests judge. A machine without npm skips
// these tests; under CI that is a failure.
package clients
