package ops

import (
	"context"
	"sync"
	"time"

	"polaris/models"
	"polaris/models/fault"
)

// A Limiter counts the requests of each caller in a sliding window.
type Limiter interface {
	// Take counts one request and reports whether it is within the rate. An
	// error means that the count could not be taken; callers fail closed.
	Take(ctx context.Context, caller string, r models.Rate, now time.Time) (Taken, error)
}

// Taken is what taking one request from a rate gave.
type Taken struct {
	OK        bool
	Limit     int           // requests in the window; 0 where there is no limit
	Window    time.Duration // the window
	Remaining int           // that are left now
	Reset     time.Duration // until one more is free, when none is left; else until the oldest leaves
}

// A MemoryLimiter keeps the times of each caller's requests in memory: exact
// for one process, forgotten with it.
type MemoryLimiter struct {
	mu      sync.Mutex
	callers map[string][]time.Time // oldest first, never longer than the limit
	swept   time.Time
}

// NewMemoryLimiter returns an empty limiter.
func NewMemoryLimiter() *MemoryLimiter {
	return &MemoryLimiter{callers: map[string][]time.Time{}}
}

// Take counts one request. A refused request does not count, so a caller that
// keeps trying gets in as soon as the window allows.
func (l *MemoryLimiter) Take(_ context.Context, caller string, r models.Rate, now time.Time) (Taken, error) {
	if r.Off {
		return Taken{OK: true}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	at := l.callers[caller]
	for len(at) > 0 && !at[0].After(now.Add(-r.Window)) {
		at = at[1:]
	}
	t := Taken{OK: len(at) < r.N, Limit: r.N, Window: r.Window}
	if t.OK {
		at = append(at, now)
	}
	l.callers[caller] = at
	t.Remaining = max(0, r.N-len(at))
	if len(at) > 0 {
		t.Reset = at[0].Add(r.Window).Sub(now)
	}
	return t, nil
}

// sweep forgets callers that have been quiet, once a minute, so that memory
// follows the callers of now and not of ever.
func (l *MemoryLimiter) sweep(now time.Time) {
	const quiet = 30 * time.Minute // longer than any window that a key may have
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for c, at := range l.callers {
		if len(at) == 0 || now.Sub(at[len(at)-1]) > quiet {
			delete(l.callers, c)
		}
	}
}

// Take counts one request of p against its own rate, or the server's. Where
// the count cannot be taken the request is refused: the limit fails closed.
func (d *Desk) Take(ctx context.Context, p models.Principal) (Taken, error) {
	r := p.RateLimit
	if r.IsZero() {
		r = d.Settings.RateLimit
	}
	t, err := d.Limiter.Take(ctx, p.Caller(), r, d.Now())
	if err != nil {
		return Taken{Reset: time.Second}, fault.New(fault.Limited, "The rate limit cannot be checked just now. Try again in a moment.").Because(err)
	}
	if !t.OK {
		return t, fault.New(fault.Limited, "Over the limit of %d requests in %s for this key. It is set per key (--rate), or for the server by POLARIS_RATE_LIMIT.", r.N, r.Window)
	}
	return t, nil
}
