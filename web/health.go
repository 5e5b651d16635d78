package web

import (
	"context"
	"net/http"
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
	seen atomic.Int64 // when the database last answered, in Unix nanoseconds; 0: nobody watches
}

// SetReady says whether the server takes work: true once everything is up,
// false when it begins to drain.
func (s *Server) SetReady(ready bool) { s.health.open.Store(ready) }

// look asks the database whether it is there.
func (h *health) look(ctx context.Context, ping func(context.Context) error) {
	if h.seen.Load() == 0 {
		h.seen.Store(time.Now().UnixNano()) // the clock runs from the first look
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if ping(ctx) == nil {
		h.seen.Store(time.Now().UnixNano())
	}
}

func (h *health) ready(now time.Time) bool {
	seen := h.seen.Load()
	return h.open.Load() && (seen == 0 || now.Sub(time.Unix(0, seen)) < lostAfter)
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
