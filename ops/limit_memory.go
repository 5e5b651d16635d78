package ops

import (
	"context"
	"slices"
	"sync"
	"time"

	"polaris/models"
)

// A MemoryLimiter keeps the times of each caller's requests in memory: exact
// for one process, forgotten with it.
type MemoryLimiter struct {
	mu      sync.Mutex
	began   time.Time // what times are counted from
	callers map[string][]time.Duration
	swept   time.Duration
}

// NewMemoryLimiter returns an empty limiter.
func NewMemoryLimiter() *MemoryLimiter {
	return &MemoryLimiter{callers: map[string][]time.Duration{}}
}

// Take counts one request. Time does not go back for a caller, unless the clock
// was wrong by more than a window.
func (l *MemoryLimiter) Take(_ context.Context, caller string, r models.Rate, now time.Time) (Taken, error) {
	if r.Off {
		return Taken{OK: true}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		l.began = now
	}
	at, t := l.callers[caller], now.Sub(l.began)
	l.sweep(t)
	if n := len(at); n > 0 && at[n-1] > t+r.Window {
		at = nil
	} else if n > 0 {
		t = max(t, at[n-1])
	}
	gone, _ := slices.BinarySearch(at, t-r.Window+1) // the first that is in the window
	at = at[gone:]
	ok := len(at) < r.N
	if ok {
		at = append(at, t)
	}
	if len(at) == 0 { // a rate of none at all
		return taken(r, false, 0, r.Window), nil
	}
	l.callers[caller] = at
	// Which must leave before one more is free? Not the oldest, where the rate
	// was higher before.
	next := at[max(0, len(at)-r.N)]
	return taken(r, ok, len(at), next+r.Window-t), nil
}

// sweep forgets callers that have been quiet, once a minute, so that memory
// follows the callers of now and not of ever.
func (l *MemoryLimiter) sweep(t time.Duration) {
	if t-l.swept < time.Minute {
		return
	}
	l.swept = t
	for c, at := range l.callers {
		if t-at[len(at)-1] > longestQuiet {
			delete(l.callers, c)
		}
	}
}
