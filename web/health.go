package web

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
)

// lostAfter is how long the database may be away before the server says that
// it is not ready: longer than a failover, shorter than a client's patience.
const lostAfter = 5 * time.Second

// A health is what the probes are told.
type health struct {
	open atomic.Bool  // started, and not draining
	lost atomic.Int64 // since when the database does not answer, in Unix nanoseconds; 0: it does

	draining context.Context // done when the server stops
	drain    context.CancelFunc
}

// SetReady says whether the server takes work: true once everything is up.
func (s *Server) SetReady(ready bool) { s.health.open.Store(ready) }

// Drain says at once that the server is not ready, and sees to it that what is
// in flight can end within the grace period: a request that has not arrived
// whole by the middle of it is refused, so that a client which sends a byte a
// second does not decide how long a restart takes.
func (s *Server) Drain(grace time.Duration) {
	s.SetReady(false)
	s.health.drain()
	s.arrivals.closeAt(time.Now().Add(grace / 2))
}

// look asks the database whether it is there.
func (h *health) look(ctx context.Context, ping func(context.Context) error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if ping(ctx) == nil {
		h.lost.Store(0)
		return
	}
	h.lost.CompareAndSwap(0, began.UnixNano())
}

func (h *health) ready(now time.Time) bool {
	lost := h.lost.Load()
	return h.open.Load() && (lost == 0 || now.Sub(time.Unix(0, lost)) < lostAfter)
}

func (s *Server) live(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "alive"})
}

func (s *Server) ready(c echo.Context) error {
	if !s.health.ready(time.Now()) {
		return c.JSON(http.StatusServiceUnavailable, map[string]string{"status": "not_ready"})
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}

// Starting answers while there is no server yet, because its database is being
// started or migrated: the process is alive, and everything else is for later.
func Starting() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body := http.StatusServiceUnavailable, `{"error":{"code":"unavailable","message":"Polaris is starting. Try again in a moment.","type":"api_error"}}`
		switch strings.TrimSuffix(r.URL.Path, "/") {
		case "/live":
			status, body = http.StatusOK, `{"status":"alive"}`
		case "/health":
			body = `{"status":"not_ready"}`
		default:
			w.Header().Set("Retry-After", "2")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body+"\n") // whoever went away does not read it
	})
}
