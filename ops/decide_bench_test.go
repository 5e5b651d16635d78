package ops_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"polaris/ops"
)

// A decision with its change, from the call to the commit; the rows that have to
// be read for it are no more than in a large log. Run it with
// POLARIS_TEST_FSYNC=1 to wait for the disk.
func BenchmarkDecide(b *testing.B) {
	x := newTeam(b)
	x.exec(b, `INSERT INTO audit (brain_id, at, kind, person, actor, authenticated, key_id, surface, operation, class, outcome, target, request_id, latency_micros, detail)
		SELECT 'acme', now(), 'key', '', 'x', true, '', 'mcp', 'answer', 'A0', 'ok', 'ans_' || i, '', 0, '{}' FROM generate_series(1, 100000) i`)
	in := make([]ops.DecideIn, b.N)
	for i := range in {
		in[i] = ops.DecideIn{ID: x.byToken(b, x.ann, fmt.Sprintf("card-%d", i), ""), Verdict: "approve"}
		in[i].Hash = must(b, x.d, x.di, ops.GetRecommendation, ops.RecommendationIDIn{ID: in[i].ID}).Hash
	}
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for _, d := range in {
		begun := time.Now()
		if _, err := ops.Do(context.Background(), x.d, x.cleo, ops.DecideRecommendation, d); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
