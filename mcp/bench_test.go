package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"polaris/cmd/bb/demo"
	"polaris/internal/wiretest"
)

// The benchmarks compare retrieve, with its credential, its rate, its search
// and its durable audit row, with the least that a tool of this library can be:
// one that returns a word, in Echo, with no checks at all. Load comes from
// another process, so that CPU is the server's alone:
//
//	go test ./mcp -run '^$' -bench . -benchtime 20000x
//
// req/s is with the load, the server and PostgreSQL on one machine.

// BenchmarkRetrieve measures MCP retrieve through the whole handler.
func BenchmarkRetrieve(b *testing.B) {
	t := retrieveTarget(b)
	report(b, t, t.load(b, b.N))
}

// BenchmarkEmptyTool measures an empty tool of mcp-go in Echo.
func BenchmarkEmptyTool(b *testing.B) {
	t := emptyTarget(b)
	report(b, t, t.load(b, b.N))
}

// BenchmarkRatio measures both in turns, so that what else the machine does
// falls on both, and reports one divided by the other.
func BenchmarkRatio(b *testing.B) {
	full, empty := retrieveTarget(b), emptyTarget(b)
	var f, e used
	const turns = 10
	for range turns {
		f = f.plus(full.load(b, b.N/turns+1))
		e = e.plus(empty.load(b, b.N/turns+1))
	}
	b.ReportMetric(0, "ns/op") // would be the time of both
	b.ReportMetric(f.perSecond(), "retrieve-req/s")
	b.ReportMetric(e.perSecond(), "empty-req/s")
	b.ReportMetric(f.perSecond()/e.perSecond(), "throughput-ratio")
	b.ReportMetric(f.cpuEach()/e.cpuEach(), "cpu-ratio")
	b.ReportMetric((f.cpuEach()+f.databaseEach())/e.cpuEach(), "cpu-ratio-with-pg")
}

func report(b *testing.B, t *target, u used) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(u.perSecond(), "req/s")
	b.ReportMetric(u.cpuEach()*1e6, "cpu-µs/req")
	if t.postmaster != 0 {
		b.ReportMetric(u.databaseEach()*1e6, "pg-cpu-µs/req")
	}
}

func retrieveTarget(b *testing.B) *target {
	w := wiretest.NewWorld(b, alone, wiretest.Options{Published: true})
	q := demo.Examples().Answerable[0].Text
	return &target{url: w.URL, key: w.Keys["reader"], body: wiretest.Call(1, "retrieve", map[string]any{"query": q}), postmaster: postmaster(b, w.DB.URL)}
}

func emptyTarget(b *testing.B) *target {
	m := server.NewMCPServer("empty", "1", server.WithToolCapabilities(false))
	m.AddTool(mcpgo.NewTool("empty"), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText("ok"), nil
	})
	e := echo.New()
	h := server.NewStreamableHTTPServer(m, server.WithStateLess(true), server.WithDisableStreaming(true))
	e.Any("/v1/mcp", echo.WrapHandler(http.Handler(h)))
	srv := httptest.NewServer(e)
	b.Cleanup(srv.Close)
	return &target{url: srv.URL, key: "none", body: wiretest.Call(1, "empty", map[string]any{})}
}
