package web

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"polaris/models/store"
)

// gauges are the figures that are read where they are kept, at the moment of a
// scrape.
type gauges struct {
	s *Server
	m *metrics
}

// A snapshot is what one scrape reads.
type snapshot struct {
	store        store.Stats
	unsealed     int
	lag          time.Duration
	engines      int
	engineBytes  int64
	evicted      int64
	failed, held int64
	inFlight     int64
	ready        bool
}

func (g *gauges) read() *snapshot {
	v := &snapshot{store: g.s.desk.Store.Stats(), inFlight: g.m.inFlight.Load(), ready: g.s.health.ready(time.Now())}
	v.unsealed, v.lag = g.s.desk.Backlog()
	v.engines, v.engineBytes = g.s.desk.Shelf.Loaded()
	v.evicted = g.s.desk.Shelf.Evicted()
	v.failed, v.held = g.s.desk.BadKeys.Counted()
	return v
}

// A figure is one series of the gauges.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*snapshot) float64
}

func now(name, help string, of func(*snapshot) float64) figure {
	return figure{prometheus.NewDesc("polaris_"+name, help, nil, nil), prometheus.GaugeValue, of}
}

func since(name, help string, of func(*snapshot) float64) figure {
	return figure{prometheus.NewDesc("polaris_"+name, help, nil, nil), prometheus.CounterValue, of}
}

var figures = []figure{
	now("ready", "1 while /health says ready.", func(v *snapshot) float64 {
		if v.ready {
			return 1
		}
		return 0
	}),
	now("http_requests_in_flight", "Requests that are being answered.", func(v *snapshot) float64 { return float64(v.inFlight) }),

	now("audit_unsealed_rows", "Audit rows that this process wrote and that are not in their hash chain yet. Normally seconds old; growing: the sealer does not get through.", func(v *snapshot) float64 { return float64(v.unsealed) }),
	now("audit_seal_lag_seconds", "How long the oldest of them has waited.", func(v *snapshot) float64 { return v.lag.Seconds() }),
	now("audit_queued_rows", "Answers that wait for the next group commit.", func(v *snapshot) float64 { return float64(v.store.Queued) }),
	since("audit_commits_total", "Group commits of answers and refusals.", func(v *snapshot) float64 { return float64(v.store.Commits) }),
	since("audit_commit_failures_total", "Group commits that failed: their answers were not given.", func(v *snapshot) float64 { return float64(v.store.FailedCommits) }),
	since("audit_committed_rows_total", "Rows in these commits; divided by their number, the size of a batch.", func(v *snapshot) float64 { return float64(v.store.Rows) }),
	since("audit_commit_seconds_total", "Time in these commits; divided by their number, the wait for the disk.", func(v *snapshot) float64 { return v.store.CommitTime.Seconds() }),

	now("database_connections", "Connections to the database.", func(v *snapshot) float64 { return float64(v.store.Connections) }),
	now("database_connections_in_use", "Of them, those that somebody works with.", func(v *snapshot) float64 { return float64(v.store.InUse) }),
	now("database_connections_limit", "How many this process opens at most.", func(v *snapshot) float64 { return float64(v.store.MostConnections) }),
	since("database_acquires_total", "Connections taken from the pool.", func(v *snapshot) float64 { return float64(v.store.Acquired) }),
	since("database_acquire_waits_total", "Of them, those that had to be waited for.", func(v *snapshot) float64 { return float64(v.store.Waited) }),
	since("database_acquire_wait_seconds_total", "Time spent waiting for them.", func(v *snapshot) float64 { return v.store.WaitTime.Seconds() }),

	since("credential_failures_total", "Keys and tokens that did not hold.", func(v *snapshot) float64 { return float64(v.failed) }),
	since("credential_throttled_total", "Credentials that were not looked at, because too many of their address had failed.", func(v *snapshot) float64 { return float64(v.held) }),

	now("engines_loaded", "Published versions in memory.", func(v *snapshot) float64 { return float64(v.engines) }),
	now("engine_bytes", "Their indexes and texts.", func(v *snapshot) float64 { return float64(v.engineBytes) }),
	since("engines_evicted_total", "Published versions that made room for others under POLARIS_INDEX_MEMORY.", func(v *snapshot) float64 { return float64(v.evicted) }),
}

// Describe says which series there are.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range figures {
		ch <- f.desc
	}
}

// Collect reads them.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	v := g.read()
	for _, f := range figures {
		ch <- prometheus.MustNewConstMetric(f.desc, f.kind, f.of(v))
	}
}
