package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"polaris/internal/wiretest"
	"polaris/models"
)

// BenchmarkEndpoint holds three tools of a brain of 13,012 passages, each with
// its credential, its rate, its search, and its audit row and record on disk and
// sealed, against the least that a tool of this library can be: one that returns
// a word, in Echo, with no checks at all.
//
// Both are measured in turns, so that what else the machine does falls on both,
// and what is reported is the median of the turns' ratios. Load comes from
// another process, so that CPU is the server's alone; the load, the server and
// PostgreSQL share one machine. Without POLARIS_TEST_FSYNC the database does not
// wait for its disk.
//
//	POLARIS_TEST_FSYNC=on go test ./mcp -run '^$' -bench Endpoint -benchtime 10000x
func BenchmarkEndpoint(b *testing.B) {
	w := wiretest.NewWorld(b, alone, wiretest.Options{Rate: models.Rate{N: 1 << 30, Window: time.Minute}})
	questions := bigBrain(b, w)
	empty := emptyTarget(b)
	cluster := postmaster(b, w.DB.URL)
	asked := map[string][]string{"topic_cards": {wiretest.Call(1, "topic_cards", map[string]any{})}}
	for _, q := range questions {
		for _, tool := range []string{"retrieve", "answer"} {
			asked[tool] = append(asked[tool], wiretest.Call(1, tool, map[string]any{"query": q}))
		}
	}
	for _, clients := range []int{1, 16} {
		for _, tool := range []string{"topic_cards", "retrieve", "answer"} {
			full := &target{url: w.URL, key: w.Keys["reader"], bodies: asked[tool], postmaster: cluster, beside: w.Desk.SealForever}
			b.Run(fmt.Sprintf("%s/clients=%d", tool, clients), func(b *testing.B) { compare(b, full, empty, clients) })
		}
	}
}

// compare measures both targets in turns.
func compare(b *testing.B, full, empty *target, clients int) {
	const turns = 10
	var rate, emptyRate, throughput, cpu, cpuWithPG []float64
	for range turns {
		n := b.N/turns + 1
		f, e := full.load(b, n, clients), empty.load(b, 4*n, clients) // about as long as the other
		rate, emptyRate = append(rate, f.perSecond()), append(emptyRate, e.perSecond())
		throughput = append(throughput, f.perSecond()/e.perSecond())
		cpu = append(cpu, f.cpuEach()/e.cpuEach())
		cpuWithPG = append(cpuWithPG, (f.cpuEach()+f.databaseEach())/e.cpuEach())
	}
	b.ReportMetric(0, "ns/op") // would be the time of both
	b.ReportMetric(median(rate), "req/s")
	b.ReportMetric(median(emptyRate), "empty-req/s")
	b.ReportMetric(median(throughput), "throughput-ratio")
	b.ReportMetric(median(cpu), "cpu-ratio")
	b.ReportMetric(median(cpuWithPG), "cpu-ratio-with-pg")
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
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
	return &target{url: srv.URL, key: "none", bodies: []string{wiretest.Call(1, "empty", map[string]any{})}}
}

// run runs f until stop is called, which returns when f has.
func run(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { f(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}
