package ops

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// storePatience is how long a count may take: what is left of 200 ms is for
// whoever waits to be told.
const storePatience = 150 * time.Millisecond

// A StoreLimiter keeps the times of each caller's requests in the database:
// exact for all processes that share it, and by its clock. Requests of one
// caller that come while the database is busy with an earlier one of the same
// process are counted together, so a burst costs a few statements and not a
// connection for each.
type StoreLimiter struct {
	store    *store.Store
	patience time.Duration
	held     bool // Take's now counts, and not the database's clock

	mu   sync.Mutex
	next map[counted]*round // that gather while one is being counted; nil: none has come yet
}

// NewStoreLimiter returns a limiter that counts in s.
func NewStoreLimiter(s *store.Store) *StoreLimiter {
	return &StoreLimiter{store: s, patience: storePatience, next: map[counted]*round{}}
}

// A counted is what requests must have in common to be counted together.
type counted struct {
	caller string
	rate   models.Rate
	now    time.Time // where the clock is held
}

// A round is requests that are counted together.
type round struct {
	asked int  // guarded by the limiter's mu until
	begun bool // it is being counted, and changed no more

	done chan struct{} // closed when these are known:
	hits store.Hits
	err  error

	told atomic.Int64 // how many know what became of them
}

// Take counts one request.
func (l *StoreLimiter) Take(ctx context.Context, caller string, r models.Rate, now time.Time) (Taken, error) {
	if r.Off {
		return Taken{OK: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	c := counted{caller: caller, rate: r}
	if l.held {
		c.now = now
	}
	mine := l.join(ctx, c)
	select {
	case <-ctx.Done():
		l.leave(mine)
		return Taken{}, ctx.Err()
	case <-mine.done:
	}
	if mine.err != nil {
		return Taken{}, mine.err
	}
	h, place := mine.hits, int(mine.told.Add(1))
	return taken(r, place <= h.Accepted, h.Used-h.Accepted+min(place, h.Accepted), h.Wait), nil
}

// join enters a request into the round that comes next, and begins it where
// none is being counted.
func (l *StoreLimiter) join(ctx context.Context, c counted) *round {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, busy := l.next[c]
	if r == nil {
		r = &round{done: make(chan struct{})}
		l.next[c] = r
	}
	r.asked++
	if !busy {
		l.next[c], r.begun = nil, true
		// The others of a round do not depend on who came first.
		go l.count(context.WithoutCancel(ctx), c, r)
	}
	return r
}

// leave takes back a request that waits no longer, unless it is too late.
func (l *StoreLimiter) leave(r *round) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.begun {
		r.asked--
	}
}

// count counts one round after the other until nobody has come meanwhile.
func (l *StoreLimiter) count(ctx context.Context, c counted, r *round) {
	for r != nil {
		if r.asked > 0 {
			r.hits, r.err = l.ask(ctx, c, r.asked)
		}
		close(r.done)
		r = l.begin(c)
	}
}

// begin returns the round that gathered, or nil.
func (l *StoreLimiter) begin(c counted) *round {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.next[c]
	if r == nil {
		delete(l.next, c)
		return nil
	}
	l.next[c], r.begun = nil, true
	return r
}

func (l *StoreLimiter) ask(ctx context.Context, c counted, n int) (store.Hits, error) {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	var held *time.Time
	if l.held {
		held = &c.now
	}
	return l.store.TakeRate(ctx, c.caller, n, c.rate.N, c.rate.Window, held)
}

// SweepRates forgets callers that have been quiet, once a minute until ctx ends,
// where the limiter keeps them in the database. (One in memory does it itself.)
func (d *Desk) SweepRates(ctx context.Context) {
	if _, ok := d.Limiter.(*StoreLimiter); !ok {
		return
	}
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := d.Store.SweepRates(ctx, longestQuiet); err != nil && ctx.Err() == nil {
			d.Log.Warn("quiet callers could not be forgotten", "error_type", fault.TypeOf(err))
		}
	}
}
