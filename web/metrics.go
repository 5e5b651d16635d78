package web

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"polaris/models"
	"polaris/ops"
	"polaris/static"
)

// Figures for operators, at /metrics. Every label comes from a fixed set: a
// route's pattern, a known method, a class of status, a surface, an operation
// of the catalog, an outcome. There is no brain, key, person, question or path
// among them, so what is asked here says nothing of anybody, and no caller can
// make the series grow.

const metricsPath = "/metrics"

// otherRoute stands for every path that is no route of ours.
const otherRoute = "other"

// buckets reach from an answer of a warm index to the 50 s that any answer may
// take.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25, 50}

// A metrics counts what the server does. It has a registry of its own: what a
// library registers globally does not get out.
type metrics struct {
	page     http.Handler
	mcpPath  string
	inFlight atomic.Int64

	requests, operations *prometheus.CounterVec
	took, ran            *prometheus.HistogramVec
	overRate, noLimiter  prometheus.Counter
}

func newMetrics(s *Server) *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{
		page:    promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}),
		mcpPath: s.conf.MCPPath,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "polaris_http_requests_total", Help: "Requests that were answered.",
		}, []string{"surface", "route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "polaris_http_request_duration_seconds", Help: "From a request's header to the end of its answer.", Buckets: buckets,
		}, []string{"surface", "route", "status"}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "polaris_operations_total", Help: "Operations that reached the gate, by how they ended.",
		}, []string{"surface", "operation", "outcome"}),
		ran: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "polaris_operation_duration_seconds", Help: "Time of operations in the gate, with their audit row.", Buckets: buckets,
		}, []string{"operation"}),
	}
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "polaris_rate_limit_refusals_total", Help: "Requests and sign-ins over a rate, and those whose rate could not be checked.",
	}, []string{"reason"})
	m.overRate, m.noLimiter = refused.WithLabelValues("over_limit"), refused.WithLabelValues("limiter_unavailable")
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "polaris_build_info", Help: "1; the label says which release runs.", ConstLabels: prometheus.Labels{"version": s.conf.Version}})
	build.Set(1)
	registry.MustRegister(m.requests, m.took, m.operations, m.ran, refused, build, &gauges{s, m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// surface returns which surface a route belongs to. A route is what [routed]
// noted: a pattern of the router, or the name of what is served before it, and
// never a path that somebody asked for.
func (m *metrics) surface(route string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(route, "/"), "/")
	if first == "v1" {
		first, _, _ = strings.Cut(rest, "/")
	}
	switch {
	case route == otherRoute:
		return otherRoute
	case route == m.mcpPath, route == discoveryRoute:
		return ops.Hosted.String()
	case first == "live", first == "health", first == "metrics":
		return "probe"
	case strings.HasPrefix(route, static.Prefix):
		return "static"
	case first == "chat", first == "models", first == "responses":
		return ops.OpenAI.String()
	case isAPI(route):
		return ops.REST.String()
	}
	return ops.Web.String()
}

// answered counts one request.
func (m *metrics) answered(route, method string, status int, took time.Duration) {
	if route == "" {
		route = otherRoute
	}
	surface, class := m.surface(route), classes[min(max(status/100, 1), len(classes)-1)]
	m.requests.WithLabelValues(surface, route, known(method), class).Inc()
	m.took.WithLabelValues(surface, route, class).Observe(took.Seconds())
}

var classes = [...]string{"", "1xx", "2xx", "3xx", "4xx", "5xx"}

// Called counts one operation; it makes m an [ops.Observer].
func (m *metrics) Called(via ops.Surface, operation, outcome string, took time.Duration) {
	m.operations.WithLabelValues(via.String(), operation, outcome).Inc()
	m.ran.WithLabelValues(operation).Observe(took.Seconds())
}

// counted is a limiter whose refusals are counted.
type counted struct {
	ops.Limiter
	m *metrics
}

// Take counts what the limiter refuses.
func (c counted) Take(ctx context.Context, caller string, r models.Rate, now time.Time) (ops.Taken, error) {
	t, err := c.Limiter.Take(ctx, caller, r, now)
	switch {
	case err != nil:
		c.m.noLimiter.Inc()
	case !t.OK:
		c.m.overRate.Inc()
	}
	return t, err
}

// Measure has the server's desk count for /metrics what passes its gate and
// what its limiter refuses. Call it once, before the first request.
func (s *Server) Measure() {
	s.desk.Observe = s.metrics
	s.desk.Limiter = counted{s.desk.Limiter, s.metrics}
}

// InFlight returns how many requests are being answered now.
func (s *Server) InFlight() int { return int(s.metrics.inFlight.Load()) }

// showMetrics answers who may scrape; to all others nothing is there.
func (s *Server) showMetrics(c echo.Context) error {
	if !s.mayScrape(c.Request()) {
		return echo.ErrNotFound
	}
	c.Response().Header().Set("Cache-Control", never)
	s.metrics.page.ServeHTTP(c.Response(), c.Request())
	return nil
}
