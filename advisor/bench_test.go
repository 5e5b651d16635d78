package advisor

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"polaris/advisor/bench"
	"polaris/internal/testdata"
)

// BenchmarkRetrieve is one retrieve on 13,012 passages, from the question to
// the rendered envelope.
func BenchmarkRetrieve(b *testing.B) { benchmark(b, (*Engine).Retrieve) }

// BenchmarkAnswer is one answer on the same passages.
func BenchmarkAnswer(b *testing.B) { benchmark(b, (*Engine).Answer) }

func benchmark[R any](b *testing.B, ask func(*Engine, context.Context, Question) R) {
	e, err := Build(collection(b, "obliqa"), Config{})
	if err != nil {
		b.Fatal(err)
	}
	set, err := bench.Load(filepath.Join(testdata.Dir(b), "bench", "obliqa"))
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		ask(e, b.Context(), Question{Text: set.Queries[i%len(set.Queries)].Text})
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkBuild makes the engine of 13,012 passages.
func BenchmarkBuild(b *testing.B) {
	c := collection(b, "obliqa")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(c, Config{}); err != nil {
			b.Fatal(err)
		}
	}
}
