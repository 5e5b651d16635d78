package web

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.browser()
	s.server.SetReady(false)
	b.get("/live").want(http.StatusOK, `{"status":"alive"}`)
	b.get("/health").want(http.StatusServiceUnavailable, `{"status":"not_ready"}`)
	s.server.SetReady(true)
	b.get("/health").want(http.StatusOK, `{"status":"ready"}`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.server.Watch(ctx); close(done) }()
	time.Sleep(20 * time.Millisecond)
	b.get("/health").want(http.StatusOK)
	cancel()
	<-done
}

// A database that is away for a moment does not take the server out; one that
// stays away does after five seconds, and its return brings it back.
func TestHealthFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h health
		h.open.Store(true)
		here, away := func(context.Context) error { return nil }, func(context.Context) error { return errors.New("away") }
		for i, step := range []struct {
			ping func(context.Context) error
			want bool
		}{{here, true}, {away, true}, {away, true}, {away, true}, {away, true}, {away, true}, {away, false}, {away, false}, {here, true}, {away, true}} {
			h.look(t.Context(), step.ping)
			if got := h.ready(time.Now()); got != step.want {
				t.Errorf("second %d: ready is %v, want %v", i, got, step.want)
			}
			time.Sleep(time.Second)
		}
		h.open.Store(false)
		h.look(t.Context(), here)
		if h.ready(time.Now()) {
			t.Error("ready while draining")
		}
	})
}
